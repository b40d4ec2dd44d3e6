"""The summary in force, which the user can rewrite, and the last summarization, which can be undone."""

from __future__ import annotations

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.memory import SummaryVersion
from memviz.core.text.wording import counted, message_range
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.chat.sidebar import review_key
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import shortened
from memviz.engine.compaction import Compaction

TEXT_PIXELS = 200
LABEL_CHARS = 60


def summary_desk(desk: ChatDesk) -> None:
    """What the model is told of everything that is not sent word for word."""
    chat = desk.chat
    versions = chat.summaries_in_force
    if not versions and chat.undoable is None:
        return
    tokens = sum(version.tokens for version in versions)
    label = (
        f"What the summary says: {counted(tokens, 'token')}"
        if versions
        else "No summary is in force"
    )
    with st.expander(label, icon=":material/compress:", key="summary-desk"):
        if versions:
            _edit(desk, _chosen(versions))
        if chat.undoable is not None:
            _undo(desk, chat.undoable)


def _chosen(versions: list[SummaryVersion]) -> SummaryVersion:
    """The newest, or whichever entry of a list one wants to see. An entry stays chosen when it is reworded."""
    if len(versions) == 1:
        return versions[0]
    by_start = {version.added.start: version for version in reversed(versions)}
    start = st.selectbox(
        "Entry",
        list(by_start),
        format_func=lambda start: _entry_label(by_start[start]),
        key="desk-entry",
    )
    return by_start[start]


def _entry_label(version: SummaryVersion) -> str:
    return f"Turn {version.turn}: {shortened(version.text, LABEL_CHARS)}"


def _edit(desk: ChatDesk, version: SummaryVersion) -> None:
    key = f"desk-text-{desk.state.opened}-{version.version}-{hash(version.text)}"  # a box keeps what is in it
    st.text_area(
        f"Version {version.version}, standing for {counted(len(version.covers), 'message')}",
        version.text,
        key=key,
        height=TEXT_PIXELS,
        help="Your wording is sent from the next request on. What was sent until now stays on record.",
    )
    st.button(
        "Save my wording",
        icon=":material/edit:",
        key="desk-save",
        on_click=_save_wording,
        disabled=desk.chat.proposal is not None,
        args=(desk, version.version, key),
    )


def _undo(desk: ChatDesk, last: Compaction) -> None:
    what = (
        "Undo the edit"
        if last.kind == "edit" and last.revises
        else "Undo the last summarization"
    )
    st.button(
        what,
        icon=":material/undo:",
        key="desk-undo",
        on_click=_undo_last,
        args=(desk,),
        disabled=desk.chat.proposal is not None,
        help=f"It replaced {message_range(last.summarized)}. Every message is still there; from then on you are asked "
        "before each summarization.",
    )


def _save_wording(desk: ChatDesk, version: int, key: str) -> None:
    desk.state.error = None
    try:
        desk.chat.edit_summary(version, widget_value(key) or "")
    except MemvizError as error:
        desk.state.error = error
        return
    desk.save()


def _undo_last(desk: ChatDesk) -> None:
    desk.state.error = None
    try:
        desk.chat.undo_summary()
    except (
        MemvizError
    ) as error:  # a second click arrived before the page was drawn again
        desk.state.error = error
        return
    set_widget(
        review_key(desk.state), True
    )  # else the strategy would do with the next message what was just undone
    desk.save()
