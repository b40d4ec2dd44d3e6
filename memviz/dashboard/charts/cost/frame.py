"""Which lines of cost decide how high the picture is, and which may leave it.

One line that rises far above the others would press them into a strip. So it leaves the picture: a line without the
cache, and in the view of each turn a setting whose requests grow without end. A sentence below the picture says how
high it goes (:func:`memviz.dashboard.charts.cost.words.above_finding`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memviz.dashboard.charts.cost.setting_cost import SettingCost, Unit, View
from memviz.metrics.health.growth import unbounded_part

SQUEEZES_FROM = 3.0
"""A line that is so many times as high as all that has to fit leaves the picture."""


class Line(NamedTuple):
    """A line by its highest point, in dollars or tokens."""

    name: str
    peak: float


class Frame(NamedTuple):
    """``top`` is the highest point that has to fit; ``above`` are the lines that leave the picture."""

    top: float
    above: tuple[Line, ...]


def framed(
    costs: Sequence[SettingCost], view: View, unit: Unit, *, uncached: bool
) -> Frame:
    """The frame of the picture of ``costs``. ``uncached``: whether the lines without the cache are drawn."""
    solid = [(one, line) for one in costs for line in _solid(one, view, unit)]
    limited = [
        line
        for one, line in solid
        if view is View.SO_FAR or not unbounded_part(one.setting.run.strategy)
    ]
    thin = (
        [line for one in costs for line in _uncached(one, view)]
        if uncached and unit is Unit.USD
        else []
    )
    top = max(
        (line.peak for line in limited or [line for _, line in solid]), default=0.0
    )
    lines = [*(line for _, line in solid), *thin]
    above = tuple(line for line in lines if top and line.peak > SQUEEZES_FROM * top)
    return Frame(
        max((line.peak for line in lines if line not in above), default=top), above
    )


def _solid(one: SettingCost, view: View, unit: Unit) -> Iterator[Line]:
    amounts = one.amounts(view, unit)
    if amounts is not None:
        yield Line(one.label, float((amounts[0] + amounts[1]).max(initial=0.0)))


def _uncached(one: SettingCost, view: View) -> Iterator[Line]:
    amounts = one.uncached(view)
    if amounts is not None and one.cost.cached_tokens.any():
        yield Line(f"{one.label} without the cache", float(amounts.max(initial=0.0)))
