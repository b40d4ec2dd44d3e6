"""A chart in larger letters, lines and marks, to be seen from the back of a room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.dashboard.charts.figure import AXIS
from memviz.dashboard.charts.palette import NOTE_PIXELS

_LENGTHS = {"size", "width", "standoff", "xshift", "yshift", "ax", "ay"}
"""What is given in pixels within fonts, lines, marks and labels."""
_MARGINS = {"l", "r", "t", "b"}
LINE_SHARE = 0.5
"""How much of the letters' growth lines and marks take over: as much as that they would cover one another."""


def enlarged(figure: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """The dictionary of a figure with letters ``scale`` times as large, margins that have room for them, and stronger
    lines and marks. Its height stays: that is for whoever shows it. The one given is not changed."""
    slim = 1 + (scale - 1) * LINE_SHARE
    traces = [_trace(trace, slim, scale) for trace in figure.get("data", ())]
    layout = {
        name: _layout_part(name, part, slim, scale)
        for name, part in figure["layout"].items()
    }
    layout["font"] = {**layout.get("font", {}), "size": NOTE_PIXELS * scale}
    return {**figure, "data": traces, "layout": layout}


def _trace(trace: Mapping[str, Any], slim: float, scale: float) -> dict[str, Any]:
    """What a trace itself has of these names, such as the width of its bars, is in units of an axis."""
    return {
        **_longer(trace, slim, scale),
        **{name: trace[name] for name in _LENGTHS if name in trace},
    }


def _layout_part(name: str, part: Any, slim: float, scale: float) -> Any:
    if name == "margin":
        return {
            side: value * scale if side in _MARGINS else value
            for side, value in part.items()
        }
    if name == "annotations":
        return [
            {"font": {"size": NOTE_PIXELS * scale}, **_longer(label, slim, scale)}
            for label in part
        ]
    if AXIS.match(name):
        return _longer({"tickfont": {"size": NOTE_PIXELS}, **part}, slim, scale)
    return _longer(part, slim, scale)


def _longer(part: Any, slim: float, scale: float, *, is_font: bool = False) -> Any:
    """``part`` with its lengths in pixels made longer."""
    if isinstance(part, list | tuple):
        return [_longer(one, slim, scale) for one in part]
    if not isinstance(part, Mapping):
        return part
    return {
        name: _length(
            value, scale if is_font or name not in ("size", "width") else slim
        )
        if name in _LENGTHS
        else _longer(value, slim, scale, is_font=name.endswith("font"))
        if isinstance(value, Mapping | list | tuple)
        and name not in ("x", "y", "z", "text", "customdata")
        else value
        for name, value in part.items()
    }


def _length(value: Any, factor: float) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value * factor
    if isinstance(value, list | tuple):
        return [_length(one, factor) for one in value]
    return value
