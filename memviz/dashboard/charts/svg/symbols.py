"""The shapes of marks, as Plotly names them, within a circle of radius 1."""

from __future__ import annotations

from math import cos, pi, sin

from markupsafe import Markup

from memviz.dashboard.charts.svg.attributes import lengths
from memviz.dashboard.markup import element

Corners = tuple[tuple[float, float], ...]
OPEN = "-open"
"""The end of the name of a shape that is drawn as its edge alone."""


def _star(points: int, inner: float, turn: float = 0.0) -> Corners:
    """Return the corners of a star with so many points, the first one upwards unless it is turned by a part of a
    circle. Its inner corners lie at the radius ``inner``; 0 leaves them out, which makes a regular polygon."""
    radii = (1.0, inner) if inner else (1.0,)
    count = points * len(radii)
    corners = []
    for number in range(count):
        angle = 2 * pi * (number / count + turn)
        radius = radii[number % len(radii)]
        corners.append((radius * sin(angle), -radius * cos(angle)))
    return tuple(corners)


_ARM: Corners = ((-0.4, -0.4), (-0.4, -1), (0.4, -1))
_CROSS: Corners = (
    *_ARM,
    *((-y, x) for x, y in _ARM),
    *((-x, -y) for x, y in _ARM),
    *((y, -x) for x, y in _ARM),
)
"""Four arms, each a quarter of a turn from the one before."""
SHAPES: dict[str, Corners] = {
    "square": _star(4, 0, 1 / 8),
    "diamond": _star(4, 0),
    "diamond-tall": ((0, -1.3), (0.7, 0), (0, 1.3), (-0.7, 0)),
    "diamond-wide": ((0, -0.7), (1.3, 0), (0, 0.7), (-1.3, 0)),
    "triangle-up": _star(3, 0),
    "triangle-down": _star(3, 0, 1 / 2),
    "triangle-left": _star(3, 0, 3 / 4),
    "triangle-right": _star(3, 0, 1 / 4),
    "pentagon": _star(5, 0),
    "hexagon": _star(6, 0),
    "octagon": _star(8, 0),
    "star": _star(5, 0.4),
    "hexagram": _star(6, 0.58),
    "star-square": _star(4, 0.6, 1 / 8),
    "star-diamond": _star(4, 0.6),
    "cross": _CROSS,
    "x": tuple(((x - y) * 0.71, (x + y) * 0.71) for x, y in _CROSS),
    "hourglass": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "bowtie": ((-1, -1), (-1, 1), (1, -1), (1, 1)),
}
"""Corners by names. Whatever else Plotly draws is a circle here, in the same colour."""
LARGER = 1.25
"""Polygons reach so much further than a circle of the same size, as they do in Plotly."""


def draw_symbol(
    name: str,
    x: float,
    y: float,
    pixels: float,
    color: str,
    *,
    opacity: float = 1.0,
    edge: tuple[float, str] = (0.0, ""),
    tip: str = "",
) -> Markup:
    """Return one mark around a place. ``edge`` has the width and the colour of its outline; an open mark has an edge in
    its own colour. ``tip`` is what it says when one points at it."""
    shape, _open, _dot = name.partition(OPEN)
    look = {"fill": color, "opacity": "" if opacity == 1 else f"{opacity:g}"}
    width, edge_color = edge
    if shape != name:
        look |= {"fill": "none", "stroke": color, "stroke_width": f"{width or 1.5:g}"}
    elif width:
        look |= {"stroke": edge_color, "stroke_width": f"{width:g}"}
    radius = pixels / 2
    corners = SHAPES.get(shape)
    if corners is None:
        place = lengths(cx=x, cy=y, r=radius)
        return element("circle", **place, **look, data_tip=tip)
    points = _points(corners, x, y, radius * LARGER)
    return element("polygon", points=points, **look, data_tip=tip)


def _points(corners: Corners, x: float, y: float, radius: float) -> str:
    """Return the corners around a place as SVG writes them: ``10.0,5.0 15.0,12.5 5.0,12.5``."""
    points = []
    for across, down in corners:
        corner_x = x + radius * across
        corner_y = y + radius * down
        points.append(f"{corner_x:.1f},{corner_y:.1f}")
    return " ".join(points)
