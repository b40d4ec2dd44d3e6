"""The axis of a measure: its unit, its range, and whether it counts by steps or by ratio."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.dashboard.charts.sweeps.measure_words import WORDS, MeasureWords

Values = NDArray[np.float64]
LOG_FROM = 20.0
"""An axis counts by ratio where its largest value is more than so many times its smallest."""
MARGIN = 0.06
"""Room at both ends, as a share of what the axis spans."""
CENTS_FROM = 0.1
"""US dollars that an axis covers at least for its ticks to be whole cents."""
MOST_TICKS = 7
_STEPS = ((1, 2, 5), (1, 3), (1,))
_WIDE = {"share": 0.1, "other": 0.2}
"""What an axis spans at least: of shares so much, of others so much of the value, so that noise does not look large."""


def counts_by_ratio(values: Values) -> bool:
    """Whether an axis of these values should be logarithmic: all are above zero and the largest is more than
    :data:`LOG_FROM` times the smallest. NaN is passed over."""
    known = values[np.isfinite(values)]
    return bool(known.size and known.min() > 0 and known.max() > LOG_FROM * known.min())


def measure_axis(
    measure: str, values: Values, also: tuple[float, ...] = ()
) -> dict[str, Any]:
    """Type, range and ticks of an axis that shows ``values`` (and the thresholds ``also``) of a measure. A share never
    counts by ratio."""
    words = WORDS[measure]
    known = np.append(
        values[np.isfinite(values)], [value for value in also if np.isfinite(value)]
    )
    if known.size and not words.is_share and counts_by_ratio(known):
        return _by_ratio(words, known)
    low, high = linear_range(words, known)
    return {"type": "linear", "range": [low, high], **ticks(words, high - low)}


def ticks(words: MeasureWords, span: float) -> dict[str, Any]:
    """How the numbers at a linear axis that covers ``span`` are written. Money in cents, if that tells the ticks apart;
    for less than that Plotly shows as many digits as it needs."""
    if words.is_share:
        return {"tickformat": ".0%"}
    plain = {"exponentformat": "none", "separatethousands": True}
    if words.is_money:
        return {
            **plain,
            "tickprefix": "$",
            **({"tickformat": ",.2f"} if span >= CENTS_FROM else {}),
        }
    return plain


def linear_range(words: MeasureWords, known: Values) -> tuple[float, float]:
    """The ends of a linear axis, with room around the values."""
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    least = _WIDE["share"] if words.is_share else max(_WIDE["other"] * abs(high), 1e-12)
    missing = max(0.0, least - (high - low)) / 2
    low, high = low - missing, high + missing
    room = MARGIN * (high - low)
    high = min(high, 1.0) if words.is_share else high
    low = max(low, 0.0)
    return (low - room if low > room else -room / 2), high + room


def _by_ratio(words: MeasureWords, known: Values) -> dict[str, Any]:
    low, high = log10(float(known.min())), log10(float(known.max()))
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
    """Round numbers between 10 ** ``low`` and 10 ** ``high``, few enough to be read."""
    for steps in _STEPS:
        powers = range(floor(low), ceil(high) + 1)
        found = [
            step * 10.0**power
            for power in powers
            for step in steps
            if low <= log10(step * 10.0**power) <= high
        ]
        if len(found) <= MOST_TICKS:
            return found
    return found[:: ceil(len(found) / MOST_TICKS)]
