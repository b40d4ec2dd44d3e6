"""Lines, marks and bars of a figure as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from markupsafe import Markup

from memviz.dashboard.charts.svg.attributes import lengths, paint
from memviz.dashboard.charts.svg.notes import plain_lines
from memviz.dashboard.charts.svg.scales import Scale
from memviz.dashboard.charts.svg.symbols import draw_symbol
from memviz.dashboard.markup import element

Trace = Mapping[str, Any]
_DASHES = {
    "dash": (3, 3),
    "dot": (1, 1),
    "dashdot": (3, 1, 1, 1),
    "longdash": (5, 3),
    "longdashdot": (5, 2, 1, 2),
}
"""Strokes and gaps of each dash, in widths of its line."""
LEAST_DASH_PIXELS = 3.0
HIT_PIXELS = 8
MOST_HITS = 400
"""Above this many points a line has tooltips only on its markers."""
PATTERNS = {"/": "memviz-hatched", ".": "memviz-dotted"}
"""The ids of the patterns that bars are filled with beside their colour, by Plotly's names."""


class Plane(NamedTuple):
    """The area of a drawing in which the data stand."""

    x: Scale
    y: Scale

    def pixels(self, x: Any, y: Any) -> tuple[float, float] | None:
        """Return the place of a point of the data; ``None`` where it has none."""
        if x is None or y is None or not isfinite(x) or not isfinite(y):
            return None
        return self.x.pixel(x), self.y.pixel(y)


def draw_trace(trace: Trace, plane: Plane) -> Iterator[Markup]:
    """Yield the elements of one trace, the undermost first."""
    if trace["type"] == "bar":
        yield from _bars(trace, plane)
        return
    points = []
    for x, y in zip(trace["x"], trace["y"], strict=True):
        points.append(plane.pixels(x, y))
    mode = trace.get("mode", "lines")
    if "lines" in mode:
        yield _path(trace, points)
    marker = trace.get("marker", {})
    tips = _tips(trace, len(points))
    if "markers" in mode and marker.get("opacity", 1) != 0:
        yield from _marks(marker, points, tips)
    elif len(points) <= MOST_HITS:
        yield from _hits(points, tips)


def stroke_look(line: Mapping[str, Any]) -> dict[str, str]:
    """Return the attributes of a line, as Plotly describes it: its width, its colour and its dash."""
    width = line.get("width", 2)
    look = {
        "fill": "none",
        "stroke": paint(line.get("color", "")),
        "stroke_width": f"{width:g}",
    }
    parts = _DASHES.get(line.get("dash", ""))
    if parts is not None:
        unit = max(LEAST_DASH_PIXELS, width)
        look["stroke_dasharray"] = " ".join(f"{unit * part:g}" for part in parts)
    return look


def value_of_point(values: Any, number: int) -> Any:
    """Return the value of a point, where all have one value or each has its own: of 6 and of (5, 6, 7) the value of
    point 1 is 6."""
    is_own = isinstance(values, Sequence) and not isinstance(values, str)
    return values[number] if is_own else values


def _path(trace: Trace, points: Sequence[tuple[float, float] | None]) -> Markup:
    """Return a line through the points, with a gap where one has no place."""
    line = trace.get("line", {})
    has_steps = line.get("shape") == "hv"
    steps = []
    before = None
    for point in points:
        if point is not None:
            x, y = point
            if before is None:
                steps.append(f"M{x:.1f} {y:.1f}")
            elif has_steps:
                steps.append(f"H{x:.1f}V{y:.1f}")
            else:
                steps.append(f"L{x:.1f} {y:.1f}")
        before = point
    tip = plain_lines(trace.get("hovertemplate", ""))
    return element("path", d="".join(steps), **stroke_look(line), data_tip=tip)


def _tips(trace: Trace, count: int) -> list[str]:
    """Return the tooltip of each point; empty texts where it has none."""
    texts = trace.get("hovertext", trace.get("text"))
    if texts is None or trace.get("hoverinfo") == "skip":
        return [""] * count
    return [plain_lines(value_of_point(texts, number)) for number in range(count)]


def _marks(
    marker: Mapping[str, Any],
    points: Sequence[tuple[float, float] | None],
    tips: Sequence[str],
) -> Iterator[Markup]:
    edge = marker.get("line", {})
    for number, point in enumerate(points):
        if point is None:
            continue
        color = value_of_point(marker.get("color", ""), number)
        edge_width = value_of_point(edge.get("width", 0), number)
        edge_color = value_of_point(edge.get("color", color), number)
        yield draw_symbol(
            value_of_point(marker.get("symbol", "circle"), number),
            *point,
            value_of_point(marker.get("size", 6), number),
            paint(color),
            opacity=marker.get("opacity", 1.0),
            edge=(edge_width, paint(edge_color)),
            tip=tips[number],
        )


def _hits(
    points: Sequence[tuple[float, float] | None], tips: Sequence[str]
) -> Iterator[Markup]:
    """Yield invisible circles that carry the tooltips of the points of a line."""
    for point, tip in zip(points, tips, strict=True):
        if point is not None and tip:
            yield draw_symbol("circle", *point, 2 * HIT_PIXELS, "transparent", tip=tip)


def _bars(trace: Trace, plane: Plane) -> Iterator[Markup]:
    """Yield bars that lie: each begins at its ``base`` and is as long as its ``x``."""
    marker = trace["marker"]
    tips = _tips(trace, len(trace["x"]))
    pattern = PATTERNS.get(marker.get("pattern", {}).get("shape", ""))
    for number, (length, row) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        base = value_of_point(trace["base"], number)
        begin = plane.x.pixel(base)
        end = plane.x.pixel(base + length)
        half = value_of_point(trace["width"], number) / 2
        edges = (plane.y.pixel(row - half), plane.y.pixel(row + half))
        top, bottom = sorted(edges)
        place = lengths(x=begin, y=top, width=end - begin, height=bottom - top)
        tip = tips[number]
        yield element("rect", **place, fill=paint(marker["color"]), data_tip=tip)
        if pattern is not None:
            yield element("rect", **place, fill=f"url(#{pattern})", data_tip=tip)
