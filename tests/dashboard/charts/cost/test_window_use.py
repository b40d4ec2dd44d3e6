"""Requests against the model's context window, and where they would pass it."""

from __future__ import annotations

from memviz.dashboard.charts.cost.window_use import window_use
from tests.dashboard.charts.costs import cost_line
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.tags import unescaped_tags


def growing(tokens: list[int]) -> list[tuple[int, ...]]:
    return [(turn, number, 0, 5) for turn, number in enumerate(tokens, 1)]


class TestPicture:
    def test_draws_every_request(self) -> None:
        (setting,) = window_use(
            [cost_line([(1, 500, 0, 5), (1, 800, 0, 5), (3, 700, 0, 5)])], None
        ).data
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
