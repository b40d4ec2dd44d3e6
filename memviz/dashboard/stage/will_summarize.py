"""*Will it summarize before this request?* The answer is on record, and so is how full the memory was before."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from typing import NamedTuple

from memviz.core.memory import Memory
from memviz.dashboard.stage.question import YES_OR_NO, Candidate, Question, StagedRun
from memviz.engine.compaction import Compaction
from memviz.metrics.summaries.compaction_words import compaction_words
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import Headroom

NEAR_SHARE = 0.75
"""Of its limit a memory holds at least so much where it is worth asking although nothing happens."""
ACTS = ("cleared", "shortened", "evicted")


class Fullness(NamedTuple):
    """How full a memory is, in words: ``held`` ("1,412 tokens of messages not yet summarized", or what it still takes)
    and the ``rule`` ("past 1,500 it summarizes", empty where ``held`` says it); the ``share`` of the limit, and whether
    it ``is_over``."""

    held: str
    rule: str
    share: float
    is_over: bool


def acts(strategy: Strategy) -> str:
    """What the rule does when it is time: ``summarizes``, or ``clears`` where no summarizer is asked."""
    return "summarizes" if strategy.writes_notes else "clears"


def acted(compactions: tuple[Compaction, ...], strategy: Strategy) -> Compaction | None:
    """The compaction by which ``strategy`` summarized or, where it asks no summarizer, cleared."""
    if strategy.writes_notes:
        return next((one for one in compactions if one.is_summarization), None)
    return next(
        (one for one in compactions if one.kind in ACTS and one.changes_memory), None
    )


def fullness(strategy: Strategy, memory: Memory) -> Fullness | None:
    """How full ``memory`` is; ``None`` for a rule that counts nothing which fills up."""
    fill = strategy.fill(memory)
    if fill is not None:
        counts = (
            fill.counts
            if fill.counts.startswith(fill.unit)
            else f"{fill.unit} of {fill.counts}"
        )
        rule = f"past {fill.limit:,} it {acts(strategy)}"
        return Fullness(
            f"{fill.held:,} {counts}",
            rule,
            fill.held / max(1, fill.limit),
            fill.is_over,
        )
    room = strategy.headroom(memory)
    if room is None or room.unit not in ("tokens", "messages"):
        return None
    return _by_headroom(room, memory)


def _by_headroom(room: Headroom, memory: Memory) -> Fullness:
    held = memory.pending_tokens if room.unit == "tokens" else memory.pending
    share = held / max(1, held + room.amount)
    return Fullness(
        f"room for fewer than {room}",
        "",
        share,
        room.amount <= (1 if room.unit == "messages" else 0),
    )


def candidates(staged: StagedRun) -> Iterator[Candidate]:
    """A question for each request before which it summarized, and for each before which it nearly did."""
    done = dict(staged.run.requests.compactions())
    coming = staged.requests.stop
    for request in reversed(staged.requests):
        here = done.get(request, ())
        coming = request if here else coming
        strategy = staged.strategy_at(request)
        if any(one.error is not None or one.is_decision for one in here):
            continue
        if strategy is not staged.strategy_at(request - 1):
            continue
        before = fullness(strategy, staged.run.requests.memory_at(request - 1))
        after = fullness(strategy, staged.run.requests.memory_at(request))
        if before is None or after is None or before.is_over:
            continue
        yes = acted(here, strategy) is not None
        if not yes and (here or after.is_over or after.share < NEAR_SHARE):
            continue
        yield Candidate(
            staged.step(request),
            staged.number,
            _events(staged, request, coming),
            yes,
            1 - before.share if yes else after.share,
            partial(question, staged, request),
        )


def _events(staged: StagedRun, request: int, coming: int) -> frozenset[Hashable]:
    """What the question is about: the way to the compaction before the request ``coming``, and that one itself where it
    comes here. Who was told that it did not come yet knows that it will."""
    way = ("way", staged.number, coming)
    return frozenset(
        {way, ("compaction", staged.number, coming)} if request == coming else {way}
    )


def question(staged: StagedRun, request: int) -> Question:
    """Whether it summarizes before ``request`` (number from 0)."""
    strategy, name = staged.strategy_at(request), staged.request_name(request)
    compaction = acted(staged.run.requests[request].compactions, strategy)
    return Question(
        "summarizes",
        staged.step(request),
        staged.number,
        _text(staged, request, strategy, name),
        YES_OR_NO,
        0 if compaction is not None else 1,
        _why(staged, compaction)
        if compaction is not None
        else _why_not(staged, request, strategy, name),
    )


def _text(staged: StagedRun, request: int, strategy: Strategy, name: str) -> str:
    act = acts(strategy).removesuffix("s")
    before = (
        fullness(strategy, staged.run.requests.memory_at(request - 1))
        if request
        else None
    )
    if before is None:
        return f"Does {staged.label} {act} before the request of {name}?"
    held = f"At {staged.request_name(request - 1)}, {staged.label} has {before.held}"
    rule = f", and {before.rule}" if before.rule else f" before it {acts(strategy)}"
    return f"{held}{rule}. Does it {act} before the request of {name}?"


def _why(staged: StagedRun, compaction: Compaction) -> str:
    return f"{compaction_words(compaction, staged.run).happened}."


def _why_not(staged: StagedRun, request: int, strategy: Strategy, name: str) -> str:
    here = staged.run.requests[request].compactions
    if here:  # it failed, or somebody decided
        return _why(staged, here[-1])
    after = fullness(strategy, staged.run.requests.memory_at(request))
    if after is None or after.is_over:
        tokens = staged.run.requests[request].total_tokens
        return f"Nothing was due: the request of {name} went out as it was, with {tokens:,} tokens."
    if not after.rule:
        return f"Nothing was due: at {name} it still had {after.held}."
    return f"Nothing was due: {name} has {after.held}, and {after.rule}."
