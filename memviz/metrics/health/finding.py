"""The base of all findings about the health of a run, and what several checks need: turns, steps and prices."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS, Pricing, find_pricing
from memviz.models.cache_rules import CacheRules, cache_rules
from memviz.models.names import DEFAULT_MODEL
from memviz.models.prices import price
from memviz.models.provider_keys import is_self_hosted

Severity = Literal["bad", "caution"]

Step = Literal["turn", "request"]
"""The unit in which a finding counts: turns as long as every turn took one request, else requests."""


@dataclass(frozen=True, kw_only=True)
class HealthFinding:
    """A problem of a run, as numbers: it costs money or details, or makes a provider refuse requests.

    Each kind of problem is a class. ``memviz/dashboard/words/health.py`` makes a warning of it.
    """

    kind: ClassVar[str]
    """The name of the kind, which is stable and never translated."""
    turns: tuple[int, ...] = ()
    """The turns concerned, in order, each once."""
    severity: Severity = "caution"
    """``bad`` if a provider may refuse requests, if the setting breaks its own limit, or if it costs money again and
    again; else ``caution``."""


def list_turns_of_requests(run: Run, numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the turns of the requests of these numbers (0-based), each once."""
    turns = run.columns.turns[list(numbers)]
    return tuple(dict.fromkeys(turns.tolist()))


def list_turns_of_compactions(
    run: Run, compactions: Iterable[Compaction]
) -> tuple[int, ...]:
    """Return the turns of the first requests that these compactions of ``run`` changed, each once."""
    turns = {
        run.request_turn(compaction) or compaction.turn for compaction in compactions
    }
    return tuple(sorted(turns))


def choose_step(run: Run) -> Step:
    """Return the unit in which findings about ``run`` count."""
    return "request" if run.has_calls else "turn"


class Prices(Protocol):
    """The assumptions of findings about money, such as a :class:`memviz.PricingAssumptions`."""

    @property
    def main(self) -> Pricing | None:
        """The prices of the chat model; ``None`` where they are unknown."""

    @property
    def summarizer(self) -> Pricing | None:
        """The prices of the summarizer; ``None`` where they are unknown."""

    @property
    def cache(self) -> CacheRules | None:
        """The rules of the chat model's prompt cache; ``None`` where it has none."""

    @property
    def pause_seconds(self) -> float:
        """The seconds from a reply to the user's next message."""


class _ListPrices(NamedTuple):
    main: Pricing | None
    summarizer: Pricing | None
    cache: CacheRules | None
    pause_seconds: float = DEFAULT_PAUSE_SECONDS


def find_list_prices(run: Run) -> Prices:
    """Return the list prices of the model that answered."""
    model = name_answering_model(run, None)
    return _ListPrices(find_pricing(model), find_pricing(model), cache_rules(model))


def name_answering_model(run: Run, prices: Prices | None) -> str:
    """Return the name of the model that answered last, else of the model whose prices count.

    A model that memviz has no price for is skipped, unless it runs on a server of the user's own.
    """
    beside = sorted(run.requests.extras.items(), reverse=True)
    names = [record.facts.model for _, record in beside if record.facts]
    if prices is not None and prices.main is not None:
        names.append(prices.main.model)
    for name in names:
        if name and (price(name) is not None or is_self_hosted(name)):
            return name
    return DEFAULT_MODEL
