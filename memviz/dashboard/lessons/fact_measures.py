"""The measures of facts that a lesson can claim of a run: how many a request holds, and what became of one of them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from memviz.core.translation import _, noop
from memviz.dashboard.lessons.measure import Kind, Measure, Value
from memviz.dashboard.lessons.playing import Spot
from memviz.metrics.retention.knowledge import FactState, Freshness, Knowledge
from memviz.metrics.retention.probe_texts import Bools


def _count(at: Spot, facts: Bools) -> int:
    """Return how many of the ``facts`` [requests x probes] there are at the request."""
    return int(facts[at.number].sum())


def _is_lost(at: Spot) -> Bools:
    return at.retention.judged & ~at.retention.retained


def _shares(at: Spot) -> NDArray[np.float64]:
    """Return the share of the facts that each request up to this one holds; NaN where none was told."""
    shares = at.retention.share(at.retention.retained)
    return shares[: at.number + 1]


def _facts_kept_percent(at: Spot) -> Value:
    shares = _shares(at)
    return 0.0 if np.isnan(shares).all() else 100.0 * float(np.nanmean(shares))


def _knowledge(at: Spot) -> Knowledge:
    return Knowledge(int(at.retention.states[at.number, at.fact]))


def _fact_place(at: Spot) -> Value:
    place = _knowledge(at).name.lower().replace("_", " ")
    return place.replace("not born", "not told")


_VALUES_HELD = {
    Freshness.NOT_ASKED: "not changed",
    Freshness.NEITHER: "neither",
    Freshness.STALE_ONLY: "old",
    Freshness.BOTH: "both",
    Freshness.NEW_ONLY: "new",
}


def _first_turn(at: Spot, facts: Bools, otherwise: str) -> int:
    """Return the turn of the first request at which the fact is among ``facts`` [requests x probes]. Raises
    :class:`memviz.LessonError` with the sentence ``otherwise``."""
    requests = np.flatnonzero(facts[:, at.fact])
    if not len(requests):
        raise at.played.fail(_(otherwise))
    return int(at.retention.turns[requests[0]])


_NEVER_TOLD = noop("the fact is never told in this run.")
_NEVER_LOST = noop("the fact is never lost in this run.")
_FACT = ("fact",)
FACT_MEASURES: Mapping[str, Measure] = {
    "facts_told": Measure(
        "the number of facts told so far", lambda at: _count(at, at.retention.born)
    ),
    "facts_known": Measure(
        "the number of facts that the request holds",
        lambda at: _count(at, at.retention.retained),
    ),
    "facts_lost": Measure(
        "the number of facts told and not held by the request",
        lambda at: _count(at, _is_lost(at)),
    ),
    "facts_contradicted": Measure(
        "the number of facts that the request only denies or calls outdated",
        lambda at: _count(at, at.retention.state == FactState.CONTRADICTED),
    ),
    "facts_known_percent": Measure(
        "the share of the facts that the request holds is",
        lambda at: 100.0 * float(np.nan_to_num(_shares(at)[-1])),
        "percent",
    ),
    "facts_kept_percent": Measure(
        "the share of facts kept, on average over all requests so far, is",
        _facts_kept_percent,
        "percent",
    ),
    "fact_known": Measure(
        "the request holds the fact",
        lambda at: bool(at.retention.retained[at.number, at.fact]),
        kind=Kind.YES_OR_NO,
        needs=_FACT,
    ),
    "fact_state": Measure(
        "what the request makes of the fact",
        lambda at: _knowledge(at).state.word,
        kind=Kind.WORD,
        needs=_FACT,
    ),
    "fact_place": Measure(
        "where the request holds the fact", _fact_place, kind=Kind.WORD, needs=_FACT
    ),
    "fact_values": Measure(
        "the value that the request holds of a fact that changed",
        lambda at: _VALUES_HELD[
            Freshness(int(at.retention.freshness[at.number, at.fact]))
        ],
        kind=Kind.WORD,
        needs=_FACT,
    ),
    "fact_told_turn": Measure(
        "the turn at which the fact is told",
        lambda at: _first_turn(at, at.retention.born, _NEVER_TOLD),
        needs=_FACT,
    ),
    "fact_lost_turn": Measure(
        "the first turn whose request does not hold the fact any more",
        lambda at: _first_turn(at, _is_lost(at), _NEVER_LOST),
        needs=_FACT,
    ),
}
"""The measures of facts by name."""
