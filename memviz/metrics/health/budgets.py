"""Health checks of limits that do not fit the conversation.

Summaries, inputs or the messages kept may be larger than the token budget, summarizations may make too little room, or
the token counter may be far off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import ClassVar, NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.counters import counter
from memviz.core.errors import CounterUnavailableError
from memviz.core.memory import Memory
from memviz.core.text.wording import RequestPlace
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.health.finding import (
    HealthFinding,
    Step,
    choose_step,
    list_turns_of_compactions,
    list_turns_of_requests,
)
from memviz.metrics.requests.request_axis import find_request_place
from memviz.metrics.requests.token_use import count_part
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Headroom

LARGE_SHARE = 2
"""A summary that counts against the budget is large if it takes more than the budget divided by this."""


class Budget(NamedTuple):
    """The token budget of a strategy."""

    tokens: int
    parameter: str
    """The parameter that sets it; empty where several parameters do."""
    counts: str
    """The words of the strategy for what it limits; may be empty."""

    @classmethod
    def of(cls, run: Run) -> Budget | None:
        """Return the budget of a run; ``None`` if its strategy has none."""
        strategy = run.strategy
        name = strategy.main_parameter
        tokens = strategy.budget_tokens
        if tokens is None:
            return None
        is_own = name and getattr(strategy, name) == tokens
        return cls(tokens, name if is_own else "", strategy.limits)


@dataclass(frozen=True, kw_only=True)
class LargeSummaries(HealthFinding):
    """Requests whose summary is too large for the budget."""

    kind: ClassVar[str] = "large_summary"
    large: int
    requests: int
    """All requests."""
    budget: Budget
    counts: bool
    """True where the summary counts against the budget."""
    peak_tokens: int
    """The largest summary."""
    worst: RequestPlace
    """The first request that sends it."""
    wanted_tokens: int
    """A budget that would be large enough."""


def find_large_summaries(run: Run) -> LargeSummaries | None:
    """Return a finding if requests send summaries over the budget, or over half of it where they count against it."""
    budget = Budget.of(run)
    if budget is None:
        return None
    counts = count_part(run.strategy, "summary", 1) > 0
    sizes = run.columns.tokens["summary"]
    large = np.flatnonzero(sizes * (LARGE_SHARE if counts else 1) > budget.tokens)
    if not len(large):
        return None
    worst = run.requests[int(large[sizes[large].argmax()])]
    peak = worst.tokens["summary"]
    return LargeSummaries(
        large=len(large),
        requests=len(run.requests),
        budget=budget,
        counts=counts,
        peak_tokens=peak,
        worst=find_request_place(run, worst),
        wanted_tokens=LARGE_SHARE * peak,
        turns=list_turns_of_requests(run, large),
        severity="bad" if peak > budget.tokens else "caution",
    )


@dataclass(frozen=True, kw_only=True)
class KeptAboveTrigger(HealthFinding):
    """Summarizations after which the messages kept are still over the limit that triggers the next one."""

    kind: ClassVar[str] = "kept_above_trigger"
    above: int
    done: int
    """All summarizations."""
    budget: Budget
    peak_tokens: int
    """The most tokens that were kept."""
    after_message: int
    """The log position (0-based) of the message after which that was."""
    wanted_tokens: int
    """A budget twice as large as that."""


def find_kept_above_trigger(run: Run) -> KeptAboveTrigger | None:
    """Return a finding if the messages kept by a summarization are still over the limit that triggers the next one."""
    budget = Budget.of(run)
    if budget is None or run.strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST):
        return None
    # Only compactions that removed messages from the unsummarized ones count.
    done = []
    above = []
    for compaction in run.compactions:
        is_taking = compaction.is_summarization or compaction.dropped
        if is_taking and compaction.after.cursor > compaction.before.cursor:
            done.append(compaction)
            kept_tokens = compaction.after.pending_tokens
            if count_part(run.strategy, "history", kept_tokens) > budget.tokens:
                above.append(compaction)
    if not above:
        return None
    worst = max(above, key=lambda compaction: compaction.after.pending_tokens)
    peak = worst.after.pending_tokens
    return KeptAboveTrigger(
        above=len(above),
        done=len(done),
        budget=budget,
        peak_tokens=peak,
        after_message=worst.after_message,
        wanted_tokens=2 * peak,
        turns=list_turns_of_compactions(run, above),
        severity="bad",
    )


@dataclass(frozen=True, kw_only=True)
class OverBudget(HealthFinding):
    """Requests whose counted part is over the budget."""

    kind: ClassVar[str] = "over_budget"
    over: int
    requests: int
    """All requests."""
    budget: Budget
    alone: int
    """The requests whose input alone is over the budget."""
    peak_tokens: int
    """The counted tokens of the largest request."""
    worst: RequestPlace
    """The first request of that size."""


def find_over_budget(run: Run) -> OverBudget | None:
    """Return a finding if requests are over the budget; it tells how many of them because of the input alone."""
    budget = Budget.of(run)
    if budget is None:
        return None
    tokens = run.columns.tokens
    sizes = run.strategy.counted_tokens(tokens)
    over = np.flatnonzero(sizes > budget.tokens)
    if not len(over):
        return None
    largest = int(over[sizes[over].argmax()])
    peak = int(sizes[largest])
    worst = run.requests[largest]
    # No strategy can shorten the input, so where it is too large by itself the strategy is not to blame.
    inputs = tokens["input"][over].tolist()
    counted_inputs = [count_part(run.strategy, "input", size) for size in inputs]
    alone = sum(size > budget.tokens for size in counted_inputs)
    return OverBudget(
        over=len(over),
        requests=len(run.requests),
        budget=budget,
        alone=alone,
        peak_tokens=peak,
        worst=find_request_place(run, worst),
        turns=list_turns_of_requests(run, over),
        severity="bad" if alone else "caution",
    )


THRASHING_SHARE = 0.75
"""The least share of requests with a summarization, since the first one, that is thrash. With half of them a setting
summarizes every other turn, which many do on purpose."""
LEAST_REQUESTS = 4
WANTED_REQUESTS = 4
"""The number of requests that a remedy makes room for."""
LEAST_GAP_SHARE = 0.25
"""A strategy whose summarizations make less room than this share of its limit just cuts back to the limit, so that a
larger limit would make no more room."""


class Room(NamedTuple):
    """The room that a summarization makes (``gap``) and that a request takes, on average, in messages or tokens."""

    gap: float
    request: float
    unit: str


class LargerValue(NamedTuple):
    """A parameter with its value, and the larger one that it should have."""

    parameter: str
    value: int
    wanted: int


@dataclass(frozen=True, kw_only=True)
class Thrash(HealthFinding):
    """A summarizer that is asked at nearly every request."""

    kind: ClassVar[str] = "thrash"
    summarizations: int
    steps: int
    """The requests or turns since the first of them."""
    step: Step
    room: Room | None
    wider: LargerValue | None = None
    """The value that makes room for :data:`WANTED_REQUESTS` requests."""
    whole: LargerValue | None = None
    """The value that holds all messages, where a larger one makes no more room."""
    cuts_to_limit: bool = False
    """True if the strategy cuts back to its limit and no further."""


def find_thrash(run: Run) -> Thrash | None:
    """Return a finding if the summarizer is asked at nearly every request, unless the strategy does so by design."""
    if run.strategy.trigger is Trigger.TURN:
        return None
    # The requests before which the summarizer was asked, each once.
    fired: list[int] = []
    summarizations = []
    for number, compactions in run.requests.compactions():
        for compaction in compactions:
            if not compaction.is_summarization or compaction.is_fixed:
                continue
            summarizations.append(compaction)
            if number not in fired[-1:]:
                fired.append(number)
    since = range(fired[0], len(run.requests)) if fired else range(0)
    if len(since) < LEAST_REQUESTS or len(fired) < THRASHING_SHARE * len(since):
        return None
    finding = Thrash(
        summarizations=len(summarizations),
        steps=len(since),
        step=choose_step(run),
        room=_measure_room(run, since, summarizations),
        turns=list_turns_of_requests(run, fired),
        severity="bad",
    )
    return _add_remedy(finding, run, since)


def _measure_room(
    run: Run, since: range, summarizations: Sequence[Compaction]
) -> Room | None:
    headrooms = [
        _measure_gap(run.strategy, compaction.after) for compaction in summarizations
    ]
    gaps = [gap for gap in headrooms if gap is not None]
    if not gaps:
        return None
    # What the requests since the first summarization added to the log, on average.
    unit = gaps[0].unit
    start = int(run.columns.lengths[since[0]])
    stop = int(run.columns.lengths[since[-1]])
    amount = stop - start
    if unit == "tokens":
        amount = run.space.sums.between(start, stop)
    mean = sum(gap.amount for gap in gaps) / len(gaps)
    return Room(mean, amount / (len(since) - 1), unit)


def _measure_gap(strategy: Strategy, after: Memory) -> Headroom | None:
    """Return the room that a summarization made.

    If it covered all messages, the reply comes next. The summary then counts beside it and takes a part of the room.
    """
    if after.pending or after.length == len(after.log):
        return strategy.headroom(after)
    answered = strategy.fill(after.appended(after.length + 1))
    if answered is None or answered.unit != "tokens":
        return strategy.headroom(after)
    reply_tokens = after.sums.between(after.length, after.length + 1)
    return answered._replace(held=answered.held - reply_tokens).headroom


def _add_remedy(finding: Thrash, run: Run, since: range) -> Thrash:
    """Return ``finding`` with a value of the main parameter that ends the thrashing, if there is one."""
    strategy = run.strategy
    room = finding.room
    name = strategy.main_parameter
    value = getattr(strategy, name) if name else None
    if room is None or not isinstance(value, int):
        return finding
    # The room grows in proportion to the value.
    if room.gap >= LEAST_GAP_SHARE * value:
        wanted = max(value + 1, ceil(value * WANTED_REQUESTS * room.request / room.gap))
        return replace(finding, wider=LargerValue(name, value, wanted))
    if room.unit != "tokens":
        return replace(finding, cuts_to_limit=True)
    log_tokens = run.space.sums.totals[int(run.columns.lengths[since[-1]])]
    # Only a limit that holds the whole log ends it. If messages may only take a share of the parameter, the parameter
    # has to grow by the same factor.
    whole = ceil(log_tokens * value / (strategy.budget_tokens or value))
    larger = LargerValue(name, value, whole)
    return replace(finding, cuts_to_limit=True, whole=larger)


REFERENCE = "o200k_base"
FACTOR = 1.5
"""A counter that is off by this factor is reported. For English the estimates are within 1.3."""
BAD_FACTOR = 2.0
"""A count this many times too low makes every limit at least twice as large as it says."""
SAMPLED_MESSAGES = 20
SAMPLED_CHARS = 5_000
LEAST_TOKENS = 50
"""The fewest tokens of a sample: in a smaller one, the difference may be rounding."""


@dataclass(frozen=True, kw_only=True)
class OddCounter(HealthFinding):
    """A token counter that is far off on a sample of the messages."""

    kind: ClassVar[str] = "odd_counter"
    messages: int
    """The size of the sample."""
    counter: str
    """The name of the run's counter."""
    tokens: int
    """The tokens of the sample by this counter."""
    expected_tokens: int
    """The tokens of the sample by :data:`REFERENCE`."""
    factor: float
    """The ratio of the larger of these numbers to the smaller."""

    @property
    def counts_too_few(self) -> bool:
        """True if it counts fewer tokens than the reference."""
        return self.tokens < self.expected_tokens


