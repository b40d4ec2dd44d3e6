"""Which facts of a message a request still holds when it is not sent word for word: those its summary names, and those
that are lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_table import log_length, recalled_ranges, verbatim_ranges
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts
from memviz.transcripts.base import Probe

MOST_NAMED = 6
"""Facts that a sentence names at most; of the others it gives the number."""


@dataclass(frozen=True)
class MessageFacts:
    """The facts that one message states, at a request that does not hold it word for word.

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


def message_facts(
    record: TurnRecord, position: int, probes: Sequence[Probe], texts: ProbeTexts | None = None
) -> MessageFacts:
    """The facts of the message at this log position: the ``probes`` that name it as evidence, and of those without
    evidence the ones whose answer it contains, once all of their evidence was said. None for a message that the request
    holds word for word, or that was not said yet.

    ``texts`` are those of ``probes`` in the log, if they were read already; for many messages of one request ask
    :func:`facts_of_messages`. Raises ValueError if ``texts`` were built for other probes.
    """
    return facts_of_messages(record, probes, texts, [position]).get(position, NO_FACTS)


def facts_of_messages(
    record: TurnRecord,
    probes: Sequence[Probe],
    texts: ProbeTexts | None = None,
    positions: Iterable[int] | None = None,
) -> Mapping[int, MessageFacts]:
    """:func:`message_facts` of every message at ``positions`` (all that were said) that states a fact and is not sent
    word for word. Each text is read once for all of them."""
    texts = ProbeTexts(record.memory.log, probes) if texts is None else texts
    if texts.probes != tuple(probes):
        raise ValueError("These ProbeTexts were built for other probes.")
    texts.extend()
    sent = [range(record.memory.history_start), *verbatim_ranges(record), *recalled_ranges(record)]
    places = _Places(_held_by_summary(record, texts), _held_by_messages(record, texts, sent))
    asked = range(record.memory.length) if positions is None else positions
    away = [at for at in asked if at < record.memory.length and not any(at in part for part in sent)]
    stated = _stated(texts, away, log_length(record))
    return {at: places.of(texts.probes, numbers) for at, numbers in stated.items() if numbers}


def message_facts_words(facts: MessageFacts) -> str:
    """``The summary still holds: 3,600 euros. Lost: cashews; 9 July 2027.``; empty where there are no facts."""
    parts = (
        ("The summary still holds", facts.held),
        ("Sent in another message", facts.elsewhere),
        ("Lost", facts.lost),
    )
    return " ".join(f"{title}: {_named(probes)}." for title, probes in parts if probes)


class _Places(NamedTuple):
    """Whether each probe is in the summary that is sent, and whether in any message that is."""

    in_summary: Bools
    in_messages: Bools

    def of(self, probes: tuple[Probe, ...], numbers: Sequence[int]) -> MessageFacts:
        held = [number for number in numbers if self.in_summary[number]]
        elsewhere = [number for number in numbers if self.in_messages[number] and not self.in_summary[number]]
        known = {*held, *elsewhere}
        lost = [number for number in numbers if number not in known]
        return MessageFacts(*(tuple(probes[number] for number in part) for part in (held, lost, elsewhere)))


def _held_by_summary(record: TurnRecord, texts: ProbeTexts) -> Bools:
    sent = record.parts.summaries
    versions = record.memory.space.summaries.in_block(sent.start, sent.stop)
    held: Bools = np.logical_or.reduce(texts.holding([version.text for version in versions]).answers, axis=0)
    return held


def _held_by_messages(record: TurnRecord, texts: ProbeTexts, sent: Iterable[range]) -> Bools:
    prompts = [prompt.content for prompt in record.memory.space.system_messages]
    held: Bools = np.logical_or.reduce(texts.holding(prompts).answers, axis=0)
    for part in sent:
        held |= texts.answer_counts[part.stop] > texts.answer_counts[part.start]
    return held


def _stated(texts: ProbeTexts, positions: Iterable[int], length: int) -> dict[int, list[int]]:
    """The numbers of the probes that each message states, in their order; of those that were born by the time the log
    had ``length`` messages."""
    numbers: dict[int, list[int]] = {position: [] for position in positions}
    for number, probe in enumerate(texts.probes):
        if all(0 <= position < length for position in probe.evidence):
            for position in dict.fromkeys(probe.evidence):
                if position in numbers:
                    numbers[position].append(number)
        if not probe.evidence:
            counts = texts.answer_counts[:, number]
            for position in numbers:
                if counts[position + 1] > counts[position]:
                    numbers[position].append(number)
    return numbers


def _named(probes: Sequence[Probe]) -> str:
    names = [probe.answers[0] if probe.answers else probe.question for probe in probes[:MOST_NAMED]]
    more = len(probes) - MOST_NAMED
    return "; ".join([*names, *([f"and {more:,} more"] if more > 0 else [])])
