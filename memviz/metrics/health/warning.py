"""One warning about a run, and how its numbers are said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, Protocol

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
from memviz.strategies.base import Strategy
from memviz.text.wording import counted, turn_list

Severity = Literal["bad", "caution"]

_TURNS_NAMED = 4


@dataclass(frozen=True, slots=True)
class HealthWarning:
    """Something in a run that costs money, detail or a refused request.

    ``kind`` is stable and the same in every language of a page; ``numbers`` is a sentence with what was
    counted, ``why`` says what is bad about it and ``remedy`` what to change. ``turns`` are the turns
    concerned, in order, each once. ``bad`` is what a provider may refuse, what breaks the setting's own
    promise or what is paid for again and again; everything else is a ``caution``.
    """

    kind: str
    title: str
    numbers: str
    why: str
    remedy: str
    turns: tuple[int, ...] = ()
    severity: Severity = "caution"

    @property
    def turns_in_words(self) -> str:
        """The turns by number if they are few, else their range; empty if it concerns no turn."""
        turns = self.turns
        if len(turns) > _TURNS_NAMED:
            return f"{counted(len(turns), 'turn')} from {turns[0]:,} to {turns[-1]:,}"
        return turn_list(turns) if turns else ""


def turns_at(run: Run, numbers: Iterable[int]) -> tuple[int, ...]:
    """The turns of the requests of these numbers (0-based), each once."""
    return tuple(dict.fromkeys(run.columns.turns[[*numbers]].tolist()))


def step_noun(run: Run) -> str:
    """What one step of ``run`` is called: a turn, as long as every turn took one request."""
    return "request" if run.has_calls else "turn"


def budget_name(strategy: Strategy) -> str:
    """The parameter that is the strategy's token budget."""
    name = strategy.main_parameter
    return (
        name
        if name and getattr(strategy, name) == strategy.budget_tokens
        else "token limit"
    )


def counted_tokens(strategy: Strategy, **tokens: int) -> int:
    """Which of these tokens, by part of a request, count against the budget."""
    parts: Sequence[str] = (
        "system",
        "summary",
        "recalled",
        "history",
        "input",
        "overhead",
    )
    return strategy.counted_tokens({**dict.fromkeys(parts, 0), **tokens})


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
