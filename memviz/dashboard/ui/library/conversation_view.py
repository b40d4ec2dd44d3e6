"""A conversation of the library in full, page by page."""

from collections.abc import Iterator, Sequence

import streamlit as st

from memviz.core.division import ceil_div
from memviz.core.messages import TIME, Message
from memviz.core.text.wording import counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.markup import element, section
from memviz.dashboard.ui.controls.message_html import message_html
from memviz.dashboard.ui.controls.recorded_events import event_sentence
from memviz.dashboard.ui.shell.elements import drawer
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.store import Store
from memviz.transcripts.base import (
    CACHE_BREAK,
    REASONING,
    RecordedEvent,
    recorded_tokens,
)
from memviz.transcripts.times import moment

MESSAGES_ON_PAGE = 40
ROLE_COLORS = {
    "user": "input",
    "assistant": "history",
    "tool": "tools",
    "system": "system",
}
"""A role's colour is that of the part of a request in which it usually stands."""
NAMES = {
    "user": noop("User"),
    "assistant": noop("Assistant"),
    "tool": noop("Tool result"),
    "system": noop("System"),
}


def conversation_view(library: Store, id: str) -> None:
    """Draw a whole conversation of ``library``, in pages. Only the messages of the page are read, for a conversation
    may be long. Raises UnreadableConversationError."""
    transcript = library.about(id)
    total = library.entry(id).message_count
    for warning in transcript.warnings:
        st.caption(f":material/info: {plain(_(warning))}")
    if transcript.system_prompt:
        with drawer(_("System prompt"), ":material/tune:"):
            st.text(transcript.system_prompt)
    pages = ceil_div(total, MESSAGES_ON_PAGE)
    page = (st.pagination(pages, key=f"view-page-{id}") or 1) if pages > 1 else 1
    first = (page - 1) * MESSAGES_ON_PAGE
    stop = min(first + MESSAGES_ON_PAGE, total)
    messages = library.said(id, first, stop)
    st.html("".join(_parts(transcript.events, messages, first, is_end=stop == total)))
    st.caption(_("{messages} in all.", messages=counted(total, "message")))


def _parts(
    events: Sequence[RecordedEvent],
    messages: Sequence[Message],
    first: int,
    *,
    is_end: bool,
) -> Iterator[str]:
    """Yield the messages from position ``first`` on, and between them what was recorded there."""
    events_left = sorted(events, key=lambda event: event.after_message)
    for position, message in enumerate(messages, first):
        for event in events_left:
            if event.after_message == position:
                yield _event(event)
        yield _message(message, position)
    if is_end:
        stop = first + len(messages)
        for event in events_left:
            if event.after_message >= stop:
                yield _event(event)


def _message(message: Message, position: int) -> str:
    head = " · ".join(_facts(message, position))
    parts = [message_html(message, head, _("Download has all of them"))]
    thought = (message.meta or {}).get(REASONING)
    if isinstance(thought, str) and thought:
        summary = element("summary", element("small", _("Reasoning")))
        parts.append(element("details", summary, element("p", thought)))
    return section(PART_COLORS[ROLE_COLORS[message.role]], *parts)


def _facts(message: Message, position: int) -> Iterator[str]:
    """Yield the number and the role of a message, its name and time, and what was recorded of it."""
    yield f"{message_number(position)} · {_(NAMES[message.role])}"
    if message.name:
        yield message.name
    time = moment((message.meta or {}).get(TIME))
    if time:
        yield f"{time:%Y-%m-%d %H:%M}"
    yield from _recorded_facts(message)


def _recorded_facts(message: Message) -> Iterator[str]:
    """Yield what the log recorded of a reply: the tokens of its request and its own, and why a cache did not hold."""
    recorded = recorded_tokens(message)
    if recorded is not None:
        sent, replied = recorded
        yield _(
            "recorded {sent:,} tokens sent, {replied:,} replied",
            sent=sent,
            replied=replied,
        )
    reason = (message.meta or {}).get(CACHE_BREAK)
    if isinstance(reason, str) and reason:
        yield _("the cache did not hold: {reason}", reason=reason)


def _event(event: RecordedEvent) -> str:
    parts = [element("small", event_sentence(event))]
    if event.text:
        parts.append(element("p", event.text))
    return section(PART_COLORS["summary"], *parts)
