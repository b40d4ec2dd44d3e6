"""The authors of summaries and replies in words: what a badge says, and what figures over summaries rest on."""

from collections.abc import Iterable, Iterator

from memviz.core.text.wording import listed
from memviz.engine.run import Run
from memviz.metrics.summaries.authors import (
    Author,
    fit_requests_alone,
    has_offline_summary,
    models_of,
)
from memviz.tuning.grounds import OFFLINE_SUMMARIES

AUTHOR_HELP = {
    Author.RECORDED: "A language model wrote it for exactly this request; it is played from a recording.",
    Author.STAND_IN: "The program that is bundled in place of a language model wrote it: it needs no key, and quotes.",
    Author.LIVE: "The model that was chosen wrote it.",
}
"""The meaning of each badge, for its tooltip."""


def badge_words(author: Author, models: Iterable[str]) -> str:
    """Return what a badge says: ``recorded · claude``. A recording may be of any model, so its badge names it."""
    if author is not Author.RECORDED:
        return str(author.value)
    return f"{author.value} · {listed(dict.fromkeys(models))}"


def whose_words(runs: Iterable[Run]) -> str:
    """Return who wrote the summaries that figures over ``runs`` rest on, as a sentence; empty where nothing was
    summarized."""
    return " ".join(_whose(list(runs)))


def where_recorded(runs: Iterable[Run]) -> str:
    """Return what recorded summaries were made for."""
    if fit_requests_alone(runs):
        return "for exactly these requests"
    return "for exactly this conversation and setting"


def _whose(runs: list[Run]) -> Iterator[str]:
    recorded = models_of(runs, Author.RECORDED)
    live = models_of(runs, Author.LIVE)
    if recorded and fit_requests_alone(runs):
        yield f"Summaries here are recorded: {listed(recorded)} wrote them for exactly these requests."
    elif recorded:
        yield (
            f"Summaries here are recorded: {listed(recorded)} wrote them for exactly this conversation and setting."
        )
    if live and recorded:
        yield f"Summaries of others were written by {listed(live)}."
    elif live:
        yield f"Summaries here were written by {listed(live)}."
    others = [run.strategy.label for run in runs if has_offline_summary(run)]
    if not others:
        return
    if not recorded and not live:
        yield OFFLINE_SUMMARIES
    elif len(runs) == 1:
        yield "Later ones are by the offline stand-in, which quotes."
    else:
        yield f"Those of {listed(others)} are by the offline stand-in, which quotes: compare them with care."
