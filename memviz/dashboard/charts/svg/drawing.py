"""A whole figure as SVG: its axes, shapes, traces and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup

from memviz.dashboard.charts.svg.attributes import lengths, paint
from memviz.dashboard.charts.svg.notes import draw_text, plain_lines
from memviz.dashboard.charts.svg.scales import Scale
from memviz.dashboard.charts.svg.traces import PATTERNS, Plane, draw_trace, stroke_look
from memviz.dashboard.markup import element

Part = Mapping[str, Any]
X_TICKS_PIXELS = 60
Y_TICKS_PIXELS = 44
"""The least distance of ticks that an axis does not name."""
TICK_PIXELS = 6
TITLE_PIXELS = 5
"""From an axis to the words at its ticks, and from the edge of the drawing to the title of an axis."""
_GRID = {"stroke": "var(--grid)", "stroke_width": "1"}
_MUTED = "var(--muted)"
_X_TICK: Part = {"anchor": "center", "valign": "top", "color": _MUTED}
_Y_TICK: Part = {"anchor": "right", "valign": "middle", "color": _MUTED}
_X_TITLE: Part = {"anchor": "center", "color": _MUTED}
_Y_TITLE: Part = {**_X_TICK, "turned": True}
_PATTERN = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
_PATTERN_LINES = {
    "/": ("M0 6L6 0", {"stroke": "#FFFFFF", "stroke_width": "1.4", "fill": "none"}),
    ".": ("M2 2h1.6v1.6h-1.6z", {"fill": "#FFFFFF"}),
}


def draw_svg(figure: go.Figure, width_pixels: int, words: str) -> Markup:
    """Return the figure as one ``svg`` element, ``width_pixels`` wide and as high as the figure says; a style sheet may
    scale it. ``words`` tell somebody who sees no pictures what is on it. An element that has a tooltip carries it in
    ``data-tip``, its lines parted by line breaks."""
    layout = figure.layout.to_plotly_json()
    margin = layout["margin"]
    height = layout["height"]
    plane = Plane(
        Scale.of(layout["xaxis"], margin["l"], width_pixels - margin["r"]),
        Scale.of(layout["yaxis"], height - margin["b"], margin["t"]),
    )
    traces = [trace.to_plotly_json() for trace in figure.data]
    traces.sort(key=lambda trace: trace["type"] != "bar")  # Plotly draws bars first
    # What comes later in an SVG lies on top: grid, shapes below, traces, shapes above, notes.
    parts = [*_patterns(traces), *_axes(plane, width_pixels, height)]
    shapes_above: list[Markup] = []
    for shape in layout.get("shapes", ()):
        layer = parts if shape.get("layer") == "below" else shapes_above
        layer.append(_shape(shape, plane))
    for trace in traces:
        parts += draw_trace(trace, plane)
    parts += shapes_above
    for note in layout.get("annotations", ()):
        parts += _note(note, plane)
    return element(
        "svg",
        *parts,
        class_="drawn",
        viewBox=f"0 0 {width_pixels} {height}",
        role="img",
        aria_label=words,
    )


def _patterns(traces: list[Any]) -> Iterator[Markup]:
    """Yield the patterns that bars of these traces are filled with."""
    for trace in traces:
        shape = trace.get("marker", {}).get("pattern", {}).get("shape")
        if shape in PATTERNS:
            path, look = _PATTERN_LINES[shape]
            line = element("path", d=path, **look)
            yield element("pattern", line, id=PATTERNS[shape], **_PATTERN)


def _axes(plane: Plane, width: int, height: int) -> Iterator[Markup]:
    """Yield grid, ticks and titles of both axes."""
    x, y = plane
    for pixel, words in x.ticks(X_TICKS_PIXELS):
        if x.axis.get("showgrid", True):
            yield _line((pixel, y.start), (pixel, y.stop), _GRID)
        yield draw_text(words, pixel, y.start + TICK_PIXELS, **_X_TICK)
    for pixel, words in y.ticks(Y_TICKS_PIXELS):
        if y.axis.get("showgrid", True):
            yield _line((x.start, pixel), (x.stop, pixel), _GRID)
        yield draw_text(words, x.start - TICK_PIXELS, pixel, **_Y_TICK)
    x_title = _title(x.axis)
    if x_title:
        yield draw_text(x_title, x.share(0.5), height - TITLE_PIXELS, **_X_TITLE)
    y_title = _title(y.axis)
    if y_title:
        yield draw_text(y_title, TITLE_PIXELS, y.share(0.5), **_Y_TITLE)


def _title(axis: Part) -> str:
    return str(axis.get("title", {}).get("text", ""))


def _line(
    begin: tuple[float, float], end: tuple[float, float], look: Mapping[str, str]
) -> Markup:
    place = lengths(x1=begin[0], y1=begin[1], x2=end[0], y2=end[1])
    return element("line", **place, **look)


def _pixel_at(scale: Scale, position: float, reference: str | None) -> float:
    """Return the pixel of a position of a shape or a note: a share of the area for ``paper`` and ``y domain``, else a
    place on the axis."""
    if reference and (reference == "paper" or reference.endswith("domain")):
        return scale.share(position)
    return scale.pixel_on_axis(position)


def _shape(shape: Part, plane: Plane) -> Markup:
    x_reference = shape.get("xref")
    y_reference = shape.get("yref")
    x0 = _pixel_at(plane.x, shape["x0"], x_reference)
    x1 = _pixel_at(plane.x, shape["x1"], x_reference)
    y0 = _pixel_at(plane.y, shape["y0"], y_reference)
    y1 = _pixel_at(plane.y, shape["y1"], y_reference)
    if shape["type"] == "line":
        return _line((x0, y0), (x1, y1), stroke_look(shape["line"]))
    # An axis may count upwards or downwards, a rectangle has its height from the top.
    top, bottom = sorted((y0, y1))
    place = lengths(x=x0, y=top, width=x1 - x0, height=bottom - top)
    return element("rect", **place, fill=paint(shape.get("fillcolor", "none")))


def _note(note: Part, plane: Plane) -> Iterator[Markup]:
    """Yield the words of a note, and the line from them to its place where it has one."""
    x = _pixel_at(plane.x, note["x"], note.get("xref"))
    y = _pixel_at(plane.y, note["y"], note.get("yref"))
    if note.get("showarrow", True):
        # The words stand where the arrow begins; it ends a little above the place that it points down at.
        tip = (x, y - note["standoff"])
        x = _pixel_at(plane.x, note["ax"], note.get("axref"))
        y = _pixel_at(plane.y, note["ay"], note.get("ayref"))
        arrow = {"color": note["arrowcolor"], "width": note["arrowwidth"]}
        yield _line((x, y), tip, stroke_look(arrow))
    font = note.get("font", {})
    yield draw_text(
        note["text"],
        x + note.get("xshift", 0),
        y - note.get("yshift", 0),
        anchor=note.get("xanchor", "center"),
        valign=note.get("yanchor", "middle"),
        size=font.get("size", 13),
        color=font.get("color", ""),
        backing=note.get("bgcolor", ""),
        tip=plain_lines(note.get("hovertext", "")),
    )
