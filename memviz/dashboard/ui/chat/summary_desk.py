"""The summary in force, to be reworded, and the way back to before the last summarization."""

import streamlit as st

from memviz.core.model_errors import MissingVectorsError
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import counted, message_range
from memviz.core.translation import _
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.chat.sidebar import review_key
from memviz.dashboard.ui.shell.elements import button, drawer
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.words import shorten
from memviz.engine.compaction import Compaction

ACTIVE_PIXELS = 200
LABEL_CHARS = 60


def draw_summary_desk(desk: ChatDesk) -> None:
    """Show what the model is told of everything that is not sent word for word."""
    chat = desk.chat
    try:
        versions = chat.summaries_in_force
    except MissingVectorsError:
        # The page offers to ask for the vectors that are missing.
        return
    if not versions and chat.undoable is None:
        return
    label = _("No summary is in force")
    if versions:
        tokens = sum(version.tokens for version in versions)
        label = _("What the summary says: {tokens}", tokens=counted(tokens, "token"))
    with drawer(label, ":material/compress:", "summary-desk"):
        if versions:
            _edit(desk, _choose_version(versions))
        if chat.undoable is not None:
            _undo(desk, chat.undoable)


def _choose_version(versions: list[SummaryVersion]) -> SummaryVersion:
    """The newest, or whichever entry of a list one wants to see. An entry stays chosen when it is reworded."""
    if len(versions) == 1:
        return versions[0]
    by_start = {version.added.start: version for version in reversed(versions)}
    start = st.selectbox(
        _("Entry"),
        list(by_start),
        format_func=lambda start: _entry_label(by_start[start]),
        key="desk-entry",
    )
    return by_start[start]


def _entry_label(version: SummaryVersion) -> str:
    return _(
        "Turn {turn}: {text}",
        turn=version.turn,
        text=shorten(version.text, LABEL_CHARS),
    )


def _edit(desk: ChatDesk, version: SummaryVersion) -> None:
    key = f"desk-text-{desk.state.opened}-{version.version}-{hash(version.text)}"  # a box keeps what is in it
    st.text_area(
        _(
            "Version {version}, standing for {messages}",
            version=version.version,
            messages=counted(version.covers, "message"),
        ),
        version.text,
        key=key,
        height=ACTIVE_PIXELS,
        help=_(
            "Your wording is sent from the next request on. What was sent until now stays on record."
        ),
    )
    button(
        _("Save my wording"),
        "desk-save",
        ":material/edit:",
        _save_wording,
        desk,
        version.version,
        key,
        disabled=desk.chat.proposal is not None,
    )


def _undo(desk: ChatDesk, last: Compaction) -> None:
    what = _("Undo the last summarization")
    if last.kind == "edit" and last.revises:
        what = _("Undo the edit")
    button(
        what,
        "desk-undo",
        ":material/undo:",
        _undo_last,
        desk,
        help=_(
            "It replaced {messages}. Every message is still there; from then on you are asked before each "
            "summarization.",
            messages=message_range(last.summarized),
        ),
        disabled=desk.chat.proposal is not None,
    )


def _save_wording(desk: ChatDesk, version: int, key: str) -> None:
    if desk.change(desk.chat.edit_summary, version, widget_value(key) or ""):
        desk.save()


def _undo_last(desk: ChatDesk) -> None:
    if desk.change(desk.chat.undo_summary):
        # Else the strategy would do with the next message what was just undone.
        set_widget(review_key(), True)
        desk.save()
