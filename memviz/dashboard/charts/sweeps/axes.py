"""The axes of the charts of a sweep, and the sentences that they say about one setting.

The axis of a measure has its unit and its range, by steps or by ratio; that of a parameter
has its real values side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import share_of
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.grammar import Part
from memviz.dashboard.charts.sweeps.measure_words import (
    WORDS,
    MeasureWords,
    percent,
    shown,
)
from memviz.tuning.recommendation import added_in_words, cost_in_words, share_in_words

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over

LINE_CHARS = 62
"""A tooltip's line is about so long."""
Row = Mapping[str, Any]
_ALWAYS_SAID = ("retention", "usd", "usd_per_fact", "peak_tokens", "summarizations")
"""Measures that every tooltip has."""
Values = NDArray[np.float64]
LOG_FROM = 20.0
"""An axis counts by ratio where its largest value is more than so many times its smallest."""
MARGIN = 0.06
"""Room at both ends, as a share of what the axis spans."""
CENTS_FROM = 0.1
"""US dollars that an axis covers at least for its ticks to be whole cents."""
MOST_TICKS = 7
_STEPS = ((1, 2, 5), (1, 3), (1,))
LEAST_SHARE_SPAN = 0.1
LEAST_SPAN = 0.2
"""What an axis spans at least: of shares so much, of others so much of the value, so that noise does not look large."""
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


@dataclass(frozen=True)
class SettingWords:
    """Writes the tooltips of one table of settings."""

    others: Mapping[int, Row]
    """The same settings summed up the other way, by their number."""
    over: Over

    @classmethod
    def of(cls, aside: DataFrame | None, over: Over) -> SettingWords:
        """The words beside a table that is summed up the other way."""
        return cls(rows_by_setting(aside), over)

    def tooltip(self, row: Row, *more: str) -> str:
        """A tooltip about one row of ``Sweep.by_setting(over)``. ``more`` are sentences that only this chart has to
        say."""
        aside = self.others.get(row["setting"]) if row["conversations"] > 1 else None
        lines = [f"<b>{escaped(row['label'])}</b>"]
        for sentence in (*self._sentences(row, aside), *more):
            lines += map(escaped, wrap(sentence, LINE_CHARS))
        return "<br>".join(lines)

    def _aside(self, measure: str, aside: Row | None) -> str:
        """A measure summed up the other way, where there are several conversations."""
        if aside is None:
            return ""
        value = shown(measure, aside[measure])
        if self.over == "median":
            return _(" ({value} in the worst conversation)", value=value)
        return _(" ({value} in the median)", value=value)

    def _sentences(self, row: Row, aside: Row | None) -> Iterator[str]:
        if _is_known(row["retention"]):
            yield _(
                "Keeps {kept} of the facts stated so far, on average over the requests{aside}.",
                kept=shown("retention", row["retention"]),
                aside=self._aside("retention", aside),
            )
        cost = f"{cost_in_words(row)}{added_in_words(row)}"
        if not _is_known(row["usd"]):
            yield _("Takes {cost}; no price is known.", cost=cost)
        elif _is_known(row["usd_per_fact"]):
            per_fact = shown("usd_per_fact", row["usd_per_fact"])
            yield _(
                "Costs {cost}, which is {per_fact} for each fact kept.",
                cost=cost,
                per_fact=per_fact,
            )
        else:
            yield _("Costs {cost}.", cost=cost)
        yield _(
            "The largest request has {peak} tokens{aside}.",
            peak=shown("peak_tokens", row["peak_tokens"]),
            aside=self._aside("peak_tokens", aside),
        )
        often = row["summarizations"]
        yield ngettext(
            "{number} summarization.",
            "{number} summarizations.",
            often,
            number=shown("summarizations", often),
        )
        failed = row.get("failed", 0)
        if failed:
            missing = share_of(failed, row["conversations"] + failed, "conversation")
            yield _(
                "It could not be run over {missing} and is not compared.",
                missing=missing,
            )


def _is_known(number: float) -> bool:
    return number == number  # NaN is not equal to itself


def measure_words(row: Row, measure: str) -> tuple[str, ...]:
    """Return the number of ``measure`` as a sentence, if the tooltip does not have it anyway."""
    is_said = measure in _ALWAYS_SAID
    if measure == "all_tokens":
        is_said = not _is_known(row["usd"])
    if is_said:
        return ()
    return (
        _(
            "{measure}: {value}.",
            measure=WORDS[measure].title,
            value=shown(measure, row[measure]),
        ),
    )


def beaten_words(row: Row, winner: Row, measure: str) -> str:
    """Return who beats this setting and by how much: ``Beaten by X: 12% cheaper, and keeps 57% of the facts instead of
    51%.``"""
    costs = _("as cheap")
    if winner[measure] < row[measure]:
        template = noop("{share} fewer tokens")
        if WORDS[measure].is_money:
            template = noop("{share} cheaper")
        costs = _(template, share=percent(1 - winner[measure] / row[measure]))
    keeps = _("as much")
    more = winner["retention"]
    kept = row["retention"]
    if more > kept:
        instead = share_in_words(kept, more)
        keeps = _(
            "{share} of the facts instead of {instead}",
            share=share_in_words(more, kept),
            instead=instead,
        )
    return _(
        "Beaten by {winner}: {costs}, and keeps {keeps}.",
        winner=winner["label"],
        costs=costs,
        keeps=keeps,
    )


