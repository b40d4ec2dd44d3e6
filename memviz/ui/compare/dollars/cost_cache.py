"""What each setting costs, with its tokens kept as long as the run stays the same: another price counts none anew."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memviz.charts.cost.line import CostLine
from memviz.charts.requests.tokens_per_turn import Line
from memviz.metrics.cost.parts import cost_parts
from memviz.metrics.requests.traffic import Traffic, traffic
from memviz.tuning.pricing_assumptions import Terms
from memviz.ui.same import Same, run_of

RUNS_KEPT = 36


def costed(lines: Sequence[Line], terms: Terms) -> list[CostLine]:
    """What each setting costs on these terms."""
    out = []
    for line in lines:
        cost = terms.cost(_traffic(Same(line.run)))
        out.append(CostLine(line, cost, cost_parts(cost, terms.main, terms.summarizer)))
    return out


@lru_cache(RUNS_KEPT)
def _traffic(key: Same) -> Traffic:
    return traffic(run_of(key))
