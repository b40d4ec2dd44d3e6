"""What the pages of analysis share: one conversation under up to six settings. Choosing it on one page chooses it
on all of them, and a setting keeps its colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.text.wording import counted
from memviz.ui.controls.added_recalls import added_recalls, recalls_label
from memviz.ui.controls.conversation_choices import conversation_choices
from memviz.ui.controls.pickers import ModelChoice, counter_picker, model_picker
from memviz.ui.controls.replaying import make_runs
from memviz.ui.controls.settings_editor import PANEL_PIXELS, settings_editor
from memviz.ui.shell.errors import error_shown
from memviz.ui.shell.links import open_shared_view
from memviz.ui.shell.presence import looks_at
from memviz.ui.shell.state import MAX_SETTINGS, CompareState, set_widget, widget_value
from memviz.ui.shell.text import plain
from memviz.workspace import FIRST_SAMPLE, Workspace

TURN_KEY = "compare-turn"
REPLIES_KEY = "compare-replies"
REPLAYED, FREE_RUN = "replayed", "free-run"
REPLIES = {REPLAYED: "As recorded", FREE_RUN: "Free run"}
REPLIES_HELP = (
    "As recorded: every setting is replayed with the conversation's own replies, so only the memory differs. "
    "Free run: a model answers every message under each setting, so you see what it still knew."
)
CHAT_LABEL = "Chat as it was held"


class StudyModels(NamedTuple):
    """Who answers where replies are not the conversation's own, and who summarizes."""

    answerer: ModelChoice
    summarizer: ModelChoice


def study_controls(workspace: Workspace, state: CompareState, *, replies: bool = False) -> StudyModels:
    """The sidebar: conversation, settings, and what is seldom changed. ``replies``: whether the page can show
    replies of the settings' own as well."""
    open_shared_view(workspace, state, TURN_KEY)
    turn_count = _choose_conversation(workspace, state)
    if replies:
        _choose_replies(state)
    st.markdown("**Strategy settings**")
    labels = settings_editor(state)
    panel = st.popover(recalls_label(state), key="added-recalls", icon=":material/history:", width="stretch")
    with panel, st.container(width=PANEL_PIXELS):
        added_recalls(state, labels, turn_count)
    return counter_and_models(state)


def counter_and_models(state: CompareState) -> StudyModels:
    """What is seldom changed, in a panel: how tokens are counted, who summarizes and who answers."""
    label, icon = "Counter and models", ":material/tune:"
    with st.popover(label, icon=icon, width="stretch"), st.container(width=PANEL_PIXELS):
        state.counter = counter_picker(state.counter, "compare-counter")
        summarizer = model_picker("Summarizer", "compare-summarizer", "Who writes the summaries.")
        answerer = model_picker(
            "Answering model", "compare-answerer",
            "Who answers a question to all settings, and every turn where each setting answers for itself.",
        )  # fmt: skip
        return StudyModels(answerer, summarizer)


def _choose_replies(state: CompareState) -> None:
    first = FREE_RUN if state.free_run else REPLAYED  # a link may ask for either
    chosen = st.segmented_control(
        "Replies", list(REPLIES), key=REPLIES_KEY, default=first, required=True, width="stretch",
        format_func=REPLIES.__getitem__, help=REPLIES_HELP,
    )  # fmt: skip
    state.free_run = chosen == FREE_RUN


def is_free_run() -> bool:
    """Whether the replies are to be each setting's own."""
    return bool(widget_value(REPLIES_KEY) == FREE_RUN)


def _choose_conversation(workspace: Workspace, state: CompareState) -> int:
    """Choose the conversation; returns how many turns it has."""
    entries, labels = conversation_choices(workspace, state.conversation_id)
    if state.conversation_id not in entries:
        state.open(FIRST_SAMPLE if FIRST_SAMPLE in entries else next(iter(entries), None))
    ids = list(entries)
    chosen = st.selectbox(
        "Conversation", ids, index=ids.index(state.conversation_id) if state.conversation_id else None,
        format_func=labels.__getitem__, key="compare-conversation",
        help="Bundled samples, saved chats and imported files. The same conversation is replayed under every setting.",
    )  # fmt: skip
    if chosen != state.conversation_id:
        state.open(chosen)
        set_widget(TURN_KEY, None)
    if not chosen:
        return 0
    looks_at()
    entry = entries[chosen]
    st.caption(f"{counted(entry.turn_count, 'turn')}. {plain(entry.description)}")
    return entry.turn_count


def expect_conversation(workspace: Workspace, state: CompareState) -> None:
    """End the page with a sentence where there is nothing to look at."""
    if state.conversation_id is None:
        _end("There is no conversation yet. Import one in the Library, or start one in Chat.")
    entry = workspace.store.entry(state.conversation_id or "")
    if entry.message_count and not entry.turn_count:
        _end("This conversation has no message of a user, so no request was ever sent. Choose another one.")


def _end(sentence: str) -> None:
    st.info(sentence, icon=":material/info:")
    st.stop()


def setting_runs(workspace: Workspace, state: CompareState, summarizer: ModelChoice) -> list[SettingRun]:
    """The conversation replayed under every setting and, if it was held in Chat, the chat itself, which alone
    knows of edited summaries. Ends the page with a sentence where there is no conversation."""
    expect_conversation(workspace, state)
    settings = make_runs(workspace, state, summarizer)
    with error_shown():
        held = workspace.held_chat(state.conversation_id or "")
        if held is not None:
            settings.append(SettingRun(held, f"{CHAT_LABEL} · {held.strategy.label}", MAX_SETTINGS))
    return settings


def nothing_yet(settings: Sequence[SettingRun]) -> None:
    """Say why there is nothing to see, where a setting was replayed at all."""
    if settings:
        st.info("This conversation has no request yet: nobody has said anything to a model.", icon=":material/info:")


def choose_setting_run(state: CompareState, settings: Sequence[SettingRun], key: str, first: int = 0) -> SettingRun:
    """Which setting is looked at closely. The visitor's choice holds on all pages, and again once a setting that
    waits for its summarizer is back; before there is one it is number ``first``."""
    numbers = list(range(len(settings)))
    chosen = next((number for number in numbers if settings[number].index == state.looked_at), None)
    if widget_value(key) not in numbers or chosen not in (None, widget_value(key)):
        set_widget(key, first if chosen is None else chosen)
    number = st.segmented_control(
        "Setting", numbers, format_func=lambda number: settings[number].label, key=key, required=True,
        on_change=_look_at, args=(state, key, tuple(setting.index for setting in settings)),
        label_visibility="collapsed" if len(settings) == 1 else "visible",
    )  # fmt: skip
    return settings[number or 0]


def _look_at(state: CompareState, key: str, indices: tuple[int, ...]) -> None:
    number = widget_value(key)
    if number is not None:
        state.looked_at = indices[number]
