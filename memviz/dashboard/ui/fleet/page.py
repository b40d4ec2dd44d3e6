"""The sweep over a fleet that the server was started with, or what to type where there is none; its failures."""

import os
from functools import partial
from typing import Any

import streamlit as st

from memviz.core.text.wording import counted, distinct_names
from memviz.core.translation import _
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.ui.controls.jobs import start_button
from memviz.dashboard.ui.controls.pictures import folded
from memviz.dashboard.ui.fleet.distributions import draw_distributions
from memviz.dashboard.ui.fleet.example import swept_example
from memviz.dashboard.ui.fleet.worst import (
    SETTING_KEY,
    SETTING_PART,
    choose_setting,
    draw_worst,
)
from memviz.dashboard.ui.shell.elements import errors_shown, row, segments
from memviz.dashboard.ui.shell.linked import ask_linked, keep_in_address, linked
from memviz.dashboard.ui.shell.state import begin_with, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.tuning.fleet.opening import FLEET_VARIABLE, open_fleet_sweep
from memviz.tuning.fleet.results import FleetSweep

MEASURES = ("retention", "sent_tokens", "usd")
MEASURE_KEY = "fleet-measure"
MEASURE_PART = "measure"
"""The part of the address that names what is measured."""
MOST_FAILURES = 200
"""Failures that the table shows."""
EXAMPLE_PART = "example"
"""The part of the address by which the example is shown."""
COMMANDS = """\
memviz sweep logs/ --write swept -s window:window_size=10,20
memviz ui --fleet swept"""


def fleet_page() -> None:
    """Draw the sweep, or what to type where the server was started without one."""
    folder = os.environ.get(FLEET_VARIABLE, "")
    if not folder:
        if not st.query_params.get(EXAMPLE_PART):
            _say_what_to_type()
            _offer_example()
            return
        st.caption(_("An example: the conversations that come with memviz."))
        with errors_shown():
            folder = swept_example()
    with errors_shown():
        sweep = open_fleet_sweep(folder)
    _read_link()
    with row("fleet-head"):
        measure = _choose_measure()
        _say_what_it_is(sweep)
    if not sweep.is_complete:
        unfinished = _(
            "The sweep is not through: these are the conversations so far. The same command goes on."
        )
        st.info(unfinished, icon=":material/hourglass_top:")
    if sweep.runs:
        labels = distinct_names([str(setting.label) for setting in sweep.settings])
        draw_distributions(sweep, measure, labels)
        setting = choose_setting(labels)
        draw_worst(sweep, measure, setting)
        keep_in_address(
            {
                MEASURE_PART: measure if measure != MEASURES[0] else None,
                SETTING_PART: str(setting) if setting else None,
            }
        )
    if sweep.failures:
        words = _(
            "{failures} of reading a conversation, or of running a setting over one",
            failures=counted(sweep.failures, "failure"),
        )
        show = partial(_show_failures, sweep)
        folded(words, "fleet-failures", ":material/error:", show)


def _choose_measure() -> str:
    linked(MEASURE_PART, MEASURE_KEY, MEASURES)
    measure: str = segments(
        _("Measure"),
        MEASURES,
        default=begin_with(MEASURE_KEY, MEASURES[0]),
        format_func=lambda name: WORDS[name].title,
        key=MEASURE_KEY,
        persist_state="session",
        label_visibility="collapsed",
    )
    return measure


def _read_link() -> None:
    """Ask what the address names of those controls that nobody has touched in this session."""
    texts = {}
    for part, key in ((MEASURE_PART, MEASURE_KEY), (SETTING_PART, SETTING_KEY)):
        if widget_value(key) is None:
            texts[part] = st.query_params.get_all(part)
    ask_linked(texts, ())


def _say_what_to_type() -> None:
    words = _(
        "This server shows no fleet: type this in a terminal, with your own files and settings."
    )
    st.info(words, icon=":material/database:")
    st.code(COMMANDS, language=None)


def _offer_example() -> None:
    """Offer a sweep over the bundled conversations, for a visitor who wants to see first what there is to see."""
    is_clicked = start_button(_("Show an example"), "fleet-example", is_main=False)
    st.caption(
        _("The few conversations that come with memviz, as a fleet of thousands looks.")
    )
    if is_clicked:
        st.query_params[EXAMPLE_PART] = "1"
        st.rerun()


def _say_what_it_is(sweep: FleetSweep) -> None:
    words = _(
        "{folder}: {runs}, {settings}.",
        folder=sweep.folder.name,
        runs=counted(sweep.runs, "run"),
        settings=counted(sweep.settings, "setting"),
    )
    st.caption(plain(words), width="content")


def _show_failures(sweep: FleetSweep) -> None:
    failures = sweep.failures_frame().head(MOST_FAILURES)
    columns: dict[str, Any] = {
        "row": st.column_config.NumberColumn(_("Row"), format="localized"),
        "error": st.column_config.TextColumn(_("What was wrong"), width="large"),
    }
    st.dataframe(
        failures[list(columns)],
        hide_index=True,
        column_config=columns,
        key="fleet-failures-table",
        alt=_("What could not be read or run, one row each"),
    )
    if sweep.failures > len(failures):
        first = _(
            "The first {number:,}; all of them are in the folder.",
            number=len(failures),
        )
        st.caption(first)
