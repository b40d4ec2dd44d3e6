"""The assumptions of a sweep's prices: whose price list, and how long the user pauses. Changing them measures nothing
again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memviz.metrics.cost.cost import Cost, price_together, price_traffic
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS, Pricing, find_pricing
from memviz.metrics.requests.traffic import Traffic
from memviz.models.cache_rules import CacheRules, cache_rules
from memviz.models.names import DEFAULT_MODEL

__all__ = ["DEFAULT_MODEL", "DEFAULT_PAUSE_SECONDS", "PricingAssumptions"]


@dataclass(frozen=True)
class PricingAssumptions:
    """Prices of the chat model and of the summarizer, the rules of the chat model's prompt cache (``None``: there is
    none), and the user's pause between two turns in seconds. A model without a price costs an unknown amount."""

    main: Pricing | None
    summarizer: Pricing | None
    cache: CacheRules | None = None
    pause_seconds: float = DEFAULT_PAUSE_SECONDS

    @classmethod
    def of(
        cls,
        model: str = DEFAULT_MODEL,
        summarizer: str | None = None,
        pause_seconds: float = DEFAULT_PAUSE_SECONDS,
    ) -> PricingAssumptions:
        """Return list prices by the models' names; without a ``summarizer`` the chat model writes the summaries,
        too."""
        return cls(
            find_pricing(model),
            find_pricing(summarizer or model),
            cache_rules(model),
            pause_seconds,
        )

    def cost(self, traffic: Traffic) -> Cost:
        """Return what this traffic costs."""
        return price_traffic(
            traffic,
            self.main,
            self.summarizer,
            cache=self.cache,
            pause_seconds=self.pause_seconds,
        )

    def costs(self, traffics: Sequence[Traffic]) -> list[Cost]:
        """Return what each of many short traffics costs: the numbers of :meth:`cost`, sooner."""
        return price_together(
            traffics,
            self.main,
            self.summarizer,
            cache=self.cache,
            pause_seconds=self.pause_seconds,
        )

    def usd_of_more(
        self, traffic: Traffic, turn: int, more_tokens: int
    ) -> float | None:
        """Return the US dollars that it costs if the last request of ``turn`` reads so many tokens more, none of which
        the request before had; ``None`` where the price is unknown."""
        requests = np.flatnonzero(traffic.turns == turn)
        if not requests.size:
            return None
        last = requests[-1]
        more = traffic.input_tokens.copy()
        more[last] += more_tokens
        before = self.cost(traffic).request_usd
        after = self.cost(replace(traffic, input_tokens=more)).request_usd
        if before is None or after is None:
            return None
        return float(after[last] - before[last])
