"""The best of each strategy, and the value to try where it lies at the edge of those that were tried."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from memviz.tuning.best_of_each import find_best_of_each
from memviz.tuning.cell import Cell
from memviz.tuning.constraints import Constraints
from memviz.tuning.results import Sweep
from tests.tuning.random_sweeps import cell, sweep_of, sweeps

ALL, MOST = Constraints(1.0), Constraints(0.5)


def edges(sweep: Sweep, constraints: Constraints) -> dict[str, str | None]:
    return {
        one.setting.id: one.edge.in_code if one.edge else None
        for one in find_best_of_each(sweep, constraints)
    }


def windows(*cells: tuple[list[int], list[int]]) -> Sweep:
    """A sweep of window_size=2, 4 and 8 (or fewer) with these sizes and facts of requests."""
    return sweep_of(
        [cell(number, sent, kept) for number, (sent, kept) in enumerate(cells)]
    )


@given(sweeps())
def test_one_a_strategy_and_the_recommended_one_among_them(sweep: Sweep) -> None:
    found, best = find_best_of_each(sweep, Constraints(0.5)), sweep.best(0.5)
    assert len({one.setting.id for one in found}) == len(found)
    assert all(
        one.row["failed"] == 0 and sweep.settings[one.row["setting"]] is one.setting
        for one in found
    )
    assert any(one.fits for one in found) == (best.setting is not None)
    if best.setting is not None:
        assert best.setting in [one.setting for one in found]
    for one in found:
        if one.edge is not None:
            tried = [
                getattr(setting, one.edge.parameter)
                for setting in sweep.settings
                if setting.id == one.setting.id
            ]
            assert not min(tried) <= one.edge.value <= max(tried)


def test_what_keeps_too_little_at_the_largest_value_is_tried_larger() -> None:
    sweep = windows(([100], [1]), ([200], [2]), ([400], [3]))
    (best,) = find_best_of_each(sweep, ALL)
    assert (best.setting.code_label, best.fits) == (
        "Sliding window · window_size=8",
        False,
    )
    assert best.edge is not None
    assert (best.edge.in_code, best.edge.words) == (
        "window_size=16",
        "best at the edge: try window_size=16",
    )
    assert edges(replace(sweep, largest={"messages": 11}), ALL) == {
        "window": "window_size=11"
    }
    assert edges(replace(sweep, largest={"messages": 8}), ALL) == {"window": None}, (
        "the whole conversation is sent"
    )


def test_what_does_what_is_asked_is_tried_further_only_where_that_may_be_cheaper() -> (
    None
):
    assert edges(windows(([100], [2]), ([200], [4]), ([400], [4])), MOST) == {
        "window": "window_size=1"
    }
    assert edges(windows(([400], [4]), ([200], [4]), ([100], [4])), MOST) == {
        "window": "window_size=16"
    }
    assert edges(windows(([100], [1]), ([200], [1]), ([400], [4])), MOST) == {
        "window": None
    }, "larger costs more"


def test_within_the_values_tried_or_without_other_values_there_is_no_edge() -> None:
    assert edges(windows(([100], [1]), ([200], [4]), ([400], [4])), ALL) == {
        "window": None
    }
    assert edges(windows(([100], [1])), ALL) == {"window": None}, (
        "one value is no range"
    )
    assert edges(windows(([100], [1]), ([100], [1])), ALL) == {"window": None}, (
        "both did the same"
    )


def test_a_strategy_without_parameters_and_one_that_always_failed() -> None:
    cells: list[Cell | None] = [
        cell(0, [], error="no room"),
        *[None] * 4,
        cell(5, [100], [4]),
    ]
    assert edges(sweep_of(cells), ALL) == {"buffer": None}