def too_large_words(row: Row, max_peak_tokens: float) -> str:
    """Return that its largest request is over the limit asked for."""
    over = shown("peak_tokens", row["peak_tokens"] - max_peak_tokens)
    limit = f"{max_peak_tokens:,.0f}"
    return _(
        "Its largest request is {over} tokens over the limit of {limit}.",
        over=over,
        limit=limit,
    )


def rows_by_setting(table: DataFrame | None) -> dict[int, dict[str, Any]]:
    """Return the rows of a table by the number of their setting."""
    found: dict[int, dict[str, Any]] = {}
    if table is not None:
        for row in table.to_dict("records"):
            found[int(row["setting"])] = {str(name): row[name] for name in row}
    return found


def counts_by_ratio(values: Values) -> bool:
    """Return whether an axis of these values should be logarithmic: all are above zero and the largest is more than
    :data:`LOG_FROM` times the smallest. NaN is passed over."""
    known = values[np.isfinite(values)]
    return bool(known.size and known.min() > 0 and known.max() > LOG_FROM * known.min())


def measure_axis(measure: str, values: Values, also: tuple[float, ...] = ()) -> Part:
    """Return type, range and ticks of an axis that shows ``values`` (and the thresholds ``also``) of a measure. A share
    never counts by ratio."""
    words = WORDS[measure]
    shown = np.append(values, also)
    known = shown[np.isfinite(shown)]
    if not words.is_share and counts_by_ratio(known):
        return _by_ratio(words, known)
    low, high = linear_range(words, known)
    return {"type": "linear", "range": [low, high], **ticks(words, high - low)}


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


def linear_range(words: MeasureWords, known: Values) -> tuple[float, float]:
    """Return the ends of a linear axis, with room around the values."""
    if not known.size:
        return 0.0, 1.0
    low = float(known.min())
    high = float(known.max())
    least = LEAST_SHARE_SPAN
    if not words.is_share:
        least = max(LEAST_SPAN * abs(high), 1e-12)
    missing = max(0.0, least - (high - low)) / 2
    low -= missing
    high += missing
    room = MARGIN * (high - low)
    if words.is_share:
        high = min(high, 1.0)
    low = max(low, 0.0)
    return (low - room if low > room else -room / 2), high + room


def _by_ratio(words: MeasureWords, known: Values) -> Part:
    low = log10(float(known.min()))
    high = log10(float(known.max()))
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
        found = [number for number in numbers if low <= log10(number) <= high]
        if len(found) <= MOST_TICKS:
            return found
    return found[:: ceil(len(found) / MOST_TICKS)]


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


def told(axis: Axis, value: Any) -> str:
    """Return ``Buffer size: 4``."""
    return _("{parameter}: {value}", parameter=axis.title, value=value_words(value))


def each_once(table: DataFrame, axes: Sequence[Axis]) -> None:
    """Raises ValueError where two settings have the same values on ``axes``: another parameter varies, which
    the caller has to fix first."""
    names = [axis.name for axis in axes]
    twice = table[table.duplicated(["strategy", *names], keep=False)]
    if len(twice):
        labels = ", ".join(twice["label"].head(2))
        varies = f"More varies than {', '.join(names)}"
        raise ValueError(f"{varies}: {labels} are at the same place.")


def values_axis(x: Axis, values: list[Any]) -> Part:
    """Return the parameter's real values at the ticks, or fewer where they would stand too close."""
    title = {"text": escaped(axis_title(x))}
    if values and _is_switch(values[0]):
        words = [value_words(value) for value in values]
        numbers = [int(value) for value in values]
        return {**_SWITCH, "title": title, "tickvals": numbers, "ticktext": words}
    places = np.array(values, dtype=float)
    by_ratio = counts_by_ratio(places)
    if by_ratio:
        places = np.log10(places)
    low, high = (float(places.min()), float(places.max())) if values else (0.0, 1.0)
    room = (high - low) / 30 or 0.5
    axis = {
        "automargin": True,
        "title": title,
        "zeroline": False,
        "type": "log" if by_ratio else "linear",
        "range": [low - room, high + room],
    }
    if len(values) > MOST_VALUES_NAMED and not by_ratio:
        return {**axis, "tickformat": ",d"}
    shown: list[Any] = []
    last = -np.inf
    for place, value in zip(places.tolist(), values, strict=True):
        if place - last >= (high - low) / NEXT_TICK_PARTS:
            shown.append(value)
            last = place
    words = [value_words(value) for value in shown]
    return {**axis, "tickmode": "array", "tickvals": shown, "ticktext": words}
