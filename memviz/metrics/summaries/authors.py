"""Whose words the summaries of a run are: what figures over them are worth depends on it."""

from __future__ import annotations

from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import CompactionOutcome, outcome_of
from memviz.models.registry import OFFLINE

OFFLINE_SUMMARIES = (
    "Summaries here are written by the bundled offline model, which quotes; a language model words them differently."
)
"""What is said wherever figures rest on such summaries: on pages, in the terminal and in reports."""
_BY_A_MODEL = (CompactionOutcome.SUMMARIZED, CompactionOutcome.THOUGHT)


def has_offline_summary(run: Run) -> bool:
    """Whether the offline model worded any summary of the run. One that the user reworded is the user's."""
    return any(map(_is_offline, run.compactions))


def _is_offline(compaction: Compaction) -> bool:
    return compaction.model == OFFLINE and outcome_of(compaction) in _BY_A_MODEL
