"""The life of each fact in a run: its states from birth on, the compaction that took it, and what each summary did.

Charts of facts and ``memviz.why`` (:mod:`~memviz.tuning.forgotten`) show these lives. They are read off a
:class:`~memviz.metrics.retention.knowledge.Retention`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from memviz.core.text.wording import RequestPlace
from memviz.engine.compaction import REDUCING, Compaction
from memviz.engine.part_tokens import find_reduced_positions
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import make_ends_finder
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts


class Span(NamedTuple):
    """Requests in a row at which a probe is in the same state."""

    state: Knowledge
    first_turn: int
    """The turn of the first request; ``last_turn`` is that of the last one."""
    last_turn: int
    first_call: int = 1
    """The call of its turn that the first request is, from 1."""
    last_call: int = 1
    first_place: int = 0
    """The place of the first request on the axis of requests (see :attr:`Retention.places`)."""
    last_place: int = 0
    first_calls: int = 1
    """The number of calls that the turn of the first request took."""
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
    """The life of one probe."""

    probe: int
    """The number of the probe (0-based)."""
    born_position: int | None
    """The log position of the message that completed its evidence; ``None`` without evidence."""
    born_turn: int | None
    """The turn of that message."""
    summarized_turn: int | None = None
    """The turn of the first request that knows it from a summary."""
    lost_turn: int | None = None
    """The turn of the first request that does not know it at all."""
    lost_by: int | None = None
    """The number in ``run.compactions`` of the compaction that took it: the last one before that request which covered
    a message or a summary with the fact, and wrote no summary with it. ``None`` if it was never lost, or just fell out
    of a window."""
    spans: tuple[Span, ...] = field(default=())
    """The spans of its states, from the first request after birth to the last one."""


Losses = dict[tuple[int, int], int | None]
"""The compaction that caused each loss, as in :attr:`LifeLine.lost_by`.

