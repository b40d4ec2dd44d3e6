"""The fate of facts in messages that a request does not hold word for word.

Pages show it when a user opens a message or a summary: the facts that a summary still names, and those that are lost.
It also tells which facts a recall brought back, and which ones a new version of a summary lost or gained.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from memviz.core.pieces import Line
from memviz.engine.part_tokens import find_reduced_positions
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.other_words import find_reduced_recalls
from memviz.metrics.requests.request_table import (
    list_sent_ranges,
    list_sent_versions,
)
from memviz.metrics.retention.probe_texts import Bools, mark_in_any, read_answers
from memviz.transcripts.base import Probe


@dataclass(frozen=True)
class MessageFacts:
    """The facts of messages that a request does not hold word for word, each in one field: the first that applies.

    They are judged by the rules of :class:`memviz.metrics.retention.knowledge.Retention`.
    """

    held: tuple[Probe, ...] = ()
    """Facts in a summary of the request, but not ``left``."""
    lost: tuple[Probe, ...] = ()
    """Facts in none of the other fields."""
    elsewhere: tuple[Probe, ...] = ()
    """Facts only in another message of the request, or in the system prompt."""
    left: tuple[Probe, ...] = ()
    """Facts in the rest of the message, which was cleared or shortened."""
    contradicted: tuple[Probe, ...] = ()
    """Facts that the request denies, or of which it holds an outdated value."""

    def __bool__(self) -> bool:
        return any(astuple(self))


NO_FACTS = MessageFacts()


class SummaryChange(NamedTuple):
    """The facts that a new version of a summary changed."""

    lost: tuple[Probe, ...] = ()
    """Facts that only the old text states."""
    gained: tuple[Probe, ...] = ()
    """Facts that only the new text states."""
    contradicted: tuple[Probe, ...] = ()
    """Facts of the old text that the new text denies or calls outdated."""


def find_message_facts(
    record: TurnRecord, position: int, probes: Sequence[Probe]
) -> MessageFacts:
    """Return what became of the facts of the message at this log position.

    Its facts are the ``probes`` that name it as evidence, and those without evidence whose answer it contains. There
    are none for a message that the request holds word for word, or that was not said yet. For many messages,
    :func:`find_facts_of_messages` is faster.
    """
    return find_facts_of_messages(record, probes, [position]).get(position, NO_FACTS)


def find_facts_of_messages(
    record: TurnRecord, probes: Sequence[Probe], positions: Iterable[int] | None = None
) -> Mapping[int, MessageFacts]:
    """Return by log position what became of the facts of messages, as :func:`find_message_facts` does for one.

    ``positions`` are by default those of all messages that were said. Messages without facts are left out.
    """
    request = _Request(record, probes)
    facts_by_position = {}
    for position, numbers in request.list_stated(positions).items():
        if numbers:
            facts_by_position[position] = request.sort_by_place(numbers, position)
    return facts_by_position


def find_summary_facts(record: TurnRecord, probes: Sequence[Probe]) -> MessageFacts:
    """Return what became of the facts of all messages that the summaries of a request cover."""
    request = _Request(record, probes)
    summaries = record.memory.space.summaries
    positions: set[int] = set()
    for notes in record.parts.notes:
        positions.update(*summaries.covered(notes.start, notes.stop))
    for number in record.parts.quoted:
        positions.update(summaries.versions[number].covers)
    stated = request.list_stated(positions)
    return request.sort_by_place(sorted(set().union(*stated.values())))


def find_brought_back(record: TurnRecord, probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """Return the ``probes`` that the request only knows from a recalled message."""
    if not probes or not record.parts.recalled:
        return ()
    texts = read_answers(tuple(probes))
    in_recalled = np.zeros(len(probes), bool)
    in_others = np.zeros(len(probes), bool)
    for block in record.context.blocks:
        is_held = mark_in_any(texts.find_in_messages(block.messages).answers)
        if block.kind == "recalled":
            in_recalled |= is_held
        else:
            in_others |= is_held
    return _pick_probes(probes, in_recalled & ~in_others)


def compare_summaries(old: str, new: str, probes: Sequence[Probe]) -> SummaryChange:
    """Return the ``probes`` whose answers only one of two versions of a summary contains."""
    if not probes:
        return SummaryChange()
    texts = read_answers(tuple(probes))
    holding = texts.find_answers([old, new])
    before, after = holding.answers
    denied = texts.mark_contradicted(holding)[1]
    is_gone = before & ~after
    changes = (is_gone & ~denied, after & ~before, is_gone & denied)
    return SummaryChange(*(_pick_probes(probes, is_changed) for is_changed in changes))


def _pick_probes(probes: Sequence[Probe], is_picked: Bools) -> tuple[Probe, ...]:
    return tuple(compress(probes, is_picked.tolist()))


class _Request:
    """The places in one request where each probe is found. Only its own texts are read, because logs may be long."""

    def __init__(self, record: TurnRecord, probes: Sequence[Probe]) -> None:
        log = record.memory.log
        space = record.memory.space
        parts = record.parts
        texts = read_answers(tuple(probes))
        self.record = record
        self.texts = texts
        self.sent = list_sent_ranges(record)
        # The messages that are sent in another form, as they are sent.
        shortened = {}
        for piece in parts.messages:
            for position in find_reduced_positions(space, piece):
                shortened[position] = log.sent(position, piece.form)
        reduced = find_reduced_recalls(log, parts)
        shortened |= reduced
        of_left = texts.find_in_messages(shortened.values())
        self.left = dict(zip(shortened, of_left.answers, strict=True))
        messages = [space.system_prompt] if space.system_prompt else []
        positions = {position for part in self.sent for position in part}
        messages += [log[position] for position in sorted(positions - reduced.keys())]
        lines = [piece for piece in parts.pieces if isinstance(piece, Line)]
        messages += [line.message for line in lines if not line.quotes]
        of_messages = texts.find_in_messages(messages)
        numbers = list_sent_versions(parts, space.summaries)
        note_texts = [space.summaries.versions[number].text for number in numbers]
        note_texts += [line.message.content for line in lines if line.quotes]
        of_summaries = texts.find_answers(note_texts)
        self.in_summary = mark_in_any(of_summaries.answers)
        self.in_messages = mark_in_any(of_messages.answers) | mark_in_any(
            of_left.answers
        )
        self.contradicted = np.zeros(len(probes), bool)
        for holding in (of_summaries, of_messages, of_left):
            self.contradicted |= mark_in_any(texts.mark_contradicted(holding))

    def list_stated(self, positions: Iterable[int] | None) -> dict[int, list[int]]:
        """Return by log position the numbers of the probes that messages state which are not sent word for word."""
        length = self.record.memory.length
        numbers_by_position: dict[int, list[int]] = {}
        for position in range(length) if positions is None else positions:
            is_sent = any(position in part for part in self.sent)
            if position < length and not is_sent:
                numbers_by_position[position] = []
        log_so_far = range(self.record.log_length)
        without_evidence = []
        for number, probe in enumerate(self.texts.probes):
            if not probe.evidence:
                without_evidence.append(number)
            elif all(position in log_so_far for position in probe.evidence):
                for position in numbers_by_position.keys() & {*probe.evidence}:
                    numbers_by_position[position].append(number)
        # A fact that the user typed in without a message is stated wherever its answer is.
        if without_evidence:
            log = self.record.memory.log
            answers_by_message = self.texts.find_in_messages(
                log[position] for position in numbers_by_position
            ).answers
            for numbers, answers in zip(
                numbers_by_position.values(), answers_by_message, strict=True
            ):
                numbers += [number for number in without_evidence if answers[number]]
        return numbers_by_position

    def sort_by_place(
        self, numbers: Sequence[int], position: int | None = None
    ) -> MessageFacts:
        """Return the probes of these numbers by where they are; they are of the message at ``position``, or of many."""
        probes_by_place: dict[str, list[Probe]] = {}
        nothing = np.zeros(len(self.texts.probes), bool)
        left = nothing if position is None else self.left.get(position, nothing)
        # The first place with the fact counts: the rest of its own message, then a summary, and so on.
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
