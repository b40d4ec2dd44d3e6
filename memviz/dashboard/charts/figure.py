"""Figures from plain dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import plotly.graph_objects as go

from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.thinning import thinned

FONT = {"size": NOTE_PIXELS}
AXIS = re.compile(r"[xy]axis\d*$")
VALIDATED = False
"""Whether Plotly checks every property of every figure. The tests switch it on; on a page it would
take longer than all the rest of a redraw."""

LEGEND_SHARE = 0.7
"""So much of a picture's height a legend may take. Of half of it, which is what Plotly allows, one would have to scroll
on a phone."""

_LEGEND = {"font": FONT, "maxheight": LEGEND_SHARE}
CONFIG: dict[str, Any] = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
"""Of Plotly's buttons only the download; a drag zooms, a double click goes back."""


def figure(traces: Iterable[Mapping[str, Any]], layout: Mapping[str, Any]) -> go.Figure:
    """Return a figure of these traces, each a dictionary with its ``type``; ticks, titles of axes and the legend are
    large enough to be read. Raises ValueError for a property that Plotly does not know while :data:`VALIDATED` is
    on."""
    readable = dict(layout)
    for name, part in layout.items():
        if AXIS.match(name):
            readable[name] = {"tickfont": FONT, **part}
            if "title" in part:
                readable[name]["title"] = {"font": FONT, **part["title"]}
    if "legend" in layout:
        readable["legend"] = {**_LEGEND, **layout["legend"]}
    return go.Figure({"data": list(traces), "layout": readable}, _validate=VALIDATED)


def figure_over_turns(
    traces: Iterable[Mapping[str, Any]], layout: Mapping[str, Any]
) -> go.Figure:
    """Return a figure with the turns on its x axis. Of more turns than a screen can
    show the lowest and the highest of every few are drawn
    (:mod:`memviz.dashboard.charts.thinning`), and the title of the axis says so. The
    ``range`` of the axis is the part that is shown: a smaller one is drawn in more
    detail."""
    axis = layout["xaxis"]
    shown, turns = thinned(list(traces), axis.get("range"))
    if turns > 1 and "title" in axis:
        words = f"{axis['title']['text']} (lowest and highest of every {turns:,})"
        axis = {**axis, "title": {**axis["title"], "text": words}}
        layout = {**layout, "xaxis": axis}
    return figure(shown, layout)
