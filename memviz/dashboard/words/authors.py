"""The authors of summaries and replies in words: what a badge says, and what figures over summaries rest on."""

from collections.abc import Iterable, Iterator

from memviz.core.text.wording import listed
from memviz.core.translation import _, noop
from memviz.engine.run import Run
from memviz.metrics.summaries.events import (
    Author,
    fit_requests_alone,
    has_offline_summary,
    models_of,
)
from memviz.tuning.grounds import OFFLINE_SUMMARIES

_AUTHOR_HELP = {
    Author.RECORDED: noop(
        "A language model wrote it for exactly this request; it is played from a recording."
    ),
    Author.STAND_IN: noop(
        "The program that is bundled in place of a language model wrote it: it needs no key, and quotes."
    ),
    Author.LIVE: noop("The model that was chosen wrote it."),
}


_AUTHORS = {
    Author.RECORDED: noop("recorded"),
    Author.STAND_IN: noop("built-in model"),
    Author.LIVE: noop("live"),
}


def author_words(author: Author) -> str:
    """Return what a badge calls an author."""
    return _(_AUTHORS[author])


def author_help(author: Author) -> str:
    """Return the meaning of a badge, for its tooltip."""
    return _(_AUTHOR_HELP[author])


def badge_words(author: Author, models: Iterable[str]) -> str:
    """Return what a badge says: ``recorded · claude``. A recording may be of any model, so its badge names it."""
    if author is not Author.RECORDED:
        return author_words(author)
    return f"{author_words(author)} · {listed(dict.fromkeys(models))}"


def whose_words(runs: Iterable[Run]) -> str:
    """Return who wrote the summaries that figures over ``runs`` rest on, as a sentence; empty where nothing was
    summarized."""
    return " ".join(_whose(list(runs)))


def where_recorded(runs: Iterable[Run]) -> str:
    """Return what recorded summaries were made for."""
    if fit_requests_alone(runs):
        return _("for exactly these requests")
    return _("for exactly this conversation and setting")


def _whose(runs: list[Run]) -> Iterator[str]:
    recorded = models_of(runs, Author.RECORDED)
    live = models_of(runs, Author.LIVE)
    if recorded and fit_requests_alone(runs):
        yield _(
            "Summaries here are recorded: {models} wrote them for exactly these requests.",
            models=listed(recorded),
        )
    elif recorded:
        yield (
            _(
                "Summaries here are recorded: {models} wrote them for exactly this conversation and setting.",
                models=listed(recorded),
            )
        )
    if live and recorded:
        yield _("Summaries of others were written by {models}.", models=listed(live))
    elif live:
        yield _("Summaries here were written by {models}.", models=listed(live))
    others = [run.strategy.label for run in runs if has_offline_summary(run)]
    if not others:
        return
    if not recorded and not live:
        yield _(OFFLINE_SUMMARIES)
    elif len(runs) == 1:
        yield _("Later ones are by the built-in model, which quotes.")
    else:
        yield _(
            "Those of {settings} are by the built-in model, which quotes: compare them with care.",
            settings=listed(others),
        )
