"""Which value of a strategy's main parameter: the curve over it, its best value, its knee and its edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memviz.strategies.parameters import Parameter
from memviz.text.wording import listed
from memviz.tuning.best_of_each import StrategyBest, alike, best_of, main_axis
from memviz.tuning.constraints import Constraints
from memviz.tuning.grounds import Grounds
from memviz.tuning.knee import knee
from memviz.tuning.recommendation import cost_in_words, share_in_words, verdict

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Sweep


@dataclass(frozen=True, eq=False)
class StrategyAnswer:
    """The answer to "which value?" for one strategy.

    ``curve`` has the rows of :meth:`memviz.tuning.results.Sweep.by_setting` of settings that differ from the ``best``
    one in ``axis``, the main parameter, alone, in its order. ``knee`` is the row (0-based) at which the facts kept bend
    (see :func:`memviz.tuning.knee.knee`), ``None`` where they do not.
    """

    axis: Parameter
    best: StrategyBest
    curve: DataFrame
    knee: int | None
    grounds: Grounds

    @property
    def headline(self) -> str:
        """Which value to take, said with no more confidence than the grounds give."""
        if not self.best.fits:
            return f"None of the {len(self.curve):,} values of {self.axis.name} does what you ask for."
        return f"{verdict(self._named(self.best.row[self.axis.name]), self.grounds)}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the best value does, where the curve bends, and whether more should be tried."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        row, values = self.best.row, self.curve[self.axis.name]
        does = [f"keeps {share_in_words(row['retention'])} of the facts"] if self.grounds.facts else []
        does += [f"costs {cost_in_words(row)}", f"sends at most {row['peak_tokens']:,.0f} tokens in a request"]
        which = "It" if self.best.fits else f"{self._named(row[self.axis.name])} comes nearest: it"
        yield f"{which} {listed(does)}."
        if self.best.fits:
            yield f"{len(values):,} values were tried, from {values.min():.0f} to {values.max():.0f}."
        yield from self._bend()
        if self.best.edge is not None:
            yield f"It lies at the edge of the values tried: {self.best.edge.in_code} may do better."

    def _bend(self) -> Iterator[str]:
        if self.knee is None:
            return
        rows = self.curve.to_dict("records")
        at, last = rows[self.knee], rows[-1]
        yield (
            f"The curve bends at {self._named(at[self.axis.name])}, which keeps {share_in_words(at['retention'])} for "
            f"{cost_in_words(at)}; beyond it each step brings less ({self._named(last[self.axis.name])} keeps "
            f"{share_in_words(last['retention'], at['retention'])} for {cost_in_words(last)})."
        )

    def _named(self, value: float) -> str:
        return self.axis.in_code(int(value))


def answer_for(sweep: Sweep, id: str, constraints: Constraints) -> StrategyAnswer | None:
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
    return StrategyAnswer(
        axis, best, curve, knee(curve[axis.name].tolist(), curve["retention"].tolist()), sweep.grounds
    )
