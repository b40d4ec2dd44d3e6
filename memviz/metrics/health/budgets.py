"""Settings whose limits do not fit: summaries, inputs and what is kept are larger than the token budget, summarizations
make too little room, or the tokens are not counted as the model does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.conversation import Log
from memviz.core.counters import counter
from memviz.core.errors import CounterUnavailableError
from memviz.core.memory import Memory
from memviz.core.text.wording import counted, message_number, share_of
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.health.warning import (
    HealthWarning,
    Severity,
    step_noun,
    turns_at,
    turns_of,
)
from memviz.metrics.requests.request_axis import name_of
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Headroom

LARGE_SHARE = 2
"""A summary that counts against the budget is large when it takes more than one in so many parts of it."""


class _Budget(NamedTuple):
    """The token budget of a strategy."""

    strategy: Strategy
    tokens: int
    name: str
    """The parameter that it is."""

    @classmethod
    def of(cls, run: Run) -> _Budget | None:
        strategy = run.strategy
        name = strategy.main_parameter
        tokens = strategy.budget_tokens
        if tokens is None:
            return None
        is_own = name and getattr(strategy, name) == tokens
        return cls(strategy, tokens, name if is_own else "token limit")

    def counted(self, part: str, tokens: int) -> int:
        """Return how many of so many tokens of one part of a request count against it."""
        parts = dict.fromkeys(ALL_PARTS, 0)
        return self.strategy.counted_tokens({**parts, part: tokens})


def large_summary(run: Run) -> HealthWarning | None:
    """Warn of summaries sent that are over the budget; where they count against it, over half of it."""
    budget = _Budget.of(run)
    if budget is None:
        return None
    counts = budget.counted("summary", 1) > 0
    sizes = run.columns.tokens["summary"]
    large = np.flatnonzero(sizes * (LARGE_SHARE if counts else 1) > budget.tokens)
    if not len(large):
        return None
    worst = run.requests[int(large[sizes[large].argmax()])]
    peak = worst.tokens["summary"]
    if counts:
        part = "more than half of the"
        why = "It counts against the limit, so it leaves little room for the messages themselves."
    else:
        part = "more than the"
        why = "The limit does not count the summary, so requests are more than twice what the limit promises."
    return HealthWarning(
        "large_summary",
        "A summary too large for its limit",
        f"In {share_of(len(large), len(run.requests), 'request')} the summary took {part} {budget.name} of "
        f"{budget.tokens:,} tokens: {peak:,} at {name_of(run, worst)}.",
        why,
        f"Raise {budget.name} to {LARGE_SHARE * peak:,}, or choose a summarizer that writes less.",
        turns_at(run, large),
        "bad" if peak > budget.tokens else "caution",
    )


def kept_above_trigger(run: Run) -> HealthWarning | None:
    """Warn of summarizations after which the messages kept are still over the limit that triggers the next one."""
    budget = _Budget.of(run)
    if budget is None or run.strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST):
        return None
    # Only what takes messages out of those not yet summarized says what was kept of them.
    done = []
    above = []
    for one in run.compactions:
        is_taking = one.is_summarization or one.dropped
        if is_taking and one.after.cursor > one.before.cursor:
            done.append(one)
            if budget.counted("history", one.after.pending_tokens) > budget.tokens:
                above.append(one)
    if not above:
        return None
    worst = max(above, key=lambda compaction: compaction.after.pending_tokens)
    peak = worst.after.pending_tokens
    return HealthWarning(
        "kept_above_trigger",
        "What is kept triggers the next summarization",
        f"After {share_of(len(above), len(done), 'summarization')} the messages kept were still over the {budget.name} "
        f"of {budget.tokens:,} tokens: {peak:,} tokens after message {message_number(worst.after_message):,}.",
        "It has to summarize again at once, and once more, until the large message has left.",
        f"Raise {budget.name} to {2 * peak:,}, so that half of it holds what was kept, or shorten long messages such "
        "as tool results before they are remembered.",
        turns_of(run, above),
        "bad",
    )


def over_budget(run: Run) -> HealthWarning | None:
    """Warn of requests whose counted part is over the budget, and say how many of these because of the input alone."""
    budget = _Budget.of(run)
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
    inputs = tokens["input"][over].tolist()
    alone = sum(budget.counted("input", size) > budget.tokens for size in inputs)
    if alone:
        why = "The input is always sent whole; where it fills the limit, hardly anything else is sent."
        remedy = f"Raise {budget.name} to {peak:,} or more, or shorten long inputs."
    else:
        why = "The summary and the messages kept are larger together than the limit promises."
        remedy = (
            f"Expect {peak:,} tokens where the {budget.name} says {budget.tokens:,}, or choose a summarizer that "
            "writes less."
        )
    return HealthWarning(
        "over_budget",
        "Requests over their limit",
        f"{share_of(len(over), len(run.requests), 'request')} were over the {budget.name} of {budget.tokens:,} tokens "
        f"for {run.strategy.limits or 'what it counts'}, "
        f"{alone or 'none'} of them because the input alone is larger. "
        f"The largest had {peak:,} tokens, at {name_of(run, worst)}.",
        why,
        remedy,
        turns_at(run, over),
        "bad" if alone else "caution",
    )


THRASHING_SHARE = 0.75
"""Thrash is when, since the first summarization, at least this share of the requests had one. Half is a
setting that summarizes every other turn, which many do on purpose."""
LEAST_REQUESTS = 4
WANTED_REQUESTS = 4
"""A remedy makes room for so many requests."""
LEAST_GAP_SHARE = 0.25
"""A strategy whose summarizations make less room than this share of its limit cuts back to the limit itself,
so a larger limit does not widen the gap."""


class _Room(NamedTuple):
    """The room that a summarization makes, and what a request takes of it, in messages or in tokens."""

    gap: float
    request: float
    unit: str


def thrash(run: Run) -> HealthWarning | None:
    """Warn where the run asks its summarizer at nearly every request. One summary a turn by design is no such run."""
    if run.strategy.trigger is Trigger.TURN:
        return None
    fired = []
    written = []
    for number, made in run.requests.compactions():
        some = [one for one in made if one.is_summarization and not one.is_fixed]
        written += some
        if some:
            fired.append(number)
    since = range(fired[0], len(run.requests)) if fired else range(0)
    if len(since) < LEAST_REQUESTS or len(fired) < THRASHING_SHARE * len(since):
        return None
    noun = step_noun(run)
    room = _room(run, since, written)
    numbers = (
        f"{counted(len(written), 'summarization')} in {counted(len(since), noun)}: "
        f"one every {len(since) / len(written):.1f} {noun}s."
    )
    if room:
        numbers += f" Each makes room for {room.gap:,.0f} {room.unit}, and a {noun} takes {room.request:,.0f}."
    return HealthWarning(
        "thrash",
        f"Summarizes at nearly every {noun}",
        numbers,
        f"Trigger and target are too close: every {noun} waits for a summarizer call and pays for it, details fade "
        "with each pass, and a prompt that always changes is never cached.",
        _remedy(run, since, room),
        turns_at(run, fired),
        "bad",
    )


def _room(run: Run, since: range, written: Sequence[Compaction]) -> _Room | None:
    found = [_gap(run.strategy, compaction.after) for compaction in written]
    gaps = [gap for gap in found if gap is not None]
    if not gaps:
        return None
    unit = gaps[0].unit
    start = int(run.columns.lengths[since[0]])
    stop = int(run.columns.lengths[since[-1]])
    taken = stop - start
    if unit == "tokens":
        taken = run.space.sums.between(start, stop)
    mean = sum(gap.amount for gap in gaps) / len(gaps)
    return _Room(mean, taken / (len(since) - 1), unit)


def _gap(strategy: Strategy, after: Memory) -> Headroom | None:
    """Return the room that a summarization made. Where it took in everything, the reply comes next and will be the
    oldest message, and a summary that counts beside a reply takes part of that room."""
    if after.pending or after.length == len(after.log):
        return strategy.headroom(after)
    answered = strategy.fill(after.appended(after.length + 1))
    if answered is None or answered.unit != "tokens":
        return strategy.headroom(after)
    reply_tokens = after.sums.between(after.length, after.length + 1)
    return answered._replace(held=answered.held - reply_tokens).headroom


def _remedy(run: Run, since: range, room: _Room | None) -> str:
    strategy = run.strategy
    name = strategy.main_parameter
    value = getattr(strategy, name) if name else None
    if room is None or not isinstance(value, int):
        return "Choose a strategy that cuts back further below its limit."
    if room.gap >= LEAST_GAP_SHARE * value:
        wanted = max(value + 1, ceil(value * WANTED_REQUESTS * room.request / room.gap))
        room_for = f"{WANTED_REQUESTS} {step_noun(run)}s"
        return f"Raise {name} from {value:,} to about {wanted:,}, which makes room for {room_for}."
    remedy = "Choose a strategy that cuts back further below its limit, as the summary buffer does (to half of it)"
    if room.unit != "tokens":
        return remedy + "."
    said = run.space.sums.totals[int(run.columns.lengths[since[-1]])]
    # Messages may take a share of the limit only.
    whole = ceil(said * value / (strategy.budget_tokens or value))
    return f"{remedy}, or raise {name} from {value:,} to {whole:,}, which holds all messages of this conversation."


REFERENCE = "o200k_base"
FACTOR = 1.5
"""A count this many times too high or too low is worth a word. For English the estimates are within 1.3."""
BAD_FACTOR = 2.0
"""A count this many times too low makes every limit at least twice as large as it says."""
SAMPLED_MESSAGES = 20
SAMPLED_CHARS = 5_000
LEAST_TOKENS = 50
"""In a smaller sample it is the rounding that one would see."""


def odd_counter(run: Run) -> HealthWarning | None:
    """Warn where the run's counter is far off, against ``o200k_base`` on a sample of the messages.

    The sample is the same every time: up to 20 messages with a text, evenly spaced, and the first
    characters of each, 5,000 in all.
    """
    own = run.counter
    texts = () if own.name == REFERENCE else sample(run.log)
    try:
        expected = _reference_tokens(texts)
    except CounterUnavailableError:
        return None
    found = sum(map(own, texts))
    if expected < LEAST_TOKENS or found < 1 or 1 / FACTOR < found / expected < FACTOR:
        return None
    severity: Severity = "caution"
    if found < expected:
        factor = expected / found
        many = "few"
        effect = "requests are larger than they look, and may not fit the model."
        if factor >= BAD_FACTOR:
            severity = "bad"
    else:
        factor = found / expected
        many = "many"
        effect = (
            "requests are smaller than they look, and details are given up too early."
        )
    return HealthWarning(
        "odd_counter",
        "The token counter is far off",
        f"In a sample of {len(texts)} messages {own.name} counts {found:,} tokens and {REFERENCE} {expected:,}: "
        f"{factor:.1f} times too {many}.",
        f"Limits, sizes and costs are off by as much: {effect}",
        f"Count with {REFERENCE}, or with the counter of the model that will be used.",
        severity=severity,
    )


def sample(log: Log) -> tuple[str, ...]:
    """Return the beginnings of up to 20 messages, evenly spaced over those with a text."""
    texts = [message.content for message in log if message.content]
    size = min(SAMPLED_MESSAGES, len(texts))
    chosen = [texts[at * len(texts) // size] for at in range(size)]
    return tuple(text[: SAMPLED_CHARS // SAMPLED_MESSAGES] for text in chosen)


@lru_cache(maxsize=64)
def _reference_tokens(texts: tuple[str, ...]) -> int:
    return sum(map(counter(REFERENCE), texts))
