"""What two summarizers kept of the same facts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import memviz
from memviz.metrics.retention.survival import Agreement, compare_retentions
from memviz.transcripts.samples import sample

TRIP = sample("trip")


def kept(strategy: memviz.Strategy) -> memviz.metrics.retention.knowledge.Retention:  # type: ignore[name-defined]
    return memviz.retention(memviz.replay(TRIP, strategy), TRIP.probes)


def test_it_is_counted_fact_by_fact_at_the_last_request() -> None:
    full, window = (
        kept(memviz.strategy("buffer")),
        kept(memviz.strategy("window", window_size=4)),
    )
    found = compare_retentions(full, window)
    assert (
        found.one == int(np.sum(full.retained[-1])) == found.facts == len(TRIP.probes)
    )
    assert found.other == int(np.sum(window.retained[-1])) == found.both
    assert found.only_one == found.facts - found.both > 0
    assert found.only_other == found.neither == 0
    turned = compare_retentions(window, full)
    assert (turned.only_one, turned.only_other) == (found.only_other, found.only_one)
    assert turned.share == found.share < 1.0
    assert compare_retentions(full, full).share == 1.0


def test_without_facts_there_is_nothing_to_disagree_on() -> None:
    assert Agreement(0, 0, 0, 0).share == 1.0


def test_a_run_without_requests_holds_nothing() -> None:
    full = kept(memviz.strategy("buffer"))
    matrices = ("turns", "states", "evidence", "contained", "stale")
    nothing = replace(full, **{name: getattr(full, name)[:0] for name in matrices})
    assert compare_retentions(nothing, nothing) == Agreement(0, 0, 0, 0)
