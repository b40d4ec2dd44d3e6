"""What each setting costs. Its tokens are kept as long as the run is the same: another price counts none again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memviz.charts.cost.line import CostLine
from memviz.charts.requests.tokens_per_turn import Line
from memviz.engine.run import Run
from memviz.metrics.cost.parts import cost_parts
from memviz.metrics.requests.traffic import Traffic, traffic
from memviz.tuning.pricing_assumptions import Terms

RUNS_KEPT = 36


def costed(lines: Sequence[Line], terms: Terms) -> list[CostLine]:
    """What each setting costs on these terms."""
    out = []
    for line in lines:
        cost = terms.cost(_traffic(line.run))
        out.append(CostLine(line, cost, cost_parts(cost, terms.main, terms.summarizer)))
    return out


@lru_cache(RUNS_KEPT)
def _traffic(run: Run) -> Traffic:
    return traffic(run)
