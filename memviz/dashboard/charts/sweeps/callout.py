"""The name of the recommended setting beside its point, where it hides as little as possible."""

from __future__ import annotations

from math import log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memviz.dashboard.charts.sweeps.points import GREY, RING_PIXELS, Points, place_of
from memviz.dashboard.charts.sweeps.scatter import FONT_PIXELS
from memviz.dashboard.charts.text import escaped

if TYPE_CHECKING:
    from pandas import DataFrame

LABEL_CHARS = 24
WIDTHS_PIXELS, HEIGHT_PIXELS = (310, 560), 320
"""Sizes of the plot to find the place for: on a phone, and on a page of usual width."""
CHAR_PIXELS, LINE_PIXELS, PADDING_PIXELS = 7.5, 18.0, 8.0
OFFSETS = [(x, y) for y in (36, -36, 0, 64, -64, 110, -110) for x in (-36, 36)]
"""Where the label can begin, in pixels right of and above its point, the best first: what costs less and keeps more
is up and to the left, so nothing lies there."""
POINTS_A_LINE_COUNTS = 6
"""A line through the words is as bad as so many points under them."""
Axis = dict[str, Any]
Places = NDArray[np.float64]


def callout(
    table: DataFrame,
    points: Points,
    recommended: int | None,
    x_axis: Axis,
    y_axis: Axis,
    limit: float | None = None,
) -> list[dict[str, Any]]:
    """The annotation, if the setting is on the chart. The axes have a type and a range; at ``limit``, a place on the y
    axis, a line crosses the chart, which must not run through the words."""
    where = place_of(points, recommended)
    if where is None:
        return []
    lines = wrap(str(table["label"].iloc[where]), LABEL_CHARS)
    size = (
        CHAR_PIXELS * max(map(len, ["Recommended", *lines])) + PADDING_PIXELS,
        LINE_PIXELS * (1 + len(lines)) + PADDING_PIXELS,
    )
    x, y = _positions(points.x, x_axis), _positions(points.y, y_axis)
    line = np.array([np.nan if limit is None else limit])
    right, up = _best_offset(
        _shares(x, x_axis),
        _shares(y, y_axis),
        where,
        size,
        float(_shares(_positions(line, y_axis), y_axis)[0]),
    )
    return [
        {
            "x": float(x[where]),
            "y": float(y[where]),
            "text": "<br>".join(["<b>Recommended</b>", *map(escaped, lines)]),
            "align": "left" if right > 0 else "right",
            "xanchor": "left" if right > 0 else "right",
            "ax": right,
            "ay": -up,
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1,
            "arrowcolor": GREY,
            "standoff": RING_PIXELS / 2,
            "font": {"size": FONT_PIXELS},
            "bgcolor": "rgba(128,128,128,0.14)",
            "borderpad": 3,
        }
    ]


def _positions(values: Places, axis: Axis) -> Places:
    """The places on an axis as Plotly takes them: the logarithms, where it counts by ratio."""
    if axis["type"] != "log":
        return values
    return np.array([log10(value) if value > 0 else np.nan for value in values])


def _shares(places: Places, axis: Axis) -> Places:
    low, high = axis["range"]
    shares: Places = (places - low) / (high - low)
    return shares


def _best_offset(
    x: Places, y: Places, where: int, size: tuple[float, float], line: float
) -> tuple[int, int]:
    """The first of the offsets with the fewest points under the label, the label within the plot and off the line."""

    def hidden(offset: tuple[int, int]) -> float:
        middle = y[where] * HEIGHT_PIXELS + offset[1]
        is_struck = bool(
            abs(line * HEIGHT_PIXELS - middle) < size[1] / 2 + PADDING_PIXELS / 2
        )
        return POINTS_A_LINE_COUNTS * is_struck + sum(
            _hidden(x * width, y * HEIGHT_PIXELS, where, size, offset, width)
            for width in WIDTHS_PIXELS
        )

    return min(OFFSETS, key=hidden)


def _hidden(
    x: Places,
    y: Places,
    where: int,
    size: tuple[float, float],
    offset: tuple[int, int],
    width: float,
) -> float:
    """Points under the label in a plot of this width, and pixels of the label that stand out of the plot."""
    left = float(x[where]) + offset[0] - (size[0] if offset[0] < 0 else 0)
    bottom = float(y[where]) + offset[1] - size[1] / 2
    under = (
        (x >= left) & (x <= left + size[0]) & (y >= bottom) & (y <= bottom + size[1])
    )
    outside = max(
        -left, left + size[0] - width, -bottom, bottom + size[1] - HEIGHT_PIXELS, 0.0
    )
    return float(under.sum()) + outside
