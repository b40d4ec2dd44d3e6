"""Settings of a sweep as points: one colour and shape a strategy, full or pale, filled or hollow; and the marks of the
setting that was chosen and of the one that is recommended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    GREY,
    OPAQUE,
    Part,
    legend_entry,
    marks,
    ring,
    stroke,
)
from memviz.dashboard.charts.palette import NOTE_PIXELS, setting_color, setting_dash
from memviz.dashboard.charts.sweeps.axes import position_on

if TYPE_CHECKING:
    from pandas import DataFrame


FULL_PIXELS = 11
PALE_PIXELS = 8
RING_PIXELS = 21
PALE = 0.42
"""The opacity of a beaten setting; it can still be seen on a dark page."""
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "star", "triangle-down", "cross", "pentagon", "hourglass",
    "hexagram", "bowtie", "star-square", "triangle-left", "triangle-right", "star-diamond", "diamond-tall",
    "diamond-wide", "hexagon", "octagon", "star-triangle-up", "star-triangle-down", "circle-cross",
    "circle-x", "square-cross", "square-x", "diamond-cross", "diamond-x",
    "triangle-ne", "triangle-sw",
)  # fmt: skip
"""At least as many as there are strategies: none is told by its colour alone, of which there are ten. Their number
shares no divisor with ten, so that with more strategies a shape that comes again has another colour. Each has an open
form."""
_NAME = {
    "axref": "x",
    "ayref": "y",
    "yanchor": "bottom",
    "showarrow": True,
    "arrowhead": 0,
    "arrowwidth": 1,
    "arrowcolor": GREY,
    "standoff": RING_PIXELS / 2,
    "font": {"size": NOTE_PIXELS},
}
RINGS = {noop("Recommended"): "circle-open", noop("Chosen"): "square-open"}
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
        """The colour of the strategy, as a token that the theme replaces."""
        return setting_color(self.index)

    @property
    def shape(self) -> str:
        """The shape of the strategy's points."""
        return SHAPES[self.index % len(SHAPES)]

    @property
    def dash(self) -> str:
        """The dash of the strategy's line."""
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
    """The numbers of the settings in their sweep."""
    strategies: NDArray[np.object_]
    """The ids of their strategies."""
    tooltips: Sequence[str]
    pale: NDArray[np.bool_]
    hollow: NDArray[np.bool_]

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """For each point, true if it has a place."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    def place_of(self, setting: int | None) -> int | None:
        """Return the place of a setting among the points that are drawn."""
        if setting is None:
            return None
        places = np.flatnonzero((self.settings == setting) & self.drawn)
        return int(places[0]) if places.size else None


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
            escape_text(look.title),
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
        [points.tooltips[index] for index in where],
        marker,
        selected=OPAQUE,
        unselected={"marker": {"opacity": opacity}},
        customdata=points.settings[where].tolist(),
        name=escape_text(look.title),
        legendgroup=look.id,
        showlegend=False,
    )


def hollow_key(max_peak_tokens: float) -> Part:
    """Return the entry of the legend that says what hollow points are."""
    words = _("Hollow: over {most:,.0f} tokens", most=max_peak_tokens)
    return legend_entry(words, mode="markers", marker=_HOLLOW)


def pale_key() -> Part:
    """Return the entry of the legend that says what pale points are."""
    return legend_entry(_("Pale: beaten by another"), mode="markers", marker=_PALE)


def setting_ring(name: str, pixels: int, x: object, y: object, **more: object) -> Part:
    """Return a ring around the recommended setting, or a frame around the chosen one."""
    marker = {
        "symbol": RINGS[name],
        "size": pixels,
        "color": GREY,
        "line": stroke(2.5),
    }
    return ring(x, y, marker, name=_(name), unselected=OPAQUE, **more)


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


def recommended_name(
    points: Points, recommended: int | None, x_axis: Part, y_axis: Part
) -> list[Part]:
    """Return the word "Recommended" above the plot, with a line down to its point; no
    word where the setting is not on the chart. Outside of the plot it covers no point.
    The axes have a type and a range."""
    where = points.place_of(recommended)
    if where is None:
        return []
    x = position_on(x_axis, points.x[where])
    return [
        {
            **_NAME,
            "text": _("<b>Recommended</b>"),
            "x": x,
            "y": position_on(y_axis, points.y[where]),
            "ax": x,
            "ay": y_axis["range"][1],
        }
    ]
