"""What each setting costs, with its tokens kept as long as the run stays the same: another price counts none anew."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memviz.charts.cost_line import CostLine
from memviz.charts.cost_parts import cost_parts
from memviz.charts.tokens_per_turn import Line
from memviz.engine.run import Run
from memviz.metrics.traffic import Traffic, traffic
from memviz.tuning.terms import Terms

RUNS_KEPT = 36


class _SameRun:
    """A key that is equal for the very same run only, as long as it has as many turns and compactions, and keeps it
    alive. To compare runs by what they hold would take longer than to count their tokens."""

    def __init__(self, run: Run) -> None:
        self.run, self._size = run, (len(run.turns), len(run.compactions))

    def __hash__(self) -> int:
        return id(self.run)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameRun) and self.run is other.run and self._size == other._size


def costed(lines: Sequence[Line], terms: Terms) -> list[CostLine]:
    """What each setting costs on these terms."""
    out = []
    for line in lines:
        cost = terms.cost(_traffic(_SameRun(line.run)))
        out.append(CostLine(line, cost, cost_parts(cost, terms.main, terms.summarizer)))
    return out


@lru_cache(RUNS_KEPT)
def _traffic(key: _SameRun) -> Traffic:
    return traffic(key.run)
