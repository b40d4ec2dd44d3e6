"""Conversations on pages, and the chat of a browser session.

Of conversations: the ones to choose from, their lengths, those of which only the beginning
is shown, the events of their own program, and the wordings that are kept with them.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import streamlit as st

from memviz.core import page_titles
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.core.text.wording import comma_list, counted, distinct_names
from memviz.core.translation import _, language_now, noop
from memviz.dashboard.lessons.study import ALL_MESSAGES
from memviz.dashboard.ui.controls.study import Setting, compare_state
from memviz.dashboard.ui.shell.elements import (
    drawer,
    header,
    quiet_button,
    row,
    show_warning,
)
from memviz.dashboard.ui.shell.frame import store, workspace
from memviz.dashboard.ui.shell.presence import conversation_shown
from memviz.dashboard.ui.shell.presenting import Part, put_away
from memviz.dashboard.ui.shell.state import of_session
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.chat import Chat
from memviz.engine.recall import Recall
from memviz.engine.run import Run
from memviz.storage.entries import ConversationEntry
from memviz.storage.workspace import FIRST_SAMPLE, SAMPLE_PREFIX
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.times import moment

CONVERSATIONS_LISTED = 200
MAX_NAMED = 3
MESSAGES_SHOWN = 30
"""Messages of a long chat that are drawn at first; earlier ones come on demand."""


def looked_at_conversation(id: str) -> tuple[Transcript, Log]:
    """A conversation and its log, as far as pages look at it."""
    return workspace().conversation(id, compare_state().first_of(id))


def studied_conversation() -> tuple[Transcript, Log]:
    """Return the transcript and the log of the conversation that the study pages show."""
    return looked_at_conversation(compare_state().conversation_id or "")


SAMPLES_IN = {"zh": SAMPLE_PREFIX + "chinese"}
"""The bundled conversation that is shown first to readers of a language, where there is one in it."""


def first_sample() -> str:
    """Return the bundled conversation that a page opens first."""
    return SAMPLES_IN.get(language_now(), FIRST_SAMPLE)


class ConversationChoices(NamedTuple):
    """Conversations by id, and their labels."""

    entries: dict[str, ConversationEntry]
    labels: dict[str, str]


def conversation_choices(chosen: str | None) -> ConversationChoices:
    """The newest conversations, and the chosen one however old it is. Those that cannot be read are named."""
    entries, unreadable = workspace().choices(CONVERSATIONS_LISTED, chosen)
    sample_id = SAMPLES_IN.get(language_now(), "")
    if sample_id in entries:
        entries = {sample_id: entries[sample_id], **entries}
    if unreadable:
        names = comma_list(f"“{each.title}”" for each in unreadable[:MAX_NAMED])
        if len(unreadable) > MAX_NAMED:
            names = _("{names} and more", names=names)
        show_warning(
            _(
                "Left aside, because it cannot be read: {names}. The {library} says why.",
                names=names,
                library=_(page_titles.LIBRARY),
            )
        )
    # Of those with the same title the oldest keeps it as it is, so that a new one changes no other's label.
    by_age = sorted(entries.values(), key=lambda entry: entry.created_at)
    ids = [entry.id for entry in by_age]
    labels = distinct_names([bundled_words(entry.title) for entry in by_age])
    return ConversationChoices(entries, dict(zip(ids, labels, strict=True)))


def size_words(entries: Iterable[ConversationEntry]) -> str:
    """``21 turns``, and where tools made them more requests than turns ``21 turns with 57 requests``."""
    turns = 0
    requests = 0
    for entry in entries:
        turns += entry.turn_count
        requests += workspace().request_count(entry)
    words = counted(turns, "turn")
    if requests <= turns:
        return words
    more = counted(requests, "request")
    return _("{turns} with {requests}", turns=words, requests=more)


BEGINNING_KEY = "beginning"

MORE_BY = 3
"""A click shows so many times as much of a conversation: what is shown should take seconds, then a minute, then as it
takes."""

WHOLE_HELP = noop(
    "Replaying {messages} takes a minute or more, and about a gigabyte of memory for each half a million."
)


def say_beginnings(ids: Sequence[str]) -> None:
    """Draw one line for each of these conversations of which only the beginning is shown, with ways to more of it."""
    for id in ids:
        first = workspace().beginning(id, compare_state().first_of(id))
        if first is not None:
            _say_beginning(id, first, of_several=len(ids) > 1)


def _say_beginning(id: str, first: int, *, of_several: bool) -> None:
    entry = store().entry(id)
    shown = len(workspace().conversation(id, first)[1])
    messages = counted(entry.message_count, "message")
    whose = _("So far")
    if of_several:
        whose = _("{title}, so far", title=plain(bundled_words(entry.title)))
    key = f"{BEGINNING_KEY}-{id}"
    with row(key, gap="xsmall"):
        words = _(
            "**{whose}: the first {shown:,} of {messages}.**",
            whose=whose,
            shown=shown,
            messages=messages,
        )
        st.caption(words, width="content")
        with put_away(Part.CONTROLS, key):
            more = MORE_BY * first
            if more < entry.message_count:
                _draw_more_button(id, _("Show {more:,}", more=more), str(more), more)
            help = _(WHOLE_HELP, messages=messages)
            _draw_more_button(id, _("Show all"), "all", ALL_MESSAGES, help)


def _draw_more_button(
    id: str, label: str, name: str, first: int, help: str | None = None
) -> None:
    key = f"{BEGINNING_KEY}-{name}-{id}"
    icon = ":material/expand_more:"
    quiet_button(label, key, icon, _look_at_first, id, first, help=help)


def _look_at_first(id: str, first: int) -> None:
    compare_state().firsts[id] = first


MAX_EVENTS_SHOWN = 50


def event_sentence(event: RecordedEvent) -> str:
    """Return an event as a sentence: its kind, size and time, as far as the file says so."""
    what = _("A summary that its program kept")
    if event.kind == "compaction":
        what = _("Its program compacted here")
    if event.reason:
        what = _("{what} ({reason})", what=what, reason=event.reason)
    sizes = comma_list(_event_sizes(event))
    at = moment(event.time)
    time = f"{at:%Y-%m-%d %H:%M} UTC" if at else ""
    return _(". ").join(filter(None, [what, sizes, time])) + _(".")


def _event_sizes(event: RecordedEvent) -> Iterator[str]:
    if event.tokens_before is not None:
        yield _("{tokens} before", tokens=counted(event.tokens_before, "token"))
    if event.tokens_after is not None:
        yield _("{tokens} after", tokens=counted(event.tokens_after, "token"))


def draw_recorded_events(transcript: Transcript, log: Log) -> None:
    """Draw all events, each with its text; nothing where there are none."""
    events = transcript.events
    if not events:
        return
    header(_("What its own program did"))
    st.caption(
        _(
            "{events} recorded in the file that this conversation was imported from. They are not part of any "
            "replay: compare them with what each setting did.",
            events=counted(events, "event"),
        )
    )
    for number, event in enumerate(events[:MAX_EVENTS_SHOWN], 1):
        turn = 0
        if event.after_message:
            turn = log.turn_number(min(event.after_message, len(log)) - 1)
        label = _(
            "{number}. After turn {turn}: {event}",
            number=number,
            turn=turn,
            event=plain(event_sentence(event)),
        )
        with drawer(label, ":material/history_edu:"):
            st.text(event.text or _("The file does not say what the summary was."))
    if len(events) > MAX_EVENTS_SHOWN:
        st.caption(_("And {value:,} more.", value=len(events) - MAX_EVENTS_SHOWN))


FRESHLY_OPENED = {
    "chat": None,
    "error": None,
    "going_on": False,
    "retrying": False,
    "deleted": False,
    "draft_with": None,
    "write_on_click": False,
    "shown_messages": MESSAGES_SHOWN,
}
"""What belongs to the conversation that is open, as it is when another one is opened."""


@dataclass
class ChatState:
    """The chat of this browser session."""

    conversation_id: str | None = None
    chat: Chat | None = None
    setting: Setting = field(
        default_factory=lambda: Setting(
            0, 0, "summary_buffer", {"max_token_limit": 500}
        )
    )
    """The setting in force."""
    counter: str = DEFAULT_COUNTER
    system_prompt: str = field(
        default_factory=lambda: _("You are a helpful assistant.")
    )
    shown_messages: int = MESSAGES_SHOWN
    opened: int = 0
    """The number of times that another conversation was opened: widgets that belong to one carry it in their key."""
    came_from: str | None = None
    """The conversation that was open before this one."""
    missing: bool = False
    """The address named a conversation that is not there."""
    deleted: bool = False
    """The conversation was deleted elsewhere; what was said in it is in ``chat``."""
    to_send: tuple[str, ...] = ()
    """Messages that were typed there, and begin a new chat."""
    error: MemvizError | None = None
    """The error that happened last."""
    failed_with: Hashable = None
    """The models that a reply was asked of in vain."""
    going_on: bool = False
    """A model is to be asked in this run of the page for the reply that is missing."""
    retrying: bool = False
    """A model is to be asked in this run for the last reply once more."""
    draft_with: str | None = None
    """A summary by this instruction is to be asked for in this run; empty: the strategy's own."""
    recall_tool: bool = False
    """The model may recall under a strategy that is not made for it."""
    kept_ahead: tuple[tuple[Recall, ...], tuple[Recall, ...]] = ((), ())
    """The recalls and pins that are stored."""
    review: bool = False
    """The visitor is asked before each summarization."""
    kept_review: bool = False
    """The stored value of ``review``."""
    write_on_click: bool = False
    """A paid summarizer is not asked by itself for a summary that waited when the chat was left."""
    deriving: BackgroundReplay | None = None
    """The replay that the memory is being derived by."""
    deriving_of: Hashable = None
    """The memory that ``deriving`` was begun for."""
    long_asked_for: str | None = None
    """The long conversation whose memory was asked for."""
    agreed: Hashable = None
    """The memory that a paid summarizer may derive."""
    foreseen: tuple[Hashable, Run | None] = (None, None)
    """The memory that was asked for, with the replay by the offline summarizer that says how much work that is."""

    @property
    def begun(self) -> Chat | None:
        """The chat, if anything was said in it."""
        return self.chat if self.chat is not None and len(self.chat.log) else None

    def derive(
        self, deriving_of: Hashable = None, deriving: BackgroundReplay | None = None
    ) -> None:
        """Derive the memory by this replay, or by none any more; one that is at work ends."""
        if self.deriving is not None:
            self.deriving.cancel()
        self.deriving_of = deriving_of
        self.deriving = deriving

    def open(self, conversation_id: str | None) -> None:
        """Turn to a saved conversation, or to a new one."""
        self.derive()
        if self.chat is not None:
            self.came_from = self.conversation_id
        self.conversation_id = conversation_id
        for name, value in FRESHLY_OPENED.items():
            setattr(self, name, value)
        self.opened += 1


def chat_state() -> ChatState:
    """Return the state of the chat page."""
    return of_session("chat", ChatState)


def open_in_chat(conversation_id: str | None) -> NoReturn:
    """Go to Chat, to this conversation."""
    chat_state().open(conversation_id)
    st.switch_page("pages/chat.py")


conversation_shown(lambda: chat_state().conversation_id)
