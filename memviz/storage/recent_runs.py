"""The runs that a process keeps, those that were asked for last."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from memviz.core.recently_used import RecentlyUsed
from memviz.engine.run import Run

MAX_RUNS_IN_PROCESS = 256
MAX_RUN_RECORDS = 500_000
"""Runs that are kept, and how many requests and summaries they may have together: some hundred bytes each, with what is
worked out of them. Six settings over a long conversation have to fit: of one too many each click would replay all."""
K = TypeVar("K", bound=Hashable)
"""The key of a run."""


def recent_runs(most_records: int) -> RecentlyUsed[K, Run]:
    """Return the place of runs that have no more requests and summaries together."""
    return RecentlyUsed(MAX_RUNS_IN_PROCESS, most_records, _count_records)


def _count_records(run: Run) -> int:
    """Return the weight of a run: a summary with its text weighs as much as three requests."""
    return len(run.requests) + 3 * len(run.compactions)
