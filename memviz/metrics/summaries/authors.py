"""The authors of the summaries of a run: the worth of figures over them depends on it."""

from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain

from memviz.core.text.wording import listed
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import CompactionOutcome, outcome_of
from memviz.models.names import OFFLINE
from memviz.models.names import STAND_IN as STAND_IN_NAME

OFFLINE_SUMMARIES = (
    "Summaries here are written by the offline stand-in, "
    "which quotes; a language model words them differently."
)
"""The sentence wherever figures rest on such summaries: on pages, in the terminal and in reports."""
_BY_A_MODEL = (CompactionOutcome.SUMMARIZED, CompactionOutcome.THOUGHT)


class Author(Enum):
    """The writer of a summary or a reply. The value is what a badge begins with."""

    RECORDED = "recorded"
    STAND_IN = STAND_IN_NAME
    LIVE = "live"

    @property
    def about(self) -> str:
        """The meaning of the badge, for its tooltip."""
        return _ABOUT[self]


_ABOUT = {
    Author.RECORDED: "A language model wrote it for exactly this request; it is played from a recording.",
    Author.STAND_IN: "The program that is bundled in place of a language model wrote it: it needs no key, and quotes.",
    Author.LIVE: "The model that was chosen wrote it.",
}


def badge_words(author: Author, models: Iterable[str]) -> str:
    """Return what a badge says: ``recorded · claude``. A recording may be of any model, so its badge names it."""
    if author is not Author.RECORDED:
        return str(author.value)
    return f"{author.value} · {listed(dict.fromkeys(models))}"


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


def whose_words(runs: Iterable[Run]) -> str:
    """Return who wrote the summaries that figures over ``runs`` rest on, as a sentence; empty where nothing was
    summarized."""
    return " ".join(_whose(list(runs)))


def where_recorded(runs: Iterable[Run]) -> str:
    """Return what recorded summaries were made for: of a run in which some were missing, that a recording played as far
    as it went, no more can be said than that they fitted their requests."""
    made = chain.from_iterable(run.compactions for run in runs)
    if any(one.error for one in made if one.asked):
        return "for exactly these requests"
    return "for exactly this conversation and setting"


def _whose(runs: list[Run]) -> Iterator[str]:
    recorded = models_of(runs, Author.RECORDED)
    live = models_of(runs, Author.LIVE)
    if recorded:
        yield f"Summaries here are recorded: {listed(recorded)} wrote them {where_recorded(runs)}."
    if live:
        where = "of others" if recorded else "here"
        yield f"Summaries {where} were written by {listed(live)}."
    others = [run.strategy.label for run in runs if has_offline_summary(run)]
    if not others:
        return
    if not recorded and not live:
        yield OFFLINE_SUMMARIES
    elif len(runs) == 1:
        yield "Later ones are by the offline stand-in, which quotes."
    else:
        yield f"Those of {listed(others)} are by the offline stand-in, which quotes: compare them with care."
