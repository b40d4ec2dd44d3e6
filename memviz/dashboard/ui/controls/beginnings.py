"""Long conversations: pages look at the beginning first, say so above their picture, and at more when asked to.

What there is of a conversation's pictures grows with its messages: half a million of them take minutes and gigabytes.
So every page reads as many as it can show in a moment (``FIRST_MESSAGES``), replays these, and offers the rest here.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.ui.shell.presenting import Part, put_away
from memviz.dashboard.ui.shell.state import CompareState
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.workspace import Workspace

KEY = "beginning"
MORE_BY = 3
"""How much more of a conversation a click shows: what is shown should take seconds, then a minute, then as it takes."""
WHOLE_HELP = "Replaying {} takes a minute or more, and about a gigabyte of memory for each half a million."


def say_beginnings(
    workspace: Workspace, state: CompareState, ids: Sequence[str]
) -> None:
    """One line for each of these conversations of which only the beginning is shown, with ways to more of it."""
    for id in ids:
        first = workspace.beginning(id, state.first_of(id))
        if first is not None:
            _say_beginning(workspace, state, id, first, of_several=len(ids) > 1)


def _say_beginning(
    workspace: Workspace, state: CompareState, id: str, first: int, *, of_several: bool
) -> None:
    entry = workspace.store.entry(id)
    shown = len(workspace.conversation(id, first)[1])
    whose = f"{plain(entry.title)}, so far" if of_several else "So far"
    with st.container(
        key=f"{KEY}-{id}", horizontal=True, vertical_alignment="center", gap="xsmall"
    ):
        st.caption(
            f"**{whose}: the first {shown:,} of {counted(entry.message_count, 'message')}.**",
            width="content",
        )
        with put_away(Part.CONTROLS, f"{KEY}-{id}"):
            more = MORE_BY * first
            if more < entry.message_count:
                _offer(state, id, more, f"Show {more:,}")
            messages = counted(entry.message_count, "message")
            _offer(state, id, None, "Show all", WHOLE_HELP.format(messages))


def _offer(
    state: CompareState, id: str, first: int | None, label: str, help: str | None = None
) -> None:
    st.button(
        label,
        key=f"{KEY}-{first or 'all'}-{id}",
        type="tertiary",
        icon=":material/expand_more:",
        help=help,
        on_click=_look_at,
        args=(state, id, first),
    )


def _look_at(state: CompareState, id: str, first: int | None) -> None:
    state.firsts[id] = first