def find_odd_counter(run: Run) -> OddCounter | None:
    """Return a finding if the run's counter is far off from ``o200k_base`` on a sample of the messages."""
    own_counter = run.counter
    texts = () if own_counter.name == REFERENCE else sample_texts(run.log)
    # The files of the reference counter may be missing on this machine.
    try:
        expected = _count_reference_tokens(texts)
    except CounterUnavailableError:
        return None
    tokens = sum(map(own_counter, texts))
    if expected < LEAST_TOKENS or tokens < 1 or 1 / FACTOR < tokens / expected < FACTOR:
        return None
    # To count too few tokens is worse: requests become larger than the limit. To count too many only wastes room.
    factor = max(expected / tokens, tokens / expected)
    is_bad = tokens < expected and factor >= BAD_FACTOR
    return OddCounter(
        messages=len(texts),
        counter=own_counter.name,
        tokens=tokens,
        expected_tokens=expected,
        factor=factor,
        severity="bad" if is_bad else "caution",
    )


def sample_texts(log: Log) -> tuple[str, ...]:
    """Return the beginnings of up to 20 messages, evenly spaced over those with a text, 5,000 characters in all."""
    texts = [message.content for message in log if message.content]
    size = min(SAMPLED_MESSAGES, len(texts))
    sampled_texts = [texts[at * len(texts) // size] for at in range(size)]
    return tuple(text[: SAMPLED_CHARS // SAMPLED_MESSAGES] for text in sampled_texts)


@lru_cache(maxsize=64)
def _count_reference_tokens(texts: tuple[str, ...]) -> int:
    return sum(map(counter(REFERENCE), texts))