The key of a loss is the number of the probe and the place of the first request without it (``Span.first_place``).
"""


class VersionProbes(NamedTuple):
    """The effect of a version of a summary on the facts, as numbers of probes in order."""

    kept: tuple[int, ...] = ()
    """The facts in this version and in the one that it replaced."""
    new: tuple[int, ...] = ()
    """The facts in this version, but not in the one that it replaced."""
    lost: tuple[int, ...] = ()
    """The facts that its compaction took (:attr:`LifeLine.lost_by`); they need not have been in a summary before."""


def life_lines(
    run: Run, retention: Retention, texts: ProbeTexts | None = None
) -> tuple[LifeLine, ...]:
    """Return the life of every probe of ``retention`` that is ever born.

    Args:
        run: The run.
        retention: Its retention.
        texts: The texts that ``retention`` was made with, if at hand.
    """
    losses = LossCauses(run, texts or ProbeTexts(run.log, retention.probes))
    spans = _find_spans(retention)
    born_probes = np.flatnonzero(retention.births < len(run.log)).tolist()
    lives = []
    for probe in born_probes:
        # Reversed, so that the first span of each state is the one that stays.
        first = {span.state: span for span in reversed(spans[probe])}
        life = LifeLine(probe, None, None, spans=spans[probe])
        birth = int(retention.births[probe])
        if birth >= 0:
            turn = run.log.turn_number(birth)
            life = replace(life, born_position=birth, born_turn=turn)
        if summarized := first.get(Knowledge.SUMMARY):
            life = replace(life, summarized_turn=summarized.first_turn)
        if lost_span := first.get(Knowledge.LOST):
            lost_by = losses.find_cause(
                retention.number_at(lost_span.first_place), probe
            )
            life = replace(life, lost_turn=lost_span.first_turn, lost_by=lost_by)
        lives.append(life)
    return tuple(lives)


def _find_spans(retention: Retention) -> list[tuple[Span, ...]]:
    """Return the spans of every probe from birth on."""
    ends_of = make_ends_finder(retention.turns)
    spans_by_probe = []
    for states in retention.states.T:
        firsts = np.flatnonzero(np.diff(states, prepend=np.uint8(Knowledge.NOT_BORN)))
        lasts = np.append(firsts[1:], len(states)) - 1
        ends = ends_of(firsts, lasts[: len(firsts)])
        spans = []
        for state, ends_of_span in zip(states[firsts].tolist(), ends, strict=True):
            spans.append(Span(Knowledge(state), *ends_of_span))
        spans_by_probe.append(tuple(spans))
    return spans_by_probe


class LossCauses:
    """Finds the compaction that caused the loss of a fact."""

    def __init__(self, run: Run, texts: ProbeTexts) -> None:
        self._run = run
        self._texts = texts
        self._held = texts.find_in_versions(run.space.summaries).answers
        self._compactions = dict(run.requests.compactions())
        """By the number of the request that each changed first."""

    def find_cause(self, row: int, probe: int) -> int | None:
        """Return the number in ``run.compactions`` of the one that took the probe at request ``row`` (0-based)."""
        for compaction in reversed(self._compactions.get(row, ())):
            if self._took(compaction, probe, row):
                return self._run.number_of(compaction)
        return None

    def _took(self, compaction: Compaction, probe: int, row: int) -> bool:
        """Return whether a compaction covered something with the fact, and wrote nothing with it."""
        # A compaction that failed, or that the user skipped, changes no memory.
        if not compaction.changes_memory:
            return False
        version = compaction.version
        if version is not None and self._held[version - 1, probe]:
            return False
        # It took the fact if that was in the summary that it replaced, or in the messages that it covered.
        replaced = compaction.replaces
        if replaced is not None and self._held[replaced - 1, probe]:
            return True
        counts = self._texts.counts.answers[:, probe]
        evidence = self._texts.probes[probe].evidence
        for messages in self._list_taken(compaction, row):
            if counts[messages.stop] > counts[messages.start]:
                return True
            if any(position in messages for position in evidence):
                return True
        return False

    def _list_taken(self, compaction: Compaction, row: int) -> list[range]:
        """Return the messages that a compaction covered.

        If it cleared or shortened messages, these are only the ones that request ``row`` sends with less in them.
        """
        if compaction.kind not in REDUCING:
            return [compaction.summarized]
        requests = self._run.requests
        reduced = []
        for piece in requests.parts_at(row).messages:
            for position in find_reduced_positions(
                requests.segment_at(row).space, piece
            ):
                if position in compaction.summarized:
                    reduced.append(range(position, position + 1))
        return reduced


def list_fact_losses(
    run: Run, retention: Retention, lives: Iterable[LifeLine], texts: ProbeTexts
) -> Losses:
    """Return all losses of ``lives``, in the order of the probes and, of each, in that of the requests: a fact may
    come back and be lost again. ``texts`` are those that ``retention``, that of ``run``, was made with."""
    causes = LossCauses(run, texts)
    losses = {}
    for life in lives:
        for span in life.spans:
            if span.state is Knowledge.LOST:
                row = retention.number_at(span.first_place)
                losses[life.probe, span.first_place] = causes.find_cause(
                    row, life.probe
                )
    return losses


def group_losses_by_compaction(losses: Losses) -> dict[int | None, list[int]]:
    """Return the numbers of the probes that each compaction took, in the order of ``losses``."""
    by_compaction: dict[int | None, list[int]] = {}
    for (probe, _), by in losses.items():
        by_compaction.setdefault(by, []).append(probe)
    return by_compaction


def compare_version_probes(
    run: Run, losses: Losses, texts: ProbeTexts
) -> tuple[VersionProbes, ...]:
    """Return the effect of each compaction of ``run`` on the facts, in order. ``losses`` are those of the run,
    ``texts`` what they were found with."""
    held_by_version = texts.find_in_versions(run.space.summaries).answers
    lost = group_losses_by_compaction(losses)
    effects = []
    for number, compaction in enumerate(run.compactions):
        effect = VersionProbes(lost=tuple(sorted(lost.get(number, ()))))
        if compaction.written is not None:
            now = held_by_version[compaction.written.version - 1]
            before = np.zeros_like(now)
            if compaction.base:
                before = held_by_version[compaction.base - 1]
            kept = _list_numbers(now & before)
            effect = effect._replace(kept=kept, new=_list_numbers(now & ~before))
        effects.append(effect)
    return tuple(effects)


def _list_numbers(is_numbered: Bools) -> tuple[int, ...]:
    return tuple(np.flatnonzero(is_numbered).tolist())
