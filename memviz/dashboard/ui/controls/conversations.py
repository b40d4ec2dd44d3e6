"""Conversations on pages: the ones to choose from, their lengths, and those of which only the beginning is shown."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import streamlit as st

from memviz.core import page_titles
from memviz.core.conversation import Log
from memviz.core.text.wording import comma_list, counted, distinct_names
from memviz.core.translation import _, language_now, noop
from memviz.dashboard.lessons.study import ALL_MESSAGES
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import quiet_button, row, show_warning
from memviz.dashboard.ui.shell.frame import store, workspace
from memviz.dashboard.ui.shell.presenting import Part, put_away
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words
from memviz.storage.entries import ConversationEntry
from memviz.storage.workspace import FIRST_SAMPLE, SAMPLE_PREFIX
from memviz.transcripts.base import Transcript

CONVERSATIONS_LISTED = 200
MAX_NAMED = 3


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
