"""Axes in pixels: where a value stands, and which numbers stand at the axis."""

from __future__ import annotations

from typing import Any

import pytest

from memviz.dashboard.charts.svg.scales import Scale
from tests.tables import for_each


def ticks(axis: dict[str, Any], pixels: int = 600) -> list[str]:
    return [words for _pixel, words in Scale.of(axis, 0, pixels).ticks(60)]


def test_a_value_stands_between_the_ends() -> None:
    scale = Scale.of({"range": [0, 200]}, 50, 450)
    assert scale.pixel(0) == 50
    assert scale.pixel(100) == 250
    assert scale.share(0.25) == 150


def test_an_axis_may_count_by_ratio_or_downwards() -> None:
    by_ratio = Scale.of({"type": "log", "range": [0, 2]}, 0, 100)
    assert by_ratio.pixel(10) == pytest.approx(50)
    assert by_ratio.pixel_on_axis(1) == by_ratio.pixel(10)
    downwards = Scale.of({"range": [4, -1]}, 100, 0)
    assert downwards.pixel(-1) == 0
    assert downwards.pixel(4) == 100


@for_each(
    ("axis", "words"),
    [
        ({"range": [0, 1200], "tickformat": ",d"}, ["0", "200", "400", "600", "800", "1,000", "1,200"]),
        ({"range": [0.4, 3.8], "tickformat": ",d"}, ["1", "2", "3"]),
        ({"range": [0.4, 3.8], "tickformat": ",d", "dtick": 1}, ["1", "2", "3"]),
        ({"range": [0.011, 0.02], "tickprefix": "$"},
         ["$0.011", "$0.012", "$0.013", "$0.014", "$0.015", "$0.016", "$0.017", "$0.018", "$0.019", "$0.020"]),
        ({"range": [0, 1], "tickformat": ".0%", "tickvals": [0, 0.5, 1]}, ["0%", "50%", "100%"]),
        ({"range": [0, 9], "tickvals": [2, 7], "ticktext": ["turn 1", "turn 2"]}, ["turn 1", "turn 2"]),
    ],
)  # fmt: skip
def test_round_numbers_or_those_that_the_axis_names_stand_at_it(
    axis: dict[str, Any], words: list[str]
) -> None:
    assert ticks(axis) == words
