"""Health checks about money: requests that grow without bound, and clearing that costs more than it saves."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import RequestPlace
from memviz.engine.assembly import assemble
from memviz.engine.compaction import REDUCING
from memviz.engine.run import Run
from memviz.engine.setting import Setting, new_space
from memviz.metrics.cost.cost import Cost, price_traffic
from memviz.metrics.cost.pricing import Pricing
from memviz.metrics.health.finding import (
    HealthFinding,
    Prices,
    Step,
    choose_step,
    find_list_prices,
    list_turns_of_requests,
    name_answering_model,
)
from memviz.metrics.requests.request_axis import find_request_place
from memviz.metrics.requests.token_use import (
    Forecast,
    find_first_over,
    forecast_overflow,
)
from memviz.metrics.requests.traffic import (
    Traffic,
    count_broken_cache_tokens,
    count_traffic,
    expand_traffic,
)
from memviz.models.cache_rules import CacheRules
from memviz.models.prices import context_window_tokens
from memviz.strategies.base import Strategy
from memviz.strategies.library import LibraryStrategy

SAME_PRICE = 1.05
"""The least ratio of two costs that counts as a difference."""
LEAST_REQUESTS = 8
_PROBE_MESSAGES = 1_000
_PROBE_MESSAGE_TOKENS = 2_000


class Window(NamedTuple):
    """The context window of a model, compared with the requests of a run."""

    model: str
    tokens: int
    passed: RequestPlace | None
    """The first request that is larger; ``None`` where none is."""
    forecast: Forecast | None
    """The prediction when requests will be larger."""


class Dearer(NamedTuple):
    """The ratio of the cost of late requests to that of early ones, for long and for short pauses of the user."""

    pricing: Pricing
    lifetime_seconds: float
    """The time for which the prompt cache keeps an entry."""
    longer: float
    """The ratio with pauses longer than that: nothing is read from the cache."""
    shorter: float
    """The ratio with shorter pauses."""

    @property
    def is_same_with_cache(self) -> bool:
        """True if late requests cost no more than early ones as long as the cache is used."""
        return self.shorter < SAME_PRICE


UnboundedPart = Literal["history", "summary", ""]


@dataclass(frozen=True, kw_only=True)
class Growth(HealthFinding):
    """A part of the requests that only grows, and that the strategy does not limit."""

    kind: ClassVar[str] = "growth"
    part: UnboundedPart
    step: Step
    first: RequestPlace
    last: RequestPlace
    first_tokens: int
    last_tokens: int
    tokens_a_step: float
    window: Window | None
    """``None`` where the window of the model is unknown."""
    dearer: Dearer | None
    """``None`` where a price is unknown, or late requests cost no more."""
    cache_lifetime_seconds: float | None
    """``None`` without a prompt cache whose entries end."""


def find_growth(run: Run, prices: Prices | None = None) -> Growth | None:
    """Return a finding if the history or the summary in the requests only grows, and the strategy does not limit it.

    A window that is not full yet grows like a full buffer, so sizes alone do not tell:
    :func:`find_unbounded_part` tries the strategy on a conversation of two million tokens.
    """
    if len(run.requests) < LEAST_REQUESTS:
        return None
    part = find_unbounded_part(run.strategy)
    if not part:
        return None
    sizes: list[int] = run.columns.tokens[part].tolist()
    falls = any(later < earlier for earlier, later in pairwise(sizes))
    if falls or sizes[-1] <= sizes[len(sizes) // 2]:
        return None
    terms = prices or find_list_prices(run)
    run_traffic = count_traffic(run)
    window = _describe_window(run_traffic, name_answering_model(run, prices))
    is_too_large = (
        window is not None and int(run_traffic.input_tokens.max()) > window.tokens
    )
    return Growth(
        part=part,
        step=choose_step(run),
        first=find_request_place(run, run.requests[0]),
        last=find_request_place(run, run.requests[-1]),
        first_tokens=sizes[0],
        last_tokens=sizes[-1],
        tokens_a_step=(sizes[-1] - sizes[0]) / (len(sizes) - 1),
        window=window,
        dearer=_compare_costs(run_traffic, terms),
        cache_lifetime_seconds=_find_cache_lifetime(terms),
        turns=list_turns_of_requests(run, range(len(sizes))),
        severity="bad" if is_too_large else "caution",
    )


def _describe_window(run_traffic: Traffic, model: str) -> Window | None:
    tokens = context_window_tokens(model)
    if tokens is None:
        return None
    place = find_first_over(run_traffic, tokens)
    return Window(model, tokens, place, forecast_overflow(run_traffic, tokens))


def _compare_costs(run_traffic: Traffic, prices: Prices) -> Dearer | None:
    """Return how much more late requests cost than early ones; ``None`` where they do not, or a price is unknown."""
    rules = prices.cache
    main = prices.main
    costs = price_by_pause(run_traffic, main, prices.summarizer, rules)
    if costs is None or rules is None or main is None:
        return None
    longer = measure_cost_growth(costs.longer)
    shorter = measure_cost_growth(costs.shorter)
    if longer is None or shorter is None or longer < SAME_PRICE:
        return None
    return Dearer(main, rules.lifetime_seconds or 0.0, longer, shorter)


def _find_cache_lifetime(prices: Prices) -> float | None:
    lifetime = prices.cache.lifetime_seconds if prices.cache else None
    return lifetime or None


def find_unbounded_part(strategy: Strategy) -> UnboundedPart:
    """Return the part that the strategy sends whole however long the conversation is; empty if there is none.

    A strategy that another library implements is not tried.
    """
    if isinstance(strategy, LibraryStrategy):
        return ""
    # A part of a conversation larger than any window that is still sent whole has no limit.
    log, count = _make_probe()
    space = new_space(log, Setting(strategy, count))
    full = Memory(space, _PROBE_MESSAGES)
    history = assemble(full, strategy.select(full)).history
    if sum(map(len, history)) == _PROBE_MESSAGES and not strategy.plan(full):
        return "history"
    # The same with one summary for each turn, to find strategies that send the list of all summaries.
    turns = _PROBE_MESSAGES // 2
    for turn in range(1, turns + 1):
        exchange = range(2 * turn - 2, 2 * turn)
        space.summaries.append(
            SummaryVersion(turn, turn, "", exchange, exchange, count)
        )
    summarized = Memory(space, _PROBE_MESSAGES, turns, _PROBE_MESSAGES)
    summaries = assemble(summarized, strategy.select(summarized)).summaries
    return "summary" if len(summaries) == turns else ""


@cache
def _make_probe() -> tuple[Log, Counter]:
    pair = [Message("user", ""), Message("assistant", "")]
    count = Counter("probe", lambda _: _PROBE_MESSAGE_TOKENS)
    return Log(pair * (_PROBE_MESSAGES // 2)), count


class CostByPause(NamedTuple):
    """The costs of a run with pauses shorter than the prompt cache keeps an entry, and with longer pauses."""

    shorter: Cost
    longer: Cost


def price_by_pause(
    traffic: Traffic,
    main: Pricing | None,
    summarizer: Pricing | None,
    cache: CacheRules | None,
) -> CostByPause | None:
    """Return both costs of ``traffic``; ``None`` without a cache, or if the lifetime of its entries is unknown."""
    if cache is None or not cache.lifetime_seconds:
        return None
    price = partial(price_traffic, traffic, main, summarizer, cache=cache)
    shorter = price(pause_seconds=0.0)
    longer = price(pause_seconds=cache.lifetime_seconds)
    return CostByPause(shorter, longer)


def measure_cost_growth(cost: Cost) -> float | None:
    """Return the mean cost of a request of the last quarter, divided by that of the first quarter.

    ``None`` where a price is unknown, nothing was paid, or there are too few requests.
    """
    so_far = cost.cumulative_usd
    size = len(cost.turns) // 4
    if so_far is None or not size:
        return None
    first = float(so_far[size - 1])
    last = float(so_far[-1] - so_far[-size - 1])
    return last / first if first > 0 else None


LEAST_SHARE = 1.01
"""The least ratio of the costs with clearing to those without from which on clearing is reported."""


class SavingWithLongPauses(NamedTuple):
    """The dollars that clearing would save if the user paused for at least so many seconds."""

    pause_seconds: float
    usd: float


@dataclass(frozen=True, kw_only=True)
class DearClearing(HealthFinding):
    """Clearing that breaks the prompt cache for more than it saves."""

    kind: ClassVar[str] = "dear_clearing"
    clearings: int
    saved_tokens: int
    """The tokens left out of all requests; below 0 if a placeholder is longer than the result that it replaces."""
    broken_tokens: int
    """The tokens of the prompt cache that clearing made useless."""
    usd: float
    """The cost of all requests."""
    whole_usd: float
    """The cost of all requests if all messages were sent whole."""
    pricing: Pricing
    pause_seconds: float
    parameter: str
    """The parameter that says when clearing begins; empty where there is none."""
    value: int
    keep_results: int | None
    """The value of the parameter ``keep_results``, where the strategy has one."""
    saving_with_long_pauses: SavingWithLongPauses | None


def find_dear_clearing(run: Run, prices: Prices | None = None) -> DearClearing | None:
    """Return a finding if the requests cost more than they would with every message sent whole.

    A cleared message changes the request at its place, and the provider's prompt cache is useless from there on.
    """
    clearings = [
        compaction for compaction in run.compactions if compaction.kind in REDUCING
    ]
    changed = [run.request_number(compaction) for compaction in clearings]
    numbers = {number for number in changed if number is not None}
    if not numbers:
        return None
    terms = prices or find_list_prices(run)
    run_traffic = count_traffic(run)
    whole = expand_traffic(run, run_traffic)
    usd = _price_requests(run_traffic, terms)
    whole_usd = _price_requests(whole, terms)
    if terms.main is None or usd is None or whole_usd is None or not usd:
        return None
    if usd < LEAST_SHARE * whole_usd:
        return None
    by_compaction = count_broken_cache_tokens(run)
    broken = sum(by_compaction[run.number_of(compaction)] for compaction in clearings)
    saved = int((whole.input_tokens - run_traffic.input_tokens).sum())
    values = run.strategy.model_dump()
    name = run.strategy.main_parameter
    return DearClearing(
        clearings=len(clearings),
        saved_tokens=saved,
        broken_tokens=broken,
        usd=usd,
        whole_usd=whole_usd,
        pricing=terms.main,
        pause_seconds=terms.pause_seconds,
        parameter=name,
        value=values.get(name, 0),
        keep_results=values.get("keep_results") or None,
        saving_with_long_pauses=_find_saving(run_traffic, whole, terms),
        turns=list_turns_of_requests(run, sorted(numbers)),
    )


def _price_requests(
    run_traffic: Traffic, terms: Prices, pause_seconds: float | None = None
) -> float | None:
    """Return the cost of the chat model in US dollars."""
    pause = terms.pause_seconds if pause_seconds is None else pause_seconds
    run_cost = price_traffic(
        run_traffic,
        terms.main,
        terms.summarizer,
        cache=terms.cache,
        pause_seconds=pause,
    )
    return run_cost.main_usd


def _find_saving(
    run_traffic: Traffic, whole: Traffic, terms: Prices
) -> SavingWithLongPauses | None:
    """Return what clearing would save if the user paused so long that the cache is empty anyway."""
    lifetime = _find_cache_lifetime(terms)
    if lifetime is None:
        return None
    usd = _price_requests(run_traffic, terms, lifetime)
    whole_usd = _price_requests(whole, terms, lifetime)
    if usd is None or whole_usd is None or usd >= whole_usd:
        return None
    return SavingWithLongPauses(lifetime, whole_usd - usd)
