"""Where a sweep does its work: here, in several processes, or on a Dask cluster."""

from __future__ import annotations

import os
from typing import NamedTuple

import streamlit as st

from memviz.dashboard.ui.controls.settings_editor import PANEL_PIXELS
from memviz.tuning.sweep import Executor

PLACES: dict[Executor, str] = {
    "inline": "This process",
    "processes": "Several processes",
    "dask": "Dask cluster",
}
HELP = (
    "This process is best for sweeps of seconds. Several processes need some seconds to start and then use all cores. "
    "A Dask cluster spreads the work over machines (pip install 'memviz[dask]'). The numbers are the same everywhere."
)


class Where(NamedTuple):
    """Who does the work of a sweep."""

    executor: Executor = "inline"
    workers: int = 1
    scheduler: str | None = None


def choose_place() -> Where:
    """The controls, in a panel: they are seldom needed."""
    with (
        st.popover("Where to run", icon=":material/memory:", width="stretch"),
        st.container(width=PANEL_PIXELS),
    ):
        return _choose()


def _choose() -> Where:
    chosen = st.selectbox(
        "Work in",
        list(PLACES),
        format_func=PLACES.__getitem__,
        key="tune-place",
        help=HELP,
        persist_state="session",
    )
    if chosen == "inline":
        return Where()
    cores = os.cpu_count() or 1
    workers = st.number_input(
        "Workers", 1, 4 * cores, cores, key="tune-workers", persist_state="session"
    )
    if chosen == "processes":
        return Where("processes", workers)
    address = st.text_input(
        "Scheduler",
        key="tune-scheduler",
        placeholder="tcp://host:8786",
        persist_state="session",
        help="The address of a running Dask scheduler. Empty starts a local cluster for this sweep alone.",
    )
    return Where("dask", workers, address.strip() or None)
