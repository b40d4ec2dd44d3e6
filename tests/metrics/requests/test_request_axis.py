"""The horizontal axis of charts that go by request."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz.core.text.wording import request_name
from memviz.dashboard.words.requests import name_at, name_of
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.requests.request_axis import (
    RequestAxis,
    count_calls_in_turns,
    count_calls_so_far,
    find_place_at,
    list_request_turns,
    make_ends_finder,
)
from tests.metrics.requests.tool_loops import tool_loop

CALLS = st.lists(st.integers(1, 6), min_size=1, max_size=12)


def turns_of(calls: list[int]) -> list[int]:
    return [turn for turn, count in enumerate(calls, 1) for _ in range(count)]


def test_where_each_turn_took_one_call_a_place_is_the_turn() -> None:
    axis = RequestAxis.of([[1, 2, 3], [2, 3, 4]])
    assert axis.is_by_turn
    assert axis.places([2, 3, 4]).tolist() == [2, 3, 4]
    assert axis.ticks() is None
    assert (axis.last(4), axis.last(7), axis.turn_at(3.2)) == (4, 7, 4)


def test_runs_with_different_numbers_of_calls_stand_turn_over_turn() -> None:
    axis = RequestAxis.of([[1, 1, 1, 2], [1, 2, 2]])
    assert axis.places([1, 1, 1, 2]).tolist() == [1, 2, 3, 5]
    assert axis.places([1, 2, 2]).tolist() == [3, 4, 5]
    assert axis.ticks() == ([3, 5], ["1", "2"])
    assert not axis.is_by_turn


@given(st.lists(CALLS, min_size=1, max_size=4))
def test_every_run_has_its_own_places_in_order_and_meets_the_others_at_the_end_of_each_turn(
    runs: list[list[int]],
) -> None:
    axis = RequestAxis.of(map(turns_of, runs))
    for calls in runs:
        turns = turns_of(calls)
        places = axis.places(turns).tolist()
        assert places == sorted(set(places))
        assert [axis.turn_at(place) for place in places] == turns
        assert [
            place
            for place, turn in zip(places, turns, strict=True)
            if axis.last(turn) == place
        ] == [axis.last(turn) for turn in range(1, len(calls) + 1)]


@given(CALLS)
def test_the_place_of_one_request_is_that_among_all(calls: list[int]) -> None:
    turns = np.array(turns_of(calls))
    columns = zip(
        turns, count_calls_so_far(turns), count_calls_in_turns(turns), strict=True
    )
    assert [find_place_at(turns, number) for number in range(len(turns))] == [*columns]


def test_no_request_needs_no_place() -> None:
    axis = RequestAxis.of([[]])
    assert axis.is_by_turn
    assert axis.places([]).tolist() == []


@given(CALLS)
def test_every_request_knows_how_many_calls_its_turn_took(calls: list[int]) -> None:
    assert count_calls_in_turns(turns_of(calls)).tolist() == [
        count for count in calls for _ in range(count)
    ]


def test_pages_and_records_name_a_request_alike() -> None:
    calls = (1, 4, 2, 1, 3)
    run = memviz.replay(tool_loop(calls), memviz.strategy("window", window_size=4))
    names = [record.name for record in run.requests]
    assert names[:4] == ["turn 1", "turn 2, call 1", "turn 2, call 2", "turn 2, call 3"]
    assert (
        names
        == [name_at(list_request_turns(run), number) for number in range(len(names))]
        == [name_of(run, record) for record in run.requests]
    )
    lives = [build_fate_map(run).life(position) for position in range(len(run.log))]
    for span in (span for life in lives for span in life):
        assert {request_name(*span.first), request_name(*span.last)} <= {*names}


def test_the_ends_of_many_spans_are_looked_up_at_once() -> None:
    ends_of = make_ends_finder([1, 2, 2, 3])
    ends = ends_of(np.array([0, 1]), np.array([3, 1]))
    assert ends == [[1, 3, 1, 1, 1, 4, 1, 1], [2, 2, 1, 1, 2, 2, 2, 2]]
    assert ends_of(np.zeros(0, int), np.zeros(0, int)) == []
