"""Shares of the input that the cache gave."""

from __future__ import annotations

from memviz.dashboard.charts.cost.curve import cache_hits
from memviz.dashboard.charts.palette import setting_color, setting_dash
from tests.dashboard.charts.costs import cost_line
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.tags import unescaped_tags


def test_share_by_turn() -> None:
    (setting,) = cache_hits([cost_line(index=3)]).data
    assert setting.x.tolist() == [1, 2, 3]
    assert setting.y.tolist() == [0, 0, 0.75]
    assert (setting.line.color, setting.line.dash) == (
        setting_color(3),
        setting_dash(3),
    )
    assert (
        "turn 3: <b>75%</b> read from the cache, 1,500 of 2,000 input tokens"
        in setting.text[2]
    )
    assert setting.text[2].endswith(
        "1,500 stood at the start of the request before as well"
    )


def test_each_call_of_a_turn_has_a_point() -> None:
    (setting,) = cache_hits(
        [cost_line([(1, 2000, 0, 9), (1, 4000, 2000, 9), (2, 5000, 4000, 9)], ())]
    ).data
    assert setting.x.tolist() == [1, 2, 3]
    assert setting.y.tolist() == [0, 0.5, 0.8]
    assert "turn 1, call 2: <b>50%</b> read from the cache" in setting.text[1]


def test_a_turn_with_nothing_but_a_summary_is_left_out() -> None:
    (setting,) = cache_hits([cost_line([(1, 2000, 0, 9)], [(2, 100, 10)])]).data
    assert setting.x.tolist() == [1]


def test_nothing_is_markup_and_nothing_is_no_error() -> None:
    figure = cache_hits([cost_line(label=MARKUP), cost_line((), ())])
    assert not unescaped_tags(figure.data[0].text)
    assert not unescaped_tags([figure.data[0].name])
    assert len(figure.data[1].x) == 0
    assert not cache_hits([]).data
