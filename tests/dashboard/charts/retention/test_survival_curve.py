"""Survival by age: shares, numbers observed and half-lives are the metric's own."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.palette import SettingRun, setting_color, setting_dash
from memviz.dashboard.charts.retention.survival_curve import (
    WORD,
    Lasting,
    survival_curve,
)
from memviz.metrics.retention.retention import retention
from memviz.metrics.retention.survival import Survival, measure_survival
from tests.dashboard.charts.facts import FACTS, run_with_facts
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.tags import unescaped_tags


def lasting(
    retained: list[int], observed: list[int], index: int = 0, label: str = "a setting"
) -> Lasting:
    return Lasting(
        SettingRun(run_with_facts("buffer"), label, index),
        Survival(np.array(retained), np.array(observed)),
    )


def curves_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "lines+markers"]


def half_lives(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_curves_are_the_shares() -> None:
    run = run_with_facts()
    found = measure_survival(retention(run, FACTS), run.log)
    (curve, *_) = survival_curve(
        [Lasting(SettingRun(run, "a", 2), found)], "Facts"
    ).data
    np.testing.assert_array_equal(curve.y, found.share)
    assert curve.x.tolist() == list(range(len(found.observed)))
    assert (curve.line.color, curve.line.dash) == (setting_color(2), setting_dash(2))


def test_the_end_that_rests_on_few_is_faint() -> None:
    figure = survival_curve([lasting([9, 8, 3, 2], [9, 9, 4, 2])], "Facts")
    main, end = curves_of(figure)
    assert (main.x.tolist(), end.x.tolist()) == ([0, 1], [1, 2, 3])
    np.testing.assert_allclose(end.y, [8 / 9, 0.75, 1])
    assert main.opacity is None
    assert end.opacity < 0.5
    assert end.showlegend is False
    assert end.text[1].endswith("3 of 4 facts known")


def test_tooltips_say_of_how_many() -> None:
    (curve,) = curves_of(survival_curve([lasting([9, 5], [9, 8])], "Facts"))
    assert curve.text[1].endswith("1 turn after they were stated: 5 of 8 facts known")
    (curve,) = curves_of(survival_curve([lasting([9, 5], [9, 8])], "Words", WORD))
    assert curve.text[0].endswith("0 turns after they were said: 9 of 9 words known")


def test_the_half_life_is_a_dot_on_its_line() -> None:
    (dot,) = half_lives(survival_curve([lasting([4, 3, 2, 1], [4, 4, 4, 3])], "Facts"))
    assert list(dot.x) == [2]
    assert list(dot.y) == [0.5]
    assert "half-life: 2 turns" in dot.text[0]


def test_what_lasts_has_no_half_life() -> None:
    figure = survival_curve([lasting([4, 3], [4, 4])], "Facts")
    assert not half_lives(figure)
    assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(0.5, 0.5)]


def test_the_line_at_half_is_in_the_legend_with_its_dots() -> None:
    figure = survival_curve([lasting([4, 3], [4, 4])], "Facts")
    (entry,) = (trace for trace in figure.data if trace.name == "Half is known")
    assert entry.line.dash == figure.layout.shapes[0].line.dash
    assert entry.showlegend is not False
    assert figure.layout.showlegend


def test_a_single_age_is_a_point_one_can_see() -> None:
    (curve,) = curves_of(survival_curve([lasting([2], [2])], "Facts"))
    assert curve.marker.opacity == 1
    assert (
        survival_curve([lasting([2, 2], [2, 2])], "Facts").data[0].marker.opacity == 0
    )


def test_nothing_is_markup_and_nothing_is_no_error() -> None:
    figure = survival_curve(
        [lasting([2, 1], [2, 2], label=MARKUP), lasting([], [])], "Facts"
    )
    for trace in figure.data:
        assert not unescaped_tags(trace.text)
        assert not unescaped_tags(trace.name)
    assert not survival_curve([], "Facts").data
