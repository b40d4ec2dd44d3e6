"""A chart in larger letters, lines and marks, to be seen from the back of a room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.dashboard.charts.figure import AXIS
from memviz.dashboard.charts.palette import NOTE_PIXELS

_LENGTHS = {"size", "width", "standoff", "xshift", "yshift", "ax", "ay"}
"""What is given in pixels within fonts, lines, marks and labels."""
_MARGINS = {"l", "r", "t", "b"}
_VALUES = {"x", "y", "z", "text", "customdata"}
"""What a trace shows, which has no lengths in it."""
LINE_SHARE = 0.5
"""How much of the letters' growth lines and marks take over: as much as that they would cover one another."""


def enlarged(figure: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """Return the dictionary of a figure with letters ``scale`` times as large, margins that have room for them, and
    stronger lines and marks. Its height stays: that is for whoever shows it. The one given is not changed."""
    slim = 1 + (scale - 1) * LINE_SHARE
    note_font = {"size": NOTE_PIXELS * scale}
    traces = []
    for trace in figure.get("data", ()):
        # What a trace itself has of these names, such as the width of its bars, is in units of an axis.
        own = {name: trace[name] for name in _LENGTHS if name in trace}
        traces.append({**_longer(trace, slim, scale), **own})
    layout: dict[str, Any] = {}
    for name, part in figure["layout"].items():
        if name == "margin":
            layout[name] = dict(part)
            for side in _MARGINS & part.keys():
                layout[name][side] *= scale
        elif name == "annotations":
            labels = [_longer(label, slim, scale) for label in part]
            layout[name] = [{"font": note_font, **label} for label in labels]
        elif AXIS.match(name):
            with_font = {"tickfont": {"size": NOTE_PIXELS}, **part}
            layout[name] = _longer(with_font, slim, scale)
        else:
            layout[name] = _longer(part, slim, scale)
    layout["font"] = {**layout.get("font", {}), **note_font}
    return {**figure, "data": traces, "layout": layout}


def _longer(part: Any, slim: float, scale: float, *, is_font: bool = False) -> Any:
    """Return ``part`` with its lengths in pixels made longer."""
    if isinstance(part, list | tuple):
        return [_longer(one, slim, scale) for one in part]
    if not isinstance(part, Mapping):
        return part
    found = {}
    for name, value in part.items():
        if name in _LENGTHS:
            is_slim = name in ("size", "width") and not is_font
            found[name] = _length(value, slim if is_slim else scale)
        elif name in _VALUES:
            found[name] = value
        else:
            found[name] = _longer(value, slim, scale, is_font=name.endswith("font"))
    return found


def _length(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return [_length(one, factor) for one in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value * factor
    return value
