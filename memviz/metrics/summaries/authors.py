"""The authors of the summaries of a run: the worth of figures over them depends on it."""

from collections.abc import Iterable
from enum import Enum
from itertools import chain

from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import CompactionOutcome, outcome_of
from memviz.models.names import OFFLINE
from memviz.models.names import STAND_IN as STAND_IN_NAME

_BY_A_MODEL = (CompactionOutcome.SUMMARIZED, CompactionOutcome.THOUGHT)


class Author(Enum):
    """The writer of a summary or a reply. The value is what a badge begins with."""

    RECORDED = "recorded"
    STAND_IN = STAND_IN_NAME
    LIVE = "live"


def author_of(model: str, *, recorded: bool) -> Author:
    """Return who gave a reply of the model of this name."""
    if recorded:
        return Author.RECORDED
    return Author.STAND_IN if model == OFFLINE else Author.LIVE


def summary_author(compaction: Compaction) -> Author | None:
    """Return who worded the summary of ``compaction``; ``None`` where there is none, or the user reworded it."""
    if outcome_of(compaction) not in _BY_A_MODEL:
        return None
    return author_of(compaction.model, recorded=compaction.recorded)


def authors_of(run: Run) -> frozenset[Author]:
    """Return who worded the summaries of a run; nobody where nothing was summarized."""
    authors = map(summary_author, run.compactions)
    return frozenset(author for author in authors if author is not None)


def has_offline_summary(run: Run) -> bool:
    """Return whether the offline model worded any summary of the run. One that the user reworded is the user's."""
    return Author.STAND_IN in authors_of(run)


def models_of(runs: Iterable[Run], author: Author) -> tuple[str, ...]:
    """Return the models whose summaries of this kind ``runs`` hold, each once."""
    made = chain.from_iterable(run.compactions for run in runs)
    models = [one.model for one in made if summary_author(one) is author]
    return tuple(dict.fromkeys(models))


def fit_requests_alone(runs: Iterable[Run]) -> bool:
    """Return whether of the recorded summaries of ``runs`` no more can be said than that they fitted their requests: in
    some run others were missing, so that the recording played as far as it went. Else they were made for exactly this
    conversation and setting."""
    made = chain.from_iterable(run.compactions for run in runs)
    return any(one.error for one in made if one.asked)
