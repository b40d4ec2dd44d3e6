"""Requests that grow without bound."""

from __future__ import annotations

from functools import cache, partial
from itertools import pairwise
from math import ceil
from typing import NamedTuple, Protocol

from memviz.conversation import Log, Message
from memviz.counters import Counter
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.session import new_space
from memviz.memory import Memory
from memviz.metrics.cost.by_pause import CostByPause, cost_by_pause, growth_in_cost
from memviz.metrics.cost.pricing import BY_HAND, DEFAULT_MODEL, Pricing, pricing
from memviz.metrics.health.warning import HealthWarning, step_noun, turns_of
from memviz.metrics.requests.traffic import traffic
from memviz.models.cache_rules import CacheRules, cache_rules
from memviz.models.prices import context_window_tokens, price
from memviz.strategies.base import Strategy
from memviz.text.wording import counted, duration_words

SAME_PRICE = 1.05
"""Requests that cost less than this many times as much cost the same."""
LEAST_REQUESTS = 8
_PROBE_MESSAGES, _PROBE_MESSAGE_TOKENS = 1_000, 2_000


class Prices(Protocol):
    """Whose prices count, and which rules of the prompt cache; ``None`` where they are unknown or there is none."""

    @property
    def main(self) -> Pricing | None:
        """The chat model's."""

    @property
    def summarizer(self) -> Pricing | None:
        """The summarizer's."""

    @property
    def cache(self) -> CacheRules | None:
        """The chat model's cache."""


class _ListPrices(NamedTuple):
    main: Pricing | None
    summarizer: Pricing | None
    cache: CacheRules | None


def growth(run: Run, prices: Prices | None = None) -> HealthWarning | None:
    """A part of the requests that never falls and still grows, where the strategy sets it no bound.

    A window that is not full yet grows just as a full buffer does. So the strategy is asked what it would
    send of a conversation of two million tokens. What it costs is said under ``prices``, by default the list prices
    of the model that answered.
    """
    part = unbounded_part(run.strategy) if len(run.requests) >= LEAST_REQUESTS else ""
    sizes = [record.tokens[part] for record in run.requests] if part else []
    if not sizes or any(later < earlier for earlier, later in pairwise(sizes)) or sizes[-1] <= sizes[len(sizes) // 2]:
        return None
    first, last, noun = run.requests[0], run.requests[-1], step_noun(run)
    model = _model(run, prices)
    terms = prices or _ListPrices(pricing(model), pricing(model), cache_rules(model))
    pace = (sizes[-1] - sizes[0]) / (len(run.requests) - 1)
    largest, window = max(record.total_tokens for record in run.requests), context_window_tokens(model)
    what = "The history sent" if part == "history" else "The list of summaries sent"
    return HealthWarning(
        "growth", "Grows without bound",
        f"{what} grew from {sizes[0]:,} to {sizes[-1]:,} tokens from {_span(first, last)}, about "
        f"{pace:,.0f} a {noun}, and never fell.{_outlook(run, pace, window, model)}",
        f"Every {noun} sends more than the one before, until the model's context window is full and requests fail."
        f"{_dearer(run, terms)}",
        _remedy(terms.cache, part), turns_of(run.requests),
        "bad" if window is not None and largest >= window else "caution",
    )  # fmt: skip


def _span(first: TurnRecord, last: TurnRecord) -> str:
    """``turn 1 to 8``, ``turn 1 to turn 8, call 2``."""
    return f"{first.name} to {f'{last.turn:,}' if last.call == 1 else last.name}"


def _model(run: Run, prices: Prices | None) -> str:
    """The model that answered last, else the one whose prices count, as far as its context window is known."""
    names = [record.facts.model for record in reversed(run.requests) if record.facts and record.facts.model]
    if prices is not None and prices.main is not None:
        names.append(prices.main.model)
    return next((name for name in names if price(name) is not None), DEFAULT_MODEL)


def _dearer(run: Run, prices: Prices) -> str:
    """Under which pauses a request costs more than an earlier one, and how much."""
    known = _cost_by_pause(run, prices)
    longer = growth_in_cost(known.longer) if known else None
    shorter = growth_in_cost(known.shorter) if known else None
    rules, main = prices.cache, prices.main
    if longer is None or shorter is None or longer < SAME_PRICE or rules is None or main is None:
        return ""
    whose = BY_HAND if main.source == BY_HAND else f"of {main.model}"
    lives = duration_words(rules.lifetime_seconds or 0.0)
    with_cache = "the same" if shorter < SAME_PRICE else f"{shorter:.1f} times as much"
    return (
        f" At the prices {whose}, with pauses of {lives} or longer one of the last {step_noun(run)}s costs "
        f"{longer:.1f} times as much as one of the first; with shorter pauses, where the prompt cache is read, "
        f"{with_cache}."
    )


def _cost_by_pause(run: Run, prices: Prices) -> CostByPause | None:
    sent = run.once(traffic, partial(traffic, run))
    return cost_by_pause(sent, prices.main, prices.summarizer, prices.cache)


def _outlook(run: Run, pace: float, window: int | None, model: str) -> str:
    if window is None:
        return ""
    passed = next((record for record in run.requests if record.total_tokens >= window), None)
    full = f"{window:,} tokens, the context window of {model},"
    if passed is not None:
        return f" {full} were reached at {passed.name}."
    more = ceil((window - run.requests[-1].total_tokens) / pace)
    when = f"after {counted(more, 'more request')}" if run.has_calls else f"at turn {run.requests[-1].turn + more:,}"
    return f" At this pace {full} are reached {when}."


def _remedy(rules: CacheRules | None, part: str) -> str:
    if part == "summary":
        return "Choose a strategy that folds older summaries into one, such as the running summary."
    if rules is None or not rules.lifetime_seconds:
        return "Choose a strategy with a limit, such as a summary buffer, or end conversations before they are long."
    lives = duration_words(rules.lifetime_seconds)
    return (
        f"With pauses of {lives} or longer choose a strategy with a limit, such as a summary buffer. With shorter ones "
        "look first which setting costs least. Either way choose one before the context window is full."
    )


def unbounded_part(strategy: Strategy) -> str:
    """``history`` or ``summary`` where the strategy sends all there is of it however long the conversation;
    empty where it does not."""
    log, count = _probe()
    space = new_space(log, strategy, count, None)
    full = Memory(space, _PROBE_MESSAGES)
    sent = sum(len(part) for part in strategy.select(full).history)
    if sent == _PROBE_MESSAGES and strategy.plan_compaction(full) is None:
        return "history"
    summarized = Memory(space, _PROBE_MESSAGES, _PROBE_MESSAGES // 2, _PROBE_MESSAGES)
    return "summary" if len(strategy.select(summarized).summaries) == _PROBE_MESSAGES // 2 else ""


@cache
def _probe() -> tuple[Log, Counter]:
    count = Counter("probe", lambda _: _PROBE_MESSAGE_TOKENS)
    return Log(Message(("user", "assistant")[at % 2], "") for at in range(_PROBE_MESSAGES)), count
