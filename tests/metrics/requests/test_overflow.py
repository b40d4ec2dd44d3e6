"""Which request is larger than the context window, and after how many more one would be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.words.requests import forecast_words
from memviz.metrics.requests.token_use import (
    PACE_REQUESTS,
    Forecast,
    count_requests_to_overflow,
    find_first_over,
    forecast_overflow,
)
from memviz.metrics.requests.traffic import Traffic
from tests.dashboard.charts.costs import traffic_of
from tests.tables import for_each


def growing(tokens: list[int]) -> Traffic:
    return traffic_of([(turn, number, 0, 5) for turn, number in enumerate(tokens, 1)])


def test_the_request_at_which_the_window_is_too_small() -> None:
    sent = traffic_of([(1, 100, 0, 0), (2, 200, 0, 0), (2, 300, 0, 0), (3, 250, 0, 0)])
    assert [
        find_first_over(sent, window) for window in (99, 100, 199, 200, 299, 300)
    ] == [(1, 1, 1), (2, 1, 2), (2, 1, 2), (2, 2, 2), (2, 2, 2), None]
    assert find_first_over(Traffic.nothing(), 0) is None


class TestForecast:
    def test_goes_on_in_a_straight_line(self) -> None:
        assert count_requests_to_overflow(growing([100, 200, 300]), 999) == 7
        assert count_requests_to_overflow(growing([100, 200, 300]), 1000) == 8, (
            "a full window is no overflow"
        )

    def test_looks_at_the_last_requests_only(self) -> None:
        fast = [100 * (number + 1) for number in range(PACE_REQUESTS)]
        assert (
            count_requests_to_overflow(
                growing([10] * 50 + fast), 100 * (PACE_REQUESTS + 5) - 1
            )
            == 5
        )

    @for_each("tokens", [[], [100], [100, 200], [300, 300, 300], [300, 200, 100]])
    def test_needs_requests_that_grow(self, tokens: list[int]) -> None:
        assert count_requests_to_overflow(growing(tokens), 1000) is None
        assert forecast_overflow(growing(tokens), 1000) is None

    @given(
        st.integers(1, 500),
        st.integers(0, 5000),
        st.integers(3, 30),
        st.integers(1, 40),
    )
    def test_is_where_it_really_happens_for_steady_growth(
        self, step: int, start: int, seen: int, more: int
    ) -> None:
        tokens = [start + step * number for number in range(1, seen + more + 1)]
        window = tokens[-1] - 1
        assert count_requests_to_overflow(growing(tokens[:seen]), window) == more
        assert find_first_over(growing(tokens), window) == (seen + more, 1, 1)

    def test_names_the_turn_where_each_takes_one_request(self) -> None:
        loop = traffic_of([(1, 100, 0, 5), (1, 200, 0, 5), (2, 300, 0, 5)])
        in_calls = forecast_overflow(loop, 999)
        assert in_calls == Forecast(7, None, 3)
        assert forecast_words("A buffer", 999, in_calls) == (
            "A buffer passes 999 tokens after 7 more requests, if they go on growing as the last 3 did."
        )
        by_turn = forecast_overflow(growing([100, 200, 300]), 999)
        assert by_turn == Forecast(7, 10, 3)
        assert forecast_words("A buffer", 999, by_turn) == (
            "A buffer passes 999 tokens after 7 more requests, at turn 10, if they go on growing as the last 3 did."
        )
