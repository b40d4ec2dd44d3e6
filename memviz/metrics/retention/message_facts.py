"""Which facts of a message a request still holds when it is not sent word for word: those its summary names, and those
that are lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_table import recalled_ranges, verbatim_ranges
from memviz.metrics.retention.message_text import readable
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts, answers_of
from memviz.transcripts.base import Probe

MOST_NAMED = 6
"""Facts that a sentence names at most; of the others it gives the number."""


@dataclass(frozen=True)
class MessageFacts:
    """Facts that messages state, at a request that does not hold these messages word for word.

    ``held``: the summary that is sent contains an accepted answer. ``elsewhere``: the summary does not, but another
    message of the request or the system prompt does. ``lost``: nothing in the request does. All by the rule of
    :mod:`memviz.text.containment`, as in :class:`memviz.metrics.retention.knowledge.Retention`.
    """

    held: tuple[Probe, ...]
    lost: tuple[Probe, ...]
    elsewhere: tuple[Probe, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.held or self.lost or self.elsewhere)


NO_FACTS = MessageFacts((), ())


def message_facts(record: TurnRecord, position: int, probes: Sequence[Probe]) -> MessageFacts:
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
    return {position: request.facts(numbers) for position, numbers in request.stated(positions).items() if numbers}


def summary_facts(record: TurnRecord, probes: Sequence[Probe]) -> MessageFacts:
    """The facts of all messages that the request does not hold word for word and that its summary stands for."""
    sent, request = record.parts.summaries, _Request.of(record, probes)
    covered = record.memory.space.summaries.covered(sent.start, sent.stop)
    stated = request.stated(position for part in covered for position in part)
    return request.facts(sorted({number for numbers in stated.values() for number in numbers}))


def message_facts_words(facts: MessageFacts) -> str:
    """``The summary still holds: 3,600 euros. Lost: cashews; 9 July 2027.``; empty where there are no facts."""
    parts = (
        ("The summary still holds", facts.held),
        ("Sent in another message", facts.elsewhere),
        ("Lost", facts.lost),
    )
    return " ".join(f"{title}: {_named(probes)}." for title, probes in parts if probes)


class _Request(NamedTuple):
    """One request and where it holds each probe: in its summary, in any of its messages."""

    record: TurnRecord
    texts: ProbeTexts
    sent: tuple[range, ...]
    in_summary: Bools
    in_messages: Bools

    @classmethod
    def of(cls, record: TurnRecord, probes: Sequence[Probe]) -> _Request:
        """The texts of this request are read, and no others: the log may be long."""
        log, space, parts = record.memory.log, record.memory.space, record.parts
        sent = (range(record.memory.history_start), *verbatim_ranges(record), *recalled_ranges(record))
        versions = space.summaries.in_block(parts.summaries.start, parts.summaries.stop)
        prompt = [space.system_prompt] if space.system_prompt else []
        messages = [*prompt, *(log[position] for part in sent for position in part)]
        texts = answers_of(tuple(probes))
        in_summary = _any_holds(texts, [version.text for version in versions])
        return cls(record, texts, sent, in_summary, _any_holds(texts, [readable(message) for message in messages]))

    def stated(self, positions: Iterable[int] | None) -> dict[int, list[int]]:
        """The numbers of the probes that each message states which is not sent, in their order."""
        length = self.record.memory.length
        asked = range(length) if positions is None else positions
        found: dict[int, list[int]] = {
            at: [] for at in asked if at < length and not any(at in part for part in self.sent)
        }
        for number, probe in enumerate(self.texts.probes):
            if all(0 <= position < self.record.log_length for position in probe.evidence):
                for position in dict.fromkeys(probe.evidence):
                    if position in found:
                        found[position].append(number)
        self._add_without_evidence(found)
        return found

    def _add_without_evidence(self, found: dict[int, list[int]]) -> None:
        """A fact that was typed in without a message is stated wherever its answer stands."""
        numbers = [number for number, probe in enumerate(self.texts.probes) if not probe.evidence]
        if numbers:
            held = self.texts.holding([readable(self.record.memory.log[position]) for position in found]).answers
            for row, position in enumerate(found):
                found[position] += [number for number in numbers if held[row, number]]

    def facts(self, numbers: Sequence[int]) -> MessageFacts:
        """Where the probes of these numbers are."""
        probes = self.texts.probes
        return MessageFacts(
            held=tuple(probes[number] for number in numbers if self.in_summary[number]),
            lost=tuple(probes[n] for n in numbers if not (self.in_summary[n] or self.in_messages[n])),
            elsewhere=tuple(probes[n] for n in numbers if self.in_messages[n] and not self.in_summary[n]),
        )


def _any_holds(texts: ProbeTexts, read: Sequence[str]) -> Bools:
    held: Bools = np.logical_or.reduce(texts.holding(read).answers, axis=0)
    return held


def _named(probes: Sequence[Probe]) -> str:
    names = [probe.answers[0] if probe.answers else probe.question for probe in probes[:MOST_NAMED]]
    more = len(probes) - MOST_NAMED
    return "; ".join([*names, *([f"and {more:,} more"] if more > 0 else [])])
