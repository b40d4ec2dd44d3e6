"""*Will it summarize before this request?* The answer is on record, and so is how full the memory was before."""

from collections.abc import Hashable, Iterator
from functools import partial
from typing import NamedTuple

from memviz.core.memory import Memory
from memviz.dashboard.stage.question import YES_OR_NO, Candidate, Question, StagedRun
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.compaction import Compaction
from memviz.strategies.base import Strategy

NEAR_SHARE = 0.75
"""Of its limit a memory holds at least so much where it is worth asking although nothing happens."""
ACTS = ("cleared", "shortened", "evicted")


class Fullness(NamedTuple):
    """The fullness of a memory, in words."""

    held: str
    """``1,412 tokens of messages not yet summarized``, or what it still takes."""
    rule: str
    """``past 1,500 it summarizes``, empty where ``held`` says it."""
    share: float
    """Of the limit."""
    is_over: bool


def acts(strategy: Strategy) -> str:
    """Return the verb for what the rule does when it is time: ``summarizes``, or ``clears`` where no summarizer is
    asked."""
    return "summarizes" if strategy.writes_notes else "clears"


def acted(compactions: tuple[Compaction, ...], strategy: Strategy) -> Compaction | None:
    """The compaction by which ``strategy`` summarized or, where it asks no summarizer, cleared."""
    if strategy.writes_notes:
        return next((one for one in compactions if one.is_summarization), None)
    return next(
        (one for one in compactions if one.kind in ACTS and one.changes_memory), None
    )


def fullness(strategy: Strategy, memory: Memory) -> Fullness | None:
    """Return how full ``memory`` is; ``None`` for a rule that counts nothing which fills up."""
    fill = strategy.fill(memory)
    if fill is not None:
        counts = fill.counts
        if not counts.startswith(fill.unit):
            counts = f"{fill.unit} of {counts}"
        rule = f"past {fill.limit:,} it {acts(strategy)}"
        share = fill.held / max(1, fill.limit)
        return Fullness(f"{fill.held:,} {counts}", rule, share, fill.is_over)
    room = strategy.headroom(memory)
    if room is None or room.unit not in ("tokens", "messages"):
        return None
    held = memory.pending_tokens
    least = 0
    if room.unit == "messages":
        held = memory.pending
        least = 1
    share = held / max(1, held + room.amount)
    return Fullness(
        f"room for fewer than {room}", "", share, is_over=room.amount <= least
    )


def candidates(staged: StagedRun) -> Iterator[Candidate]:
    """A question for each request before which it summarized, and for each before which it nearly did."""
    requests = staged.run.requests
    done = dict(requests.compactions())
    coming = staged.requests.stop
    for request in reversed(staged.requests):
        here = done.get(request, ())
        if here:
            coming = request
        strategy = staged.strategy_at(request)
        has_other = any(one.error is not None or one.is_decision for one in here)
        if has_other or strategy is not staged.strategy_at(request - 1):
            continue
        before = fullness(strategy, requests.memory_at(request - 1))
        after = fullness(strategy, requests.memory_at(request))
        if before is None or after is None or before.is_over:
            continue
        compaction = acted(here, strategy)
        if compaction is None:
            if here or after.is_over or after.share < NEAR_SHARE:
                continue
            interest = after.share
        else:
            interest = 1 - before.share
        yield Candidate(
            staged.step(request),
            staged.number,
            _events(staged, request, coming),
            compaction is not None,
            interest,
            partial(question, staged, request, before, after, compaction),
        )


def _events(staged: StagedRun, request: int, coming: int) -> frozenset[Hashable]:
    """Return what the question is about: the way to the compaction before the request ``coming``, and that one itself
    where it comes here. Who was told that it did not come yet knows that it will."""
    way = ("way", staged.number, coming)
    if request != coming:
        return frozenset({way})
    return frozenset({way, ("compaction", staged.number, coming)})


def question(
    staged: StagedRun,
    request: int,
    before: Fullness,
    after: Fullness,
    compaction: Compaction | None,
) -> Question:
    """Return whether it summarizes before ``request`` (number from 0). ``before`` and ``after`` are how full the memory
    was at the request before it and at this one, and ``compaction`` is what it did."""
    strategy = staged.strategy_at(request)
    name = staged.request_name(request)
    held = f"At {staged.request_name(request - 1)}, {staged.label} has {before.held}"
    rule = f", and {before.rule}" if before.rule else f" before it {acts(strategy)}"
    act = acts(strategy).removesuffix("s")
    text = f"{held}{rule}. Does it {act} before the request of {name}?"
    if compaction is not None:
        reason = f"{compaction_words(compaction, staged.run).happened}."
    elif after.rule:
        reason = f"Nothing was due: {name} has {after.held}, and {after.rule}."
    else:
        reason = f"Nothing was due: at {name} it still had {after.held}."
    answer = 1 if compaction is None else 0
    step = staged.step(request)
    return Question("summarizes", step, staged.number, text, YES_OR_NO, answer, reason)
