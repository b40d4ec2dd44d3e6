"""Cost over the turns: dollars are the metric's own, the parts can be read, and nothing unknown is drawn as zero."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest

from memviz.dashboard.charts.cost.curve import cost_curve
from memviz.dashboard.charts.cost.setting_cost import SettingCost, Unit, View
from memviz.dashboard.charts.height_pixels import LEGEND_ROW
from memviz.dashboard.charts.palette import setting_color, setting_dash
from tests.dashboard.charts.costs import DEAR, GROWING, RULES, cost_line
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.tags import unescaped_tags
from tests.tables import for_each


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.hoverinfo == "text"]


def named(figure: go.Figure, ending: str) -> go.Scatter:
    return next(trace for trace in figure.data if trace.name.endswith(ending))


def plainly(tooltip: str) -> str:
    return unescape(re.sub(r"</?b>", "", tooltip)).replace("<br>", " | ")


def test_rows_of_the_legend_take_no_room_from_the_lines() -> None:
    three, six = (
        cost_curve([cost_line(index=index) for index in range(many)]).layout.height
        for many in (3, 6)
    )
    assert six - three == 3 * LEGEND_ROW


class TestLines:
    def test_total_so_far(self) -> None:
        one = cost_line(index=2)
        (setting,) = lines_of(cost_curve([one]))
        assert setting.x.tolist() == [1, 2, 3]
        np.testing.assert_allclose(setting.y, one.cost.cumulative_usd)
        assert (setting.line.color, setting.line.dash) == (
            setting_color(2),
            setting_dash(2),
        )

    def test_each_turn(self) -> None:
        (setting,) = lines_of(cost_curve([cost_line()], View.EACH_STEP))
        np.testing.assert_allclose(setting.y, [0.0042, 0.007625, 0.003825])

    @for_each("view", list(View))
    def test_the_summarizers_part_is_a_band_under_the_line(self, view: View) -> None:
        one = cost_line()
        figure = cost_curve([one], view)
        (setting,), base = lines_of(figure), named(figure, "without the summarizer")
        by_turn = np.array([0, 0.0005, 0])
        np.testing.assert_allclose(
            setting.y - base.y,
            np.cumsum(by_turn) if view is View.SO_FAR else by_turn,
            atol=1e-12,
        )
        traces = list(figure.data)
        assert setting.fill == "tonexty"
        assert traces.index(setting) == traces.index(base) + 1, (
            "Plotly fills to the trace before"
        )
        assert lines_of(cost_curve([cost_line(GROWING, ())], view))[0].fill is None

    @for_each("view", list(View))
    def test_without_the_cache_is_a_thin_line_of_the_same_colour(
        self, view: View
    ) -> None:
        one = cost_line(index=1)
        thin = named(cost_curve([one], view), "without the cache")
        by_turn = np.array(
            [0.0042, 0.0065, 0.0075]
        )  # 3 USD a million in, 15 out, and the summary of turn 2
        np.testing.assert_allclose(
            thin.y, np.cumsum(by_turn) if view is View.SO_FAR else by_turn
        )
        assert thin.line.color == setting_color(1)
        assert thin.line.width < 2
        assert thin.legendgroup == lines_of(cost_curve([one], view))[0].legendgroup
        figure = cost_curve([one], view)
        (entry,) = (one for one in figure.data if one.name == "Without the cache")
        assert entry.line.dash == thin.line.dash
        assert entry.showlegend is not False
        assert figure.layout.showlegend

    def test_that_line_can_be_left_out_and_is_where_nothing_is_cached(self) -> None:
        for figure in (
            cost_curve([cost_line()], uncached=False),
            cost_curve([cost_line(cache=None)]),
        ):
            assert all("cache" not in trace.name for trace in figure.data)

    def test_tokens_where_no_price_is_known(self) -> None:
        one = cost_line(main=None)
        (setting,) = lines_of(cost_curve([one], View.EACH_STEP, unit=Unit.TOKENS))
        assert setting.y.tolist() == [1000, 2050, 2100]
        assert not lines_of(cost_curve([one])), "in dollars it has no line"

    def test_a_single_turn_is_a_point_one_can_see(self) -> None:
        assert lines_of(cost_curve([cost_line(GROWING[:1], ())]))[0].marker.opacity == 1
        assert lines_of(cost_curve([cost_line()]))[0].marker.opacity == 0


class TestTooltips:
    def test_say_every_part_in_tokens_and_dollars(self) -> None:
        first, second, third = map(plainly, lines_of(cost_curve([cost_line()]))[0].text)
        assert first == (
            "a setting | turn 1 cost $0.0042, all turns so far $0.0042: | 900 tokens read fresh: $0.0027 | "
            "100 tokens written by the model: $0.0015 | without the cache: $0.0042"
        )
        assert (
            "400 tokens read by the summarizer: $0.0004 | 50 tokens written by the summarizer: $0.0001"
            in second
        )
        assert "1,500 tokens read and put into the cache: $0.0056" in second
        assert "turn 3 cost $0.0038, all turns so far $0.016:" in third
        assert "1,500 tokens read from the cache: $0.00045" in third
        assert third.endswith("without the cache: $0.0075")

    def test_say_unknown_and_never_zero(self) -> None:
        figure = cost_curve([cost_line(main=None)], unit=Unit.TOKENS)
        for tooltip in map(plainly, lines_of(figure)[0].text):
            assert "cost an unknown amount" in tooltip
            assert "written by the model: unknown" in tooltip
            assert "$0.00 " not in f"{tooltip} "

    def test_are_text(self) -> None:
        for trace in cost_curve(
            [cost_line(label=MARKUP), cost_line(main=None, label=MARKUP)]
        ).data:
            assert not unescaped_tags(trace.text or ())
            assert not unescaped_tags([trace.name])


class TestFigure:
    def test_nothing_stands_across_a_picture_of_turns(self) -> None:
        assert not cost_curve([cost_line()]).layout.shapes

    def test_axes_carry_units(self) -> None:
        layout = cost_curve([cost_line()]).layout
        assert (layout.xaxis.title.text, layout.yaxis.title.text) == (
            "turn",
            "US dollars in total",
        )
        assert layout.yaxis.tickprefix == "$"
        assert (
            cost_curve(
                [cost_line()], View.EACH_STEP, unit=Unit.TOKENS
            ).layout.yaxis.title.text
            == "tokens a turn"
        )

    def test_legend_only_where_there_is_something_to_tell_apart(self) -> None:
        alone = cost_curve([cost_line()], uncached=False)
        assert alone.layout.showlegend is False
        assert cost_curve([cost_line(), cost_line(index=1)]).layout.showlegend is True

    def test_without_a_request_or_a_setting_is_empty(self) -> None:
        assert all(len(trace.x) == 0 for trace in cost_curve([cost_line((), ())]).data)
        assert not cost_curve([]).data


class TestShare:
    def test_of_the_summarizer(self) -> None:
        assert cost_line().summarizer_share == pytest.approx(0.0005 / 0.01565)
        assert cost_line(GROWING, ()).summarizer_share == 0
        assert cost_line(main=None).summarizer_share is None
        assert cost_line((), ()).summarizer_share == 0

    def test_everything_is_read_fresh_after_a_long_pause(self) -> None:
        late: SettingCost = cost_line(pause_seconds=300, main=DEAR, cache=RULES)
        assert late.cost.hit_rate == 0
