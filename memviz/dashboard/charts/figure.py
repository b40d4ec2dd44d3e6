"""Figures from plain dictionaries, and text in them: Plotly reads a little HTML in titles,
labels and tooltips."""

import re
from collections.abc import Iterable, Mapping
from html import escape
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from memviz.core.translation import _
from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.thinning import thin_out

FONT = {"size": NOTE_PIXELS}
AXIS = re.compile(r"[xy]axis\d*$")
VALIDATED = False
"""If true, Plotly checks every property of every figure. The tests switch it on; on a page it would take longer than
all the rest of a redraw."""

LEGEND_SHARE = 0.7
"""The part of a picture's height that a legend may take. In half of it, which is what Plotly allows, one would have to
scroll on a phone."""

_LEGEND = {"font": FONT, "maxheight": LEGEND_SHARE}
CONFIG: dict[str, Any] = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
"""Plotly's buttons are left out but for the download; a drag zooms, a double click goes back."""
LEGEND_CHARS = 44
MOST_LINES = 5
"""The longest line of a legend, and its most lines: a phone has room for so many."""


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
    thinned_traces, turns = thin_out(list(traces), axis.get("range"))
    if turns > 1 and "title" in axis:
        words = _(
            "{axis} (lowest and highest of every {turns:,})",
            axis=axis["title"]["text"],
            turns=turns,
        )
        axis = {**axis, "title": {**axis["title"], "text": words}}
        layout = {**layout, "xaxis": axis}
    return figure(thinned_traces, layout)


_LENGTHS = {"size", "width", "standoff", "xshift", "yshift", "ax", "ay"}
"""The properties that are given in pixels within fonts, lines, marks and labels."""
_MARGINS = {"l", "r", "t", "b"}
_VALUES = {"x", "y", "z", "text", "customdata"}
"""The properties of a trace that hold no lengths."""
LINE_SHARE = 0.5
"""The share of the letters' growth that lines and marks take over: as much as that they would cover one another."""


def enlarge(figure: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """Return the dictionary of a figure with letters ``scale`` times as large, margins that have room for them, and
    stronger lines and marks. Its height stays: that is for whoever shows it. The one given is not changed."""
    slim = 1 + (scale - 1) * LINE_SHARE
    note_font = {"size": NOTE_PIXELS * scale}
    traces = []
    for trace in figure.get("data", ()):
        # What a trace itself has of these names, such as the width of its bars, is in units of an axis.
        lengths = {name: trace[name] for name in _LENGTHS if name in trace}
        traces.append({**_lengthen(trace, slim, scale), **lengths})
    layout: dict[str, Any] = {}
    for name, part in figure["layout"].items():
        if name == "annotations":
            labels = [_lengthen(label, slim, scale) for label in part]
            layout[name] = [{"font": note_font, **label} for label in labels]
            continue
        if AXIS.match(name):
            part = {"tickfont": FONT, **part}
        layout[name] = _lengthen(part, slim, scale, within=name)
    layout["font"] = {**layout.get("font", {}), **note_font}
    return {**figure, "data": traces, "layout": layout}


def _lengthen(part: Any, slim: float, scale: float, *, within: str = "") -> Any:
    """Return ``part`` with its lengths in pixels made longer; ``within`` is the name of what it is a part of."""
    if isinstance(part, list | tuple):
        return [_lengthen(item, slim, scale, within=within) for item in part]
    if not isinstance(part, Mapping):
        return part
    lengths = _MARGINS if within == "margin" else _LENGTHS
    longer = {}
    for name, value in part.items():
        if name in lengths:
            is_slim = name in ("size", "width") and not within.endswith("font")
            longer[name] = _length(value, slim if is_slim else scale)
        elif name in _VALUES:
            longer[name] = value
        else:
            longer[name] = _lengthen(value, slim, scale, within=name)
    return longer


def _length(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return [_length(length, factor) for length in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value * factor
    return value


def label_lines(label: str, chars: int) -> list[str]:
    """``label`` on as many lines of at most so many characters as it takes: Plotly cuts what is wider than the chart.
    Not escaped. Only what is longer than five lines, such as a prompt, is cut."""
    return wrap(label, chars, max_lines=MOST_LINES, placeholder=" …")


def legend_name(label: str) -> str:
    """``label`` for a legend, escaped."""
    return "<br>".join(map(escape_text, label_lines(label, LEGEND_CHARS)))


def escape_text(text: str) -> str:
    """``text`` such that Plotly shows it as it is. Quotes stay: Plotly does not know ``&quot;`` and would write it
    out, and no text stands inside an attribute."""
    return escape(text, quote=False)
