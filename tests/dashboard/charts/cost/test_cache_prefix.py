"""The picture of the prompt cache: pale and solid add up to what was sent."""

from __future__ import annotations

import numpy as np

from memviz.dashboard.charts.cost.cache_prefix import LOOKS, CachedSetting, cache_prefix
from memviz.dashboard.charts.palette import setting_color
from memviz.dashboard.words.prices import BROKEN_BY
from memviz.metrics.cost.cache_breaks import Breaker, CacheBreak
from tests.dashboard.charts.costs import cost_line
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.tags import unescaped_tags
from tests.tables import for_each


def test_pale_and_solid_are_what_was_held_and_paid_for() -> None:
    one = cost_line(index=3)
    held, paid, *_ = cache_prefix([CachedSetting(one, [])]).data
    assert held.y.tolist() == [0, 0, 1500]
    np.testing.assert_array_equal(held.y + paid.y, one.cost.traffic.input_tokens)
    assert held.opacity < 0.5
    assert paid.opacity is None
    assert {held.marker.color, paid.marker.color} == {setting_color(3)}
    assert "pale: 1,500 read from the cache<br>solid: 500 paid for" in held.text[2]
    assert list(held.customdata) == ["0:1", "0:2", "0:3"]


def test_all_rows_have_one_scale_and_the_turns_below_the_last() -> None:
    small = cost_line([(1, 90, 0, 9), (2, 150, 0, 9)], ())
    layout = cache_prefix(
        [CachedSetting(cost_line(), []), CachedSetting(small, [])]
    ).layout
    assert layout.yaxis.range == layout.yaxis2.range
    assert layout.yaxis2.domain[1] < layout.yaxis.domain[0]
    assert layout.xaxis.anchor == "y2"
    assert "$" in layout.annotations[0].text


@for_each("breaker", Breaker)
def test_a_break_has_the_mark_of_its_reason_once_for_a_run(breaker: Breaker) -> None:
    one = cost_line([(turn, 2000, 100, 9) for turn in range(1, 6)], ())
    breaks = [CacheBreak(number, breaker, 1_000) for number in (1, 2, 4)]
    figure = cache_prefix([CachedSetting(one, breaks)])
    (marked,) = [
        trace for trace in figure.data if trace.customdata and trace.type == "scatter"
    ]
    assert marked.marker.symbol == LOOKS[breaker].symbol
    assert list(marked.customdata) == ["0:2", "0:5"]
    assert "each request from turn 2 to turn 3" in marked.text[0]
    assert "2,000 tokens paid for in full again" in marked.text[0]
    assert BROKEN_BY[breaker] in [trace.name for trace in figure.data]


def test_nothing_is_markup_and_nothing_is_no_error() -> None:
    figure = cache_prefix([CachedSetting(cost_line(label=MARKUP), [])])
    assert not unescaped_tags([figure.layout.annotations[0].text])
    assert not unescaped_tags(figure.data[0].text)
    assert cache_prefix([]).layout.height > 0
