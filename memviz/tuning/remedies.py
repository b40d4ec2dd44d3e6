"""Remedies for a statement that was forgotten, each with its price: other runs of the same conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from memviz.core.errors import MemvizError
from memviz.engine.planned_recalls import RequestKey
from memviz.engine.recall import Recall
from memviz.engine.replay import Messages, as_log, replay
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import token_use
from memviz.metrics.requests.traffic import traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts
from memviz.strategies.base import Strategy
from memviz.strategies.presets import presets
from memviz.strategies.retrieval import Retrieval
from memviz.transcripts.base import Probe, Transcript
from memviz.tuning.forgotten import Remedy, RemedyKind, Why
from memviz.tuning.grid import largest_sizes, refused
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recorded import Recorded
from memviz.tuning.scaling import scaled_preset
from memviz.tuning.statements import judge, look_up, spell_out

MOST_PRESETS = 3
"""Presets that would have kept it, the cheapest first."""


class Offer:
    """Other runs of a conversation, and what they cost more."""

    def __init__(self, messages: Messages, assumptions: PricingAssumptions) -> None:
        # One log for all runs, so that its tokens are counted once.
        self._log = as_log(messages)
        self._tools = messages.tools if isinstance(messages, Transcript) else ()
        self._assumptions = assumptions
        self._made: dict[tuple[Strategy, str], Run] = {}
        self._texts: dict[tuple[Probe, ...], ProbeTexts] = {}

    def with_remedies(self, found: Why) -> Why:
        """Return a statement with what would have kept it, if it was lost, and how retrieval would have done."""
        if not found.is_lost:
            return found
        return replace(found, remedies=tuple(self._remedies(found)))

    def _remedies(self, lost: Why) -> Iterator[Remedy]:
        yield from self._pin(lost)
        yield from self._retrieval(lost)
        yield from self._larger_limit(lost)
        cheapest = {one.more_tokens: one for one in self._presets(lost)}
        yield from sorted(cheapest.values(), key=_price)[:MOST_PRESETS]

    def _pin(self, lost: Why) -> Iterator[Remedy]:
        """The message brought back into every request that was without it."""
        run = lost.run
        if not lost.said:
            return
        recalled = Recall(messages=lost.said[:1])
        rows = self._lost_requests(lost)
        # By call as well: a recall of a whole turn finds nothing that was said in that turn.
        turns = lost.judged.turns[rows].tolist()
        calls = lost.judged.calls[rows].tolist()
        keys = zip(turns, calls, strict=True)
        recalls: dict[RequestKey, Recall] = dict.fromkeys(keys, recalled)
        if run.strategy.allows_recall and not lost.is_recorded:
            pinned = self._run(lost, run.strategy, recalls)
            if self._is_kept(lost, pinned):
                yield self._priced("pin", lost, pinned)

    def _retrieval(self, lost: Why) -> Iterator[Remedy]:
        """The message found at the request that seems to need it; where none does, at the first without it."""
        number = int(self._lost_requests(lost)[0])
        if lost.need is not None:
            number = lost.need.request
        strategy = Retrieval()
        made = self._run(lost, strategy)
        memory = made.requests[number].memory
        found = [pick.position for pick in strategy.found(memory)]
        ranks = [found.index(one) + 1 for one in lost.said if one in found]
        is_held = self._retained(lost, made, [number])[0]
        yield replace(
            self._priced("retrieval", lost, made),
            keeps=bool(is_held),
            rank=min(ranks, default=None),
            found=len(found),
        )

    def _larger_limit(self, lost: Why) -> Iterator[Remedy]:
        """The main parameter, doubled until the statement stays."""
        strategy = lost.run.strategy
        name = strategy.main_parameter
        limits = {one.name: one for one in strategy.parameters() if one.is_number}
        if name not in limits:
            return
        sizes = largest_sizes([self._log], lost.run.counter)
        largest = 2 * sizes.get(limits[name].unit, 0)
        value = 2 * getattr(strategy, name)
        while 0 < value <= largest:
            try:
                larger = strategy.model_copy(update={name: value})
                made = self._run(lost, larger)
            except MemvizError:
                return
            if self._is_kept(lost, made):
                yield self._priced("limit", lost, made)
                return
            value *= 2

    def _presets(self, lost: Why) -> Iterator[Remedy]:
        """Products whose rule, scaled to the conversation, would have kept it."""
        needed_tokens = largest_sizes([self._log], lost.run.counter)["tokens"]
        cannot = refused()
        for id, preset in presets().items():
            if preset.strategy in cannot:
                continue
            strategy = scaled_preset(id, needed_tokens)
            if strategy == lost.run.strategy:
                continue
            made = self._run(lost, strategy)
            if self._is_kept(lost, made):
                kept = self._priced("preset", lost, made)
                yield replace(kept, title=preset.title)

    def _run(
        self,
        lost: Why,
        strategy: Strategy,
        recalls: dict[RequestKey, Recall] | None = None,
    ) -> Run:
        key = (strategy, lost.run.counter.name)
        if key in self._made and not recalls:
            return self._made[key]
        made = replay(
            self._log,
            strategy,
            counter=lost.run.counter,
            system_prompt=lost.run.system_prompt,
            tools=self._tools,
            recalls=recalls,
        )
        if not recalls:
            self._made[key] = made
        return made

    def _retained(self, lost: Why, run: Run, numbers: Sequence[int]) -> Bools:
        """Return which of these requests of ``run`` hold the statement."""
        # A statement may stand in other words in the summaries of each run.
        spelled = tuple(spell_out(run, [lost.probe]))
        if spelled not in self._texts:
            self._texts[spelled] = look_up(run.log, spelled)
        return judge(run, self._texts[spelled], numbers).retained[:, 0]

    def _lost_requests(self, lost: Why) -> Any:
        """Return the numbers of the requests that were without it."""
        return np.flatnonzero(lost.states == Knowledge.LOST)

    def _is_kept(self, lost: Why, run: Run) -> bool:
        """Return whether all requests of ``run`` hold it that were without it."""
        rows = self._lost_requests(lost)
        if rows[-1] >= len(run.requests):
            return False
        # Most that lose it are without it at the end, and to read one request is cheap.
        last = self._retained(lost, run, rows[-1:])
        return bool(last.all() and self._retained(lost, run, rows).all())

    def _priced(self, kind: RemedyKind, lost: Why, run: Run) -> Remedy:
        base = self._run(lost, _as_written_here(lost.run))
        before = self._usd(base)
        after = self._usd(run)
        usd = None if before is None or after is None else after - before
        tokens = token_use(run).all_tokens - token_use(base).all_tokens
        return Remedy(kind, run.strategy, run.strategy.name, tokens, usd)

    def _usd(self, run: Run) -> float | None:
        return self._assumptions.cost(traffic(run)).total_usd


def _as_written_here(run: Run) -> Strategy:
    """Return the strategy of a run, with summaries that are paid for as those of the
    remedies are: a log's own, which cost nothing here, become blocks of their size."""
    strategy = run.strategy
    if not isinstance(strategy, Recorded):
        return strategy
    blocks = []
    for event in strategy.events:
        if event.is_window:
            blocks.append(event)  # nothing was written, so nothing is paid for
            continue
        tokens = run.counter(event.text) if event.text else event.tokens_after
        block = replace(event, text="", tokens_after=tokens, kept_newest=None)
        blocks.append(block)
    return strategy.model_copy(update={"events": tuple(blocks)})


def _price(remedy: Remedy) -> float:
    """Return the dollars that presets are sorted by, or their tokens where prices are unknown."""
    return remedy.more_tokens if remedy.more_usd is None else remedy.more_usd
