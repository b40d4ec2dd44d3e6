"""The life of each probe in one run: where it stood from birth on, and which summarization ended it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from memviz.engine.assembly import reduced
from memviz.engine.compaction import REDUCING, Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import calls_in_turns
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts
from memviz.text.wording import RequestPlace


class Span(NamedTuple):
    """Requests one after the other at which a probe is in the same state: the turns of the first and of the last one,
    which call of its turn each is, its place (see :attr:`Retention.places`), and how many calls its turn took."""

    state: Knowledge
    first_turn: int
    last_turn: int
    first_call: int = 1
    last_call: int = 1
    first_place: int = 0
    last_place: int = 0
    first_calls: int = 1
    last_calls: int = 1

    @property
    def first(self) -> RequestPlace:
        """The first of the requests."""
        return self.first_turn, self.first_call, self.first_calls

    @property
    def last(self) -> RequestPlace:
        """The last of them."""
        return self.last_turn, self.last_call, self.last_calls


@dataclass(frozen=True, slots=True)
class LifeLine:
    """One probe. ``born_position`` and ``born_turn`` say which message completed its evidence (``None`` without
    evidence). ``summarized_turn`` is the turn of the first request that knows it from a summary, ``lost_turn`` that of
    the first that does not know it at all, ``lost_by`` the number in ``run.compactions`` of the summarization that took
    it: the last one before that request that took in a message or a summary which held it and whose own summary
    does not. ``None``: it fell out of a window, or was never lost. ``spans`` run from the first request after
    birth to the last one, so they tell whether it came back."""

    probe: int
    born_position: int | None
    born_turn: int | None
    summarized_turn: int | None = None
    lost_turn: int | None = None
    lost_by: int | None = None
    spans: tuple[Span, ...] = field(default=())

    @property
    def revived_turns(self) -> tuple[int, ...]:
        """The turns of the requests at which it was known again after it had been lost or contradicted."""
        pairs = pairwise(self.spans)
        return tuple(
            after.first_turn
            for before, after in pairs
            if after.state.is_known and not before.state.is_known
        )


def life_lines(
    run: Run, retention: Retention, texts: ProbeTexts | None = None
) -> tuple[LifeLine, ...]:
    """The life of every probe of ``retention``, which is that of ``run``; those never born are left out.

    ``texts`` are those that ``retention`` was made with, if they are at hand.
    """
    texts = ProbeTexts(run.log, retention.probes) if texts is None else texts
    losses, spans = LossCauses(run, texts), _spans(retention)
    born = np.flatnonzero(retention.births < len(run.log))
    return tuple(
        _life_line(run, retention, losses, int(probe), spans[probe]) for probe in born
    )


def _life_line(
    run: Run,
    retention: Retention,
    losses: LossCauses,
    probe: int,
    spans: tuple[Span, ...],
) -> LifeLine:
    birth = int(retention.births[probe])
    lost = next((span for span in spans if span.state == Knowledge.LOST), None)
    return LifeLine(
        probe=probe,
        born_position=birth if birth >= 0 else None,
        born_turn=run.log.turn_number(birth) if birth >= 0 else None,
        summarized_turn=next(
            (span.first_turn for span in spans if span.state == Knowledge.SUMMARY), None
        ),
        lost_turn=None if lost is None else lost.first_turn,
        lost_by=None
        if lost is None
        else losses.by(retention.number_at(lost.first_place), probe),
        spans=spans,
    )


def _spans(retention: Retention) -> list[tuple[Span, ...]]:
    """The spans of every probe from birth on."""
    states = retention.states
    columns = (
        retention.turns,
        retention.calls,
        retention.places,
        calls_in_turns(retention.turns),
    )
    requests = list(zip(*(column.tolist() for column in columns), strict=True))
    before = np.vstack((np.zeros((1, states.shape[1]), states.dtype), states[:-1]))
    probes, rows = np.nonzero((states != before[: len(states)]).T)
    stops = np.append(rows[1:], 0)
    stops[np.append(np.diff(probes) > 0, True)[: len(stops)]] = len(
        requests
    )  # the last of each probe
    spans = [
        _span(Knowledge(state), requests[row], requests[stop - 1])
        for state, row, stop in zip(
            states[rows, probes].tolist(), rows.tolist(), stops.tolist(), strict=False
        )
    ]
    bounds = np.searchsorted(probes, np.arange(states.shape[1] + 1))
    return [tuple(spans[start:stop]) for start, stop in pairwise(bounds)]


def _span(state: Knowledge, first: Sequence[int], last: Sequence[int]) -> Span:
    """From the request ``first`` to ``last``, each as its turn, call and place, and the number of calls of its turn."""
    return Span(
        state, *(number for pair in zip(first, last, strict=True) for number in pair)
    )


class LossCauses:
    """Which summarization before a request took a probe out of what is sent."""

    def __init__(self, run: Run, texts: ProbeTexts) -> None:
        self._run, self._texts = run, texts
        self._held: Bools = texts.holding(
            [version.text for version in run.space.summaries.versions]
        ).answers

    def by(self, row: int, probe: int) -> int | None:
        """The number in ``run.compactions`` of the last one before request ``row`` (from 0) that took the probe."""
        record = self._run.requests[row]
        numbers = (
            self._run.number_of(compaction)
            for compaction in reversed(record.compactions)
        )
        return next(
            (number for number in numbers if self._took(number, probe, record)), None
        )

    def _took(self, number: int, probe: int, record: TurnRecord) -> bool:
        compaction = self._run.compactions[number]
        if not compaction.changes_memory:  # it failed, or the user skipped it
            return False
        if compaction.version is not None and self._held[compaction.version - 1, probe]:
            return False
        if (
            compaction.replaces is not None
            and self._held[compaction.replaces - 1, probe]
        ):
            return True
        return any(self._held_in(taken, probe) for taken in _taken(compaction, record))

    def _held_in(self, taken: range, probe: int) -> bool:
        counts = self._texts.answer_counts
        held = bool(counts[taken.stop, probe] > counts[taken.start, probe])
        return held or any(
            position in taken for position in self._texts.probes[probe].evidence
        )


def _taken(compaction: Compaction, record: TurnRecord) -> list[range]:
    """The messages that a compaction took. Of a range that it cleared or shortened these are only the messages that the
    request sends with less in them."""
    if compaction.kind not in REDUCING:
        return [compaction.summarized]
    changed = (
        position
        for piece in record.parts.messages
        for position in reduced(record.memory.space, piece)
    )
    return [
        range(position, position + 1)
        for position in changed
        if position in compaction.summarized
    ]


Losses = dict[tuple[int, int], int | None]
"""By number of the probe and place of the first request that does not know it (``Span.first_place``: its turn, as long
as every turn has one request): the number in ``run.compactions`` of the summarization that took it, by the rule of
:class:`memviz.metrics.retention.life_lines.LifeLine`, or ``None``."""


def fact_losses(
    run: Run, retention: Retention, lives: Iterable[LifeLine], texts: ProbeTexts
) -> Losses:
    """All losses of ``lives``, in the order of the probes and, of each, in that of the requests. ``texts`` are those
    that ``retention``, that of ``run``, was made with."""
    took = LossCauses(run, texts)
    return {
        (life.probe, span.first_place): took.by(
            retention.number_at(span.first_place), life.probe
        )
        for life in lives
        for span in life.spans
        if span.state is Knowledge.LOST
    }


class VersionProbes(NamedTuple):
    """Numbers of probes, in order. ``kept``: an answer stands in the version, and stood in the one that it replaced.
    ``new``: it stands in the version alone. ``lost``: the request after this compaction was the first that did not
    know it, by the rule of :class:`memviz.metrics.retention.life_lines.LifeLine`; such a one need not have been in a
    summary."""

    kept: tuple[int, ...] = ()
    new: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()


def version_probes(
    run: Run, losses: Losses, texts: ProbeTexts
) -> tuple[VersionProbes, ...]:
    """One a compaction of ``run``, in order. ``losses`` are those of the run, ``texts`` what they were found with."""
    held = texts.holding(
        [version.text for version in run.space.summaries.versions]
    ).answers
    lost: dict[int, list[int]] = {}
    for (probe, _), by in losses.items():
        if by is not None:
            lost.setdefault(by, []).append(probe)
    found = []
    for number, compaction in enumerate(run.compactions):
        gone = tuple(sorted(lost.get(number, ())))
        if compaction.written is None:
            found.append(VersionProbes(lost=gone))
            continue
        base = (
            compaction.revises
            if compaction.revises is not None
            else compaction.replaces
        )
        now = held[compaction.written.version - 1]
        before = held[base - 1] if base else np.zeros_like(now)
        kept, new = (
            tuple(np.flatnonzero(which).tolist())
            for which in (now & before, now & ~before)
        )
        found.append(VersionProbes(kept, new, gone))
    return tuple(found)
