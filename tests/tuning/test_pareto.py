"""The Pareto front, compared with its definition: every point against every other one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memviz.tuning.pareto import find_winners, mark_front
from tests.tables import for_each

NUMBERS = st.sampled_from([0.0, 1.0, 2.0, 3.0, float("nan")]) | st.floats(-5, 5)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12)
Numbers = NDArray[np.float64]


def arrays(points: list[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    costs, gains = np.array(points, dtype=float).reshape(-1, 2).T
    return costs, gains


def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """At most the cost and at least the gain, and one of both better. False with NaN."""
    return (
        one[0] <= other[0]
        and one[1] >= other[1]
        and (one[0] < other[0] or one[1] > other[1])
    )


def is_known(point: tuple[float, float]) -> bool:
    return not np.isnan(point).any()


@given(POINTS)
def test_a_point_is_on_the_front_if_no_other_one_beats_it(
    points: list[tuple[float, float]],
) -> None:
    expected = [
        is_known(point) and not any(beats(other, point) for other in points)
        for point in points
    ]
    assert mark_front(*arrays(points)).tolist() == expected


@given(POINTS)
def test_every_other_known_point_is_beaten_by_one_on_the_front(
    points: list[tuple[float, float]],
) -> None:
    front, winners = mark_front(*arrays(points)), find_winners(*arrays(points))
    for at, (point, winner) in enumerate(zip(points, winners.tolist(), strict=True)):
        assert (winner == -1) == (front[at] or not is_known(point))
        if winner >= 0:
            assert front[winner]
            assert beats(points[winner], point)
            rivals = [
                other for other in points if is_known(other) and other[0] <= point[0]
            ]
            most = max(rival[1] for rival in rivals)
            assert points[winner] == (
                min(cost for cost, gain in rivals if gain == most),
                most,
            )


def test_the_order_does_not_matter() -> None:
    points = [(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (3.0, 3.0)]
    for order in permutations(range(4)):
        front = mark_front(*arrays([points[at] for at in order]))
        assert {at for at, on in zip(order, front, strict=True) if on} == {0, 1}


@for_each(
    ("points", "front", "winners"),
    [
        ([], [], []),
        ([(1, 1)], [True], [-1]),
        ([(1, 1), (1, 1)], [True, True], [-1, -1]),
        ([(1, 1), (1, 2)], [False, True], [1, -1]),
        ([(2, 1), (1, 1), (1, 1)], [False, True, True], [1, -1, -1]),
        ([(np.nan, 9), (1, 1), (0, np.nan)], [False, True, False], [-1, -1, -1]),
        ([(np.nan, np.nan)], [False], [-1]),
    ],
)
def test_examples(
    points: list[tuple[float, float]], front: list[bool], winners: list[int]
) -> None:
    assert mark_front(*arrays(points)).tolist() == front
    assert find_winners(*arrays(points)).tolist() == winners
