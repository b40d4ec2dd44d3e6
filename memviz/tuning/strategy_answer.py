"""Which value of a strategy's main parameter: the curve over it, its best value, its knee and its edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import listed
from memviz.strategies.parameters import Parameter
from memviz.tuning.best_of_each import StrategyBest, alike, best_of, main_axis
from memviz.tuning.choice import SAME_COST, as_row
from memviz.tuning.constraints import ROUNDING, Constraints
from memviz.tuning.grounds import Grounds
from memviz.tuning.knee import knee
from memviz.tuning.pareto import on_front
from memviz.tuning.recommendation import (
    asked_in_words,
    cost_in_words,
    idle_in_words,
    refused_in_words,
    share_in_words,
    verdict,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Sweep


@dataclass(frozen=True, eq=False)
class StrategyAnswer:
    """The answer to "which value?" for one strategy.

    ``curve`` has the rows of :meth:`memviz.tuning.results.Sweep.by_setting` of settings that differ from the ``best``
    one in ``axis``, the main parameter, alone, in its order. ``knee`` is the row (0-based) at which the facts kept bend
    (see :func:`bend`), ``None`` where they do not. ``asked`` is what a value has to do, in words. ``best_in_both`` is
    the row of the only value that no other one beats: it keeps the most and costs the least.
    """

    axis: Parameter
    best: StrategyBest
    curve: DataFrame
    knee: int | None
    grounds: Grounds
    asked: str
    best_in_both: int | None = None
    beaten_by: Mapping[str, Any] | None = None
    """The row of a setting of another strategy that does what is asked for, keeps as much as the best value, costs as
    little, and is better in one of both: the best value is not recommended before it."""
    cautions: tuple[str, ...] = ()
    """What is to be said against the best value: a summary that is never written, requests that a provider refuses."""

    @property
    def headline(self) -> str:
        """Which value to take, said with no more confidence than the grounds give."""
        if not self.best.fits:
            return f"None of the {len(self.curve):,} values of {self.axis.name} {self.asked}."
        name = self._named(self.best.row[self.axis.name])
        if self.beaten_by is not None:
            return f"Of the {len(self.curve):,} values {name} does best, but {self.beaten_by['label']} beats it."
        return f"{verdict(name, self.grounds)}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the best value does, where the curve bends, and whether more should be tried."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        row, values = self.best.row, self.curve[self.axis.name]
        does = (
            [f"keeps {share_in_words(row['retention'])} of the facts"]
            if self.grounds.facts
            else []
        )
        does += [
            f"costs {cost_in_words(row)}",
            f"sends at most {row['peak_tokens']:,.0f} tokens in a request",
        ]
        which = (
            "It"
            if self.best.fits
            else f"{self._named(row[self.axis.name])} comes nearest: it"
        )
        yield f"{which} {listed(does)}."
        if self.best.fits:
            yield f"{len(values):,} values were tried, from {values.min():.0f} to {values.max():.0f}."
        yield from self._beaten()
        yield from self.cautions
        yield from self._bend()
        if self.best.edge is not None:
            value = self._named(row[self.axis.name])
            yield f"{value} lies at the edge of the values tried; {self.best.edge.in_code} may do better."

    def _beaten(self) -> Iterator[str]:
        if self.beaten_by is not None:
            other, row = self.beaten_by, self.best.row
            kept = share_in_words(other["retention"], row["retention"])
            yield f"{other['label']} keeps {kept} of the facts for {cost_in_words(other)}."

    def _bend(self) -> Iterator[str]:
        rows = self.curve.to_dict("records")
        if self.best_in_both is not None:
            only = self._named(rows[self.best_in_both][self.axis.name])
            yield f"Of these values {only} is best in both: no other one keeps more, and none costs less."
        if self.knee is None:
            return
        at, most = rows[self.knee], max(rows, key=lambda row: float(row["retention"]))
        yield (
            f"The curve bends at {self._named(at[self.axis.name])}, which keeps {share_in_words(at['retention'])} for "
            f"{cost_in_words(at)}; beyond it more cost brings less ({self._named(most[self.axis.name])} keeps "
            f"{share_in_words(most['retention'], at['retention'])} for {cost_in_words(most)})."
        )

    def _named(self, value: float) -> str:
        return self.axis.in_code(int(value))


def answer_for(
    sweep: Sweep, id: str, constraints: Constraints
) -> StrategyAnswer | None:
    """The answer for the strategy ``id``; ``None`` where fewer than two values of its main parameter were measured."""
    best = best_of(sweep, id, constraints)
    if best is None:
        return None
    table = sweep.by_setting(constraints.over)
    setting = best.setting
    curve = alike(table[(table["strategy"] == id) & (table["failed"] == 0)], setting)
    axis = main_axis(setting)
    if axis is None or len(curve) < 2:
        return None
    has_facts = bool(table["retention"].notna().any())
    asked = asked_in_words(
        constraints if has_facts else constraints.of_size, "keeps", "stays"
    )
    costs, kept = (
        curve[name].to_numpy(dtype=float) for name in (sweep.cost_measure, "retention")
    )
    front = np.flatnonzero(on_front(costs, kept))
    only = int(front[0]) if len(front) == 1 else None
    number = best.row["setting"]
    return StrategyAnswer(
        axis,
        best,
        curve,
        bend(costs, kept),
        sweep.grounds,
        asked,
        only,
        beaten_by=_winner(table, best, constraints, sweep.cost_measure),
        cautions=(*idle_in_words(sweep, number), *refused_in_words(sweep, number)),
    )


def _winner(
    table: DataFrame, best: StrategyBest, constraints: Constraints, cost: str
) -> Mapping[str, Any] | None:
    """The row that beats the best value in cost and facts kept and does what is asked for as well: of several the one
    that keeps most. ``None`` where there is none, or no facts are known."""
    row, others = best.row, table[constraints.fits(table)]
    costs_as_little = others[cost] * SAME_COST <= row[cost]
    keeps_as_much = others["retention"] >= row["retention"] - ROUNDING
    cheaper = costs_as_little & keeps_as_much
    keeps_more = (others[cost] <= row[cost] * SAME_COST) & (
        others["retention"] > row["retention"] + ROUNDING
    )
    better = others[cheaper | keeps_more]
    if better.empty:
        return None
    return as_row(
        better.sort_values(
            ["retention", cost, "setting"], ascending=[False, True, True]
        )
    )


def bend(costs: NDArray[np.float64], kept: NDArray[np.float64]) -> int | None:
    """The row (0-based) at which facts over cost bend, ``None`` where they do not. It is looked for among the rows that
    no other one beats in both, for only there one pays more to keep more."""
    front = np.flatnonzero(on_front(costs, kept))
    front = front[np.argsort(costs[front], kind="stable")]
    place = knee(costs[front].tolist(), kept[front].tolist())
    return None if place is None else int(front[place])
