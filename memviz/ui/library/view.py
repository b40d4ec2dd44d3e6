"""A conversation as it was imported: every message with its tool calls, what was noted, what its program recorded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from memviz.charts.palette import PART_COLORS
from memviz.conversation import TIME, Message
from memviz.text.wording import counted, message_number
from memviz.transcripts.base import REASONING, RecordedEvent
from memviz.transcripts.times import moment
from memviz.ui.controls.message_html import message_html
from memviz.ui.controls.recorded_compactions import event_sentence
from memviz.ui.shell.text import plain
from memviz.workspace import Workspace

PAGE_SIZE = 40
ROLE_COLORS = {
    "user": "input",
    "assistant": "history",
    "tool": "tools",
    "system": "system",
}
"""A role's colour is that of the part of a request in which it usually stands."""
NAMES = {
    "user": "User",
    "assistant": "Assistant",
    "tool": "Tool result",
    "system": "System",
}


def conversation_view(workspace: Workspace, id: str) -> None:
    """The whole conversation, in pages. Only the messages of the page are read, for a conversation may be long. Raises
    UnreadableConversationError."""
    transcript = workspace.store.about(id)
    total = workspace.store.entry(id).message_count
    for warning in transcript.warnings:
        st.caption(f":material/info: {plain(warning)}")
    if transcript.system_prompt:
        with st.expander("System prompt", icon=":material/tune:"):
            st.text(transcript.system_prompt)
    pages = -(-total // PAGE_SIZE)
    page = (st.pagination(pages, key=f"view-page-{id}") or 1) if pages > 1 else 1
    first = (page - 1) * PAGE_SIZE
    stop = min(first + PAGE_SIZE, total)
    messages = workspace.store.said(id, first, stop)
    st.html("".join(_parts(transcript.events, messages, first, is_end=stop == total)))
    st.caption(f"{counted(total, 'message')} in all.")


def _parts(
    events: Sequence[RecordedEvent],
    messages: Sequence[Message],
    first: int,
    *,
    is_end: bool,
) -> Sequence[str]:
    """The messages from position ``first`` on, and between them what was recorded there."""
    parts = []
    events = sorted(events, key=lambda event: event.after_message)
    for position, message in enumerate(messages, first):
        parts += [_event(event) for event in events if event.after_message == position]
        parts.append(_message(message, position))
    stop = first + len(messages)
    return parts + [
        _event(event) for event in events if is_end and event.after_message >= stop
    ]


def _message(message: Message, position: int) -> str:
    meta = message.meta or {}
    said = moment(meta.get(TIME))
    facts = [
        f"{message_number(position)} · {NAMES[message.role]}",
        message.name or "",
        f"{said:%Y-%m-%d %H:%M}" if said else "",
    ]
    body = message_html(
        message, " · ".join(filter(None, facts)), "Download has all of them"
    )
    thought = meta.get(REASONING)
    if isinstance(thought, str) and thought:
        body += f"<details><summary><small>Reasoning</small></summary><p>{escape(thought)}</p></details>"
    return _section(body, PART_COLORS[ROLE_COLORS[message.role]])


def _event(event: RecordedEvent) -> str:
    text = f"<p>{escape(event.text)}</p>" if event.text else ""
    return _section(
        f"<small>{escape(event_sentence(event))}</small>{text}", PART_COLORS["summary"]
    )


def _section(body: str, color: str) -> str:
    return f'<section class="memviz-block" style="border-left-color: {color}">{body}</section>'
