"""Runs of a few made-up requests and what they cost, for the tests of charts."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.charts.palette import SettingRun
from memviz.metrics.cost.cost import price_traffic
from memviz.metrics.cost.pricing import Pricing, make_unpriced
from memviz.models.cache_rules import CacheRules
from tests.dashboard.charts.runs import run_of
from tests.metrics.cost.priced_traffic import traffic_of

DEAR = make_unpriced("dear").by_hand(
    input_usd_per_million=3,
    output_usd_per_million=15,
    cache_read_usd_per_million=0.3,
    cache_write_usd_per_million=3.75,
)
CHEAP = make_unpriced("cheap").by_hand(
    input_usd_per_million=1, output_usd_per_million=2
)
RULES = CacheRules(min_tokens=1000, lifetime_seconds=300)
GROWING = ((1, 900, 0, 100), (2, 1500, 0, 100), (3, 2000, 1500, 100))
"""Requests as turn, input, tokens shared with the one before, output: too short, written, then read."""
SUMMARIES = ((2, 400, 50),)
"""Summarizations as turn, input, output."""


def cost_line(
    rows: Sequence[tuple[int, ...]] = GROWING,
    summaries: Sequence[tuple[int, ...]] = SUMMARIES,
    *,
    index: int = 0,
    label: str = "a setting",
    main: Pricing | None = DEAR,
    summarizer: Pricing | None = CHEAP,
    cache: CacheRules | None = RULES,
    pause_seconds: float = 60.0,
) -> SettingCost:
    found = price_traffic(
        traffic_of(rows, summaries),
        main,
        summarizer,
        cache=cache,
        pause_seconds=pause_seconds,
    )
    return SettingCost(
        SettingRun(run_of("buffer"), label, index),
        found,
        found.parts,
    )
