"""Settings of a sweep as points: one colour and shape a strategy, full or pale, filled or hollow; and the marks of the
setting that was chosen and of the one that is recommended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.sweeps.strategy_marks import StrategyMark
from memviz.dashboard.charts.text import escaped

GREY = PART_COLORS["system"]
FULL_PIXELS, PALE_PIXELS, RING_PIXELS = 11, 8, 21
PALE = 0.42
"""How strongly a beaten setting is drawn; it can still be seen on a dark page."""


@dataclass(frozen=True, eq=False)
class Points:
    """Settings at places: arrays of one entry each. ``settings`` are their numbers, ``strategies`` ids."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    settings: NDArray[np.int64]
    strategies: NDArray[np.object_]
    tooltips: Sequence[str]
    pale: NDArray[np.bool_]
    hollow: NDArray[np.bool_]


def point_traces(
    points: Points, marks: Sequence[StrategyMark]
) -> Iterator[dict[str, Any]]:
    """The pale points, then the full ones over them, then one entry of the legend for each strategy. Points carry the
    number of their setting (customdata)."""
    drawn = np.isfinite(points.x) & np.isfinite(points.y)
    for pale in (True, False):
        for mark in marks:
            where = np.flatnonzero(
                drawn & (points.pale == pale) & (points.strategies == mark.id)
            )
            if where.size:
                yield _points(points, mark, where, pale)
    for mark in marks:
        yield key(
            escaped(mark.title),
            {"color": mark.color, "symbol": mark.shape, "size": FULL_PIXELS},
            legendgroup=mark.id,
            legendrank=mark.index,
        )


def _points(
    points: Points, mark: StrategyMark, where: NDArray[np.intp], pale: bool
) -> dict[str, Any]:
    opacity = PALE if pale else 1.0
    marker = {
        "symbol": [mark.shape + "-open" * bool(points.hollow[at]) for at in where],
        "size": PALE_PIXELS if pale else FULL_PIXELS,
        "opacity": opacity,
        "color": mark.color,
        "line": {
            "width": [2 if points.hollow[at] else 0 for at in where],
            "color": mark.color,
        },
    }
    return {
        "type": "scatter",
        "mode": "markers",
        "x": points.x[where],
        "y": points.y[where],
        "marker": marker,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": opacity}},
        "customdata": points.settings[where].tolist(),
        "text": [points.tooltips[at] for at in where],
        "hoverinfo": "text",
        "name": escaped(mark.title),
        "legendgroup": mark.id,
        "showlegend": False,
    }


def key(name: str, marker: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entry of the legend without any point."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [None],
        "y": [None],
        "name": name,
        "marker": marker,
        "hoverinfo": "skip",
        **more,
    }


def hollow_key(max_peak_tokens: float) -> dict[str, Any]:
    """The entry of the legend that says what hollow points are."""
    marker = {
        "symbol": "circle-open",
        "size": FULL_PIXELS,
        "color": GREY,
        "line": {"width": 2, "color": GREY},
    }
    return key(f"Hollow: over {max_peak_tokens:,.0f} tokens", marker)


def pale_key() -> dict[str, Any]:
    """The entry of the legend that says what pale points are."""
    return key(
        "Pale: beaten by another",
        {"symbol": "circle", "size": PALE_PIXELS, "color": GREY, "opacity": PALE},
    )


def rings(
    points: Points, chosen: int | None, recommended: int | None
) -> Iterator[dict[str, Any]]:
    """A ring around the recommended setting and a frame around the chosen one. They lie under the points, and
    tooltips and clicks go past them."""
    for name, setting, symbol in (
        ("Recommended", recommended, "circle-open"),
        ("Chosen", chosen, "square-open"),
    ):
        where = place_of(points, setting)
        if where is not None:
            size = RING_PIXELS if symbol == "circle-open" else RING_PIXELS + 4
            yield {
                "type": "scatter",
                "mode": "markers",
                "x": points.x[[where]],
                "y": points.y[[where]],
                "name": name,
                "marker": {
                    "symbol": symbol,
                    "size": size,
                    "color": GREY,
                    "line": {"width": 2.5, "color": GREY},
                },
                "unselected": {"marker": {"opacity": 1}},
                "hoverinfo": "skip",
            }


def place_of(points: Points, setting: int | None) -> int | None:
    """Where a setting is among the points that are drawn."""
    found = np.flatnonzero(
        (points.settings == setting) & np.isfinite(points.x) & np.isfinite(points.y)
    )
    return int(found[0]) if setting is not None and found.size else None
