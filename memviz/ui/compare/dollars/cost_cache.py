"""What each setting costs. Its tokens are kept as long as the run is the same: another price counts none again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memviz.charts.cost.setting_cost import SettingCost
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.run import Run
from memviz.metrics.cost.parts import cost_parts
from memviz.metrics.requests.traffic import Traffic, traffic
from memviz.tuning.pricing_assumptions import PricingAssumptions

RUNS_KEPT = 36


def costed(settings: Sequence[SettingRun], assumptions: PricingAssumptions) -> list[SettingCost]:
    """What each setting costs on these terms."""
    out = []
    for setting in settings:
        cost = assumptions.cost(_traffic(setting.run))
        out.append(SettingCost(setting, cost, cost_parts(cost, assumptions.main, assumptions.summarizer)))
    return out


@lru_cache(RUNS_KEPT)
def _traffic(run: Run) -> Traffic:
    return traffic(run)
