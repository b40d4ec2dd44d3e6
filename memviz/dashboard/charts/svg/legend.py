"""The legend of a drawing as a list, which breaks into lines where there is little room."""

from __future__ import annotations

from collections.abc import Iterator

import plotly.graph_objects as go
from markupsafe import Markup

from memviz.dashboard.charts.svg.attributes import paint
from memviz.dashboard.charts.svg.notes import plain_lines
from memviz.dashboard.charts.svg.symbols import draw_symbol
from memviz.dashboard.charts.svg.traces import Trace, stroke_look
from memviz.dashboard.markup import element

WIDTH = 26
HEIGHT = 14
MOST_PIXELS = 12
"""The size of the picture of an entry, and the largest mark in it."""
_PICTURE = {
    "viewBox": f"0 0 {WIDTH} {HEIGHT}",
    "width": f"{WIDTH}",
    "height": f"{HEIGHT}",
    "aria_hidden": "true",
}


def draw_legend(figure: go.Figure) -> Markup:
    """Return the entries of the figure's legend as a ``ul`` element; without a legend, those of its bars. Empty where
    there is none."""
    has_legend = figure.layout.showlegend is not False
    entries = []
    for trace in figure.data:
        is_shown = has_legend and trace.showlegend is not False
        if trace.name and (is_shown or trace.type == "bar"):
            entries.append(_entry(trace.to_plotly_json()))
    return element("ul", *entries, class_="legend") if entries else Markup()


def _entry(trace: Trace) -> Markup:
    picture = element("svg", *_looks(trace), **_PICTURE)
    words = " ".join(plain_lines(trace["name"]).split())
    return element("li", picture, words)


def _looks(trace: Trace) -> Iterator[Markup]:
    """Yield a stroke of a line, a mark, or a piece of a bar."""
    marker = trace.get("marker", {})
    middle = HEIGHT / 2
    if trace["type"] == "bar":
        size = {"width": f"{WIDTH - 8}", "height": "9", "rx": "2"}
        yield element("rect", x="4", y="2.5", **size, fill=paint(marker["color"]))
        return
    mode = trace.get("mode", "lines")
    if "lines" in mode:
        yield element(
            "path", d=f"M1 {middle:g}H{WIDTH - 1}", **stroke_look(trace["line"])
        )
    if "markers" in mode:
        edge = marker.get("line", {})
        yield draw_symbol(
            marker.get("symbol", "circle"),
            WIDTH / 2,
            middle,
            min(MOST_PIXELS, marker.get("size", 6)),
            paint(marker["color"]),
            opacity=marker.get("opacity", 1.0),
            edge=(edge.get("width", 0), paint(edge.get("color", ""))),
        )
