"""The best setting of each strategy, and whether it lies at the edge of the values that were tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.tuning.choice import best_row, did_the_same
from memviz.tuning.constraints import Constraints

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Sweep


@dataclass(frozen=True)
class Edge:
    """A value of a parameter beyond those that were tried, which may do better than the best of them."""

    parameter: str
    value: int

    @property
    def in_code(self) -> str:
        """``buffer_size=40``."""
        return f"{self.parameter}={self.value}"

    @property
    def words(self) -> str:
        """What to do about it."""
        return f"best at the edge: try {self.in_code}"


@dataclass(frozen=True)
class StrategyBest:
    """The best setting of one strategy: its row of :meth:`memviz.tuning.results.Sweep.by_setting`, whether it does what
    was asked for (``fits``), and the ``edge`` that it lies at, if any."""

    setting: Strategy
    row: Mapping[str, Any]
    fits: bool
    edge: Edge | None = None


def best_of_each(sweep: Sweep, constraints: Constraints) -> tuple[StrategyBest, ...]:
    """The best of every strategy, by the rule of the recommendation: the cheapest setting that does what is asked for,
    else the nearest. Strategies stand in the order of the sweep; one whose settings all failed is left out."""
    found = (
        best_of(sweep, id, constraints)
        for id in dict.fromkeys(setting.id for setting in sweep.settings)
    )
    return tuple(best for best in found if best is not None)


def best_of(sweep: Sweep, id: str, constraints: Constraints) -> StrategyBest | None:
    """The best setting of the strategy ``id``; ``None`` where none was measured, or all failed."""
    table = sweep.by_setting(constraints.over)
    chosen = best_row(table, constraints, sweep.cost_measure, id)
    if chosen is None:
        return None
    table = table[table["strategy"] == id]
    row, fits = chosen
    setting = sweep.settings[row["setting"]]
    best = StrategyBest(setting, row, fits)
    return replace(best, edge=_edge(best, alike(table, setting), sweep))


def alike(table: DataFrame, setting: Strategy) -> DataFrame:
    """The rows of the same strategy that differ from ``setting`` in its main parameter alone, in the order of it."""
    others = [
        p
        for p in setting.parameters()
        if p.name != setting.main_parameter and p.name in table
    ]
    for other in others:
        value = getattr(setting, other.name)
        table = table[
            table[other.name].isna() if value is None else table[other.name] == value
        ]
    return (
        table.sort_values(setting.main_parameter)
        if setting.main_parameter in table
        else table
    )


def main_axis(setting: Strategy) -> Parameter | None:
    """The main parameter of a setting, if it is a number."""
    return next(
        (
            p
            for p in setting.parameters()
            if p.name == setting.main_parameter and p.is_number
        ),
        None,
    )


def _edge(best: StrategyBest, table: DataFrame, sweep: Sweep) -> Edge | None:
    """The next value, where the best one is the first or the last of those that were tried. A setting that does what is
    asked for is beaten by a cheaper one alone: there the cost has to fall towards the edge."""
    axis, row, rows = main_axis(best.setting), best.row, table.to_dict("records")
    if axis is None or len(rows) < 2:
        return None
    ends = {
        rows[0]["setting"]: (rows[1], _smaller),
        rows[-1]["setting"]: (rows[-2], _larger),
    }
    neighbour, beyond = ends.get(row["setting"], (None, _larger))
    if neighbour is None or did_the_same(neighbour, row):
        return None
    if best.fits and neighbour[sweep.cost_measure] <= row[sweep.cost_measure]:
        return None
    value = beyond(axis, getattr(best.setting, axis.name), sweep.largest)
    tried = [
        getattr(setting, axis.name)
        for setting in sweep.settings
        if setting.id == best.setting.id
    ]
    is_new = value is not None and not min(tried) <= value <= max(
        tried
    )  # some may be waiting, or have failed
    return Edge(axis.name, value) if value is not None and is_new else None


def _larger(axis: Parameter, value: int, largest: Mapping[str, int]) -> int | None:
    """Twice as much, as far as it is allowed and the conversation is as long."""
    limits = [
        limit for limit in (axis.maximum, largest.get(axis.unit)) if limit is not None
    ]
    more = min([2 * value, *limits])
    return more if more > value else None


def _smaller(axis: Parameter, value: int, largest: Mapping[str, int]) -> int | None:
    """Half as much, as far as it is allowed."""
    less = max(value // 2, axis.minimum or 1)
    return less if less < value else None
