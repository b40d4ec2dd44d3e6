"""One finding about a run, the turns it concerns, and the prices at which it speaks of money."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS, Pricing, pricing
from memviz.models.cache_rules import CacheRules, cache_rules
from memviz.models.names import DEFAULT_MODEL
from memviz.models.prices import price
from memviz.models.provider_keys import is_self_hosted

Severity = Literal["bad", "caution"]

Step = Literal["turn", "request"]
"""What one step of a run is: a turn, as long as every turn took one request."""


@dataclass(frozen=True, kw_only=True)
class HealthFinding:
    """Something in a run that costs money, detail or a refused request, as numbers. Each kind is a class."""

    kind: ClassVar[str]
    """Stable, and the same in every language of a page."""
    turns: tuple[int, ...] = ()
    """The turns concerned, in order, each once."""
    severity: Severity = "caution"
    """``bad`` is what a provider may refuse, what breaks the setting's own promise or what is paid for again and again;
    everything else is a ``caution``."""


def turns_at(run: Run, numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the turns of the requests of these numbers (0-based), each once."""
    turns = run.columns.turns[list(numbers)]
    return tuple(dict.fromkeys(turns.tolist()))


def turns_of(run: Run, compactions: Iterable[Compaction]) -> tuple[int, ...]:
    """Return the turns of the requests that these compactions of ``run`` changed first, each once."""
    turns = {
        run.request_turn(compaction) or compaction.turn for compaction in compactions
    }
    return tuple(sorted(turns))


def step_of(run: Run) -> Step:
    """Return what one step of ``run`` is."""
    return "request" if run.has_calls else "turn"


class Prices(Protocol):
    """The prices that count, and the rules of the prompt cache; ``None`` where they are unknown or there is none. And
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
        """Seconds from a reply to the user's next message."""


class _ListPrices(NamedTuple):
    main: Pricing | None
    summarizer: Pricing | None
    cache: CacheRules | None
    pause_seconds: float = DEFAULT_PAUSE_SECONDS


def list_prices(run: Run) -> Prices:
    """Return the list prices of the model that answered."""
    model = answering_model(run, None)
    return _ListPrices(pricing(model), pricing(model), cache_rules(model))


def answering_model(run: Run, prices: Prices | None) -> str:
    """Return the model that answered last, else the one whose prices count, as far as it is known; a server of the
    user's own has a window, and no price."""
    beside = sorted(run.requests.extras.items(), reverse=True)
    names = [record.facts.model for _, record in beside if record.facts]
    if prices is not None and prices.main is not None:
        names.append(prices.main.model)
    for name in names:
        if name and (price(name) is not None or is_self_hosted(name)):
            return name
    return DEFAULT_MODEL
