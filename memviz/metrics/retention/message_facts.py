"""Which facts of a message a request still holds when it is not sent word for word: those its summary names, and those
that are lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from memviz.engine.assembly import reduced
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.message_words import readable
from memviz.metrics.requests.request_table import (
    recalled_ranges,
    verbatim_ranges,
    versions_of,
)
from memviz.metrics.retention.probe_texts import (
    Bools,
    Holding,
    ProbeTexts,
    answers_of,
    in_any,
)
from memviz.pieces import Line
from memviz.transcripts.base import Probe

MOST_NAMED = 6
"""Facts that a sentence names at most; of the others it gives the number."""


@dataclass(frozen=True)
class MessageFacts:
    """Facts that messages state, at a request that does not hold these messages word for word.

    ``left``: what is still sent of the message itself, where it was cleared or shortened, contains an accepted answer.
    ``held``: it does not, but a summary that is sent does. ``elsewhere``: neither does, but another message of the
    request or the system prompt. ``contradicted``: none does, but the request denies the answer or holds an outdated
    one. ``lost``: none of these. All by the rules of :class:`memviz.metrics.retention.knowledge.Retention`.
    """

    held: tuple[Probe, ...]
    lost: tuple[Probe, ...]
    elsewhere: tuple[Probe, ...] = ()
    left: tuple[Probe, ...] = ()
    contradicted: tuple[Probe, ...] = ()

    def __bool__(self) -> bool:
        return bool(
            self.held or self.lost or self.elsewhere or self.left or self.contradicted
        )


NO_FACTS = MessageFacts((), ())


def message_facts(
    record: TurnRecord, position: int, probes: Sequence[Probe]
) -> MessageFacts:
    """The facts of the message at this log position: the ``probes`` that name it as evidence, and of those without
    evidence the ones whose answer it contains, once all of their evidence was said. None for a message that the request
    holds word for word, or that was not said yet. For many messages ask :func:`facts_of_messages`."""
    return facts_of_messages(record, probes, [position]).get(position, NO_FACTS)


def facts_of_messages(
    record: TurnRecord, probes: Sequence[Probe], positions: Iterable[int] | None = None
) -> Mapping[int, MessageFacts]:
    """:func:`message_facts` of every message at ``positions`` (all that were said) that states a fact and is not sent
    word for word. Each text of the request is read once for all of them."""
    request = _Request.of(record, probes)
    stated = request.stated(positions).items()
    return {
        position: request.facts(numbers, position)
        for position, numbers in stated
        if numbers
    }


def summary_facts(record: TurnRecord, probes: Sequence[Probe]) -> MessageFacts:
    """The facts of all messages that the request does not hold word for word and that its summaries stand for."""
    request, summaries = _Request.of(record, probes), record.memory.space.summaries
    covered = [
        part
        for sent in record.parts.notes
        for part in summaries.covered(sent.start, sent.stop)
    ]
    stated = request.stated(position for part in covered for position in part)
    return request.facts(
        sorted({number for numbers in stated.values() for number in numbers})
    )


def message_facts_words(facts: MessageFacts) -> str:
    """``The summary still holds: 3,600 euros. Lost: cashews; 9 July 2027.``; empty where there are no facts."""
    parts = (
        ("What is left of it still says", facts.left),
        ("The summary still holds", facts.held),
        ("Sent in another message", facts.elsewhere),
        ("Contradicted", facts.contradicted),
        ("Lost", facts.lost),
    )
    return " ".join(f"{title}: {_named(probes)}." for title, probes in parts if probes)


class _Request(NamedTuple):
    """One request and where it holds each probe: in its summaries, in any of its messages, and in what is ``left`` of
    each message that is sent in another form; and which it contradicts in any of them."""

    record: TurnRecord
    texts: ProbeTexts
    sent: tuple[range, ...]
    in_summary: Bools
    in_messages: Bools
    left: Mapping[int, Bools]
    contradicted: Bools

    @classmethod
    def of(cls, record: TurnRecord, probes: Sequence[Probe]) -> _Request:
        """The texts of this request are read, and no others: the log may be long."""
        log, space, parts = record.memory.log, record.memory.space, record.parts
        sent = (
            range(record.memory.history_start),
            *verbatim_ranges(record),
            *recalled_ranges(record),
        )
        prompt = [space.system_prompt] if space.system_prompt else []
        lines = [piece.message for piece in parts.pieces if isinstance(piece, Line)]
        messages = [
            *prompt,
            *(log[position] for part in sent for position in part),
            *lines,
        ]
        texts = answers_of(tuple(probes))
        positions, of_left = _left(texts, record)
        versions = [
            space.summaries.versions[number].text
            for number in versions_of(parts, space.summaries)
        ]
        of_summaries = texts.holding(versions)
        of_messages = texts.holding([readable(message) for message in messages])
        in_messages = in_any(np.concatenate([of_messages.answers, of_left.answers]))
        contradicted = np.concatenate(
            [texts.contradicted(held) for held in (of_summaries, of_messages, of_left)]
        )
        return cls(
            record,
            texts,
            sent,
            in_any(of_summaries.answers),
            in_messages,
            dict(zip(positions, of_left.answers, strict=True)),
            in_any(contradicted),
        )

    def stated(self, positions: Iterable[int] | None) -> dict[int, list[int]]:
        """The numbers of the probes that each message states which is not sent, in their order."""
        length = self.record.memory.length
        asked = range(length) if positions is None else positions
        found: dict[int, list[int]] = {
            at: []
            for at in asked
            if at < length and not any(at in part for part in self.sent)
        }
        for number, probe in enumerate(self.texts.probes):
            if all(
                0 <= position < self.record.log_length for position in probe.evidence
            ):
                for position in dict.fromkeys(probe.evidence):
                    if position in found:
                        found[position].append(number)
        self._add_without_evidence(found)
        return found

    def _add_without_evidence(self, found: dict[int, list[int]]) -> None:
        """A fact that was typed in without a message is stated wherever its answer stands."""
        numbers = [
            number
            for number, probe in enumerate(self.texts.probes)
            if not probe.evidence
        ]
        if numbers:
            held = self.texts.holding(
                [readable(self.record.memory.log[position]) for position in found]
            ).answers
            for row, position in enumerate(found):
                found[position] += [number for number in numbers if held[row, number]]

    def facts(
        self, numbers: Sequence[int], position: int | None = None
    ) -> MessageFacts:
        """Where the probes of these numbers are, of the message at ``position`` or of several."""
        found: dict[str, list[Probe]] = {
            name: [] for name in ("held", "lost", "elsewhere", "left", "contradicted")
        }
        own = None if position is None else self.left.get(position)
        for number in numbers:
            if own is not None and own[number]:
                where = "left"
            elif self.in_summary[number]:
                where = "held"
            elif self.in_messages[number]:
                where = "elsewhere"
            else:
                where = "contradicted" if self.contradicted[number] else "lost"
            found[where].append(self.texts.probes[number])
        return MessageFacts(**{where: tuple(probes) for where, probes in found.items()})


def _left(texts: ProbeTexts, record: TurnRecord) -> tuple[list[int], Holding]:
    """The messages that are sent in another form, and what is held by that form of each."""
    log, space = record.memory.log, record.memory.space
    sent = {
        at: log.sent(at, piece.form)
        for piece in record.parts.messages
        for at in reduced(space, piece)
    }
    return [*sent], texts.holding([readable(message) for message in sent.values()])


def _named(probes: Sequence[Probe]) -> str:
    names = [
        probe.answers[0] if probe.answers else probe.question
        for probe in probes[:MOST_NAMED]
    ]
    more = len(probes) - MOST_NAMED
    return "; ".join([*names, *([f"and {more:,} more"] if more > 0 else [])])


def brought_back(record: TurnRecord, probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """The ``probes`` of which an accepted answer stands in a recalled message of the request and nowhere else in it,
    and is affirmed there, as :class:`memviz.metrics.retention.knowledge.Retention` reads it."""
    if not probes or not record.parts.recalled:
        return ()
    recalled, others = list[str](), list[str]()
    for block in record.context.blocks:
        (recalled if block.kind == "recalled" else others).extend(
            readable(message) for message in block.messages
        )
    texts = answers_of(tuple(probes))
    back, there = (in_any(texts.holding(read).answers) for read in (recalled, others))
    return tuple(compress(probes, (back & ~there).tolist()))


class SummaryChange(NamedTuple):
    """Facts that the old text states and the new one does not: those that it names only to deny or to call outdated are
    ``contradicted``, the others ``lost``; and those that the new text states only."""

    lost: tuple[Probe, ...] = ()
    gained: tuple[Probe, ...] = ()
    contradicted: tuple[Probe, ...] = ()


def summary_change(old: str, new: str, probes: Sequence[Probe]) -> SummaryChange:
    """Compare two versions of a summary by the answers of ``probes``, as :mod:`memviz.text.containment` finds them."""
    if not probes:
        return SummaryChange()
    texts = answers_of(tuple(probes))
    held = texts.holding([old, new])
    (before, after), (_, denied) = held.answers, texts.contradicted(held)
    gone = before & ~after
    return SummaryChange(
        *(
            tuple(compress(probes, which.tolist()))
            for which in (gone & ~denied, after & ~before, gone & denied)
        )
    )
