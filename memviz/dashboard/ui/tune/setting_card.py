"""The setting that is looked at: its numbers, and the way to its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from memviz.dashboard.charts.sweeps.measure_words import WORDS, shown
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.text import plain
from memviz.tuning.constraints import Constraints
from memviz.tuning.recommendation import idle_in_words
from memviz.tuning.results import Sweep

METRICS = (
    "retention",
    "usd",
    "peak_tokens",
    "summarizations",
    "hit_rate",
    "usd_per_fact",
)
METRIC_COLUMNS = 3
"""Six numbers in rows of three, two or one: none ever stands alone in the last row."""


def setting_card(
    sweep: Sweep, number: int, constraints: Constraints, conversations: Sequence[str]
) -> None:
    """The setting that is looked at: its numbers, and the way to its run."""
    table = sweep.by_setting(constraints.over).set_index("setting")
    setting = sweep.settings[number]
    head = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    )
    head.header(plain(setting.code_label), anchor=False)
    if head.button(
        "Open in Compare",
        icon=":material/stacked_line_chart:",
        key="tune-compare",
        help="Shows the run of this setting beside the full buffer, request by request.",
    ):
        _open_in_compare(setting.id, setting.model_dump(), conversations)
    if number in table.index:
        _metrics(table.loc[number].to_dict())
    for sentence in idle_in_words(sweep, number):
        st.caption(plain(sentence))
    failed = [
        cell.error
        for place, cell in sweep.cells.items()
        if place.setting == number and cell.error
    ]
    if failed:
        st.warning(f"It could not be run: {plain(failed[0])}", icon=":material/error:")


def _metrics(row: dict[Any, Any]) -> None:
    cells = st.grid(
        METRIC_COLUMNS, min_column_width=110, gap="small", key="tune-metrics"
    )
    for name in METRICS:
        value = row[name]
        with cells.cell():
            st.metric(
                WORDS[name].title,
                shown(name, value) if value == value else "unknown",
                help=WORDS[name].help,
            )


def _open_in_compare(
    strategy_id: str, parameters: dict[str, Any], conversations: Sequence[str]
) -> None:
    study = compare_state()
    if study.conversation_id not in conversations:
        study.open(conversations[0])
    study.settings = []
    if strategy_id != "buffer":
        study.add("buffer")
    study.add(strategy_id, parameters)
    study.looked_at = study.settings[-1].index
    st.switch_page("pages/compare.py")
