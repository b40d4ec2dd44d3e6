"""Recall in a replay: which turns are brought back into which requests, for one setting or for all."""

from __future__ import annotations

import streamlit as st

from memviz.core.errors import MemvizError, RecallError
from memviz.core.text.wording import counted, turn_list
from memviz.dashboard.ui.shell.errors import show_error
from memviz.dashboard.ui.shell.state import (
    AddedRecall,
    CompareState,
    set_widget,
    widget_value,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.recall import parse_numbers

INTO_KEY, TURNS_KEY, SETTING_KEY = "added-into", "added-turns", "added-setting"
ALL = "all settings"


def added_recalls(
    state: CompareState, labels: dict[int | str, str], turn_count: int
) -> None:
    """The list of recalls, and the controls that add one. ``labels`` names the settings by their uid."""
    for number, recall in enumerate(state.recalls):
        what, where = st.columns([5, 1], vertical_alignment="center")
        what.markdown(
            f"Turn {recall.turn} gets {turn_list(recall.turns)}, {plain(_whose(recall, labels))}"
        )
        where.button(
            "",
            icon=":material/close:",
            key=f"added-remove-{number}",
            type="tertiary",
            on_click=_remove,
            args=(state, recall),
            help="Remove this recall",
        )
    st.number_input(
        "Into the request of turn",
        1,
        max(1, turn_count),
        max(1, min(2, turn_count)),
        key=INTO_KEY,
    )
    st.text_input("Turns to bring back", key=TURNS_KEY, placeholder="1, 3-5")
    st.selectbox(
        "For",
        [ALL, *labels],
        format_func=lambda uid: labels.get(uid, ALL),
        key=SETTING_KEY,
    )
    st.button(
        "Add", icon=":material/history:", on_click=_add, args=(state,), width="stretch"
    )
    if state.recall_error is not None:
        show_error(state.recall_error)


def _add(state: CompareState) -> None:
    into, chosen = widget_value(INTO_KEY), widget_value(SETTING_KEY)
    state.recall_error = None
    try:
        turns = _earlier_turns(widget_value(TURNS_KEY) or "", into)
    except MemvizError as error:
        state.recall_error = error
        return
    recall = AddedRecall(into, turns, None if chosen == ALL else chosen)
    if recall not in state.recalls:
        state.recalls.append(recall)
    set_widget(TURNS_KEY, "")


def _earlier_turns(text: str, into: int) -> tuple[int, ...]:
    """The turns that a list names, each once and in order. Raises RecallError unless all of them come before."""
    turns = tuple(sorted(set(parse_numbers(text))))
    if not turns:
        raise RecallError("Name the turns to bring back, such as 1, 3-5.")
    if not turns[0]:
        raise RecallError("There is no turn 0: the first one is turn 1.")
    late = next((turn for turn in turns if turn >= into), None)
    if late is not None:
        raise RecallError(
            f"Turn {late} does not come before turn {into}: only earlier turns can be brought back."
        )
    return turns


def _remove(state: CompareState, recall: AddedRecall) -> None:
    if (
        recall in state.recalls
    ):  # a second click may arrive before the list is drawn again
        state.recalls.remove(recall)


def _whose(recall: AddedRecall, labels: dict[int | str, str]) -> str:
    return ALL if recall.uid is None else labels.get(recall.uid, "")


def recalls_label(state: CompareState) -> str:
    """What the closed list says of itself."""
    return (
        f"{counted(len(state.recalls), 'recall')} added"
        if state.recalls
        else "Recall turns into requests"
    )
