"""The facts that the model can still know at each request, told by what it was sent; no model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.containment import normal_tokens
from memviz.engine.run import Run
from memviz.metrics.requests.request_table import (
    Layer,
    RequestContents,
    mark_all_within,
    mark_held,
    mark_held_in_summaries,
)
from memviz.metrics.retention.knowledge import (
    FactState,
    Freshness,
    Knowledge,
    Retention,
)
from memviz.metrics.retention.probe_texts import Bools, Holding, ProbeTexts, mark_in_any
from memviz.transcripts.base import Probe

__all__ = [
    "FactState",
    "Freshness",
    "Knowledge",
    "ProbeTexts",
    "Retention",
    "measure_ceiling",
    "measure_floor",
    "retention",
]


def retention(
    run: Run,
    probes: Sequence[Probe],
    texts: ProbeTexts | None = None,
    requests: Sequence[int] | None = None,
) -> Retention:
    """Return which of ``probes`` each request of ``run`` knows.

    Args:
        run: The run.
        probes: The facts to look for.
        texts: The answers in the messages of the conversation. Built once, it serves all runs over it.
        requests: The numbers (0-based, in order) of the requests to measure; by default all.

    Raises:
        ValueError: ``texts`` was built for another conversation or for other probes.
    """
    contents = RequestContents.of(run, requests)
    return _measure(run, _prepare_texts(run, probes, texts), contents)


def measure_ceiling(
    run: Run, probes: Sequence[Probe], texts: ProbeTexts | None = None
) -> Retention:
    """Return the retention if every request of ``run`` held all messages so far, and no summary."""
    requests = RequestContents.of(run)
    starts = np.full_like(requests.lengths, run.space.system_stop)
    whole_log = Layer(np.arange(len(requests)), starts, requests.lengths)
    everything = RequestContents(
        requests.turns, requests.lengths, (), (whole_log,), leading=requests.leading
    )
    return _measure(run, _prepare_texts(run, probes, texts), everything)


def measure_floor(
    run: Run, probes: Sequence[Probe], other: Run, texts: ProbeTexts | None = None
) -> Retention:
    """Return the retention by chance: how many of ``probes`` are found in requests that cannot know them.

    The probes of ``run`` are looked up in the requests of ``other``, a run of another conversation under the same
    setting. If it is shorter, its last request stands for all further ones. ``texts`` are those of the other
    conversation.
    """
    texts = _prepare_texts(other, probes, texts)
    lookup = _Lookup.nothing(1, len(texts.probes))
    if other.requests:
        lookup = _look_up(other, texts, RequestContents.of(other))
    requests = RequestContents.of(run)
    rows = np.minimum(np.arange(len(requests)), len(lookup.states) - 1)
    paired = _Lookup(lookup.states[rows], lookup.stale[rows], lookup.denied[rows])
    no_evidence = np.zeros((len(requests), len(texts.probes)), bool)
    return _limit_to_born(run, texts.probes, requests, no_evidence, paired)


class _Lookup(NamedTuple):
    """The answers found in requests, of born and unborn probes: [requests x probes]."""

    states: NDArray[np.uint8]
    """The best place of an accepted answer, as :class:`Knowledge` codes."""
    stale: Bools
    """True where a stale answer is affirmed."""
    denied: Bools
    """True where an accepted answer is mentioned and denied."""

    @classmethod
    def nothing(cls, requests: int, probes: int) -> _Lookup:
        shape = (requests, probes)
        lost = np.full(shape, Knowledge.LOST, np.uint8)
        return cls(lost, np.zeros(shape, bool), np.zeros(shape, bool))


def _prepare_texts(
    run: Run, probes: Sequence[Probe], texts: ProbeTexts | None
) -> ProbeTexts:
    if texts is None:
        return ProbeTexts(run.log, probes)
    if texts.probes != tuple(probes) or not texts.fits(run.log):
        raise ValueError(
            "These ProbeTexts were built for another conversation or for other probes."
        )
    texts.extend()
    return texts


def _measure(run: Run, texts: ProbeTexts, requests: RequestContents) -> Retention:
    lookup = _look_up(run, texts, requests)
    positions = [probe.evidence for probe in texts.probes]
    # A fact is there word for word where all messages that state it are, some of which may have been recalled.
    own_ranges = (*requests.verbatim, *requests.leading)
    whole = evidence = mark_all_within(own_ranges, positions, len(requests))
    if requests.recalled:
        evidence = mark_all_within(
            (*own_ranges, *requests.recalled), positions, len(requests)
        )
    measured = _limit_to_born(run, texts.probes, requests, evidence, lookup)
    states = measured.states
    np.maximum(states, measured.evidence * np.uint8(Knowledge.RECALLED), out=states)
    states[measured.evidence & whole] = Knowledge.VERBATIM
    # A fact is no longer known where it is only mentioned to be denied, or is outdated.
    is_known = states > Knowledge.LOST
    outdated = _find_ended(texts, requests) | _find_superseded(
        measured.probes, is_known
    )
    contradicted = (states == Knowledge.LOST) & (lookup.denied | measured.stale)
    states[contradicted | (outdated & measured.born)] = Knowledge.CONTRADICTED
    # Only the provider knows what its blocks still hold of the messages that they replace.
    if requests.opaque:
        sent_ranges = (*own_ranges, *requests.recalled, *requests.opaque)
        may_be_there = (
            mark_all_within(sent_ranges, positions, len(requests)) & measured.born
        )
        states[(states == Knowledge.LOST) & may_be_there] = Knowledge.UNKNOWN
    return measured


def _look_up(run: Run, texts: ProbeTexts, requests: RequestContents) -> _Lookup:
    lookup = _Lookup.nothing(len(requests), len(texts.probes))
    for place, holding in _look_in_places(run, texts, requests):
        # Better places have larger codes, so the maximum is the best place.
        np.maximum(lookup.states, holding.answers * np.uint8(place), out=lookup.states)
        lookup.stale[:, texts.stale_columns] |= holding.stale
        lookup.denied[:] |= holding.denied
    return lookup


def _look_in_places(
    run: Run, texts: ProbeTexts, requests: RequestContents
) -> Iterator[tuple[Knowledge, Holding]]:
    """Yield each kind of places in requests, with the answers that the requests hold there: [requests x probes]."""
    count = len(requests)
    summaries = run.space.summaries
    if prompts := run.space.system_messages:
        in_prompts = texts.find_answers([prompt.content for prompt in prompts])
        yield Knowledge.SYSTEM, Holding(*map(mark_in_any, in_prompts))
    # Ranges of messages are counted in the log, ranges of words in the texts that are no messages of the log.
    in_log = in_words = texts.counts
    if requests.words:
        in_words = texts.count_in_messages(requests.words)
    for ranges, place, counts in (
        (requests.inside, Knowledge.SYSTEM, in_words),
        (requests.quoted, Knowledge.SUMMARY, in_words),
        (requests.recalled_whole, Knowledge.RECALLED, in_log),
        (requests.recalled_words, Knowledge.RECALLED, in_words),
        (requests.others, Knowledge.VERBATIM, in_words),
        (requests.verbatim, Knowledge.VERBATIM, in_log),
    ):
        yield place, Holding(*(mark_held(ranges, kind, count) for kind in counts))
    in_versions = texts.find_in_versions(summaries)
    for numbers, starts, stops in requests.notes:
        parts = []
        for kind in in_versions:
            part = np.zeros((count, kind.shape[1]), bool)
            part[numbers] = mark_held_in_summaries(summaries, starts, stops, kind)
            parts.append(part)
        yield Knowledge.SUMMARY, Holding(*parts)


def _find_ended(texts: ProbeTexts, requests: RequestContents) -> Bools:
    """Return true where a message of a request calls an answer outdated that no later message affirms again.

    [requests x probes]. Older messages of the request, and older summaries, that affirm it are outdated with it.
    """
    count = len(requests)
    ended = np.zeros((count, len(texts.probes)), bool)
    sent_ranges = (*requests.verbatim, *requests.recalled)
    for position, probe in texts.endings:
        # Running sums for this message alone, to find the requests that hold it.
        alone = np.zeros((texts.length + 1, 1), np.uint8)
        alone[position + 1 :] = 1
        is_sent = mark_held(sent_ranges, alone, count)[:, 0]
        # No affirming message was added between that message and the request.
        answer_counts = texts.counts.answers[:, probe]
        is_last = (
            answer_counts[np.minimum(requests.lengths, texts.length)]
            == answer_counts[position + 1]
        )
        ended[:, probe] |= is_sent & is_last
    return ended


def _find_superseded(probes: Sequence[Probe], is_known: Bools) -> Bools:
    """Return true where a known fact has an answer that another known fact names as its stale one."""
    outdated = np.zeros_like(is_known)
    newer_by_answer: dict[tuple[str, ...], list[int]] = {}
    for number, probe in enumerate(probes):
        for answer in probe.stale:
            newer_by_answer.setdefault(normal_tokens(answer), []).append(number)
    if not newer_by_answer:
        return outdated
    for number, probe in enumerate(probes):
        for answer in probe.answers:
            for newer in newer_by_answer.get(normal_tokens(answer), ()):
                # Two questions about the same messages ask for the same fact, which cannot replace itself.
                if set(probe.evidence) != set(probes[newer].evidence):
                    outdated[:, number] |= is_known[:, number] & is_known[:, newer]
    return outdated


def _limit_to_born(
    run: Run,
    probes: tuple[Probe, ...],
    requests: RequestContents,
    evidence: Bools,
    lookup: _Lookup,
) -> Retention:
    length = len(run.log)
    births = np.array([_find_birth(probe, length) for probe in probes], np.int64)
    is_born = births < requests.lengths[:, None]
    return Retention(
        probes=probes,
        turns=requests.turns,
        births=births,
        states=np.where(is_born, lookup.states, np.uint8(Knowledge.NOT_BORN)),
        evidence=evidence & is_born,
        contained=(lookup.states > Knowledge.LOST) & is_born,
        stale=lookup.stale & is_born,
        run=run,
    )


def _find_birth(probe: Probe, length: int) -> int:
    """Return the log position of the message with which the probe is born; -1 without evidence, ``length`` if
    never."""
    if not all(0 <= position < length for position in probe.evidence):
        return length
    return max(probe.evidence, default=-1)
