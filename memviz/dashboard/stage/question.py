"""A question to whoever watches the stage, asked before a step is shown, and what one may be made
of. The first kind is *Will it summarize before this request?* Its answer is on record, and so
is how full the memory was before.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memviz.core.memory import Memory
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, list_request_turns
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import Headroom

Kind = Literal["summarizes", "stays", "knows", "cheapest"]
KINDS: tuple[Kind, ...] = get_args(Kind)
YES_OR_NO = (noop("Yes"), noop("No"))
NEAR_SHARE = 0.75
"""The share of its limit that a memory holds at least where it is worth asking although nothing happens."""
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


@dataclass(frozen=True, slots=True)
class Question:
    """A prediction that is asked for. All texts are plain text."""

    kind: Kind
    step: int
    """The place (from 0) of a request on the axis of all runs, which is not shown before the answer is given."""
    setting: int | None
    """The place of the setting it is about among all; ``None``: it is about all of them."""
    text: str
    choices: tuple[str, ...]
    answer: int
    """The number of the right one of the choices."""
    reason: str
    """Says why, in the numbers of the run."""

    def as_data(self) -> dict[str, Any]:
        """The question as JSON, as the stage takes it."""
        return {
            "step": self.step,
            "setting": self.setting,
            "text": self.text,
            "choices": [_(choice) for choice in self.choices],
            "answer": self.answer,
            "reason": self.reason,
        }


class Candidate(NamedTuple):
    """A question that could be asked."""

    step: int
    setting: int | None
    keys: frozenset[Hashable]
    """The events and facts that the question is about, such as ``("fact", 3)``: of two candidates that share a key one
    is asked."""
    side: bool | None
    """True if the answer is yes, as far as that is known before the question is put together: so no answer wins by
    itself."""
    interest: float
    """The interest of the question: among candidates that are alike in all else the most interesting one is taken."""
    question: Callable[[], Question | None]
    """Puts it together; ``None`` where it turns out that it cannot be asked."""


@dataclass(frozen=True, eq=False)
class StagedRun:
    """One run as a setting of the stage: its ``number`` among them, its ``label``, the ``axis`` of all, and which
    ``steps`` are shown."""

    run: Run
    label: str
    number: int
    axis: RequestAxis
    steps: range

    @cached_property
    def _steps(self) -> NDArray[np.int64]:
        return self.axis.places(list_request_turns(self.run)) - 1

    @property
    def requests(self) -> range:
        """The numbers (from 0) of the requests that are shown and have one before them."""
        ends = [self.steps.start, self.steps.stop]
        first, stop = np.searchsorted(self._steps, ends).tolist()
        return range(max(1, first), stop)

    def step(self, request: int) -> int:
        """The step at which a request (number from 0) is shown."""
        return int(self._steps[request])

    def request_name(self, request: int) -> str:
        """The request as people name it: "turn 13"."""
        return self.run.requests[request].name

    def strategy_at(self, request: int) -> Strategy:
        """The strategy that the request was made under."""
        return self.run.strategy_at(self.run.requests.turn_at(request))

    def changed(self) -> Iterator[int]:
        """The numbers of the requests, of those shown, that a compaction changed first."""
        shown_requests = self.requests
        for request, compactions in self.run.requests.compactions():
            changes = [compaction.changes_memory for compaction in compactions]
            if request in shown_requests and any(changes):
                yield request


class Fullness(NamedTuple):
    """The fullness of a memory, in words."""

    held: str
    """``1,412 tokens of messages not yet summarized``, or what it still takes."""
    rule: str
    """``past 1,500 it summarizes``, empty where ``held`` says it."""
    share: float
    """The share of the limit that is held."""
    is_over: bool


def acts(strategy: Strategy) -> str:
    """Return the verb for what the rule does when it is time: ``summarizes``, or ``clears`` where no summarizer is
    asked."""
    return _("summarizes") if strategy.writes_notes else _("clears")


def first_act(
    compactions: tuple[Compaction, ...], strategy: Strategy
) -> Compaction | None:
    """Return the first compaction by which ``strategy`` summarized or, where it asks no summarizer, cleared."""
    for compaction in compactions:
        is_act = compaction.is_summarization
        if not strategy.writes_notes:
            is_act = compaction.kind in ACTS and compaction.changes_memory
        if is_act:
            return compaction
    return None


def fullness(strategy: Strategy, memory: Memory) -> Fullness | None:
    """Return how full ``memory`` is; ``None`` for a rule that counts nothing which fills up."""
    fill = strategy.fill(memory)
    if fill is not None:
        template = noop("{amount} of {counts}")
        if fill.counts.startswith(fill.unit):
            template = noop("{held:,} {counts}")
        words = _(
            template,
            held=fill.held,
            amount=counted(fill.held, fill.unit.removesuffix("s")),
            counts=_(fill.counts),
        )
        rule = _("past {limit:,} it {acts}", limit=fill.limit, acts=acts(strategy))
        share = fill.held / max(1, fill.limit)
        return Fullness(words, rule, share, fill.is_over)
    # A rule that does not say how full it is may say how much it still takes.
    room = strategy.headroom(memory)
    if room is None or room.unit not in ("tokens", "messages"):
        return None
    held = memory.pending_tokens
    least_room = 0
    if room.unit == "messages":
        held = memory.pending
        least_room = 1
    share = held / max(1, held + room.amount)
    words = _("room for fewer than {room}", room=_room_words(room))
    return Fullness(words, "", share, is_over=room.amount <= least_room)


def _room_words(room: Headroom) -> str:
    if not room.amount:
        return _("the next message")
    return counted(room.amount, f"more {room.unit.removesuffix('s')}")


def summarizing_candidates(staged: StagedRun) -> Iterator[Candidate]:
    """Yield a question for each request before which it summarized, and for each before which it nearly did."""
    requests = staged.run.requests
    compactions_of = dict(requests.compactions())
    # Backwards, so that the compaction that comes next is known at each request.
    next_compacting = staged.requests.stop
    for request in reversed(staged.requests):
        compactions = compactions_of.get(request, ())
        if compactions:
            next_compacting = request
        strategy = staged.strategy_at(request)
        # What failed, what the user decided and what another setting did nobody can predict from the rule.
        has_other = any(act.error is not None or act.is_decision for act in compactions)
        if has_other or strategy is not staged.strategy_at(request - 1):
            continue
        before = fullness(strategy, requests.memory_at(request - 1))
        after = fullness(strategy, requests.memory_at(request))
        if before is None or after is None or before.is_over:
            continue
        compaction = first_act(compactions, strategy)
        if compaction is not None:
            # The less it held one request before, the more of a surprise.
            interest = 1 - before.share
        elif compactions or after.is_over or after.share < NEAR_SHARE:
            continue
        else:
            interest = after.share
        yield Candidate(
            staged.step(request),
            staged.number,
            _events(staged, request, next_compacting),
            compaction is not None,
            interest,
            partial(ask_if_summarizing, staged, request, before, after, compaction),
        )


def _events(
    staged: StagedRun, request: int, next_compacting: int
) -> frozenset[Hashable]:
    """Return the events that the question is about: the way to the next compaction, and that one itself where it comes
    before this request. Who was told that it did not come yet knows that it will."""
    way: Hashable = ("way", staged.number, next_compacting)
    if request != next_compacting:
        return frozenset({way})
    return frozenset({way, ("compaction", staged.number, next_compacting)})


def ask_if_summarizing(
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
    template = noop("Nothing was due: at {name} it still had {held}.")
    if after.rule:
        template = noop("Nothing was due: {name} has {held}, and {rule}.")
    reason = _(template, name=name, held=after.held, rule=after.rule)
    answer = 1
    if compaction is not None:
        reason = _(
            "{happened}.", happened=compaction_words(compaction, staged.run).happened
        )
        answer = 0
    step = staged.step(request)
    return Question("summarizes", step, staged.number, text, YES_OR_NO, answer, reason)
