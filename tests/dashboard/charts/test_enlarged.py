"""Charts in large letters."""

from __future__ import annotations

from copy import deepcopy

import plotly.graph_objects as go

from memviz.dashboard.charts.figure import enlarge
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from tests.dashboard.charts.runs import run_of


def drawn() -> dict[str, object]:
    return dict(
        tokens_per_turn(
            [SettingRun(run_of("buffer"), "One", 0), SettingRun(run_of(), "Two", 1)]
        ).to_dict()
    )


def test_letters_and_margins_grow_by_the_scale_and_lines_by_less() -> None:
    before = go.Figure(drawn())
    after = go.Figure(enlarge(drawn(), 2.0))
    assert after.layout.xaxis.tickfont.size == 2 * before.layout.xaxis.tickfont.size
    assert after.layout.xaxis.title.font.size == 2 * before.layout.xaxis.title.font.size
    assert after.layout.margin.l == 2 * before.layout.margin.l
    assert (
        before.data[0].line.width
        < after.data[0].line.width
        < 2 * before.data[0].line.width
    )
    assert after.layout.height == before.layout.height, (
        "its height is for whoever shows it"
    )


def test_what_is_drawn_stays() -> None:
    before, after = drawn(), go.Figure(enlarge(drawn(), 2.0))
    for one, other in zip(go.Figure(before).data, after.data, strict=True):
        assert list(one.x) == list(other.x)
        assert list(one.y) == list(other.y)
    assert after.layout.xaxis.range == go.Figure(before).layout.xaxis.range


def test_the_width_of_bars_is_no_length() -> None:
    bars = {
        "data": [
            {"type": "bar", "width": [0.8, 0.8], "marker": {"line": {"width": 2}}}
        ],
        "layout": {},
    }
    shown = go.Figure(enlarge(bars, 3.0)).data[0]
    assert list(shown.width) == [0.8, 0.8]
    assert shown.marker.line.width == 4


def test_the_figure_given_is_not_changed() -> None:
    figure = drawn()
    kept = deepcopy(figure)
    enlarge(figure, 3.0)
    assert go.Figure(figure) == go.Figure(kept)
