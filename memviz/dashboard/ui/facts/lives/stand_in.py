"""What the offline stand-in would have kept where a recording wrote the summaries: how far one may trust the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.pictures import folded
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.facts.retention_cache import retention_results
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.retention.survival import Agreement, agreement
from memviz.metrics.summaries.authors import Author, authors_of
from memviz.metrics.summaries.request_sizes import sent_summary_tokens
from memviz.models.registry import OFFLINE, model
from memviz.storage.workspace import RunKey, Workspace

if TYPE_CHECKING:
    from pandas import DataFrame

QUESTION = "What would the stand-in have kept?"
HOW_TO_READ = (
    "The same settings, summarized once by the recorded model and once by the stand-in that is used where nothing was "
    "recorded. Facts that a request still holds after the last turn; the tokens of the summary that it is sent."
)


def stand_in_instead(
    workspace: Workspace, state: CompareState, kept: Sequence[RetentionResult]
) -> None:
    """A table with one row a recorded setting, made when it is opened; nothing where nothing is recorded."""
    recorded = [one for one in kept if Author.RECORDED in authors_of(one.run)]
    if recorded:
        folded(
            QUESTION,
            "facts-stand-in",
            ":material/compare:",
            partial(_table, workspace, state, recorded),
        )


def _table(
    workspace: Workspace, state: CompareState, recorded: Sequence[RetentionResult]
) -> None:
    rows = [
        (one, other, agreement(one.retention, other.retention))
        for one in recorded
        if (other := _by_stand_in(workspace, state, one)) is not None
    ]
    st.caption(HOW_TO_READ)
    st.dataframe(
        _frame(rows),
        hide_index=True,
        alt="Facts kept by the recorded model and by the stand-in, by setting",
    )
    for one, _, agreed in rows:
        st.caption(plain(f"{one.setting.label}: {_words(agreed)}"))


def _by_stand_in(
    workspace: Workspace, state: CompareState, one: RetentionResult
) -> RetentionResult | None:
    """The same setting, summarized by the stand-in."""
    setting = next(
        (each for each in state.settings if each.index == one.setting.index), None
    )
    recalls = (
        state.recalls_of(setting)
        if setting is not None and one.run.strategy.allows_recall
        else ()
    )
    id = state.conversation_id or ""
    first = workspace.beginning(id, state.first)
    key = RunKey(
        id, one.run.strategy, one.run.counter.name, OFFLINE, recalls, first=first
    )
    run = workspace.run(key, model(OFFLINE))
    (found,) = retention_results([replace(one.setting, run=run)], one.retention.probes)
    return found


def _words(agreed: Agreement) -> str:
    return (
        f"of {counted(agreed.facts, 'fact')} both keep {agreed.both}, the recorded model alone {agreed.only_one}, the "
        f"stand-in alone {agreed.only_other}; they agree on {agreed.share:.0%}."
    )


def _frame(
    rows: Sequence[tuple[RetentionResult, RetentionResult, Agreement]],
) -> DataFrame:
    from pandas import DataFrame

    return DataFrame(
        {
            "Setting": [one.setting.label for one, _, _ in rows],
            "Recorded keeps": [
                f"{agreed.one} of {agreed.facts}" for _, _, agreed in rows
            ],
            "Stand-in keeps": [
                f"{agreed.other} of {agreed.facts}" for _, _, agreed in rows
            ],
            "Both": [agreed.both for _, _, agreed in rows],
            "Agree": [f"{agreed.share:.0%}" for _, _, agreed in rows],
            "Tokens, recorded": [f"{_summary_tokens(one):,}" for one, _, _ in rows],
            "Tokens, stand-in": [f"{_summary_tokens(other):,}" for _, other, _ in rows],
        }
    )


def _summary_tokens(one: RetentionResult) -> int:
    return sent_summary_tokens(one.run.turns[-1])
