"""Settings of a sweep as points: one colour and shape a strategy, full or pale, filled or hollow; and the marks of the
setting that was chosen and of the one that is recommended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import (
    GREY,
    OPAQUE,
    Part,
    legend_entry,
    marks,
    ring,
    stroke,
)
from memviz.dashboard.charts.palette import setting_color, setting_dash
from memviz.dashboard.charts.text import escaped

if TYPE_CHECKING:
    from pandas import DataFrame


from math import log10
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from memviz.dashboard.charts.palette import NOTE_PIXELS

if TYPE_CHECKING:
    from pandas import DataFrame

FULL_PIXELS = 11
PALE_PIXELS = 8
RING_PIXELS = 21
PALE = 0.42
"""How strongly a beaten setting is drawn; it can still be seen on a dark page."""
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "star", "triangle-down", "cross", "pentagon", "hourglass",
    "hexagram", "bowtie", "star-square", "triangle-left",
)  # fmt: skip
"""As many as there are strategies: none is told by its colour alone, of which there are ten. Their number shares no
divisor with ten, so that with more strategies a shape that comes again has another colour. Each has an open form."""
RINGS = {"Recommended": "circle-open", "Chosen": "square-open"}
SETTINGS_LEGEND = {
    "orientation": "h",
    "yref": "container",
    "yanchor": "bottom",
    "y": 0,
    "x": 0,
    "groupclick": "togglegroup",
    "itemwidth": 30,
}
"""At the lower end of the figure, however many lines it takes."""
_HOLLOW = {
    "symbol": "circle-open",
    "size": FULL_PIXELS,
    "color": GREY,
    "line": {"width": 2, "color": GREY},
}
_PALE = {"symbol": "circle", "size": PALE_PIXELS, "color": GREY, "opacity": PALE}


@dataclass(frozen=True, slots=True)
class StrategyMark:
    """The look of one strategy, or of one line."""

    id: str
    title: str
    index: int
    """Decides colour, shape and dash."""

    @property
    def color(self) -> str:
        """Its colour, as a token that the theme replaces."""
        return setting_color(self.index)

    @property
    def shape(self) -> str:
        """Its marker."""
        return SHAPES[self.index % len(SHAPES)]

    @property
    def dash(self) -> str:
        """Its line dash."""
        return setting_dash(self.index)


def strategy_marks(
    table: DataFrame, strategies: Sequence[str] = ()
) -> list[StrategyMark]:
    """Return the looks of the strategies of ``table`` (rows of ``Sweep.by_setting``). ``strategies`` are ids in the
    order that gives them their look, so that it stays when the table holds fewer; without it, and after it, they come
    as in the table."""
    titles = dict(zip(table["strategy"], map(title_of, table["label"]), strict=True))
    order = dict.fromkeys([*strategies, *titles])
    numbers = {id: number for number, id in enumerate(order)}
    return [StrategyMark(id, titles[id], numbers[id]) for id in order if id in titles]


def title_of(label: str) -> str:
    """Return the strategy's title, which every label of a setting begins with."""
    return label.partition(" · ")[0]


@dataclass(frozen=True, eq=False)
class Points:
    """Settings at places: arrays of one entry each."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    settings: NDArray[np.int64]
    """Their numbers."""
    strategies: NDArray[np.object_]
    """The ids of their strategies."""
    tooltips: Sequence[str]
    pale: NDArray[np.bool_]
    hollow: NDArray[np.bool_]

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """Those that have a place."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    def place_of(self, setting: int | None) -> int | None:
        """Return the place of a setting among the points that are drawn."""
        found = np.flatnonzero((self.settings == setting) & self.drawn)
        return int(found[0]) if setting is not None and found.size else None


