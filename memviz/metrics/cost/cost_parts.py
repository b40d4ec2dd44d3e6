"""The parts of a cost: tokens and US dollars of each kind of tokens that is paid for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from memviz.metrics.cost.pricing import Usd
from memviz.metrics.requests.shared_prefix import Tokens


class Part(Enum):
    """A kind of tokens that is paid for."""

    FRESH = "fresh"
    CACHED = "cached"
    """Read from the cache."""
    WRITTEN = "written"
    """Written to the cache."""
    OUTPUT = "output"
    SUMMARIZER_INPUT = "summarizer_input"
    SUMMARIZER_OUTPUT = "summarizer_output"


MAIN_PARTS = (Part.FRESH, Part.CACHED, Part.WRITTEN, Part.OUTPUT)
SUMMARIZER_PARTS = (Part.SUMMARIZER_INPUT, Part.SUMMARIZER_OUTPUT)


@dataclass(frozen=True, eq=False)
class CostParts:
    """Tokens and US dollars of each part, one entry a step (see
    :attr:`memviz.metrics.cost.cost.Cost.turns`)."""

    turns: Tokens
    """The turn of each step."""
    tokens: Mapping[Part, Tokens]
    usd: Mapping[Part, Usd | None]
    """``None`` where a rate that is needed is unknown."""

    @cached_property
    def main_usd(self) -> Usd | None:
        """US dollars of the chat model in each step."""
        return self._usd_of(MAIN_PARTS)

    @cached_property
    def summarizer_usd(self) -> Usd | None:
        """US dollars of the summarizer in each step."""
        return self._usd_of(SUMMARIZER_PARTS)

    @property
    def main_tokens(self) -> Tokens:
        """Tokens of the chat model in each step."""
        return self.tokens_of(MAIN_PARTS)

    @property
    def summarizer_tokens(self) -> Tokens:
        """Tokens of the summarizer in each step."""
        return self.tokens_of(SUMMARIZER_PARTS)

    def tokens_of(self, parts: tuple[Part, ...]) -> Tokens:
        """Return the tokens of these parts together in each step."""
        counts = (self.tokens[part] for part in parts)
        return sum(counts, np.zeros_like(self.turns))

    def total_usd(self, part: Part) -> float | None:
        """Return the US dollars of one part in all."""
        usd = self.usd[part]
        return None if usd is None else float(usd.sum())

    def _usd_of(self, parts: tuple[Part, ...]) -> Usd | None:
        amounts = [self.usd[part] for part in parts]
        known = [usd for usd in amounts if usd is not None]
        return np.sum(known, axis=0) if len(known) == len(amounts) else None
