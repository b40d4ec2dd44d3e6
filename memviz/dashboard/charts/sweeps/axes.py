"""The axes of the charts of a sweep.

The axis of a measure has its unit and its range, by steps or by ratio; that of a parameter
has its real values side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memviz.core.translation import _
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part
from memviz.dashboard.charts.sweeps.measure_words import WORDS, MeasureWords

if TYPE_CHECKING:
    from pandas import DataFrame

Values = NDArray[np.float64]
LOG_FROM = 20.0
"""An axis counts by ratio where its largest value is more than so many times its smallest."""
MARGIN = 0.06
"""Room at both ends, as a share of what the axis spans."""
CENTS_FROM = 0.1
"""US dollars that an axis covers at least for its ticks to be whole cents."""
MOST_TICKS = 7
_STEPS = ((1, 2, 5), (1, 3), (1,))
"""The digits at which a logarithmic axis has ticks, such as 1, 2, 5, 10, 20, 50: the first that are few enough."""
LEAST_SHARE_SPAN = 0.1
LEAST_SPAN = 0.2
"""The least that an axis spans: of shares so much, of others so much of the value, so that noise does not look
large."""
MOST_VALUES_NAMED = 14
"""Up to so many values of the parameter stand at the axis; of more Plotly chooses round ones."""
NEXT_TICK_PARTS = 14
"""Ticks nearer than this part of the axis would hide each other."""
_PLAIN = {"exponentformat": "none", "separatethousands": True}
_SWITCH = {
    "automargin": True,
    "range": [-0.3, 1.3],
    "tickmode": "array",
}


def counts_by_ratio(values: Values) -> bool:
    """Return whether an axis of these values should be logarithmic: all are above zero and the largest is more than
    :data:`LOG_FROM` times the smallest. NaN is passed over."""
    finite = values[np.isfinite(values)]
    return bool(
        finite.size and finite.min() > 0 and finite.max() > LOG_FROM * finite.min()
    )


def measure_axis(measure: str, values: Values, also: tuple[float, ...] = ()) -> Part:
    """Return type, range and ticks of an axis that shows ``values`` (and the thresholds ``also``) of a measure. A share
    never counts by ratio."""
    words = WORDS[measure]
    on_axis = np.append(values, also)
    finite = on_axis[np.isfinite(on_axis)]
    if not words.is_share and counts_by_ratio(finite):
        return _ratio_axis(words, finite)
    low, high = linear_range(words, finite)
    return {"type": "linear", "range": [low, high], **ticks(words, high - low)}


def position_on(axis: Part, value: float) -> float:
    """Return a place on an axis as annotations take it: the logarithm, where the axis counts by ratio."""
    return log10(value) if axis["type"] == "log" else float(value)


def ticks(words: MeasureWords, span: float) -> Part:
    """Return how the numbers at a linear axis that covers ``span`` are written. Money in cents, if that tells the ticks
    apart; for less than that Plotly shows as many digits as it needs."""
    if words.is_share:
        return {"tickformat": ".0%"}
    if not words.is_money:
        return _PLAIN
    money = {**_PLAIN, "tickprefix": "$"}
    if span >= CENTS_FROM:
        money["tickformat"] = ",.2f"
    return money


def linear_range(words: MeasureWords, finite: Values) -> tuple[float, float]:
    """Return the ends of a linear axis, with room around the values."""
    if not finite.size:
        return 0.0, 1.0
    low = float(finite.min())
    high = float(finite.max())
    # Values that hardly differ are drawn in the middle of a span that is wide enough.
    least_span = LEAST_SHARE_SPAN
    if not words.is_share:
        least_span = max(LEAST_SPAN * abs(high), 1e-12)
    missing = max(0.0, least_span - (high - low)) / 2
    low -= missing
    high += missing
    room = MARGIN * (high - low)
    # No share is above 1, and nothing that is measured is below 0: there the axis shows only half of its room.
    if words.is_share:
        high = min(high, 1.0)
    low = max(low, 0.0)
    bottom = low - room if low > room else -room / 2
    return bottom, high + room


def _ratio_axis(words: MeasureWords, finite: Values) -> Part:
    low = log10(float(finite.min()))
    high = log10(float(finite.max()))
    room = MARGIN * (high - low)
    values = round_numbers(low - room, high + room)
    return {
        "type": "log",
        "range": [low - room, high + room],
        "tickmode": "array",
        "tickvals": values,
        "ticktext": [words.shown(value) for value in values],
    }


def round_numbers(low: float, high: float) -> list[float]:
    """Return round numbers between 10 ** ``low`` and 10 ** ``high``, few enough to be read."""
    powers = [10.0**power for power in range(floor(low), ceil(high) + 1)]
    for steps in _STEPS:
        numbers = [step * power for power in powers for step in steps]
        numbers_inside = [number for number in numbers if low <= log10(number) <= high]
        if len(numbers_inside) <= MOST_TICKS:
            return numbers_inside
    # Even the powers of ten are too many: every second or third of them.
    return numbers_inside[:: ceil(len(numbers_inside) / MOST_TICKS)]


class Axis(Protocol):
    """The properties of a parameter that a chart needs; a :class:`memviz.strategies.parameters.Parameter` is one."""

    @property
    def name(self) -> str:
        """The column of the table, and the name in code."""

    @property
    def title(self) -> str:
        """The name as a person reads it."""

    @property
    def unit(self) -> str:
        """The unit of its numbers; empty for a switch."""


def axis_title(axis: Axis) -> str:
    """Return ``Buffer size (messages)``; the unit is left out where the name says it."""
    if not axis.unit or axis.unit in axis.name:
        return axis.title
    return _("{name} ({unit})", name=axis.title, unit=_(axis.unit))


def values_of(table: DataFrame, axis: Axis) -> list[Any]:
    """Return the values of a parameter that occur, in order."""
    return sorted(table[axis.name].dropna().unique().tolist())


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def value_words(value: Any) -> str:
    """Return a value of a parameter as it stands at a tick."""
    if _is_switch(value):
        return "on" if value else "off"
    return f"{value:,g}" if abs(value) < 1e5 else f"{value:,.0f}"


def axis_value_words(axis: Axis, value: Any) -> str:
    """Return ``Buffer size: 4``."""
    return _("{parameter}: {value}", parameter=axis.title, value=value_words(value))


def require_one_setting_a_place(table: DataFrame, axes: Sequence[Axis]) -> None:
    """Raise ValueError where two settings have the same values on ``axes``: another parameter varies, which
    the caller has to fix first."""
    names = [axis.name for axis in axes]
    twice = table[table.duplicated(["strategy", *names], keep=False)]
    if len(twice):
        labels = ", ".join(twice["label"].head(2))
        varies = f"More varies than {', '.join(names)}"
        raise ValueError(f"{varies}: {labels} are at the same place.")


def values_axis(x: Axis, values: list[Any]) -> Part:
    """Return the parameter's real values at the ticks, or fewer where they would stand too close."""
    title = {"text": escape_text(axis_title(x))}
    if values and _is_switch(values[0]):
        words = list(map(value_words, values))
        return {
            **_SWITCH,
            "title": title,
            "tickvals": list(map(int, values)),
            "ticktext": words,
        }
    places = np.array(values, dtype=float)
    by_ratio = counts_by_ratio(places)
    if by_ratio:
        # The range of a logarithmic axis is in powers of ten; its ticks are plain values.
        places = np.log10(places)
    low = 0.0
    high = 1.0
    if values:
        low = float(places.min())
        high = float(places.max())
    room = (high - low) / 30 or 0.5  # a single value spans nothing
    axis = {
        "automargin": True,
        "title": title,
        "zeroline": False,
        "type": "log" if by_ratio else "linear",
        "range": [low - room, high + room],
    }
    if len(values) > MOST_VALUES_NAMED and not by_ratio:
        return {**axis, "tickformat": ",d"}
    # A value too near to the tick before it has none: their words would lie on each other.
    tick_values = []
    last_place = -np.inf
    for place, value in zip(places.tolist(), values, strict=True):
        if place - last_place >= (high - low) / NEXT_TICK_PARTS:
            tick_values.append(value)
            last_place = place
    words = list(map(value_words, tick_values))
    return {**axis, "tickmode": "array", "tickvals": tick_values, "ticktext": words}
