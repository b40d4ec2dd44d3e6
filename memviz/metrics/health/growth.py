"""Settings that cost more than they need: requests that grow without bound, and clearing that costs more than it
saves."""

from functools import cache
from itertools import pairwise

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import counted, dollars, duration_words
from memviz.engine.assembly import assemble
from memviz.engine.compaction import REDUCING
from memviz.engine.run import Run
from memviz.engine.state import Setting, new_space
from memviz.metrics.cost.cost import cost, cost_by_pause, growth_in_cost
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

SAME_PRICE = 1.05
"""Requests that cost less than this many times as much cost the same."""
LEAST_REQUESTS = 8
_PROBE_MESSAGES = 1_000
_PROBE_MESSAGE_TOKENS = 2_000


def growth(run: Run, prices: Prices | None = None) -> HealthWarning | None:
    """Warn of a part of the requests that never falls and still grows, where the strategy sets it no bound.

    A window that is not full yet grows just as a full buffer does. So the strategy is asked what it would
    send of a conversation of two million tokens. What it costs is said under ``prices``, by default the list prices
    of the model that answered.
    """
    if len(run.requests) < LEAST_REQUESTS:
        return None
    part = unbounded_part(run.strategy)
    if not part:
        return None
    sizes: list[int] = run.columns.tokens[part].tolist()
    falls = any(later < earlier for earlier, later in pairwise(sizes))
    if falls or sizes[-1] <= sizes[len(sizes) // 2]:
        return None
    noun = step_noun(run)
    terms = prices or list_prices(run)
    model = answering_model(run, prices)
    window = context_window_tokens(model)
    sent = sent_by(run)
    is_too_large = window is not None and int(sent.input_tokens.max()) > window
    what = "The history sent" if part == "history" else "The list of summaries sent"
    pace = (sizes[-1] - sizes[0]) / (len(sizes) - 1)
    first = run.requests[0]
    last = run.requests[-1]
    last_name = name_of(run, last) if run.has_calls else f"{last.turn:,}"
    return HealthWarning(
        "growth",
        "Grows without bound",
        f"{what} grew from {sizes[0]:,} to {sizes[-1]:,} tokens from {name_of(run, first)} to {last_name}, about "
        f"{pace:,.0f} a {noun}, and never fell.{_outlook(sent, window, model)}",
        f"Every {noun} sends more than the one before, until the model's context window is full and requests fail."
        f"{_dearer(sent, terms, noun)}",
        _remedy(terms.cache, part),
        turns_at(run, range(len(sizes))),
        "bad" if is_too_large else "caution",
    )


def _dearer(sent: Traffic, prices: Prices, noun: str) -> str:
    """Return under which pauses a request costs more than an earlier one, and how much."""
    rules = prices.cache
    main = prices.main
    known = cost_by_pause(sent, main, prices.summarizer, rules)
    if known is None or rules is None or main is None:
        return ""
    longer = growth_in_cost(known.longer)
    shorter = growth_in_cost(known.shorter)
    if longer is None or shorter is None or longer < SAME_PRICE:
        return ""
    lives = duration_words(rules.lifetime_seconds or 0.0)
    with_cache = "the same" if shorter < SAME_PRICE else f"{shorter:.1f} times as much"
    return (
        f" At the prices {main.whose}, with pauses of {lives} or longer one of the last {noun}s costs "
        f"{longer:.1f} times as much as one of the first; with shorter pauses, where the prompt cache is read, "
        f"{with_cache}."
    )


def _outlook(sent: Traffic, window: int | None, model: str) -> str:
    if window is None:
        return ""
    full = f"{window:,} tokens, the context window of {model},"
    passed = overflow_name(sent, window)
    if passed is not None:
        return f" {full} were passed at {passed}."
    forecast = forecast_words(sent, window)
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
    """Return ``history`` or ``summary`` where the strategy sends all there is of it however long the conversation;
    empty where it does not, and where a real library decides."""
    if isinstance(strategy, LibraryStrategy):
        return ""
    log, count = _probe()
    space = new_space(log, Setting(strategy, count))
    full = Memory(space, _PROBE_MESSAGES)
    history = assemble(full, strategy.select(full)).history
    if sum(map(len, history)) == _PROBE_MESSAGES and not strategy.plan(full):
        return "history"
    turns = _PROBE_MESSAGES // 2
    for turn in range(1, turns + 1):
        said = range(2 * turn - 2, 2 * turn)
        space.summaries.append(SummaryVersion(turn, turn, "", said, said, count))
    summarized = Memory(space, _PROBE_MESSAGES, turns, _PROBE_MESSAGES)
    listed = assemble(summarized, strategy.select(summarized)).summaries
    return "summary" if len(listed) == turns else ""


@cache
def _probe() -> tuple[Log, Counter]:
    pair = [Message("user", ""), Message("assistant", "")]
    count = Counter("probe", lambda _: _PROBE_MESSAGE_TOKENS)
    return Log(pair * (_PROBE_MESSAGES // 2)), count


LEAST_SHARE = 1.01
"""What costs less than this many times as much costs the same."""


def dear_clearing(run: Run, prices: Prices | None = None) -> HealthWarning | None:
    """Warn where the requests cost more than if every message in them had been sent whole: a message that is cleared
    changes the request where it stands, and the provider's prompt cache ends there. What it costs is worked out under
    ``prices``, by default the list prices of the model that answered."""
    cleared = [one for one in run.compactions if one.kind in REDUCING]
    changed = [run.request_number(one) for one in cleared]
    numbers = {number for number in changed if number is not None}
    if not numbers:
        return None
    terms = prices or list_prices(run)
    sent = sent_by(run)
    whole = sent_whole(run, sent)
    usd = _usd(sent, terms)
    whole_usd = _usd(whole, terms)
    if terms.main is None or usd is None or whole_usd is None or not usd:
        return None
    if usd < LEAST_SHARE * whole_usd:
        return None
    by_compaction = broken_cache_tokens(run)
    broken = sum(by_compaction[run.number_of(one)] for one in cleared)
    saved = int((whole.input_tokens - sent.input_tokens).sum())
    # What stands in place of a result can be longer than the result was.
    moved = f"left {saved:,} tokens out of"
    if saved < 0:
        moved = f"added {-saved:,} tokens to"
    return HealthWarning(
        "dear_clearing",
        "Clearing costs more than it saves",
        f"{counted(len(cleared), 'clearing')} {moved} the requests and broke {broken:,} tokens of the prompt cache. "
        f"All requests together cost {dollars(usd)}; with those messages sent whole they would cost "
        f"{dollars(whole_usd)}. This holds at the prices {terms.main.whose}, with pauses of "
        f"{duration_words(terms.pause_seconds)}.",
        "A cleared message changes the request where it stands, and the provider's prompt cache ends at the first "
        "change: everything behind it is read at the full price once more, where it would have cost a fraction.",
        f"{_remedy_of_clearing(run.strategy)}{_with_longer_pauses(sent, whole, terms)}",
        turns_at(run, sorted(numbers)),
    )


def _usd(
    sent: Traffic, terms: Prices, pause_seconds: float | None = None
) -> float | None:
    """Return the US dollars of the chat model."""
    pause = terms.pause_seconds if pause_seconds is None else pause_seconds
    found = cost(
        sent, terms.main, terms.summarizer, cache=terms.cache, pause_seconds=pause
    )
    return found.main_usd


def _remedy_of_clearing(strategy: Strategy) -> str:
    """Return that it should clear later, or where fewer tokens stand behind, or not at all."""
    values = strategy.model_dump()
    name = strategy.main_parameter
    kept = values.get("keep_results")
    ways = []
    if name:
        ways.append(
            f"raise {name} from {values[name]:,}, so that clearing begins later"
        )
    if kept:
        ways.append(
            f"lower keep_results from {kept:,}, so that fewer tokens stand behind a result when it is cleared"
        )
    ways.append("send all messages whole as long as they fit the context window")
    remedy = ", or ".join(ways)
    return f"{remedy[0].upper()}{remedy[1:]}."


def _with_longer_pauses(sent: Traffic, whole: Traffic, terms: Prices) -> str:
    """Return what clearing would save where the user pauses for so long that no cache is left to be broken."""
    lifetime = terms.cache.lifetime_seconds if terms.cache else None
    if not lifetime:
        return ""
    usd = _usd(sent, terms, lifetime)
    whole_usd = _usd(whole, terms, lifetime)
    if usd is None or whole_usd is None or usd >= whole_usd:
        return ""
    return (
        f" With pauses of {duration_words(lifetime)} or longer the cache is empty by the next turn, and clearing would "
        f"save {dollars(whole_usd - usd)}."
    )
