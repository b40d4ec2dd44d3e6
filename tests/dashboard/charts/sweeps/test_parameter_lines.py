"""Measures over one parameter: every point is its setting, every panel its measure."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from pandas import DataFrame, concat

from memviz.dashboard.charts.sweeps.measure_words import shown
from memviz.dashboard.charts.sweeps.parameter_lines import setting_lines
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.sweep_tables import (
    OWN_TAGS,
    legend,
    named,
    parameter,
    small_table,
    words,
)

X, BY, SWITCH = (
    parameter("window_size"),
    parameter("buffer_size"),
    parameter("count_initial_tokens"),
)
MEASURES = ("usd", "retention", "peak_tokens")


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "lines+markers"]


def table_of(xs: list[float], **more: Any) -> DataFrame:
    row = small_table().iloc[0].to_dict()
    table = DataFrame(
        [
            {**row, "setting": n, "window_size": x, "label": f"Made up · {x}"}
            for n, x in enumerate(xs)
        ]
    )
    return table.assign(**more)


def test_each_panel_shows_its_measure_of_the_settings_that_have_the_parameter() -> None:
    table = small_table()
    figure = setting_lines(table.iloc[::-1], X, MEASURES)
    assert len(lines_of(figure)) == len(MEASURES)
    for number, (line, measure) in enumerate(
        zip(lines_of(figure), MEASURES, strict=True), 1
    ):
        assert line.yaxis == ("y" if number == 1 else f"y{number}")
        assert line.x.tolist() == [2, 4, 8], "in the order of the parameter"
        assert line.y.tolist() == table[measure].tolist()[:3]
        assert list(line.customdata) == [0, 1, 2]
        for setting, text in enumerate(line.text):
            assert words(text).startswith(table["label"][setting])
            assert shown(measure, table[measure][setting]) in words(text)


def test_panels_stand_one_below_the_other_over_one_axis() -> None:
    layout = setting_lines(small_table(), X, MEASURES).layout
    domains = [layout[f"yaxis{number}"].domain for number in (1, 2, 3)]
    assert domains[0][1] == 1
    assert domains[2][0] == pytest.approx(0)
    assert all(upper[0] > lower[1] for upper, lower in pairwise(domains))
    assert layout.xaxis.anchor == "y3"
    assert layout.xaxis.title.text == "window_size (messages)"
    one, three = (
        setting_lines(small_table(), X, m).layout for m in (MEASURES[:1], MEASURES)
    )
    assert one.xaxis.anchor == "y"
    assert one.height < three.height


def test_panels_carry_title_unit_and_threshold() -> None:
    figure = setting_lines(
        small_table(), X, MEASURES, thresholds={"retention": 0.8, "peak_tokens": 4500.0}
    )
    assert [words(note.text) for note in figure.layout.annotations] == [
        "Cost (US dollars)",
        "Facts kept (% of the facts), at least 80%",
        "Largest request (tokens), at most 4,500",
    ]
    assert [
        (line.yref, line.y0, line.y1, line.line.dash) for line in figure.layout.shapes
    ] == [
        ("y2", 0.8, 0.8, "dash"),
        ("y3", 4500, 4500, "dash"),
    ]
    low, high = setting_lines(
        small_table(), X, ["retention"], thresholds={"retention": 0.1}
    ).layout.yaxis.range
    assert low < 0.1 < 1 < high


def test_a_line_is_a_strategy_in_its_own_colour() -> None:
    other = (
        small_table()
        .iloc[:3]
        .assign(strategy="other", label="Other · x", setting=[10, 11, 12])
    )
    figure = setting_lines(
        concat([small_table(), other]), X, MEASURES, strategies=["other"]
    )
    assert legend(figure) == ["Other", "Sliding window"]
    assert [line.line.color for line in lines_of(figure)[:2]] == ["#000001", "#000002"]
    assert lines_of(figure)[0].line.dash != lines_of(figure)[1].line.dash
    assert lines_of(figure)[0].marker.symbol != lines_of(figure)[1].marker.symbol
    assert figure.layout.showlegend
    assert not setting_lines(small_table(), X, MEASURES).layout.showlegend, (
        "one line needs no legend"
    )


def test_a_line_is_a_value_of_a_second_parameter() -> None:
    table = table_of([2, 4, 2, 4], buffer_size=[8, 8, 16, 16])
    lines = lines_of(setting_lines(table, X, ["usd"], by=BY))
    assert [(line.name, list(line.customdata)) for line in lines] == [
        ("buffer_size=8", [0, 1]),
        ("buffer_size=16", [2, 3]),
    ]
    switched = table_of([2, 4, 2], count_initial_tokens=[True, True, False])
    names = [
        line.name for line in lines_of(setting_lines(switched, X, ["usd"], by=SWITCH))
    ]
    assert names == ["count_initial_tokens=False", "count_initial_tokens=True"]


def test_two_settings_at_one_place_are_refused() -> None:
    with pytest.raises(ValueError, match="More varies than window_size: Made up · 2"):
        setting_lines(table_of([2, 2, 4]), X, ["usd"])


def test_recommended_and_chosen_are_marked_in_every_panel() -> None:
    figure = setting_lines(small_table(), X, MEASURES, recommended=1, chosen=2)
    for name, place, x in (("Recommended", 1, 4), ("Chosen", 2, 8)):
        rings = named(figure, name)
        assert [ring.y[0] for ring in rings] == [
            small_table()[measure][place] for measure in MEASURES
        ]
        assert {(ring.x[0], ring.hoverinfo, ring.customdata) for ring in rings} == {
            (x, "skip", None)
        }
        assert [ring.showlegend for ring in rings] == [True, False, False]
    assert not named(
        setting_lines(small_table(), X, MEASURES, recommended=3), "Recommended"
    ), "it has no window"


@pytest.mark.parametrize(
    ("xs", "kind"), [([2.0, 40.0], "linear"), ([2.0, 41.0], "log"), ([5.0], "linear")]
)
def test_a_wide_range_of_values_counts_by_ratio(xs: list[float], kind: str) -> None:
    axis = setting_lines(table_of(xs), X, ["usd"]).layout.xaxis
    assert axis.type == kind
    low, high = (10.0**end if kind == "log" else end for end in axis.range)
    assert low < min(xs) <= max(xs) < high
    assert axis.tickvals == tuple(xs)


def test_ticks_are_real_values_that_do_not_touch() -> None:
    axis = setting_lines(table_of([1.0, 2, 3, 50, 51, 100]), X, ["usd"]).layout.xaxis
    assert set(axis.tickvals) <= {1, 2, 3, 50, 51, 100}
    places = np.log10(axis.tickvals)
    assert (np.diff(places) >= 2 / 14 - 1e-9).all()
    assert (
        setting_lines(
            table_of([float(n) for n in range(100, 120)]), X, ["usd"]
        ).layout.xaxis.tickvals
        is None
    )


def test_a_switch_is_an_axis_of_off_and_on() -> None:
    table = table_of([2.0, 2.0], count_initial_tokens=[True, False])
    figure = setting_lines(table, SWITCH, ["usd"])
    assert figure.layout.xaxis.ticktext == ("off", "on")
    assert lines_of(figure)[0].x.tolist() == [0, 1]


def test_unknown_values_leave_a_gap() -> None:
    table = small_table().assign(usd=[0.1, np.nan, 0.3, 0.4, 0.5])
    figure = setting_lines(table, X, ["usd"], recommended=1)
    assert np.isnan(lines_of(figure)[0].y).tolist() == [False, True, False]
    assert not named(figure, "Recommended")


def test_no_setting_with_the_parameter_gives_no_line() -> None:
    assert (
        lines_of(setting_lines(small_table(), parameter("recent_rounds"), MEASURES))
        == []
    )
    assert lines_of(setting_lines(small_table().head(0), X, MEASURES)) == []


def test_nothing_of_a_label_becomes_markup() -> None:
    figure = setting_lines(
        table_of([1.0, 2.0]).assign(label=MARKUP), X, MEASURES, title=MARKUP
    )
    texts = [text for line in lines_of(figure) for text in (*line.text, line.name)]
    for text in (*texts, figure.layout.title.text):
        assert "<" not in OWN_TAGS.sub("", text)
    assert any("&lt;script&gt;" in text for text in texts)


def test_a_knee_is_a_line_through_all_panels_and_has_its_value() -> None:
    table = small_table()
    plain = setting_lines(
        table[table["strategy"] == "window"],
        parameter("window_size"),
        ["retention", "usd"],
    )
    bent = setting_lines(
        table[table["strategy"] == "window"],
        parameter("window_size"),
        ["retention", "usd"],
        knee=4.0,
    )
    (line,) = bent.layout.shapes[len(plain.layout.shapes) :]
    assert (line.x0, line.x1, line.yref, line.y0, line.y1) == (4, 4, "paper", 0, 1)
    assert [
        note.text for note in bent.layout.annotations[len(plain.layout.annotations) :]
    ] == ["bends at 4"]
