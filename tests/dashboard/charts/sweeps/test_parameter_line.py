"""A measure over one parameter: every point is its setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from pandas import DataFrame

from memviz.dashboard.charts.sweeps.measure_words import shown_value
from memviz.dashboard.charts.sweeps.parameter_line import parameter_line
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.sweep_tables import (
    OWN_TAGS,
    named,
    parameter,
    small_table,
    words,
)
from tests.tables import for_each

X = parameter("window_size")
SWITCH = parameter("count_initial_tokens")
MEASURES = ("usd", "retention", "peak_tokens")


def windows() -> DataFrame:
    """The three windows of the small table."""
    table = small_table()
    return table[table["strategy"] == "window"]


def line_of(figure: go.Figure) -> go.Scatter:
    (line,) = (trace for trace in figure.data if trace.mode == "lines")
    return line


def points_of(figure: go.Figure) -> go.Scatter:
    """The points, where none of them is beaten."""
    (points,) = (trace for trace in figure.data if trace.customdata is not None)
    return points


def table_of(xs: list[float], **more: Any) -> DataFrame:
    row = small_table().iloc[0].to_dict()
    table = DataFrame(
        [
            {**row, "setting": n, "window_size": x, "label": f"Made up · {x}"}
            for n, x in enumerate(xs)
        ]
    )
    return table.assign(**more)


@for_each("measure", MEASURES)
def test_the_line_shows_the_measure_of_every_setting(measure: str) -> None:
    table = windows()
    figure = parameter_line(table.iloc[::-1], X, measure)
    points = points_of(figure)
    for drawn in (line_of(figure), points):
        assert drawn.x.tolist() == [2, 4, 8], "in the order of the parameter"
        assert drawn.y.tolist() == table[measure].tolist()
    assert list(points.customdata) == [0, 1, 2]
    for setting, text in enumerate(points.text):
        assert words(text).startswith(table["label"][setting])
        assert shown_value(measure, table[measure][setting]) in words(text)
    assert figure.layout.xaxis.title.text == "Window size (messages)"


@for_each(
    ("measure", "threshold", "title"),
    [
        ("usd", None, "Cost (US dollars)"),
        ("retention", 0.8, "Facts kept (% of the facts), at least 80% - -"),
        ("peak_tokens", 4500.0, "Largest request (tokens), at most 4,500 - -"),
    ],
)
def test_it_carries_title_unit_and_threshold(
    measure: str, threshold: float | None, title: str
) -> None:
    layout = parameter_line(windows(), X, measure, threshold=threshold).layout
    assert [words(note.text) for note in layout.annotations] == [title]
    drawn = [(line.yref, line.y0, line.y1, line.line.dash) for line in layout.shapes]
    expected = [] if threshold is None else [("y", threshold, threshold, "dash")]
    assert drawn == expected


def test_a_threshold_is_in_the_picture() -> None:
    layout = parameter_line(windows(), X, "retention", threshold=0.1).layout
    low, high = layout.yaxis.range
    assert low < 0.1 < 1 < high


def test_the_line_has_the_colour_of_its_strategy_among_all() -> None:
    alone = parameter_line(windows(), X, "usd")
    second = parameter_line(windows(), X, "usd", strategies=["other", "window"])
    assert line_of(alone).line.color == "#000001"
    assert line_of(second).line.color == "#000002"
    assert line_of(alone).line.dash != line_of(second).line.dash
    assert points_of(alone).marker.symbol != points_of(second).marker.symbol
    assert not alone.layout.showlegend, "one line needs no legend"


def test_what_another_strategy_beats_is_pale_and_says_who_beats_it() -> None:
    beaten = {0: "Beaten by Full buffer.", 2: "Beaten by Token buffer."}
    figure = parameter_line(windows(), X, "usd", beaten=beaten)
    full, pale = (trace for trace in figure.data if trace.customdata is not None)
    assert [list(full.customdata), list(pale.customdata)] == [[1], [0, 2]]
    assert pale.marker.opacity < full.marker.opacity == 1
    assert pale.unselected.marker.opacity == pale.marker.opacity, (
        "a click makes nothing pale that is not beaten"
    )
    for text, sentence in zip(pale.text, beaten.values(), strict=True):
        assert words(text).endswith(sentence)
    assert "Beaten" not in full.text[0]
    assert len(named(figure, "Pale: beaten by another")) == 1
    assert figure.layout.showlegend


def test_two_settings_at_one_place_are_refused() -> None:
    with pytest.raises(ValueError, match="More varies than window_size: Made up · 2"):
        parameter_line(table_of([2, 2, 4]), X, "usd")


def test_recommended_and_chosen_are_marked() -> None:
    figure = parameter_line(windows(), X, "usd", recommended=1, chosen=2)
    for name, place, x in (("Recommended", 1, 4), ("Chosen", 2, 8)):
        (ring,) = named(figure, name)
        assert ring.y[0] == windows()["usd"][place]
        assert (ring.x[0], ring.hoverinfo, ring.customdata) == (x, "skip", None)
        assert ring.showlegend
    assert figure.layout.showlegend
    elsewhere = parameter_line(windows(), X, "usd", recommended=3)
    assert not named(elsewhere, "Recommended"), "it is no setting of this strategy"


@for_each(
    ("xs", "kind"), [([2.0, 40.0], "linear"), ([2.0, 41.0], "log"), ([5.0], "linear")]
)
def test_a_wide_range_of_values_counts_by_ratio(xs: list[float], kind: str) -> None:
    axis = parameter_line(table_of(xs), X, "usd").layout.xaxis
    assert axis.type == kind
    low, high = (10.0**end if kind == "log" else end for end in axis.range)
    assert low < min(xs) <= max(xs) < high
    assert axis.tickvals == tuple(xs)


def test_ticks_are_real_values_that_do_not_touch() -> None:
    axis = parameter_line(table_of([1.0, 2, 3, 50, 51, 100]), X, "usd").layout.xaxis
    assert set(axis.tickvals) <= {1, 2, 3, 50, 51, 100}
    places = np.log10(axis.tickvals)
    assert (np.diff(places) >= 2 / 14 - 1e-9).all()
    many = table_of([float(n) for n in range(100, 120)])
    assert parameter_line(many, X, "usd").layout.xaxis.tickvals is None


def test_a_switch_is_an_axis_of_off_and_on() -> None:
    table = table_of([2.0, 2.0], count_initial_tokens=[True, False])
    figure = parameter_line(table, SWITCH, "usd")
    assert figure.layout.xaxis.ticktext == ("off", "on")
    assert line_of(figure).x.tolist() == [0, 1]


def test_unknown_values_leave_a_gap() -> None:
    table = windows().assign(usd=[0.1, np.nan, 0.3])
    figure = parameter_line(table, X, "usd", recommended=1)
    assert np.isnan(line_of(figure).y).tolist() == [False, True, False]
    assert not named(figure, "Recommended")


def test_nothing_of_a_label_becomes_markup() -> None:
    table = table_of([1.0, 2.0]).assign(label=MARKUP)
    points = points_of(parameter_line(table, X, "usd"))
    texts = [*points.text, points.name]
    for text in texts:
        assert "<" not in OWN_TAGS.sub("", text)
    assert any("&lt;script&gt;" in text for text in texts)


def test_a_knee_is_a_line_down_the_picture_and_has_its_value() -> None:
    plain = parameter_line(windows(), X, "retention").layout
    bent = parameter_line(windows(), X, "retention", knee=4.0).layout
    (line,) = bent.shapes[len(plain.shapes) :]
    assert (line.x0, line.x1, line.yref, line.y0, line.y1) == (4, 4, "paper", 0, 1)
    added = bent.annotations[len(plain.annotations) :]
    assert [note.text for note in added] == ["bends at 4"]
