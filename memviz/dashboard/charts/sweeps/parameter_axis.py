"""One parameter of a strategy as an axis: its real values, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memviz.dashboard.charts.sweeps.measure_axis import counts_by_ratio
from memviz.dashboard.charts.text import escaped

if TYPE_CHECKING:
    from pandas import DataFrame


MOST_VALUES_NAMED = 14
"""Up to so many values of the parameter stand at the axis; of more Plotly chooses round ones."""
NEXT_TICK_PARTS = 14
"""Ticks nearer than this part of the axis would hide each other."""


class Axis(Protocol):
    """What a chart has to know of a parameter; a :class:`memviz.strategies.parameters.Parameter` is one."""

    @property
    def name(self) -> str:
        """The column of the table, and the name in code."""

    @property
    def unit(self) -> str:
        """What the numbers count; empty for a switch."""


def axis_title(axis: Axis) -> str:
    """``buffer_size (messages)``: the name as it is typed into code; the unit is left out where the name says it."""
    return (
        f"{axis.name} ({axis.unit})"
        if axis.unit and axis.unit not in axis.name
        else axis.name
    )


def values_of(table: DataFrame, axis: Axis) -> list[Any]:
    """The values of a parameter that occur, in order."""
    return sorted(table[axis.name].dropna().unique().tolist())


def value_words(value: Any) -> str:
    """A value of a parameter as it stands at a tick."""
    if isinstance(value, bool | np.bool_):
        return "on" if value else "off"
    return f"{value:,g}" if abs(value) < 1e5 else f"{value:,.0f}"


def told(axis: Axis, value: Any) -> str:
    """``buffer_size=4``, as it is typed into code."""
    return f"{axis.name}={bool(value) if isinstance(value, bool | np.bool_) else f'{value:g}'}"


def each_once(table: DataFrame, axes: Sequence[Axis]) -> None:
    """Raises ValueError where two settings have the same values on ``axes``: another parameter varies, which
    the caller has to fix first."""
    names = ["strategy", *(axis.name for axis in axes)]
    twice = table[table.duplicated(names, keep=False)]
    if len(twice):
        labels = ", ".join(twice["label"].head(2))
        raise ValueError(
            f"More varies than {', '.join(names[1:])}: {labels} are at the same place."
        )


def values_axis(x: Axis, values: list[Any]) -> dict[str, Any]:
    """The parameter's real values at the ticks, or fewer where they would stand too close."""
    if values and isinstance(values[0], bool | np.bool_):
        values = [int(value) for value in values]
        named = {
            "tickmode": "array",
            "tickvals": values,
            "ticktext": ["off" if not v else "on" for v in values],
        }
        return {
            "automargin": True,
            "title": {"text": escaped(axis_title(x))},
            "range": [-0.3, 1.3],
            **named,
        }
    by_ratio = counts_by_ratio(np.array(values, dtype=float))
    places = np.log10(values) if by_ratio else np.array(values, dtype=float)
    low, high = (float(places.min()), float(places.max())) if values else (0.0, 1.0)
    room = (high - low) / 30 or 0.5
    axis = {
        "automargin": True,
        "title": {"text": escaped(axis_title(x))},
        "zeroline": False,
        "type": "log" if by_ratio else "linear",
        "range": [low - room, high + room],
    }
    if len(values) > MOST_VALUES_NAMED and not by_ratio:
        return {**axis, "tickformat": ",d"}
    shown = _apart(values, places.tolist(), (high - low) / NEXT_TICK_PARTS)
    return {
        **axis,
        "tickmode": "array",
        "tickvals": shown,
        "ticktext": [*map(value_words, shown)],
    }


def _apart(values: list[Any], places: list[float], least: float) -> list[Any]:
    """The values that stand at least so far from the one before."""
    shown: list[tuple[float, Any]] = []
    for place, value in zip(places, values, strict=True):
        if not shown or place - shown[-1][0] >= least:
            shown.append((place, value))
    return [value for _, value in shown]
