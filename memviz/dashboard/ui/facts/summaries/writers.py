"""The memory of one setting as several models wrote it, where it was recorded by more than one or at more than one
length."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from memviz.core.text.wording import dollars, listed
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.facts.retention_cache import retention_results
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.run import Run
from memviz.metrics.requests.traffic import traffic
from memviz.metrics.summaries.authors import Author, models_of
from memviz.metrics.summaries.inventions import worth_of
from memviz.storage.recording_shelf import summary_words
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.base import Probe

TITLE = "The same memory by other writers"
ABOUT = (
    "One row for each recording of this memory. Not in the prompt: names, numbers and dates that a summary says and "
    "its prompt does not, each where it began; a sum of the prompt's numbers counts as well. Dollars: both models at "
    "the prices chosen under Costs, whoever wrote."
)


def writers(
    workspace: Workspace,
    state: CompareState,
    setting: SettingRun,
    probes: Sequence[Probe],
) -> None:
    """The table, folded; nothing where the memory was not recorded more than once."""
    runs = _recorded(workspace, state, setting.run)
    if len(runs) < 2:
        return
    with st.expander(TITLE, icon=":material/groups:", key="summaries-writers"):
        st.caption(ABOUT)
        st.table(
            writers_table(runs, probes),
            border="horizontal",
            hide_index=True,
            alt="Every writer, one a row",
        )


def _recorded(workspace: Workspace, state: CompareState, run: Run) -> list[Run]:
    """The replays of this memory that recordings play, at whatever length they were made for."""
    id = state.conversation_id or ""
    talk = workspace.conversation(id, state.first)
    found = workspace.recordings.writers_of(*talk, run.strategy, state.counter)
    keys = [
        RunKey(
            id,
            strategy,
            state.counter,
            name,
            first=workspace.beginning(id, state.first),
        )
        for name, strategy in found
    ]
    return [workspace.run(key, workspace.free_summarizer(key)) for key in keys]


def writers_table(runs: Sequence[Run], probes: Sequence[Probe]) -> pd.DataFrame:
    """One row a writer and length, in the order of the recordings."""
    prices = prices_in_force()
    kept = retention_results([SettingRun(run, "", 0) for run in runs], tuple(probes))
    rows = []
    for run, one in zip(runs, kept, strict=True):
        worth, asked = worth_of(run, one.retention), summary_words(run.strategy)
        usd = prices.cost(traffic(run)).total_usd
        rows.append(
            {
                "Writer": plain(listed(models_of([run], Author.RECORDED))),
                "Asked for": f"{asked:,} words" if asked else "no length",
                "Words a summary": f"{worth.words:,.0f}"
                if worth.words is not None
                else "–",
                "Facts known at the end": f"{worth.known:,} of {worth.stated:,}",
                "Not in the prompt": f"{worth.invented:,}",
                "Dollars": dollars(usd) if usd is not None else "not known",
            }
        )
    return pd.DataFrame(rows)
