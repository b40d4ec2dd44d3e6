"""The search for remedies: changes of the setting that would have kept a lost statement, each with its price.

For ``memviz.why``, :class:`Offer` replays the conversation in other ways: with the message pinned, with retrieval, with
a larger limit, and with the presets of products. A replay is ended as soon as it is known to lose the statement too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from memviz.core.conversation import Log
from memviz.core.errors import MemvizError
from memviz.engine.part_tokens import find_whole_ranges
from memviz.engine.planned_recalls import RequestKey
from memviz.engine.recall import Recall
from memviz.engine.replay import Messages, as_log, begin_replay, replay, setting_for
from memviz.engine.run import Run
from memviz.engine.setting import Setting
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts
from memviz.strategies.base import Strategy
from memviz.strategies.presets import presets
from memviz.strategies.retrieval import Retrieval
from memviz.transcripts.base import Probe, Transcript
from memviz.tuning.forgotten import Remedy, RemedyKind, Why
from memviz.tuning.grid import find_largest_sizes, find_refused_strategies
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recorded import Recorded
from memviz.tuning.scaling import scale_product
from memviz.tuning.statements import (
    judge_probes,
    look_up_probes,
    loosen_probe,
    spell_out_probes,
)

MOST_PRESETS = 3
"""The most presets that are offered, the cheapest first."""
MOST_LOOKS = 8
"""The most times that an unfinished replay is checked for a request without the statement."""


class _ReplayOnDemand:
    """A replay that only goes as far as its requests are needed."""

    def __init__(self, log: Log, setting: Setting) -> None:
        self._session, self._turns = begin_replay(log, setting)
        self._whole: Run | None = None

    def first_requests(self, count: int) -> Run:
        """Return a run with at least the first ``count`` requests, or the whole run if it has fewer."""
        if self._whole is not None:
            return self._whole
        while len(self._session.requests) < count:
            if next(self._turns, None) is None:
                return self.whole()
        return self._session.run()

    def whole(self) -> Run:
        """Return the whole run."""
        if self._whole is None:
            for _ in self._turns:
                pass
            self._whole = self._session.run()
        return self._whole


@dataclass(eq=False, repr=False)
class Offer:
    """The search for remedies in one conversation; it keeps the replays that several statements need."""

    messages: Messages
    assumptions: PricingAssumptions
    _replays: dict[tuple[Strategy, str], _ReplayOnDemand] = field(default_factory=dict)
    _texts: dict[tuple[Probe, ...], ProbeTexts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # One log for all runs, so that its tokens are counted once.
        self._log = as_log(self.messages)
        self._tools: Sequence[str] = ()
        if isinstance(self.messages, Transcript):
            self._tools = self.messages.tools

    def with_remedies(self, statement: Why) -> Why:
        """Return ``statement`` with its remedies, if it was lost."""
        if not statement.is_lost:
            return statement
        return replace(statement, remedies=tuple(self._remedies(statement)))

    def _remedies(self, lost: Why) -> Iterator[Remedy]:
        yield from self._pin(lost)
        yield from self._retrieval(lost)
        yield from self._larger_limit(lost)
        cheapest = {remedy.more_tokens: remedy for remedy in self._presets(lost)}
        yield from sorted(cheapest.values(), key=_get_price)[:MOST_PRESETS]

    def _pin(self, lost: Why) -> Iterator[Remedy]:
        """Yield the remedy to recall the message at every request without it, if that keeps the statement."""
        run = lost.run
        if not lost.said:
            return
        recalled = Recall(messages=lost.said[:1])
        rows = self._lost_requests(lost)
        # Recalls name the call too, because a recall for a whole turn finds nothing that was said in this turn.
        turns = lost.judged.turns[rows].tolist()
        calls = lost.judged.calls[rows].tolist()
        keys = zip(turns, calls, strict=True)
        recalls: dict[RequestKey, Recall] = dict.fromkeys(keys, recalled)
        if run.strategy.allows_recall and not lost.is_recorded:
            pinned = replay(
                self._log,
                run.strategy,
                counter=run.counter,
                system_prompt=run.system_prompt,
                tools=self._tools,
                recalls=recalls,
            )
            if self._keeps(lost, pinned):
                yield self._priced("pin", lost, pinned)

    def _retrieval(self, lost: Why) -> Iterator[Remedy]:
        """Yield the result of retrieval at the request that needs the message, or else at the first one without it."""
        number = int(self._lost_requests(lost)[0])
        if lost.need is not None:
            number = lost.need.request
        strategy = Retrieval()
        run = self._run(lost, strategy)
        picks = strategy.found(run.requests[number].memory)
        ranks = [
            rank for rank, pick in enumerate(picks, 1) if pick.position in lost.said
        ]
        is_held = self._retained(lost, run, [number])[0]
        yield replace(
            self._priced("retrieval", lost, run),
            keeps=bool(is_held),
            rank=min(ranks, default=None),
            found=len(picks),
        )

    def _larger_limit(self, lost: Why) -> Iterator[Remedy]:
        """Yield the smallest main parameter, doubled again and again, that keeps the statement."""
        strategy = lost.run.strategy
        name = strategy.main_parameter
        limits = {
            parameter.name: parameter
            for parameter in strategy.parameters()
            if parameter.is_number
        }
        if name not in limits:
            return
        sizes = find_largest_sizes([self._log], lost.run.counter)
        largest = 2 * sizes.get(limits[name].unit, 0)
        value = 2 * getattr(strategy, name)
        while 0 < value <= largest:
            larger = strategy.model_copy(update={name: value})
            try:
                keeping = self._run_that_keeps(lost, larger)
            except MemvizError:
                # A replay that raised an error cannot be continued.
                del self._replays[larger, lost.run.counter.name]
                return
            if keeping is not None:
                yield self._priced("limit", lost, keeping)
                return
            value *= 2

    def _presets(self, lost: Why) -> Iterator[Remedy]:
        """Yield the products whose rule, scaled to the conversation, keeps the statement."""
        needed_tokens = find_largest_sizes([self._log], lost.run.counter)["tokens"]
        cannot = find_refused_strategies()
        for id, preset in presets().items():
            if preset.strategy in cannot:
                continue
            strategy = scale_product(id, needed_tokens)
            if strategy == lost.run.strategy:
                continue
            keeping = self._run_that_keeps(lost, strategy)
            if keeping is not None:
                remedy = self._priced("preset", lost, keeping)
                yield replace(remedy, title=preset.title)

    def _replay(self, lost: Why, strategy: Strategy) -> _ReplayOnDemand:
        key = (strategy, lost.run.counter.name)
        if key not in self._replays:
            setting = setting_for(
                self._log,
                strategy,
                counter=lost.run.counter,
                system_prompt=lost.run.system_prompt,
                tools=self._tools,
            )
            self._replays[key] = _ReplayOnDemand(self._log, setting)
        return self._replays[key]

    def _run(self, lost: Why, strategy: Strategy) -> Run:
        return self._replay(lost, strategy).whole()

    def _run_that_keeps(self, lost: Why, strategy: Strategy) -> Run | None:
        """Return the run of ``strategy`` if all requests that lacked the statement hold it there, else ``None``."""
        on_demand = self._replay(lost, strategy)
        rows = self._lost_requests(lost)
        # Most replays lose the statement long before their end. So look now and then, and end those that do.
        for block in np.array_split(rows, min(len(rows), MOST_LOOKS)):
            number = int(block[-1])
            run = on_demand.first_requests(number + 1)
            if number >= len(run.requests) or not self._may_hold(lost, run, number):
                return None
        run = on_demand.whole()
        return run if self._keeps(lost, run) else None

    def _may_hold(self, lost: Why, run: Run, number: int) -> bool:
        """Return false if request ``number`` of the unfinished ``run`` surely does not hold the statement.

        The statement is looked up loosely (see :func:`loosen_probe`), because later summaries may reword it.
        """
        # To look for words takes a hundred times as long as to see whether the message itself is sent.
        parts = run.requests.parts_at(number)
        positions_sent = set[int]().union(*find_whole_ranges(run.space, parts))
        evidence = lost.probe.evidence
        if evidence and positions_sent.issuperset(evidence):
            return True
        loose = (loosen_probe(run, lost.probe),)
        judged = judge_probes(run, self._texts_of(run, loose), [number])
        return judged.states[0, 0] not in (Knowledge.LOST, Knowledge.UNKNOWN)

    def _texts_of(self, run: Run, spelled: tuple[Probe, ...]) -> ProbeTexts:
        if spelled not in self._texts:
            self._texts[spelled] = look_up_probes(run.log, spelled)
        return self._texts[spelled]

    def _retained(self, lost: Why, run: Run, numbers: Sequence[int]) -> Bools:
        """Return true for those of the requests ``numbers`` of ``run`` that hold the statement."""
        # Spelled out for each run, because the summaries of each may word the statement in another way.
        spelled = tuple(spell_out_probes(run, [lost.probe]))
        return judge_probes(run, self._texts_of(run, spelled), numbers).retained[:, 0]

    def _lost_requests(self, lost: Why) -> Any:
        """Return the numbers of the requests that lacked the statement."""
        return np.flatnonzero(lost.states == Knowledge.LOST)

    def _keeps(self, lost: Why, run: Run) -> bool:
        """Return whether all requests that lacked the statement hold it in ``run``."""
        rows = self._lost_requests(lost)
        if rows[-1] >= len(run.requests):
            return False
        # The last request is read first: most runs that lose the statement lack it at the end.
        last = self._retained(lost, run, rows[-1:])
        return bool(last.all() and self._retained(lost, run, rows).all())

    def _priced(self, kind: RemedyKind, lost: Why, run: Run) -> Remedy:
        base = self._run(lost, _use_own_summaries(lost.run))
        before = self._usd(base)
        after = self._usd(run)
        usd = None if before is None or after is None else after - before
        tokens = count_token_use(run).all_tokens - count_token_use(base).all_tokens
        return Remedy(kind, run.strategy, run.strategy.name, tokens, usd)

    def _usd(self, run: Run) -> float | None:
        return self.assumptions.cost(count_traffic(run)).total_usd


def _use_own_summaries(run: Run) -> Strategy:
    """Return the strategy of a run with summaries that cost money, to compare its price with that of remedies.

    The summaries of a recorded log cost nothing in a replay, so they become blocks of the same size.
    """
    strategy = run.strategy
    if not isinstance(strategy, Recorded):
        return strategy
    blocks = []
    for event in strategy.events:
        if event.is_window:
            # No summary was written.
            blocks.append(event)
            continue
        tokens = run.counter(event.text) if event.text else event.tokens_after
        block = replace(event, text="", tokens_after=tokens, kept_newest=None)
        blocks.append(block)
    return strategy.model_copy(update={"events": tuple(blocks)})


def _get_price(remedy: Remedy) -> float:
    """Return the dollars that presets are sorted by, or their tokens where prices are unknown."""
    return remedy.more_tokens if remedy.more_usd is None else remedy.more_usd
