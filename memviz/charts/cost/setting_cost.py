"""One setting and what it costs, as the charts of cost take it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.metrics.cost.cost import MAIN_PARTS, SUMMARIZER_PARTS, Cost, CostParts

Amounts = NDArray[np.float64]


class View(Enum):
    """What is drawn at a request."""

    SO_FAR = "Total so far"
    EACH_STEP = "Each turn"
    """Of each request, where turns took several calls of the model. The words are those of links."""


class Unit(Enum):
    """In what it is drawn: in tokens only where no price is known."""

    USD = "US dollars"
    TOKENS = "tokens"


class SettingCost(NamedTuple):
    """One setting: its line, what it costs, and the parts of that."""

    setting: SettingRun
    cost: Cost
    parts: CostParts

    @property
    def label(self) -> str:
        """What the setting is called."""
        return self.setting.label

    @property
    def summarizer_share(self) -> float | None:
        """The summarizer's share of all dollars; ``None`` if a price is unknown, 0 if nothing costs anything."""
        total, summarizer = self.cost.total_usd, self.cost.summarizer_usd
        if total is None or summarizer is None:
            return None
        return summarizer / total if total else 0.0

    def amounts(
        self, view: View, unit: Unit = Unit.USD
    ) -> tuple[Amounts, Amounts] | None:
        """What the chat model and what the summarizer took, one entry a request; ``None`` if a price is unknown."""
        parts = self.parts
        if unit is Unit.TOKENS:
            main, summarizer = (
                parts.tokens_of(MAIN_PARTS),
                parts.tokens_of(SUMMARIZER_PARTS),
            )
            return _seen(view, main.astype(np.float64)), _seen(
                view, summarizer.astype(np.float64)
            )
        main_usd, summarizer_usd = parts.main_usd, parts.summarizer_usd
        if main_usd is None or summarizer_usd is None:
            return None
        return _seen(view, main_usd), _seen(view, summarizer_usd)

    def uncached(self, view: View) -> Amounts | None:
        """US dollars of both models had there been no cache, one entry a request; ``None`` if a price is unknown."""
        so_far = self.cost.uncached_cumulative_usd
        if so_far is None or view is View.SO_FAR:
            return so_far
        return np.diff(so_far, prepend=0.0)


def _seen(view: View, by_request: Amounts) -> Amounts:
    return np.cumsum(by_request) if view is View.SO_FAR else by_request
