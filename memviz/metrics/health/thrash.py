"""Summarizing at nearly every request, because a summarization makes too little room for the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from memviz.core.memory import Memory
from memviz.core.text.wording import counted
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning, step_noun, turns_at
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Headroom

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
