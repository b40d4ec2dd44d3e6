"""Facts of a message at a request that does not hold it word for word: those that a summary names, and those that are
lost; facts that a recall brought back, and those that a new version of a summary lost or gained."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from memviz.core.pieces import Line
from memviz.engine.part_tokens import find_reduced_positions
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_table import (
    reduced_recalls,
    sent_ranges,
    versions_of,
)
from memviz.metrics.retention.probe_texts import Bools, answers_of, in_any
from memviz.transcripts.base import Probe


@dataclass(frozen=True)
class MessageFacts:
    """Facts that messages state, at a request that does not hold these messages word for word. All by the rules of
    :class:`memviz.metrics.retention.knowledge.Retention`."""

    held: tuple[Probe, ...] = ()
    """What is left of the message does not contain an accepted answer, but a summary that is sent does."""
    lost: tuple[Probe, ...] = ()
    """Facts that are in none of the other fields."""
    elsewhere: tuple[Probe, ...] = ()
    """Another message of the request, or the system prompt, contains an accepted answer; what is left of the message
    and the summaries do not."""
    left: tuple[Probe, ...] = ()
    """What is still sent of the message itself, where it was cleared or shortened, contains an accepted answer."""
    contradicted: tuple[Probe, ...] = ()
    """No text contains an accepted answer, but the request denies the answer or holds an outdated one."""

    def __bool__(self) -> bool:
        return any(astuple(self))


NO_FACTS = MessageFacts()


class SummaryChange(NamedTuple):
    """The effect of a new version of a summary on the facts that the old text states."""

    lost: tuple[Probe, ...] = ()
    """The new text does not state them."""
    gained: tuple[Probe, ...] = ()
    """The new text alone states them."""
    contradicted: tuple[Probe, ...] = ()
    """The new text names them only to deny or to call them outdated."""


def message_facts(
    record: TurnRecord, position: int, probes: Sequence[Probe]
) -> MessageFacts:
    """Return the facts of the message at this log position: the ``probes`` that name it as evidence, and of those
    without evidence the ones whose answer it contains, once all of their evidence was said. None for a message that
    the request holds word for word, or that was not said yet. For many messages ask :func:`facts_of_messages`."""
    return facts_of_messages(record, probes, [position]).get(position, NO_FACTS)


def facts_of_messages(
    record: TurnRecord, probes: Sequence[Probe], positions: Iterable[int] | None = None
) -> Mapping[int, MessageFacts]:
    """Return by log position the facts of every message at ``positions`` (by default all that were said) that states
    one and is not sent word for word. Each text of the request is read once for all of them."""
    request = _Request(record, probes)
    facts_by_position = {}
    for position, numbers in request.stated(positions).items():
        if numbers:
            facts_by_position[position] = request.facts(numbers, position)
    return facts_by_position


def summary_facts(record: TurnRecord, probes: Sequence[Probe]) -> MessageFacts:
    """Return the facts of all messages that the request does not hold word for word and that its summaries stand
    for."""
    request = _Request(record, probes)
    summaries = record.memory.space.summaries
    positions: set[int] = set()
    for notes in record.parts.notes:
        positions.update(*summaries.covered(notes.start, notes.stop))
    for number in record.parts.quoted:
        positions.update(summaries.versions[number].covers)
    stated = request.stated(positions)
    return request.facts(sorted(set().union(*stated.values())))


def brought_back(record: TurnRecord, probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """Return the ``probes`` of which an accepted answer stands in a recalled message of the request and nowhere else in
    it, and is affirmed there, as :class:`memviz.metrics.retention.knowledge.Retention` reads it."""
    if not probes or not record.parts.recalled:
        return ()
    texts = answers_of(tuple(probes))
    in_recalled = np.zeros(len(probes), bool)
    in_others = np.zeros(len(probes), bool)
    for block in record.context.blocks:
        is_held = in_any(texts.in_messages(block.messages).answers)
        if block.kind == "recalled":
            in_recalled |= is_held
        else:
            in_others |= is_held
    return _pick_probes(probes, in_recalled & ~in_others)


def summary_change(old: str, new: str, probes: Sequence[Probe]) -> SummaryChange:
    """Compare two versions of a summary by the answers of ``probes``, as
    :mod:`memviz.core.text.containment` finds them."""
    if not probes:
        return SummaryChange()
    texts = answers_of(tuple(probes))
    holding = texts.holding([old, new])
    before, after = holding.answers
    denied = texts.contradicted(holding)[1]
    is_gone = before & ~after
    changes = (is_gone & ~denied, after & ~before, is_gone & denied)
    return SummaryChange(*(_pick_probes(probes, is_changed) for is_changed in changes))


def _pick_probes(probes: Sequence[Probe], is_picked: Bools) -> tuple[Probe, ...]:
    return tuple(compress(probes, is_picked.tolist()))


class _Request:
    """One request and where it holds each probe. Only its texts are read, for the log may be long."""

    def __init__(self, record: TurnRecord, probes: Sequence[Probe]) -> None:
        log = record.memory.log
        space = record.memory.space
        parts = record.parts
        texts = answers_of(tuple(probes))
        self.record = record
        self.texts = texts
        self.sent = sent_ranges(record)
        # The messages that are sent in another form, and what is held by that form of each.
        shortened = {}
        for piece in parts.messages:
            for at in find_reduced_positions(space, piece):
                shortened[at] = log.sent(at, piece.form)
        reduced = reduced_recalls(log, parts)
        shortened |= reduced
        of_left = texts.in_messages(shortened.values())
        self.left = dict(zip(shortened, of_left.answers, strict=True))
        messages = [space.system_prompt] if space.system_prompt else []
        positions = {position for part in self.sent for position in part}
        messages += [log[position] for position in sorted(positions - reduced.keys())]
        lines = [piece for piece in parts.pieces if isinstance(piece, Line)]
        messages += [line.message for line in lines if not line.quotes]
        of_messages = texts.in_messages(messages)
        numbers = versions_of(parts, space.summaries)
        note_texts = [space.summaries.versions[number].text for number in numbers]
        note_texts += [line.message.content for line in lines if line.quotes]
        of_summaries = texts.holding(note_texts)
        self.in_summary = in_any(of_summaries.answers)
        self.in_messages = in_any(of_messages.answers) | in_any(of_left.answers)
        self.contradicted = np.zeros(len(probes), bool)
        for holding in (of_summaries, of_messages, of_left):
            self.contradicted |= in_any(texts.contradicted(holding))

    def stated(self, positions: Iterable[int] | None) -> dict[int, list[int]]:
        """Return the numbers of the probes that each message states which is not sent, in their order."""
        length = self.record.memory.length
        numbers_by_position: dict[int, list[int]] = {}
        for at in range(length) if positions is None else positions:
            if at < length and not any(at in part for part in self.sent):
                numbers_by_position[at] = []
        log_so_far = range(self.record.log_length)
        without_evidence = []
        for number, probe in enumerate(self.texts.probes):
            if not probe.evidence:
                without_evidence.append(number)
            elif all(position in log_so_far for position in probe.evidence):
                for position in numbers_by_position.keys() & {*probe.evidence}:
                    numbers_by_position[position].append(number)
        # A fact that was typed in without a message is stated wherever its answer stands.
        if without_evidence:
            log = self.record.memory.log
            answers_by_message = self.texts.in_messages(
                log[position] for position in numbers_by_position
            ).answers
            for numbers, answers in zip(
                numbers_by_position.values(), answers_by_message, strict=True
            ):
                numbers += [number for number in without_evidence if answers[number]]
        return numbers_by_position

    def facts(
        self, numbers: Sequence[int], position: int | None = None
    ) -> MessageFacts:
        """Return where the probes of these numbers are, of the message at ``position`` or of several."""
        probes_by_place: dict[str, list[Probe]] = {}
        nothing = np.zeros(len(self.texts.probes), bool)
        left = nothing if position is None else self.left.get(position, nothing)
        # The first place that holds a fact counts: what is left of its own message before a summary, and so on.
        for number in numbers:
            place = "lost"
            if left[number]:
                place = "left"
            elif self.in_summary[number]:
                place = "held"
            elif self.in_messages[number]:
                place = "elsewhere"
            elif self.contradicted[number]:
                place = "contradicted"
            probes_by_place.setdefault(place, []).append(self.texts.probes[number])
        facts = {place: tuple(probes) for place, probes in probes_by_place.items()}
        return MessageFacts(**facts)
