"""The frame around a chart with one point a setting: axes, a limit that was asked for, and the legend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import plotly.graph_objects as go

from memviz.dashboard.charts.figure import figure
from memviz.dashboard.charts.sweeps.points import GREY
from memviz.dashboard.charts.text import escaped

Axis = dict[str, Any]
FONT_PIXELS = 13
"""Smaller text is hard to read on a projector and on a phone."""
MARGINS = {"r": 14, "t": 50, "b": 50}
LEGEND = {
    "orientation": "h",
    "yref": "container",
    "yanchor": "bottom",
    "y": 0,
    "x": 0,
    "groupclick": "togglegroup",
    "itemwidth": 30,
    "font": {"size": FONT_PIXELS},
}
"""At the lower end of the figure, however many lines it takes."""


class Limit(NamedTuple):
    """What was asked for on the y axis, and the words of its line. They stand in the legend: at the line itself, points
    and names would cover them."""

    value: float
    words: str


def scatter(
    traces: Iterable[dict[str, Any]],
    x_axis: Axis,
    y_axis: Axis,
    limit: Limit | None,
    annotations: Iterable[dict[str, Any]],
    *,
    left_pixels: int,
    **layout: Any,
) -> go.Figure:
    """The chart. ``layout`` has what the charts do not share: title, height and uirevision."""
    title = {"text": escaped(layout.pop("title")), "font": {"size": 16}}
    return figure(
        [*traces, *([_key(limit)] if limit else [])],
        {
            "title": title,
            "xaxis": {"automargin": True, "zeroline": False, **x_axis},
            "yaxis": {"automargin": False, "zeroline": False, **y_axis},
            "shapes": [_line(limit.value)] if limit else [],
            "annotations": list(annotations),
            "legend": LEGEND,
            "hovermode": "closest",
            "hoverlabel": {"align": "left"},
            "margin": {**MARGINS, "l": left_pixels},
            **layout,
        },
    )


def _line(value: float) -> dict[str, Any]:
    """A thin dashed line across the chart."""
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": value,
        "y1": value,
        "line": {"width": 1, "dash": "dash", "color": GREY},
    }


def _key(limit: Limit) -> dict[str, Any]:
    """The entry of the legend for that line."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [None],
        "y": [None],
        "name": limit.words,
        "hoverinfo": "skip",
        "line": {"width": 1.5, "dash": "dash", "color": GREY},
    }
