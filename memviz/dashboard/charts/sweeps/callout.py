"""The name of the recommended setting beside its point, where it hides as little as possible."""

from __future__ import annotations

from math import log10
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.dashboard.charts.grammar import GREY, Part
from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.sweeps.points import RING_PIXELS, Points
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
_LABEL = {
    "showarrow": True,
    "arrowhead": 0,
    "arrowwidth": 1,
    "arrowcolor": GREY,
    "standoff": RING_PIXELS / 2,
    "font": {"size": NOTE_PIXELS},
    "bgcolor": "rgba(128,128,128,0.14)",
    "borderpad": 3,
}
Places = NDArray[np.float64]


class _Plot(NamedTuple):
    """What the label must not hide. Places are shares of the plot."""

    x: Places
    y: Places
    where: int
    """The number of the point that has the label."""
    line: float
    """The height of a line across the plot; NaN: none."""
    width: float
    """Of the label, in pixels."""
    height: float

    def hidden(self, offset: tuple[int, int]) -> float:
        """How much a label at this offset hides, and how far it stands out of the plot."""
        y = self.y * HEIGHT_PIXELS
        bottom = float(y[self.where]) + offset[1] - self.height / 2
        top = bottom + self.height
        in_height = (y >= bottom) & (y <= top)
        found = 0.0
        # The comparisons are false where there is no line.
        line = self.line * HEIGHT_PIXELS
        if bottom - PADDING_PIXELS / 2 < line < top + PADDING_PIXELS / 2:
            found += POINTS_A_LINE_COUNTS
        for width in WIDTHS_PIXELS:
            x = self.x * width
            left = float(x[self.where]) + offset[0]
            if offset[0] < 0:
                left -= self.width
            right = left + self.width
            under = in_height & (x >= left) & (x <= right)
            outside = max(-left, right - width, -bottom, top - HEIGHT_PIXELS, 0.0)
            found += float(under.sum()) + outside
        return found


def callout(
    table: DataFrame,
    points: Points,
    recommended: int | None,
    x_axis: Part,
    y_axis: Part,
    limit: float | None = None,
) -> list[Part]:
    """Return the label, if the setting is on the chart. The axes have a type and a range; at ``limit``, a place on the
    y axis, a line crosses the chart, which must not run through the words."""
    where = points.place_of(recommended)
    if where is None:
        return []
    lines = wrap(str(table["label"].iloc[where]), LABEL_CHARS)
    longest = max(map(len, ["Recommended", *lines]))
    x = _positions(points.x, x_axis)
    y = _positions(points.y, y_axis)
    line = _positions(np.array([np.nan if limit is None else limit]), y_axis)
    plot = _Plot(
        _shares(x, x_axis),
        _shares(y, y_axis),
        where,
        float(_shares(line, y_axis)[0]),
        CHAR_PIXELS * longest + PADDING_PIXELS,
        LINE_PIXELS * (1 + len(lines)) + PADDING_PIXELS,
    )
    # The first of the offsets with the least under the label.
    right, up = min(OFFSETS, key=plot.hidden)
    side = "left" if right > 0 else "right"
    label = {
        **_LABEL,
        "x": float(x[where]),
        "y": float(y[where]),
        "text": "<br>".join(["<b>Recommended</b>", *map(escaped, lines)]),
        "align": side,
        "xanchor": side,
        "ax": right,
        "ay": -up,
    }
    return [label]


def _positions(values: Places, axis: Part) -> Places:
    """Return the places on an axis as Plotly takes them: the logarithms, where it counts by ratio."""
    if axis["type"] != "log":
        return values
    return np.array([log10(value) if value > 0 else np.nan for value in values])


def _shares(places: Places, axis: Part) -> Places:
    low, high = axis["range"]
    shares: Places = (places - low) / (high - low)
    return shares
