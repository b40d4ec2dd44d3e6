"""At which prices a warning speaks of money, and what a run sent that they are laid on."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, Protocol

from memviz.engine.run import Run
from memviz.metrics.cost.pricing import (
    DEFAULT_MODEL,
    DEFAULT_PAUSE_SECONDS,
    Pricing,
    pricing,
)
from memviz.metrics.requests.traffic import Traffic, traffic
from memviz.models.cache_rules import CacheRules, cache_rules
from memviz.models.own_servers import is_self_hosted
from memviz.models.prices import price


class Prices(Protocol):
    """Whose prices count, and which rules of the prompt cache; ``None`` where they are unknown or there is none. And
    the user's pause between two turns in seconds."""

    @property
    def main(self) -> Pricing | None:
        """The chat model's."""

    @property
    def summarizer(self) -> Pricing | None:
        """The summarizer's."""

    @property
    def cache(self) -> CacheRules | None:
        """The chat model's cache."""

    @property
    def pause_seconds(self) -> float:
        """From a reply to the user's next message."""


class _ListPrices(NamedTuple):
    main: Pricing | None
    summarizer: Pricing | None
    cache: CacheRules | None
    pause_seconds: float = DEFAULT_PAUSE_SECONDS


def list_prices(run: Run) -> Prices:
    """The list prices of the model that answered."""
    model = answering_model(run, None)
    return _ListPrices(pricing(model), pricing(model), cache_rules(model))


def answering_model(run: Run, prices: Prices | None) -> str:
    """The model that answered last, else the one whose prices count, as far as it is known; a server of the user's own
    has a window, and no price."""
    besides = (
        beside.facts for _, beside in sorted(run.requests.beside.items(), reverse=True)
    )
    names = [facts.model for facts in besides if facts and facts.model]
    if prices is not None and prices.main is not None:
        names.append(prices.main.model)
    return next(
        (name for name in names if price(name) is not None or is_self_hosted(name)),
        DEFAULT_MODEL,
    )


def sent_by(run: Run) -> Traffic:
    """What the run sent, added up once."""
    return run.once(traffic, partial(traffic, run))
