"""Estimates from a few conversations: their intervals hold the truth about as often as they say."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.tuning.estimates import (
    Estimate,
    estimate_ratio,
    estimate_share,
    student_quantile,
)
from tests.tables import for_each

DRAWS = 400
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def covered(draw: Callable[[Random], Estimate], truth: float) -> float:
    """The share of intervals that hold the truth."""
    random = Random(7)
    estimates = [draw(random) for _ in range(DRAWS)]
    return fmean(one.low <= truth <= one.high for one in estimates)


@for_each(
    ("freedom", "factor"),
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (10, 2.228),
        (11, 2.201),
        (30, 2.042),
        (120, 1.980),
    ],
)
def test_students_distribution_is_that_of_the_tables(
    freedom: int, factor: float
) -> None:
    assert student_quantile(freedom) == pytest.approx(factor, abs=0.01)


class TestShare:
    def test_four_conversations_that_keep_all_are_no_proof(self) -> None:
        found = estimate_share([1.0, 1.0, 1.0, 1.0], facts=200)
        # Wilson's interval of 4 out of 4.
        assert (found.value, found.high) == (1.0, 1.0)
        assert found.low == pytest.approx(0.5101, abs=0.0001)

    def test_shares_that_agree_tell_as_much_as_their_facts(self) -> None:
        few = estimate_share([0.8, 0.8, 0.8], facts=15)
        many = estimate_share([0.8, 0.8, 0.8], facts=150)
        assert few.low < many.low < 0.8 < many.high < few.high

    @given(SHARES, st.integers(0, 100))
    def test_the_interval_is_one_of_shares_and_holds_the_mean(
        self, shares: list[float], facts: int
    ) -> None:
        found = estimate_share(shares, facts)
        assert found.value == pytest.approx(fmean(shares))
        assert -1e-9 <= found.low <= found.value <= found.high <= 1 + 1e-9

    @for_each("conversations", [2, 3, 5, 12])
    @for_each("mean", [0.6, 0.85, 0.97])
    def test_it_holds_the_truth_in_95_of_100_draws(
        self, conversations: int, mean: float
    ) -> None:
        def draw(random: Random) -> Estimate:
            shares = [
                random.betavariate(6 * mean, 6 * (1 - mean))
                for _ in range(conversations)
            ]
            return estimate_share(shares, facts=10 * conversations)

        assert covered(draw, mean) >= 0.925


class TestRatio:
    def test_equal_prices_have_no_width(self) -> None:
        found = estimate_ratio([2.0, 4.0, 6.0], [1, 2, 3])
        assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))

    def test_one_conversation_tells_no_interval(self) -> None:
        assert estimate_ratio([3.0], [2]) == Estimate(1.5, 0.0, inf)

    def test_what_is_free_is_free_for_all(self) -> None:
        assert estimate_ratio([0.0, 0.0], [2, 3]) == Estimate(0.0, 0.0, 0.0)

    def test_it_does_not_depend_on_the_unit(self) -> None:
        small = estimate_ratio([1.0, 3.0, 2.0], [10, 20, 14])
        large = estimate_ratio([1000.0, 3000.0, 2000.0], [10, 20, 14])
        assert large.low == pytest.approx(1000 * small.low)
        assert large.high == pytest.approx(1000 * small.high)

    @for_each("conversations", [3, 5, 12])
    def test_it_holds_the_truth_in_about_95_of_100_draws(
        self, conversations: int
    ) -> None:
        lengths = range(5, 41)

        def usd(length: int) -> float:
            """The longer a conversation is, the more each of its requests costs."""
            return length * (0.5 + length / 40)

        def draw(random: Random) -> Estimate:
            counts = [random.choice(lengths) for _ in range(conversations)]
            amounts = [usd(one) * random.lognormvariate(0, 0.3) for one in counts]
            return estimate_ratio(amounts, counts)

        truth = sum(map(usd, lengths)) * exp(0.3**2 / 2) / sum(lengths)
        assert covered(draw, truth) >= 0.9


def test_a_place_of_an_interval_lies_between_its_value_and_an_end() -> None:
    estimate = Estimate(0.5, 0.2, 0.6)
    assert [estimate.value_at(place) for place in (-1, 0, 0.5, 1)] == pytest.approx(
        [0.2, 0.5, 0.55, 0.6]
    )
    assert Estimate(0.5, 0.0, inf).value_at(-1) == 0.0
