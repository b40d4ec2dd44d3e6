"""Requests that grow without bound."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from memviz.conversation import Log, Message
from memviz.counters import Counter
from memviz.engine.assembly import assemble
from memviz.engine.compaction import REDUCING
from memviz.engine.run import Run
from memviz.engine.session import new_space
from memviz.memory import Memory, SummaryVersion
from memviz.metrics.cost.cost import CostByPause, cost, cost_by_pause, growth_in_cost
from memviz.metrics.health.warning import (
    HealthWarning,
    Prices,
    answering_model,
    list_prices,
    sent_by,
    step_noun,
    turns_at,
)
from memviz.metrics.requests.limits import forecast_words, overflow_name
from memviz.metrics.requests.request_axis import name_of
from memviz.metrics.requests.traffic import Traffic, broken_cache_tokens, sent_whole
from memviz.models.cache_rules import CacheRules
from memviz.models.prices import context_window_tokens
from memviz.strategies.base import Strategy
from memviz.strategies.library import LibraryStrategy
from memviz.text.wording import counted, dollars, duration_words

SAME_PRICE = 1.05
"""Requests that cost less than this many times as much cost the same."""
LEAST_REQUESTS = 8
_PROBE_MESSAGES, _PROBE_MESSAGE_TOKENS = 1_000, 2_000


def growth(run: Run, prices: Prices | None = None) -> HealthWarning | None:
    """A part of the requests that never falls and still grows, where the strategy sets it no bound.

    A window that is not full yet grows just as a full buffer does. So the strategy is asked what it would
    send of a conversation of two million tokens. What it costs is said under ``prices``, by default the list prices
    of the model that answered.
    """
    part = unbounded_part(run.strategy) if len(run.requests) >= LEAST_REQUESTS else ""
    sizes: list[int] = run.columns.tokens[part].tolist() if part else []
    if (
        not sizes
        or any(later < earlier for earlier, later in pairwise(sizes))
        or sizes[-1] <= sizes[len(sizes) // 2]
    ):
        return None
    noun = step_noun(run)
    model = answering_model(run, prices)
    terms = prices or list_prices(run)
    pace = (sizes[-1] - sizes[0]) / (len(run.requests) - 1)
    largest, window = int(sent_by(run).input_tokens.max()), context_window_tokens(model)
    what = "The history sent" if part == "history" else "The list of summaries sent"
    return HealthWarning(
        "growth",
        "Grows without bound",
        f"{what} grew from {sizes[0]:,} to {sizes[-1]:,} tokens from {_span(run)}, about "
        f"{pace:,.0f} a {noun}, and never fell.{_outlook(run, window, model)}",
        f"Every {noun} sends more than the one before, until the model's context window is full and requests fail."
        f"{_dearer(run, terms)}",
        _remedy(terms.cache, part),
        turns_at(run, range(len(run.requests))),
        "bad" if window is not None and largest > window else "caution",
    )


def _span(run: Run) -> str:
    """``turn 1 to 8``, ``turn 1, call 1 to turn 8, call 2``."""
    first, last = run.requests[0], run.requests[-1]
    return f"{name_of(run, first)} to {name_of(run, last) if run.has_calls else f'{last.turn:,}'}"


def _dearer(run: Run, prices: Prices) -> str:
    """Under which pauses a request costs more than an earlier one, and how much."""
    known = _cost_by_pause(run, prices)
    longer = growth_in_cost(known.longer) if known else None
    shorter = growth_in_cost(known.shorter) if known else None
    rules, main = prices.cache, prices.main
    if (
        longer is None
        or shorter is None
        or longer < SAME_PRICE
        or rules is None
        or main is None
    ):
        return ""
    whose = main.whose
    lives = duration_words(rules.lifetime_seconds or 0.0)
    with_cache = "the same" if shorter < SAME_PRICE else f"{shorter:.1f} times as much"
    return (
        f" At the prices {whose}, with pauses of {lives} or longer one of the last {step_noun(run)}s costs "
        f"{longer:.1f} times as much as one of the first; with shorter pauses, where the prompt cache is read, "
        f"{with_cache}."
    )


def _cost_by_pause(run: Run, prices: Prices) -> CostByPause | None:
    return cost_by_pause(sent_by(run), prices.main, prices.summarizer, prices.cache)


def _outlook(run: Run, window: int | None, model: str) -> str:
    if window is None:
        return ""
    sent = sent_by(run)
    passed, forecast = overflow_name(sent, window), forecast_words(sent, window)
    full = f"{window:,} tokens, the context window of {model},"
    if passed is not None:
        return f" {full} were passed at {passed}."
    return f" {full} are passed {forecast}." if forecast else ""


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
    empty where it does not, and where a real library decides."""
    if isinstance(strategy, LibraryStrategy):
        return ""
    log, count = _probe()
    space = new_space(log, strategy, count, None)
    full = Memory(space, _PROBE_MESSAGES)
    sent = sum(len(part) for part in assemble(full, strategy.select(full)).history)
    if sent == _PROBE_MESSAGES and not strategy.plan(full):
        return "history"
    for turn in range(1, _PROBE_MESSAGES // 2 + 1):
        said = range(2 * turn - 2, 2 * turn)
        space.summaries.append(SummaryVersion(turn, turn, "", said, said, count))
    summarized = Memory(space, _PROBE_MESSAGES, _PROBE_MESSAGES // 2, _PROBE_MESSAGES)
    listed = assemble(summarized, strategy.select(summarized)).summaries
    return "summary" if len(listed) == _PROBE_MESSAGES // 2 else ""


@cache
def _probe() -> tuple[Log, Counter]:
    count = Counter("probe", lambda _: _PROBE_MESSAGE_TOKENS)
    return Log(
        Message(("user", "assistant")[at % 2], "") for at in range(_PROBE_MESSAGES)
    ), count


LEAST_SHARE = 1.01
"""What costs less than this many times as much costs the same."""


def dear_clearing(run: Run, prices: Prices | None = None) -> HealthWarning | None:
    """Whether the requests cost more than if every message in them had been sent whole: a message that is cleared
    changes the request where it stands, and the provider's prompt cache ends there. What it costs is worked out under
    ``prices``, by default the list prices of the model that answered."""
    numbers = [
        number
        for number, made in run.requests.compactions()
        if any(one.kind in REDUCING for one in made)
    ]
    if not numbers:
        return None
    terms, sent = prices or list_prices(run), sent_by(run)
    whole = sent_whole(run, sent)
    usd, whole_usd = _usd(sent, terms), _usd(whole, terms)
    if (
        usd is None
        or whole_usd is None
        or terms.main is None
        or usd < LEAST_SHARE * whole_usd
        or not usd
    ):
        return None
    how_many = counted(sum(one.kind in REDUCING for one in run.compactions), "clearing")
    broken, saved = (
        _broken_tokens(run),
        int((whole.input_tokens - sent.input_tokens).sum()),
    )
    # What stands in place of a result can be longer than the result was.
    moved = (
        f"left {saved:,} tokens out of" if saved >= 0 else f"added {-saved:,} tokens to"
    )
    return HealthWarning(
        "dear_clearing",
        "Clearing costs more than it saves",
        f"{how_many} {moved} the requests and broke {broken:,} tokens of the prompt cache. "
        f"All requests together cost {dollars(usd)}; with those messages sent whole they would cost "
        f"{dollars(whole_usd)}. This holds at the prices {terms.main.whose}, with pauses of "
        f"{duration_words(terms.pause_seconds)}.",
        "A cleared message changes the request where it stands, and the provider's prompt cache ends at the first "
        "change: everything behind it is read at the full price once more, where it would have cost a fraction.",
        f"{_remedy_of_clearing(run.strategy)}{_with_longer_pauses(sent, whole, terms)}",
        turns_at(run, numbers),
    )


def _usd(sent: Traffic, terms: Prices) -> float | None:
    """US dollars of the chat model."""
    return cost(
        sent,
        terms.main,
        terms.summarizer,
        cache=terms.cache,
        pause_seconds=terms.pause_seconds,
    ).main_usd


def _broken_tokens(run: Run) -> int:
    pairs = zip(run.compactions, broken_cache_tokens(run), strict=True)
    return sum(tokens for compaction, tokens in pairs if compaction.kind in REDUCING)


def _remedy_of_clearing(strategy: Strategy) -> str:
    """Clear later, or where fewer tokens stand behind, or not at all."""
    values = strategy.model_dump()
    name, kept = strategy.main_parameter, values.get("keep_results")
    ways = (
        [f"raise {name} from {values[name]:,}, so that clearing begins later"]
        if name
        else []
    )
    if kept:
        ways.append(
            f"lower keep_results from {kept:,}, so that fewer tokens stand behind a result when it is cleared"
        )
    ways.append("send all messages whole as long as they fit the context window")
    return f"{', or '.join(ways)[0].upper()}{', or '.join(ways)[1:]}."


def _with_longer_pauses(sent: Traffic, whole: Traffic, terms: Prices) -> str:
    """What clearing would save where the user pauses for so long that no cache is left to be broken."""
    ways = [
        cost_by_pause(one, terms.main, terms.summarizer, terms.cache)
        for one in (sent, whole)
    ]
    usd, whole_usd = (way.longer.main_usd if way else None for way in ways)
    if usd is None or whole_usd is None or usd >= whole_usd or terms.cache is None:
        return ""
    lives = duration_words(terms.cache.lifetime_seconds or 0.0)
    return (
        f" With pauses of {lives} or longer the cache is empty by the next turn, and clearing would save "
        f"{dollars(whole_usd - usd)}."
    )
