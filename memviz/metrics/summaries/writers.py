"""What the summaries of one writer are worth, to be held against those of another for the same memory."""

from __future__ import annotations

from dataclasses import dataclass

from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.summaries.authors import summary_author
from memviz.metrics.summaries.diff import words_of
from memviz.metrics.summaries.inventions import inventions


@dataclass(frozen=True, slots=True)
class Worth:
    """``known`` of the ``stated`` facts at the end of a run, the ``words`` of a summary on average (``None`` where
    none was written), and ``invented``: names and numbers that its summaries say and their prompts do not."""

    known: int
    stated: int
    words: float | None
    invented: int


def worth_of(run: Run, kept: Retention) -> Worth:
    """What the summaries of ``run`` are worth, which ``kept`` of its facts."""
    written = [
        one.summary
        for one in run.compactions
        if one.summary and summary_author(one) is not None
    ]
    stated = kept.born[-1] if len(kept.born) else kept.born
    known = kept.retained[-1] if len(kept.retained) else kept.retained
    return Worth(
        int(known.sum()),
        int(stated.sum()),
        sum(len(words_of(text)) for text in written) / len(written)
        if written
        else None,
        sum(len(one.terms) for one in inventions(run)),
    )
