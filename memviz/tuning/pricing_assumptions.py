"""The assumptions by which a sweep is priced: the prices of the models, and the user's pause between two turns.

Cells hold tokens and no dollars, so a sweep can be priced by other assumptions without being measured again.
"""

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
    """The prices of two models, a prompt cache, and a pause. What a model without prices costs is unknown."""

    main: Pricing | None
    """The prices of the chat model."""
    summarizer: Pricing | None
    """The prices of the summarizer."""
    cache: CacheRules | None = None
    """The rules of the chat model's prompt cache; ``None`` for no cache."""
    pause_seconds: float = DEFAULT_PAUSE_SECONDS
    """The user's pause between two turns."""

    @classmethod
    def of(
        cls,
        model: str = DEFAULT_MODEL,
        summarizer: str | None = None,
        pause_seconds: float = DEFAULT_PAUSE_SECONDS,
    ) -> PricingAssumptions:
        """Return the list prices of models by name; without ``summarizer``, the chat model writes the summaries too."""
        return cls(
            find_pricing(model),
            find_pricing(summarizer or model),
            cache_rules(model),
            pause_seconds,
        )

    def cost(self, traffic: Traffic) -> Cost:
        """Return the cost of ``traffic``."""
        return price_traffic(
            traffic,
            self.main,
            self.summarizer,
            cache=self.cache,
            pause_seconds=self.pause_seconds,
        )

    def costs(self, traffics: Sequence[Traffic]) -> list[Cost]:
        """Return the cost of each of many traffics, as :meth:`cost` does, but faster where they are short."""
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
        """Return the additional US dollars if the last request of ``turn`` had ``more_tokens`` that are not cached.

        ``None`` where the price is unknown, or the turn made no request.
        """
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
