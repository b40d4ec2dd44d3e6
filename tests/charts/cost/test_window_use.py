"""Requests against the model's context window, and where they would pass it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.charts.cost.window_use import PACE_TURNS, projected_overflow_turn, window_use
from memviz.metrics.cost.cost import overflow_turn
from tests.charts.costs import cost_line, traffic_of
from tests.charts.retention.test_curve import unescaped_tags
from tests.charts.runs import MARKUP


def growing(tokens: list[int]) -> list[tuple[int, ...]]:
    return [(turn, number, 0, 5) for turn, number in enumerate(tokens, 1)]


class TestPicture:
    def test_draws_every_request(self) -> None:
        (setting,) = window_use([cost_line([(1, 500, 0, 5), (1, 800, 0, 5), (3, 700, 0, 5)])], None).data
        assert setting.x.tolist() == [1, 2, 4], "nothing was sent in turn 2"
        assert setting.y.tolist() == [500, 800, 700]
        assert setting.text[1].endswith("turn 1, call 2: <b>800 tokens</b>")

    def test_a_window_that_fits_is_a_dashed_line_with_its_value(self) -> None:
        figure = window_use([cost_line(growing([500, 1000]))], 3000)
        (shape,), (label,) = figure.layout.shapes, figure.layout.annotations
        assert (shape.y0, shape.y1, shape.line.dash) == (3000, 3000, "dash")
        assert label.text == "context window 3,000"
        assert figure.data[0].text[1].endswith("33.3% of the context window")

    def test_one_far_above_is_not_drawn(self) -> None:
        figure = window_use([cost_line(growing([500, 1000]))], 3001)
        assert not figure.layout.shapes
        assert not figure.layout.annotations

    def test_nothing_is_markup_and_nothing_is_no_error(self) -> None:
        figure = window_use([cost_line(label=MARKUP), cost_line((), ())], 5000)
        assert not unescaped_tags([*figure.data[0].text, figure.data[0].name])
        assert len(figure.data[1].x) == 0


class TestProjection:
    def test_goes_on_in_a_straight_line(self) -> None:
        assert projected_overflow_turn(traffic_of(growing([100, 200, 300])), 999) == 10
        assert projected_overflow_turn(traffic_of(growing([100, 200, 300])), 1000) == 11, "a full window is no overflow"

    def test_looks_at_the_last_turns_only(self) -> None:
        slow = [10] * 50
        fast = [100 * (number + 1) for number in range(PACE_TURNS)]
        assert (
            projected_overflow_turn(traffic_of(growing(slow + fast)), 100 * (PACE_TURNS + 5) - 1) == 50 + PACE_TURNS + 5
        )

    @pytest.mark.parametrize("tokens", [[], [100], [100, 200], [300, 300, 300], [300, 200, 100]])
    def test_needs_turns_that_grow(self, tokens: list[int]) -> None:
        assert projected_overflow_turn(traffic_of(growing(tokens)), 1000) is None

    @given(st.integers(1, 500), st.integers(0, 5000), st.integers(3, 30), st.integers(1, 40))
    def test_is_where_it_really_happens_for_steady_growth(self, step: int, start: int, seen: int, more: int) -> None:
        tokens = [start + step * number for number in range(1, seen + more + 1)]
        window = tokens[-1] - 1
        real = overflow_turn(traffic_of(growing(tokens)), window)
        projected = projected_overflow_turn(traffic_of(growing(tokens[:seen])), window)
        assert projected == real is not None
