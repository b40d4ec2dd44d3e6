"""The measures of facts that a lesson can claim of a run: how many a request holds, and what became of one of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from memviz.core.translation import _
from memviz.dashboard.lessons.measure import Kind, Measure, Spot, Taken, Value
from memviz.metrics.retention.knowledge import FactState, Freshness, Knowledge


def _facts(state: str) -> Taken:
    def take(at: Spot) -> Value:
        retention = at.retention
        is_known = retention.born & retention.retained
        is_lost = retention.judged & ~is_known
        by_state = {"told": retention.born, "known": is_known, "lost": is_lost}
        return int(by_state[state][at.number].sum())

    return take


def _facts_percent(at: Spot) -> Value:
    share = float(at.retention.share(at.retention.retained)[at.number])
    return 0.0 if np.isnan(share) else 100.0 * share


def _facts_kept_percent(at: Spot) -> Value:
    retention = at.retention
    shares = retention.share(retention.retained)[: at.number + 1]
    return 100.0 * float(np.nanmean(shares)) if not np.isnan(shares).all() else 0.0


def _fact_known(at: Spot) -> Value:
    place = at.number, at.fact
    return bool(at.retention.born[place] and at.retention.retained[place])


def _facts_contradicted(at: Spot) -> Value:
    states = at.retention.state[at.number]
    return int((states == FactState.CONTRADICTED).sum())


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


def _fact_values(at: Spot) -> Value:
    return _VALUES_HELD[Freshness(int(at.retention.freshness[at.number, at.fact]))]


def _fact_told_turn(at: Spot) -> Value:
    is_told = at.retention.born[:, at.fact]
    return _first_turn(at, is_told, _("the fact is never told in this run."))


def _fact_lost_turn(at: Spot) -> Value:
    retention = at.retention
    is_lost = retention.judged[:, at.fact] & ~retention.retained[:, at.fact]
    return _first_turn(at, is_lost, _("the fact is never lost in this run."))


def _first_turn(at: Spot, is_so: Any, otherwise: str) -> int:
    requests = np.flatnonzero(is_so)
    if not len(requests):
        raise at.played.fail(otherwise)
    return int(at.retention.turns[requests[0]])


_FACT = ("fact",)
FACT_MEASURES: Mapping[str, Measure] = {
    "facts_told": Measure("the number of facts told so far", _facts("told")),
    "facts_known": Measure(
        "the number of facts that the request holds", _facts("known")
    ),
    "facts_lost": Measure(
        "the number of facts told and not held by the request", _facts("lost")
    ),
    "facts_contradicted": Measure(
        "the number of facts that the request only denies or calls outdated",
        _facts_contradicted,
    ),
    "facts_known_percent": Measure(
        "the share of the facts that the request holds is", _facts_percent, "percent"
    ),
    "facts_kept_percent": Measure(
        "the share of facts kept, on average over all requests so far, is",
        _facts_kept_percent,
        "percent",
    ),
    "fact_known": Measure(
        "the request holds the fact", _fact_known, kind=Kind.YES_OR_NO, needs=_FACT
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
        _fact_values,
        kind=Kind.WORD,
        needs=_FACT,
    ),
    "fact_told_turn": Measure(
        "the turn at which the fact is told", _fact_told_turn, needs=_FACT
    ),
    "fact_lost_turn": Measure(
        "the first turn whose request does not hold the fact any more",
        _fact_lost_turn,
        needs=_FACT,
    ),
}
"""The measures of facts by name."""
