"""What is larger than the setting's own token budget: a summary, what a summarization keeps, an input."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from memviz.conversation import Log
from memviz.counters import counter
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.errors import CounterUnavailableError
from memviz.memory import Memory
from memviz.metrics.health.warning import (
    HealthWarning,
    budget_name,
    counted_tokens,
    step_noun,
    turns_at,
)
from memviz.metrics.requests.request_axis import name_of
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Headroom
from memviz.text.wording import counted, message_number, share_of

LARGE_SHARE = 2
"""A summary that counts against the budget is large when it takes more than one in so many parts of it."""


def large_summary(run: Run) -> HealthWarning | None:
    """Summaries sent that are over the budget; where they count against it, over half of it."""
    strategy, budget = run.strategy, run.strategy.budget_tokens
    if budget is None:
        return None
    counts = counted_tokens(strategy, summary=1) > 0
    sizes = run.columns.tokens["summary"]
    large = np.flatnonzero(sizes * (LARGE_SHARE if counts else 1) > budget)
    if not len(large):
        return None
    worst = run.requests[int(large[sizes[large].argmax()])]
    peak, name = worst.tokens["summary"], budget_name(strategy)
    part = f"more than half of the {name}" if counts else f"more than the {name}"
    return HealthWarning(
        "large_summary",
        "A summary too large for its limit",
        f"In {share_of(len(large), len(run.requests), 'request')} the summary took {part} of {budget:,} tokens: "
        f"{peak:,} at {name_of(run, worst)}.",
        "It counts against the limit, so it leaves little room for the messages themselves."
        if counts
        else "The limit does not count the summary, so requests are more than twice what the limit promises.",
        f"Raise {name} to {LARGE_SHARE * peak:,}, or choose a summarizer that writes less.",
        turns_at(run, large),
        "bad" if peak > budget else "caution",
    )


def kept_above_trigger(run: Run) -> HealthWarning | None:
    """Summarizations after which the messages kept are still over the limit that triggers the next one."""
    strategy, budget = run.strategy, run.strategy.budget_tokens
    if budget is None or strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST):
        return None
    # Only what takes messages out of those not yet summarized says what was kept of them.
    done = [
        c
        for c in run.compactions
        if (c.is_summarization or c.dropped) and c.after.cursor > c.before.cursor
    ]
    above = [
        c
        for c in done
        if counted_tokens(strategy, history=c.after.pending_tokens) > budget
    ]
    if not above:
        return None
    worst = max(above, key=lambda compaction: compaction.after.pending_tokens)
    peak, name = worst.after.pending_tokens, budget_name(strategy)
    return HealthWarning(
        "kept_above_trigger",
        "What is kept triggers the next summarization",
        f"After {share_of(len(above), len(done), 'summarization')} the messages kept were still over the {name} of "
        f"{budget:,} tokens: {peak:,} tokens after message {message_number(worst.after_message):,}.",
        "It has to summarize again at once, and once more, until the large message has left.",
        f"Raise {name} to {2 * peak:,}, so that half of it holds what was kept, or shorten long messages such as "
        "tool results before they are remembered.",
        tuple(
            sorted(
                {
                    run.request_turn(compaction) or compaction.turn
                    for compaction in above
                }
            )
        ),
        "bad",
    )


def over_budget(run: Run) -> HealthWarning | None:
    """Requests whose counted part is over the budget, and how many of these because of the input alone."""
    strategy, budget = run.strategy, run.strategy.budget_tokens
    tokens = run.columns.tokens
    sizes = strategy.counted_tokens(tokens)
    over = np.flatnonzero(sizes > budget) if budget is not None else ()
    if budget is None or not len(over):
        return None
    worst = run.requests[int(over[sizes[over].argmax()])]
    peak, name = strategy.counted_tokens(worst.tokens), budget_name(strategy)
    alone = sum(
        counted_tokens(strategy, input=size) > budget
        for size in tokens["input"][over].tolist()
    )
    return HealthWarning(
        "over_budget",
        "Requests over their limit",
        f"{share_of(len(over), len(run.requests), 'request')} were over the {name} of {budget:,} tokens for "
        f"{strategy.limits or 'what it counts'}, "
        f"{alone or 'none'} of them because the input alone is larger. "
        f"The largest had {peak:,} tokens, at {name_of(run, worst)}.",
        "The input is always sent whole; where it fills the limit, hardly anything else is sent."
        if alone
        else "The summary and the messages kept are larger together than the limit promises.",
        f"Raise {name} to {peak:,} or more, or shorten long inputs."
        if alone
        else f"Expect {peak:,} tokens where the {name} says {budget:,}, or choose a summarizer that writes less.",
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
    """How much room a summarization makes, and what a request takes of it, in messages or in tokens."""

    gap: float
    request: float
    unit: str


def thrash(run: Run) -> HealthWarning | None:
    """Whether the run asks its summarizer at nearly every request. One summary a turn by design is none."""
    if run.strategy.trigger is Trigger.TURN:
        return None
    fired = {
        number: some
        for number, made in run.requests.compactions()
        if (some := _written(made))
    }
    since, noun = (
        range(next(iter(fired), len(run.requests)), len(run.requests)),
        step_noun(run),
    )
    if len(since) < LEAST_REQUESTS or len(fired) < THRASHING_SHARE * len(since):
        return None
    written = [compaction for some in fired.values() for compaction in some]
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


def _written(made: Sequence[Compaction]) -> list[Compaction]:
    return [one for one in made if one.is_summarization and not one.is_fixed]


def _room(run: Run, since: range, written: Sequence[Compaction]) -> _Room | None:
    gaps = [
        left
        for compaction in written
        if (left := _gap(run.strategy, compaction.after)) is not None
    ]
    if not gaps:
        return None
    lengths = run.columns.lengths
    start, stop, steps = int(lengths[since[0]]), int(lengths[since[-1]]), len(since) - 1
    unit = gaps[0].unit
    taken = run.space.sums.between(start, stop) if unit == "tokens" else stop - start
    return _Room(sum(gap.amount for gap in gaps) / len(gaps), taken / steps, unit)


def _gap(strategy: Strategy, after: Memory) -> Headroom | None:
    """The room that a summarization made. Where it took in everything, the reply comes next and will be the oldest
    message, and a summary that counts beside a reply takes part of that room."""
    if after.pending or after.length == len(after.log):
        return strategy.headroom(after)
    answered = strategy.fill(after.appended(after.length + 1))
    if answered is None or answered.unit != "tokens":
        return strategy.headroom(after)
    return answered._replace(
        held=answered.held - after.sums.between(after.length, after.length + 1)
    ).headroom


def _remedy(run: Run, since: range, room: _Room | None) -> str:
    strategy, name = run.strategy, run.strategy.main_parameter
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
    whole = run.space.sums.totals[int(run.columns.lengths[since[-1]])]
    whole = ceil(
        whole * value / (strategy.budget_tokens or value)
    )  # where messages may take a share of it only
    return f"{remedy}, or raise {name} from {value:,} to {whole:,}, which holds all messages of this conversation."


REFERENCE = "o200k_base"
FACTOR = 1.5
"""A count this many times too high or too low is worth a word. For English the estimates are within 1.3."""
BAD_FACTOR = 2.0
"""A count this many times too low makes every limit at least twice as large as it says."""
SAMPLED_MESSAGES, SAMPLED_CHARS = 20, 5_000
LEAST_TOKENS = 50
"""In a smaller sample it is the rounding that one would see."""


def odd_counter(run: Run) -> HealthWarning | None:
    """Whether the run's counter is far off, against ``o200k_base`` on a sample of the messages.

    The sample is the same every time: up to 20 messages with a text, evenly spaced, and the first
    characters of each, 5,000 in all.
    """
    own = run.counter
    texts = () if own.name == REFERENCE else sample(run.log)
    try:
        expected = _reference_tokens(texts)
    except CounterUnavailableError:
        return None
    found = sum(own(text) for text in texts)
    if expected < LEAST_TOKENS or found < 1 or 1 / FACTOR < found / expected < FACTOR:
        return None
    too_low = found < expected
    factor = expected / found if too_low else found / expected
    return HealthWarning(
        "odd_counter",
        "The token counter is far off",
        f"In a sample of {len(texts)} messages {own.name} counts {found:,} tokens and {REFERENCE} {expected:,}: "
        f"{factor:.1f} times too {'few' if too_low else 'many'}.",
        "Limits, sizes and costs are off by as much: "
        + (
            "requests are larger than they look, and may not fit the model."
            if too_low
            else "requests are smaller than they look, and details are given up too early."
        ),
        f"Count with {REFERENCE}, or with the counter of the model that will be used.",
        severity="bad" if too_low and factor >= BAD_FACTOR else "caution",
    )


def sample(log: Log) -> tuple[str, ...]:
    """The beginnings of up to 20 messages, evenly spaced over those with a text."""
    texts = [message.content for message in log if message.content]
    size = min(SAMPLED_MESSAGES, len(texts))
    return tuple(
        texts[at * len(texts) // size][: SAMPLED_CHARS // SAMPLED_MESSAGES]
        for at in range(size)
    )


@lru_cache(maxsize=64)
def _reference_tokens(texts: tuple[str, ...]) -> int:
    count = counter(REFERENCE)
    return sum(count(text) for text in texts)
