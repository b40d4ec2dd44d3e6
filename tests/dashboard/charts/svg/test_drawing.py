"""Figures as SVG: every line, mark, bar, shape and note of the figure stands where its data say."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import plotly.graph_objects as go

from memviz.dashboard.charts.grammar import (
    bars,
    box,
    marks,
    note,
    path,
    picture,
    rule_across,
    stroke,
)
from memviz.dashboard.charts.palette import setting_color
from memviz.dashboard.charts.svg.drawing import draw_svg
from memviz.dashboard.charts.svg.legend import draw_legend
from memviz.dashboard.charts.svg.symbols import SHAPES, draw_symbol
from memviz.dashboard.charts.sweeps.points import SHAPES as SHAPES_OF_STRATEGIES
from tests.tables import for_each

AREA = {
    "margin": {"l": 100, "r": 100, "t": 50, "b": 50},
    "height": 300,
    "xaxis": {"range": [0, 10], "title": {"text": "turn"}, "tickformat": ",d"},
    "yaxis": {"range": [0, 100], "tickformat": ",d"},
}
"""Of 600 pixels the data have 400 from 100 on, and of 300 in height 200: x 5 is pixel 300, y 50 is pixel 150."""


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own


def drawn(*traces: Any, **layout: Any) -> ET.Element:
    figure = picture(traces, over_turns=False, **{**AREA, **layout})
    return parsed(draw_svg(figure, 600, "a chart"))


def test_it_says_what_it_is() -> None:
    svg = drawn()
    assert svg.get("aria-label") == "a chart"
    assert svg.get("viewBox") == "0 0 600 300"
    assert "turn" in "".join(svg.itertext())


def test_a_line_goes_through_its_points_with_gaps_steps_and_dashes() -> None:
    line = stroke(2, "dash", setting_color(1))
    svg = drawn(path([0, 5, None, 10, 10], [0, 50, None, 0, 100], line))
    (element,) = svg.findall("path")
    assert element.get("d") == "M100.0 250.0L300.0 150.0M500.0 250.0L500.0 50.0"
    assert element.get("stroke") == "var(--setting-1)"
    assert element.get("stroke-dasharray") == "9 9"
    (steps,) = drawn(path([0, 5], [0, 50], {**line, "shape": "hv"})).findall("path")
    assert steps.get("d") == "M100.0 250.0H300.0V150.0"


def test_a_mark_has_its_shape_and_says_its_words() -> None:
    marker = {"symbol": ["diamond", "circle-open"], "size": 10, "color": "#8D6BDB"}
    svg = drawn(marks([5, 10], [50, 0], ["<b>one</b><br>two", "three"], marker))
    (diamond,) = svg.findall("polygon")
    assert diamond.get("points", "").split()[0] == "300.0,143.8"
    assert (diamond.get("data-tip") or "").split() == ["one", "two"]
    (ring,) = svg.findall("circle")
    assert (ring.get("cx"), ring.get("fill")) == ("500.0", "none")
    assert ring.get("stroke") == "#8D6BDB"


def test_a_bar_lies_from_its_base_on_and_is_hatched() -> None:
    bar = bars(
        [2, 3],
        [20, 50],
        "#CC79A7",
        base=[1, 4],
        width=20,
        orientation="h",
        hovertext=["a", "b"],
    )
    bar["marker"]["pattern"] = {"shape": "/"}
    svg = drawn(bar)
    rectangles = svg.findall("rect")
    assert len(rectangles) == 4, "each once in its colour and once hatched"
    second = rectangles[2]
    assert [second.get(name) for name in ("x", "y", "width", "height")] == [
        "260.0",
        "130.0",
        "120.0",
        "40.0",
    ]
    assert second.get("data-tip") == "b"
    (pattern,) = svg.findall("pattern")
    assert rectangles[3].get("fill") == f"url(#{pattern.get('id')})"


def test_shapes_and_notes_stand_at_their_places() -> None:
    svg = drawn(
        shapes=[
            rule_across(50, stroke(1, "dot"), yref="y"),
            box((2, 4), (0, 1), yref="y domain", fillcolor="#8A929C", layer="below"),
        ],
        annotations=[note("<b>here</b>", 5, 50, xshift=10, yshift=20)],
    )
    rule = [line for line in svg.findall("line") if line.get("stroke-dasharray")]
    assert [rule[0].get(name) for name in ("x1", "y1", "x2")] == [
        "100.0",
        "150.0",
        "500.0",
    ]
    (rectangle,) = svg.findall("rect")
    assert [rectangle.get(name) for name in ("x", "y", "height")] == [
        "180.0",
        "50.0",
        "200.0",
    ]
    words = [text for text in svg.findall("text") if "here" in "".join(text.itertext())]
    row = words[0].find("tspan")
    assert row is not None
    assert row.get("x") == "310.0"
    assert 120 < float(row.get("y", "0")) < 130, "20 pixels above its place"


def test_the_legend_has_what_the_figure_lists() -> None:
    marker = {"symbol": "square", "size": 9, "color": setting_color(0)}
    hidden = marks([1], [1], ["x"], marker, name="hidden", showlegend=False)
    listed = marks([None], [None], None, marker, name="a &lt;b&gt;<br>c")
    front = path([1], [1], stroke(1), name="front")
    legend = draw_legend(picture([hidden, listed, front], over_turns=False, **AREA))
    entries = parsed(legend).findall("li")
    assert ["".join(entry.itertext()) for entry in entries] == ["a <b> c", "front"]
    assert draw_legend(go.Figure(layout={"showlegend": False})) == ""


@for_each("shape", [*SHAPES_OF_STRATEGIES, "x"])
def test_every_shape_is_drawn(shape: str) -> None:
    svg = parsed(draw_symbol(shape, 50, 50, 10, "#123456"))
    assert svg.tag == ("polygon" if shape in SHAPES else "circle")
    for corner in svg.get("points", "").split():
        assert all(40 <= float(place) <= 60 for place in corner.split(","))
