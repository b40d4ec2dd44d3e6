"""The worst conversations of a fleet under one setting, each a click away from Compare."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.sweeps.measure_words import WORDS, shown_value
from memviz.dashboard.ui.controls.study import open_in_compare
from memviz.dashboard.ui.shell.elements import error_shown, header, quiet_button
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.text import plain
from memviz.transcripts.base import UNTITLED
from memviz.tuning.fleet.results import FleetSweep

SETTING_KEY = "fleet-setting"
SETTING_PART = "setting"
"""The part of the address that has the number of the setting, as the tables of the sweep count them (from 0)."""
_ROW_OF_FILE = noop("file {file:,}, row {row:,}")
_CONVERSATION_OF_FILE = noop("file {file:,}, conversation {number:,}")
Row = Mapping[Any, Any]


def choose_setting(labels: Sequence[str]) -> int:
    """Return the number (0-based) of the setting whose worst conversations the visitor wants to see."""
    header(_("Where is it worst?"))
    numbers = range(len(labels))
    linked(SETTING_PART, SETTING_KEY, numbers)
    return st.selectbox(
        _("Under which setting?"),
        numbers,
        format_func=lambda number: labels[number],
        key=SETTING_KEY,
        persist_state="session",
    )


def draw_worst(sweep: FleetSweep, measure: str, setting: int) -> None:
    """Draw the worst conversations under a setting, each a button that opens it."""
    worst = sweep.worst(measure, setting).to_dict("records")
    if not worst:
        return
    words = _(
        "{measure}: the worst {number} conversations, the worst first. A click opens one beside the full buffer; it is "
        "then in the library.",
        measure=WORDS[measure].title,
        number=len(worst),
    )
    st.caption(words)
    with st.container(gap=None, key="fleet-worst"):
        for place, row in enumerate(worst):
            is_clicked = quiet_button(
                plain(_row_words(row, measure)),
                f"fleet-worst-{place}",
                ":material/stacked_line_chart:",
            )
            if is_clicked:
                _open_conversation(sweep, row, setting)


def _row_words(row: Row, measure: str) -> str:
    """Return ``12% · 40 messages · file 2, row 17``: what fits into the width of a phone."""
    value = shown_value(measure, row[measure])
    messages = counted(row["messages"], "message")
    return f"{value} · {messages} · {_place_words(row)}"


def _place_words(row: Row) -> str:
    """Return ``file 2, row 17``, or ``file 2, conversation 3`` of a file that is read whole."""
    words = _ROW_OF_FILE if row["row"] else _CONVERSATION_OF_FILE
    return _(words, file=row["file"] + 1, row=row["row"], number=row["number"])


def _open_conversation(sweep: FleetSweep, row: Row, setting: int) -> None:
    """Go to Compare with a conversation, which is saved unless the library has it."""
    with error_shown():
        with st.spinner(_("The conversation is read from its file…"), show_time=True):
            transcript = sweep.transcript(row)
        if transcript.title == UNTITLED:
            title = f"{sweep.folder.name} · {_place_words(row)}"
            transcript = replace(transcript, title=title)
        (added,) = workspace().add_once([transcript])
        open_in_compare(added.entry.id, sweep.settings[setting])
