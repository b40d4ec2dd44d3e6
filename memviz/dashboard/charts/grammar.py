"""The vocabulary of charts: lines, marks, bars, areas, rules and notes, and the picture that they make.

A part is the dictionary that Plotly takes. Each function knows what its kind of part has in common on all charts;
whatever else a chart wants of it is given by name.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import figure, figure_over_turns, legend_name
from memviz.dashboard.charts.palette import (
    NOTE_PIXELS,
    PART_COLORS,
    SettingRun,
    setting_dash,
)

Part = dict[str, Any]
GREY = PART_COLORS["system"]
INVISIBLE = "rgba(0,0,0,0)"
OPAQUE = {"marker": {"opacity": 1}}
LOOK_STAYS = {"selected": OPAQUE, "unselected": OPAQUE}
"""For points that look the same whether or not one of them was clicked."""
UNDRAWN = {"opacity": 0, "size": 1, "color": INVISIBLE}
_STILL_UNDRAWN = {"marker": {"opacity": 0}}
STAYS_UNDRAWN = {"selected": _STILL_UNDRAWN, "unselected": _STILL_UNDRAWN}
"""For points over cells, which are there to be pointed at and clicked, and are not seen."""
CELL_SCALE = "Cividis"
"""Even steps of lightness, the same for eyes without red or green cones; its bright end is always the good one."""
WHITE_BELOW = 0.47
"""The share of that scale from its dark end up to which white is read better on a cell than black."""

_LINE = {"type": "scatter", "mode": "lines+markers", "hoverinfo": "text"}
_PATH = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
_MARKS = {"type": "scatter", "mode": "markers", "hoverinfo": "text"}
_RING = {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
_NOWHERE = {"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip"}
_ACROSS = {"type": "line", "xref": "paper", "x0": 0, "x1": 1}
_DOWN = {"type": "line", "y0": 0, "y1": 1}
_NOTE = {"yanchor": "bottom", "showarrow": False, "font": {"size": NOTE_PIXELS}}
"""The properties that parts of each kind have on all charts."""
_FRAME = {"hovermode": "closest", "hoverlabel": {"align": "left"}}
BELOW = {"orientation": "h", "yanchor": "top", "x": 0}
LEGEND_BELOW = {**BELOW, "y": -0.32, "groupclick": "togglegroup"}
SHARE_AXIS = {
    "automargin": False,
    "range": [-0.03, 1.09],
    "tickformat": ".0%",
    "tickvals": [0, 0.25, 0.5, 0.75, 1],
    "zeroline": False,
}
TOKENS_AXIS = {
    "automargin": False,
    "rangemode": "tozero",
    "tickformat": ",d",
    "exponentformat": "none",
}


def picture(
    traces: Iterable[Part], *, over_turns: bool = True, **layout: Any
) -> go.Figure:
    """Return the figure of ``traces``. ``over_turns``: its x axis has turns, of which no more are drawn than a screen
    can show."""
    draw = figure_over_turns if over_turns else figure
    return draw(traces, {**_FRAME, **layout})


def heading(text: str) -> Part:
    """Return the title of a picture."""
    return {"text": text, "font": {"size": 16}}


def size_for_settings(settings: int, pixels: int, others: int = 0) -> Part:
    """Return height and legend of a picture that has ``pixels`` for few settings. ``others``: the entries of the legend
    for lines of no setting."""
    entries = settings + others
    return {
        "showlegend": entries > 1,
        "height": height_pixels.add_legend_height(pixels, entries),
    }


def stroke(width: float, dash: str | None = None, color: str = GREY) -> Part:
    """Return the look of a line."""
    look = {"width": width, "color": color}
    if dash is not None:
        look["dash"] = dash
    return look


def line(
    setting: SettingRun,
    x: Any,
    y: Any,
    text: Any,
    *,
    width: float = 2.5,
    dot: float | list[int] = 9,
    **more: Any,
) -> Part:
    """Return the line of one setting, with a tooltip at each point. Only of one point alone the dot is seen."""
    color = setting.color
    return {
        **_LINE,
        "x": x,
        "y": y,
        "text": text,
        "name": legend_name(setting.label),
        "legendgroup": str(setting.index),
        "marker": {"opacity": 0 if len(x) > 1 else 1, "size": dot, "color": color},
        "line": stroke(width, setting_dash(setting.index), color),
        **more,
    }


def segments(
    ends: Iterable[tuple[float, float, float, float]], gap: float | None
) -> tuple[list[float | None], list[float | None]]:
    """Return the x and the y of separate lines in one trace, each from ``(x, y)`` to ``(x, y)``, with a ``gap`` behind
    it."""
    x = []
    y = []
    for x0, y0, x1, y1 in ends:
        x += [x0, x1, gap]
        y += [y0, y1, gap]
    return x, y


def path(x: Any, y: Any, line: Part, **more: Any) -> Part:
    """Return a line that says nothing when one points at it."""
    return {**_PATH, "x": x, "y": y, "line": line, **more}


def marks(x: Any, y: Any, text: Any, marker: Part, **more: Any) -> Part:
    """Return points, each with a tooltip."""
    return {**_MARKS, "x": x, "y": y, "text": text, "marker": marker, **more}


def pending_marker(setting: SettingRun, pixels: int) -> Part:
    """Return the look of a request that nobody has answered yet: a hollow point."""
    return {
        "symbol": "circle-open",
        "size": pixels,
        "color": setting.color,
        "line": {"width": 2},
    }


def ring(x: Any, y: Any, marker: Part, **more: Any) -> Part:
    """Return points around other ones: tooltips and clicks go past them."""
    return {**_RING, "x": x, "y": y, "marker": marker, **more}


def legend_entry(name: str, **more: Any) -> Part:
    """Return an entry of the legend that nothing is drawn for."""
    return {**_NOWHERE, "name": name, **more}


def bars(x: Any, y: Any, color: Any, **more: Any) -> Part:
    """Return bars without a frame."""
    marker = {"color": color, "line": {"width": 0}, **more.pop("marker", {})}
    return {"type": "bar", "x": x, "y": y, "marker": marker, **more}


def area(x: Any, y: Any, edge: Part, **more: Any) -> Part:
    """Return one of several areas that stand on each other, those of one ``stackgroup``."""
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": edge, **more}


def heat(z: Any, low: float, high: float, scale: Any, gap: int, **more: Any) -> Part:
    """Return cells coloured by their numbers; points over them have the tooltips."""
    return {
        "type": "heatmap",
        "z": z,
        "zmin": low,
        "zmax": high,
        "colorscale": scale,
        "xgap": gap,
        "ygap": gap,
        "hoverinfo": "skip",
        **more,
    }


def category_axis(names: Sequence[str], **more: Any) -> Part:
    """Return an axis with a name at each of the places 0, 1, 2 and so on."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "range": [-0.5, max(1, len(names)) - 0.5],
        "zeroline": False,
        **more,
    }


def rule_across(y: float, line: Part, **more: Any) -> Part:
    """Return a line across the whole picture at the height ``y``."""
    return {**_ACROSS, "y0": y, "y1": y, "line": line, **more}


def rule_down(x: float, line: Part, yref: str = "paper", **more: Any) -> Part:
    """Return a line down the whole picture, or that of one axis (``"y domain"``), at the place ``x``."""
    return {**_DOWN, "yref": yref, "x0": x, "x1": x, "line": line, **more}


def box(x: tuple[float, float], y: tuple[float, float], **more: Any) -> Part:
    """Return a rectangle from one place to another."""
    left, right = x
    low, high = y
    return {"type": "rect", "x0": left, "x1": right, "y0": low, "y1": high, **more}


def note(text: str, x: float, y: float, **more: Any) -> Part:
    """Return words that stand above a place."""
    return {**_NOTE, "text": text, "x": x, "y": y, **more}


def note_at_left(text: str, y: float, **more: Any) -> Part:
    """Return words that begin at the left edge of the picture."""
    return note(text, 0, y, xref="paper", xanchor="left", **more)


def note_on_top(text: str, x: float, **more: Any) -> Part:
    """Return words above the picture, over the place ``x``."""
    return note(text, x, 1, yref="paper", **more)
