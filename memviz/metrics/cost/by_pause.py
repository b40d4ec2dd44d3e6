"""What a conversation costs with pauses that the prompt cache outlasts, and with longer ones."""

from __future__ import annotations

from typing import NamedTuple

from memviz.metrics.cost.cost import Cost, cost
from memviz.metrics.cost.pricing import Pricing
from memviz.metrics.requests.traffic import Traffic
from memviz.models.cache_rules import CacheRules

QUARTER = 4


class CostByPause(NamedTuple):
    """The same requests with pauses ``shorter`` than an entry of the cache lives, and with those that are not."""

    shorter: Cost
    longer: Cost


def cost_by_pause(
    traffic: Traffic,
    main: Pricing | None,
    summarizer: Pricing | None,
    cache: CacheRules | None,
) -> CostByPause | None:
    """Both costs of ``traffic``; ``None`` where no pause decides: without a cache, or one of unknown lifetime."""
    if cache is None or not cache.lifetime_seconds:
        return None
    return CostByPause(
        cost(traffic, main, summarizer, cache=cache, pause_seconds=0.0),
        cost(
            traffic, main, summarizer, cache=cache, pause_seconds=cache.lifetime_seconds
        ),
    )


def growth_in_cost(cost: Cost) -> float | None:
    """How many times as much a request of the last quarter costs as one of the first, on average; ``None`` where a
    price is unknown, nothing was paid, or there are too few requests."""
    if cost.cumulative_usd is None or len(cost.turns) < QUARTER:
        return None
    size, so_far = len(cost.turns) // QUARTER, cost.cumulative_usd
    first, last = float(so_far[size - 1]), float(so_far[-1] - so_far[-size - 1])
    return last / first if first > 0 else None
