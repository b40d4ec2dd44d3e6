"""What a run costs request by request, taken apart: what was read fresh, from the cache, written, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from memviz.metrics.cost.cost import Cost
from memviz.metrics.cost.pricing import Pricing, Usd, unpriced
from memviz.metrics.requests.requests_sent import Tokens


class Part(Enum):
    """What is paid for, and how a table names it."""

    FRESH = "Input, fresh"
    CACHED = "Input, read from the cache"
    WRITTEN = "Input, written to the cache"
    OUTPUT = "Output"
    SUMMARIZER_INPUT = "Summarizer, input"
    SUMMARIZER_OUTPUT = "Summarizer, output"


MAIN_PARTS = (Part.FRESH, Part.CACHED, Part.WRITTEN, Part.OUTPUT)
SUMMARIZER_PARTS = (Part.SUMMARIZER_INPUT, Part.SUMMARIZER_OUTPUT)


@dataclass(frozen=True, eq=False)
class CostParts:
    """Tokens and US dollars of each part, one entry a step: ``turns`` is that of :attr:`Cost.turns`, a request with
    the summarizations before it. Dollars are ``None`` where a rate that is needed is unknown. Written tokens are read
    as well, at the price of writing."""

    turns: Tokens
    tokens: Mapping[Part, Tokens]
    usd: Mapping[Part, Usd | None]

    @property
    def main_usd(self) -> Usd | None:
        """US dollars of the chat model in each step."""
        return self._sum(MAIN_PARTS)

    @property
    def summarizer_usd(self) -> Usd | None:
        """US dollars of the summarizer in each step."""
        return self._sum(SUMMARIZER_PARTS)

    def _sum(self, parts: tuple[Part, ...]) -> Usd | None:
        total = np.zeros(len(self.turns))
        for part in parts:
            usd = self.usd[part]
            if usd is None:
                return None
            total = total + usd
        return total

    def tokens_of(self, parts: tuple[Part, ...]) -> Tokens:
        """Tokens of these parts together in each step."""
        total = np.zeros(len(self.turns), dtype=np.int64)
        for part in parts:
            total = total + self.tokens[part]
        return total

    def total_usd(self, part: Part) -> float | None:
        """US dollars of one part in all."""
        usd = self.usd[part]
        return None if usd is None else float(usd.sum())


def cost_parts(
    cost: Cost, main: Pricing | None, summarizer: Pricing | None
) -> CostParts:
    """The parts of ``cost``, which was reckoned with these prices."""
    traffic = cost.traffic
    sent = (
        cost.fresh_tokens,
        cost.cached_tokens,
        cost.written_tokens,
        traffic.output_tokens,
    )
    none = np.zeros_like(traffic.summarizer_input_tokens)
    read = (
        traffic.summarizer_input_tokens,
        none,
        none,
        traffic.summarizer_output_tokens,
    )
    answered = _usd_by_kind(main or unpriced("chat model"), sent)
    summarized = _usd_by_kind(summarizer or unpriced("summarizer"), read)
    tokens = [cost.by_step(one) for one in sent]
    tokens += [cost.by_step(one, summarizer=True) for one in (read[0], read[-1])]
    usd = [None if one is None else cost.by_step(one) for one in answered]
    ends = (summarized[0], summarized[-1])
    usd += [None if one is None else cost.by_step(one, summarizer=True) for one in ends]
    return CostParts(
        cost.turns,
        dict(zip(Part, tokens, strict=True)),
        dict(zip(Part, usd, strict=True)),
    )


def _usd_by_kind(pricing: Pricing, kinds: tuple[Tokens, ...]) -> list[Usd | None]:
    """US dollars of each request for its fresh, cached, written and output tokens. The whole input decides which
    rates hold, so no kind can be priced as if it were a request of its own."""
    thresholds = np.array(
        [rates.above_input_tokens for rates in pricing.rates[1:]], dtype=np.int64
    )
    tiers = np.searchsorted(thresholds, kinds[0] + kinds[1] + kinds[2], side="left")
    found: list[Usd | None] = []
    for number, tokens in enumerate(kinds):
        total: Usd | None = np.zeros(len(tokens))
        for tier, rates in enumerate(pricing.rates):
            alone = [np.zeros_like(tokens)] * len(kinds)
            alone[number] = np.where(tiers == tier, tokens, 0)
            usd, _ = replace(pricing, rates=(rates,)).usd(*alone)
            total = None if total is None or usd is None else total + usd
        found.append(total)
    return found