def point_traces(points: Points, looks: Sequence[StrategyMark]) -> Iterator[Part]:
    """The pale points, then the full ones over them, then one entry of the legend for each strategy. Points carry the
    number of their setting (customdata)."""
    for is_pale in (True, False):
        alike = points.drawn & (points.pale == is_pale)
        for look in looks:
            where = np.flatnonzero(alike & (points.strategies == look.id))
            if where.size:
                yield _points(points, look, where, PALE if is_pale else 1.0)
    for look in looks:
        yield legend_entry(
            escaped(look.title),
            mode="markers",
            marker={"color": look.color, "symbol": look.shape, "size": FULL_PIXELS},
            legendgroup=look.id,
            legendrank=look.index,
        )


def _points(
    points: Points, look: StrategyMark, where: NDArray[np.intp], opacity: float
) -> Part:
    hollow = points.hollow[where].tolist()
    edge = [2 if is_hollow else 0 for is_hollow in hollow]
    shapes = [f"{look.shape}-open" if is_hollow else look.shape for is_hollow in hollow]
    marker = {
        "symbol": shapes,
        "size": FULL_PIXELS if opacity == 1 else PALE_PIXELS,
        "opacity": opacity,
        "color": look.color,
        "line": {"width": edge, "color": look.color},
    }
    return marks(
        points.x[where],
        points.y[where],
        [points.tooltips[at] for at in where],
        marker,
        selected=OPAQUE,
        unselected={"marker": {"opacity": opacity}},
        customdata=points.settings[where].tolist(),
        name=escaped(look.title),
        legendgroup=look.id,
        showlegend=False,
    )


def hollow_key(max_peak_tokens: float) -> Part:
    """Return the entry of the legend that says what hollow points are."""
    words = f"Hollow: over {max_peak_tokens:,.0f} tokens"
    return legend_entry(words, mode="markers", marker=_HOLLOW)


def pale_key() -> Part:
    """Return the entry of the legend that says what pale points are."""
    return legend_entry("Pale: beaten by another", mode="markers", marker=_PALE)


def setting_ring(name: str, pixels: int, x: object, y: object, **more: object) -> Part:
    """Return a ring around the recommended setting, or a frame around the chosen one."""
    marker = {
        "symbol": RINGS[name],
        "size": pixels,
        "color": GREY,
        "line": stroke(2.5),
    }
    return ring(x, y, marker, name=name, unselected=OPAQUE, **more)


def rings(
    points: Points, chosen: int | None, recommended: int | None
) -> Iterator[Part]:
    """The rings, to lie under the points."""
    for name, setting, pixels in (
        ("Recommended", recommended, RING_PIXELS),
        ("Chosen", chosen, RING_PIXELS + 4),
    ):
        where = points.place_of(setting)
        if where is not None:
            yield setting_ring(name, pixels, points.x[[where]], points.y[[where]])


LABEL_CHARS = 24
WIDTHS_PIXELS = (310, 560)
"""Of the plot to find the place for: on a phone, and on a page of usual width."""
CHAR_PIXELS = 7.5
LINE_PIXELS = 18.0
PADDING_PIXELS = 8.0
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
    """The points and the line that the label must not hide. Places are shares of the plot."""

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
        """Return the number of points that a label at this offset hides, and the pixels by which it leaves the plot,
        in one sum."""
        y = self.y * height_pixels.PARETO_PLOT
        bottom = float(y[self.where]) + offset[1] - self.height / 2
        top = bottom + self.height
        in_height = (y >= bottom) & (y <= top)
        found = 0.0
        # The comparisons are false where there is no line.
        line = self.line * height_pixels.PARETO_PLOT
        if bottom - PADDING_PIXELS / 2 < line < top + PADDING_PIXELS / 2:
            found += POINTS_A_LINE_COUNTS
        for width in WIDTHS_PIXELS:
            x = self.x * width
            left = float(x[self.where]) + offset[0]
            if offset[0] < 0:
                left -= self.width
            right = left + self.width
            under = in_height & (x >= left) & (x <= right)
            outside = max(
                -left, right - width, -bottom, top - height_pixels.PARETO_PLOT, 0.0
            )
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
