"""The best setting of each strategy in a sweep, and the answer to "which value of its main parameter?".

The answer (:class:`StrategyAnswer`) tells the best value, the curve over all values with its knee, and whether larger
or smaller values should be tried as well. Tune, reports and the command line show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from memviz.core.text.wording import listed
from memviz.core.translation import _, noop
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.tuning.cautions import describe_idle, describe_refused
from memviz.tuning.constraints import (
    ROUNDING,
    SAME_COST,
    Constraints,
    find_best_row,
    is_same_run,
    take_first_row,
)
from memviz.tuning.grounds import Grounds
from memviz.tuning.pareto import find_bend, mark_front
from memviz.tuning.recommendation import (
    describe_constraints,
    format_cost,
    format_share,
    word_verdict,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Sweep


@dataclass(frozen=True)
class Edge:
    """A value of a parameter that was not tried, and may be better than the best one, which was the last in its row."""

    parameter: str
    value: int

    @property
    def in_code(self) -> str:
        """The value as in code: ``buffer_size=40``."""
        return f"{self.parameter}={self.value}"

    @property
    def words(self) -> str:
        """The advice to try it."""
        return _("best at the edge: try {value}", value=self.in_code)


@dataclass(frozen=True)
class StrategyBest:
    """The best setting of one strategy."""

    setting: Strategy
    row: Mapping[str, Any]
    """Its row of :meth:`memviz.tuning.results.Sweep.by_setting`."""
    fits: bool
    """True if it meets the constraints; else it is the nearest."""
    edge: Edge | None = None
    """A further value to try, if the best value is the smallest or the largest that was tried."""


def find_best_of_each(
    sweep: Sweep, constraints: Constraints
) -> tuple[StrategyBest, ...]:
    """Return the best setting of every strategy, in the order of the sweep: the cheapest that meets the constraints.

    Where none of a strategy does, it is the nearest one. A strategy whose settings all failed is left out.
    """
    table = sweep.by_setting(constraints.over)
    ids = dict.fromkeys(setting.id for setting in sweep.settings)
    bests = (_find_best_of_strategy(sweep, table, id, constraints) for id in ids)
    return tuple(best for best in bests if best is not None)


def _find_best_of_strategy(
    sweep: Sweep, table: DataFrame, id: str, constraints: Constraints
) -> StrategyBest | None:
    """Return the best setting of the strategy ``id``; ``None`` where none was measured, or all failed."""
    row_and_fit = find_best_row(table, constraints, sweep.cost_measure, id)
    if row_and_fit is None:
        return None
    row, fits = row_and_fit
    best = StrategyBest(sweep.settings[row["setting"]], row, fits)
    comparable_rows = _keep_rows_on_axis(table[table["strategy"] == id], best.setting)
    return replace(best, edge=_find_edge(best, comparable_rows, sweep))


def _keep_rows_on_axis(table: DataFrame, setting: Strategy) -> DataFrame:
    """Return the rows of ``table`` that only differ from ``setting`` in its main parameter, sorted by it."""
    main = setting.main_parameter
    for other in setting.parameters():
        if other.name == main or other.name not in table:
            continue
        value = getattr(setting, other.name)
        column = table[other.name]
        table = table[column.isna() if value is None else column == value]
    return table.sort_values(main) if main in table else table


def find_main_axis(setting: Strategy) -> Parameter | None:
    """Return the main parameter of a setting, if it is a number."""
    for parameter in setting.parameters():
        if parameter.name == setting.main_parameter and parameter.is_number:
            return parameter
    return None


def _find_edge(best: StrategyBest, table: DataFrame, sweep: Sweep) -> Edge | None:
    """Return a further value to try, if the best one is the smallest or the largest of its row.

    ``table`` has the rows of the strategy by value. A setting that meets the constraints can only be beaten by a
    cheaper one, so there the cost has to fall towards the edge.
    """
    axis = find_main_axis(best.setting)
    if axis is None or len(table) < 2:
        return None
    row = best.row
    value = getattr(best.setting, axis.name)
    numbers = table["setting"].tolist()
    if row["setting"] == numbers[-1]:
        neighbour = table.iloc[-2].to_dict()
        beyond = _double_value(axis, value, sweep.largest)
    elif row["setting"] == numbers[0]:
        neighbour = table.iloc[1].to_dict()
        beyond = max(value // 2, axis.minimum or 1)
    else:
        return None
    cost = sweep.cost_measure
    is_cheaper_inside = best.fits and neighbour[cost] <= row[cost]
    if is_cheaper_inside or is_same_run(neighbour, row):
        return None
    # Settings that are not finished, or have failed, count as tried.
    own_settings = [
        setting for setting in sweep.settings if setting.id == best.setting.id
    ]
    tried_values = [getattr(setting, axis.name) for setting in own_settings]
    if min(tried_values) <= beyond <= max(tried_values):
        return None
    return Edge(axis.name, beyond)


def _double_value(axis: Parameter, value: int, largest: Mapping[str, int]) -> int:
    """Return twice the value, but no more than the parameter allows or the conversation holds; at least ``value``."""
    limits = (axis.maximum, largest.get(axis.unit))
    allowed = [limit for limit in limits if limit is not None]
    return max(value, min([2 * value, *allowed]))


@dataclass(frozen=True, eq=False)
class StrategyAnswer:
    """The answer to "which value of the main parameter?" for one strategy."""

    axis: Parameter
    """The main parameter."""
    best: StrategyBest
    curve: DataFrame
    """The rows of :meth:`memviz.tuning.results.Sweep.by_setting` that only differ from the best one in ``axis``, sorted
    by it."""
    knee: int | None
    """The row of ``curve`` (0-based) from which on more cost keeps few further facts; ``None`` without a knee."""
    grounds: Grounds
    asked: str
    """The constraints in words."""
    best_in_both: int | None = None
    """The row of ``curve`` that keeps the most and costs the least, if there is one."""
    beaten_by: Mapping[str, Any] | None = None
    """The row of another strategy that meets the constraints and beats the best value, if there is one."""
    beaten_values: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """By number of the setting, the rows of other strategies that beat settings of ``curve``, whether or not they meet
    the constraints."""
    cautions: tuple[str, ...] = ()
    """Warnings about the best value (see :mod:`~memviz.tuning.cautions`)."""

    @property
    def headline(self) -> str:
        """The value to take, said with as much confidence as the grounds allow."""
        values = len(self.curve)
        if not self.best.fits:
            return _(
                "None of the {values:,} values of {parameter} {does}.",
                values=values,
                parameter=self.axis.title,
                does=self.asked,
            )
        name = self._name_value(self.best.row)
        if self.beaten_by is not None:
            return _(
                "Of the {values:,} values {value} does best, but {label} beats it.",
                values=values,
                value=name,
                label=self.beaten_by["label"],
            )
        return _("{verdict}.", verdict=word_verdict(name, self.grounds))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences about the best value, what beats it, the knee of the curve, and further values to try."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        row = self.best.row
        yield self._describe_best()
        if self.best.fits:
            values = self.curve[self.axis.name]
            yield _(
                "{values:,} values were tried, from {least:.0f} to {most:.0f}.",
                values=len(values),
                least=values.min(),
                most=values.max(),
            )
        other = self.beaten_by
        if other is not None:
            yield _(
                "{label} keeps {share} of the facts for {cost}.",
                label=other["label"],
                share=format_share(other["retention"], row["retention"]),
                cost=format_cost(other),
            )
        yield from self._say_beaten_values()
        yield from self.cautions
        yield from self._say_bend()
        if self.best.edge is not None:
            yield _(
                "{value} lies at the edge of the values tried; {beyond} may do better.",
                value=self._name_value(row),
                beyond=self.axis.shown(self.best.edge.value),
            )

    def _describe_best(self) -> str:
        row = self.best.row
        if self.best.fits:
            template = _DOES if self.grounds.facts else _DOES_WITHOUT_FACTS
        else:
            template = _NEAREST if self.grounds.facts else _NEAREST_WITHOUT_FACTS
        return _(
            template,
            value=self._name_value(row),
            share=format_share(row["retention"]),
            cost=format_cost(row),
            peak=row["peak_tokens"],
        )

    def _say_beaten_values(self) -> Iterator[str]:
        if not self.beaten_values:
            return
        if len(self.beaten_values) == len(self.curve):
            yield _(
                "Other strategies beat every one of these values: they keep at least as much and cost no more."
            )
            return
        is_beaten = self.curve["setting"].isin(list(self.beaten_values))
        values = self.curve[self.axis.name][is_beaten]
        yield _(
            "Other strategies beat {parameter} {values}: they keep at least as much and cost no more.",
            parameter=self.axis.title,
            values=listed(f"{value:.0f}" for value in values),
        )

    def _say_bend(self) -> Iterator[str]:
        rows = self.curve.to_dict("records")
        if self.best_in_both is not None:
            yield _(
                "Of these values {value} is best in both: no other one keeps more, and none costs less.",
                value=self._name_value(rows[self.best_in_both]),
            )
        if self.knee is None:
            return
        bend_row = rows[self.knee]
        fullest_row = max(rows, key=lambda row: float(row["retention"]))
        yield _(
            "The curve bends at {value}, which keeps {share} for {cost}; beyond it more cost brings less ({most} keeps "
            "{most_share} for {most_cost}).",
            value=self._name_value(bend_row),
            share=format_share(bend_row["retention"]),
            cost=format_cost(bend_row),
            most=self._name_value(fullest_row),
            most_share=format_share(fullest_row["retention"], bend_row["retention"]),
            most_cost=format_cost(fullest_row),
        )

    def _name_value(self, row: Mapping[Any, Any]) -> str:
        return self.axis.shown(int(row[self.axis.name]))


_DOES = noop(
    "It keeps {share} of the facts, costs {cost} and sends at most {peak:,.0f} tokens in a request."
)
_DOES_WITHOUT_FACTS = noop(
    "It costs {cost} and sends at most {peak:,.0f} tokens in a request."
)
_NEAREST = noop(
    "{value} comes nearest: it keeps {share} of the facts, costs {cost} and sends at most {peak:,.0f} tokens in a "
    "request."
)
_NEAREST_WITHOUT_FACTS = noop(
    "{value} comes nearest: it costs {cost} and sends at most {peak:,.0f} tokens in a request."
)


def answer_for_strategy(
    sweep: Sweep, id: str, constraints: Constraints
) -> StrategyAnswer | None:
    """Return the answer for the strategy ``id``; ``None`` with fewer than two values of its main parameter."""
    table = sweep.by_setting(constraints.over)
    best = _find_best_of_strategy(sweep, table, id, constraints)
    if best is None:
        return None
    own_rows = table[(table["strategy"] == id) & (table["failed"] == 0)]
    curve = _keep_rows_on_axis(own_rows, best.setting)
    axis = find_main_axis(best.setting)
    if axis is None or len(curve) < 2:
        return None
    has_facts = table["retention"].notna().any()
    asked = constraints if has_facts else constraints.without_retention
    costs = curve[sweep.cost_measure].to_numpy(float)
    retentions = curve["retention"].to_numpy(float)
    front = np.flatnonzero(mark_front(costs, retentions))
    number = best.row["setting"]
    return StrategyAnswer(
        axis,
        best,
        curve,
        find_bend(costs, retentions),
        sweep.grounds,
        describe_constraints(asked, is_one=True),
        best_in_both=int(front[0]) if len(front) == 1 else None,
        beaten_by=_find_winner(
            table[constraints.fits(table)], best.row, sweep.cost_measure
        ),
        beaten_values=_find_winners(table, curve, sweep.cost_measure),
        cautions=(*describe_idle(sweep, number), *describe_refused(sweep, number)),
    )


def _find_winners(
    table: DataFrame, curve: DataFrame, cost: str
) -> dict[int, Mapping[str, Any]]:
    """Return the rows of other strategies that beat settings of ``curve``, by number of the setting."""
    own_id = curve["strategy"].iloc[0]
    others = table[(table["strategy"] != own_id) & (table["failed"] == 0)]
    winners = {}
    for row in curve.to_dict("records"):
        winner = _find_winner(others, row, cost)
        if winner is not None:
            winners[int(row["setting"])] = winner
    return winners


def _find_winner(
    others: DataFrame, row: Mapping[Any, Any], cost: str
) -> Mapping[str, Any] | None:
    """Return the row of ``others`` that beats ``row`` in cost and facts kept, of several the one that keeps most.

    ``None`` where there is none, or no facts are known.
    """
    is_cheaper = others[cost] * SAME_COST <= row[cost]
    keeps_as_much = others["retention"] >= row["retention"] - ROUNDING
    costs_as_little = others[cost] <= row[cost] * SAME_COST
    keeps_more = others["retention"] > row["retention"] + ROUNDING
    better = others[(is_cheaper & keeps_as_much) | (costs_as_little & keeps_more)]
    if better.empty:
        return None
    return take_first_row(better, "-retention", cost, "setting")
