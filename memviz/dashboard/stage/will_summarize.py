"""*Will it summarize before this request?* The answer is on record, and so is how full the memory was before."""

from collections.abc import Hashable, Iterator
from functools import partial
from typing import NamedTuple

from memviz.core.memory import Memory
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.stage.question import YES_OR_NO, Candidate, Question, StagedRun
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.compaction import Compaction
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import Headroom

NEAR_SHARE = 0.75
"""Of its limit a memory holds at least so much where it is worth asking although nothing happens."""
ACTS = ("cleared", "shortened", "evicted")
_ASKS = {
    (True, True): noop(
        "At {before}, {label} has {held}, and {rule}. Does it summarize before the request of {name}?"
    ),
    (True, False): noop(
        "At {before}, {label} has {held}, and {rule}. Does it clear before the request of {name}?"
    ),
    (False, True): noop(
        "At {before}, {label} has {held} before it summarizes. Does it summarize before the request of {name}?"
    ),
    (False, False): noop(
        "At {before}, {label} has {held} before it clears. Does it clear before the request of {name}?"
    ),
}
"""The question, where a limit says when it acts or not, and of who summarizes or clears."""


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
    return _("summarizes") if strategy.writes_notes else _("clears")


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
        held = _("{held:,} {counts}", held=fill.held, counts=_(fill.counts))
        if not fill.counts.startswith(fill.unit):
            held = _(
                "{amount} of {counts}",
                amount=counted(fill.held, fill.unit.removesuffix("s")),
                counts=_(fill.counts),
            )
        rule = _("past {limit:,} it {acts}", limit=fill.limit, acts=acts(strategy))
        share = fill.held / max(1, fill.limit)
        return Fullness(held, rule, share, fill.is_over)
    room = strategy.headroom(memory)
    if room is None or room.unit not in ("tokens", "messages"):
        return None
    pending = memory.pending_tokens
    least = 0
    if room.unit == "messages":
        pending = memory.pending
        least = 1
    share = pending / max(1, pending + room.amount)
    held = _("room for fewer than {room}", room=_room_words(room))
    return Fullness(held, "", share, is_over=room.amount <= least)


def _room_words(room: Headroom) -> str:
    if not room.amount:
        return _("the next message")
    return counted(room.amount, f"more {room.unit.removesuffix('s')}")


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
    text = _(
        _ASKS[bool(before.rule), strategy.writes_notes],
        before=staged.request_name(request - 1),
        label=staged.label,
        held=before.held,
        rule=before.rule,
        name=name,
    )
    if compaction is not None:
        happened = compaction_words(compaction, staged.run).happened
        reason = _("{happened}.", happened=happened)
    elif after.rule:
        reason = _(
            "Nothing was due: {name} has {held}, and {rule}.",
            name=name,
            held=after.held,
            rule=after.rule,
        )
    else:
        reason = _(
            "Nothing was due: at {name} it still had {held}.",
            name=name,
            held=after.held,
        )
    answer = 1 if compaction is None else 0
    step = staged.step(request)
    return Question("summarizes", step, staged.number, text, YES_OR_NO, answer, reason)
