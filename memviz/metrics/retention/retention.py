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
    all_within,
    held_in,
    held_in_summaries,
)
from memviz.metrics.retention.knowledge import (
    FactState,
    Freshness,
    Knowledge,
    Retention,
)
from memviz.metrics.retention.probe_texts import Bools, Holding, ProbeTexts, in_any
from memviz.transcripts.base import Probe

__all__ = [
    "FactState",
    "Freshness",
    "Knowledge",
    "ProbeTexts",
    "Retention",
    "ceiling",
    "floor",
    "retention",
]


def retention(
    run: Run,
    probes: Sequence[Probe],
    texts: ProbeTexts | None = None,
    requests: Sequence[int] | None = None,
) -> Retention:
    """Return what every request of ``run`` retains of ``probes``, or those of these numbers (0-based, in order) alone.

    ``texts``, built once, serves all runs over the same conversation. Raises ValueError if it was built for
    another conversation or other probes.
    """
    contents = RequestContents.of(run, requests)
    return _measure(run, _texts_for(run, probes, texts), contents)


def ceiling(
    run: Run, probes: Sequence[Probe], texts: ProbeTexts | None = None
) -> Retention:
    """Return what the requests of ``run`` would retain if each held all messages so far, and no summary."""
    sent = RequestContents.of(run)
    starts = np.full_like(sent.lengths, run.space.system_stop)
    said = Layer(np.arange(len(sent)), starts, sent.lengths)
    everything = RequestContents(
        sent.turns, sent.lengths, (), (said,), leading=sent.leading
    )
    return _measure(run, _texts_for(run, probes, texts), everything)


def floor(
    run: Run, probes: Sequence[Probe], other: Run, texts: ProbeTexts | None = None
) -> Retention:
    """Return what is contained by chance: ``probes``, born as in ``run``, looked up in the requests of ``other``, a
    run of another conversation under the same setting. After its last request that one goes on counting.

    ``texts`` are those of the other conversation. Evidence stands in none of its requests.
    """
    texts = _texts_for(other, probes, texts)
    found = _look_up(other, texts, RequestContents.of(other))
    if not other.requests:
        found = _Found.nothing(1, len(texts.probes))
    requests = RequestContents.of(run)
    rows = np.minimum(np.arange(len(requests)), len(found.states) - 1)
    nowhere = np.zeros((len(requests), len(texts.probes)), bool)
    held = _Found(found.states[rows], found.stale[rows], found.denied[rows])
    return _born(run, texts.probes, requests, nowhere, held)


class _Found(NamedTuple):
    """The places where answers are contained, born or not: [requests x probes]."""

    states: NDArray[np.uint8]
    stale: Bools
    denied: Bools
    """Where a text mentions an accepted answer and denies it."""

    @classmethod
    def nothing(cls, requests: int, probes: int) -> _Found:
        shape = (requests, probes)
        lost = np.full(shape, Knowledge.LOST, np.uint8)
        return cls(lost, np.zeros(shape, bool), np.zeros(shape, bool))


def _texts_for(
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
    found = _look_up(run, texts, requests)
    positions = [probe.evidence for probe in texts.probes]
    own = (*requests.verbatim, *requests.leading)
    whole = evidence = all_within(own, positions, len(requests))
    if requests.recalled:
        evidence = all_within((*own, *requests.recalled), positions, len(requests))
    kept = _born(run, texts.probes, requests, evidence, found)
    states = kept.states
    np.maximum(states, kept.evidence * np.uint8(Knowledge.RECALLED), out=states)
    states[kept.evidence & whole] = Knowledge.VERBATIM
    # What a request mentions only where it denies it, or what is outdated, is known no longer.
    is_known = states > Knowledge.LOST
    outdated = _ended_since(texts, requests) | _superseded(kept.probes, is_known)
    contradicted = (states == Knowledge.LOST) & (found.denied | kept.stale)
    states[contradicted | (outdated & kept.born)] = Knowledge.CONTRADICTED
    if requests.opaque:
        sent = (*own, *requests.recalled, *requests.opaque)
        may_be_there = all_within(sent, positions, len(requests)) & kept.born
        states[(states == Knowledge.LOST) & may_be_there] = Knowledge.UNKNOWN
    return kept


def _look_up(run: Run, texts: ProbeTexts, requests: RequestContents) -> _Found:
    found = _Found.nothing(len(requests), len(texts.probes))
    for place, held in _places(run, texts, requests):
        np.maximum(found.states, held.answers * np.uint8(place), out=found.states)
        found.stale[:, texts.stale_columns] |= held.stale
        found.denied[:] |= held.denied
    return found


def _places(
    run: Run, texts: ProbeTexts, requests: RequestContents
) -> Iterator[tuple[Knowledge, Holding]]:
    """Yield everything that requests hold answers in, and which requests hold which of them there."""
    count = len(requests)
    summaries = run.space.summaries
    if prompts := run.space.system_messages:
        in_prompts = texts.holding([prompt.content for prompt in prompts])
        yield Knowledge.SYSTEM, Holding(*map(in_any, in_prompts))
    said = besides = texts.counts
    if requests.words:
        besides = texts.counts_of(requests.words)
    for ranges, place, counts in (
        (requests.inside, Knowledge.SYSTEM, besides),
        (requests.quoted, Knowledge.SUMMARY, besides),
        (requests.recalled, Knowledge.RECALLED, said),
        (requests.others, Knowledge.VERBATIM, besides),
        (requests.verbatim, Knowledge.VERBATIM, said),
    ):
        yield place, Holding(*(held_in(ranges, kind, count) for kind in counts))
    in_versions = texts.in_versions(summaries)
    for numbers, starts, stops in requests.notes:
        held = []
        for kind in in_versions:
            part = np.zeros((count, kind.shape[1]), bool)
            part[numbers] = held_in_summaries(summaries, starts, stops, kind)
            held.append(part)
        yield Knowledge.SUMMARY, Holding(*held)


def _ended_since(texts: ProbeTexts, requests: RequestContents) -> Bools:
    """Return where a message of each request calls an answer outdated, and no message since then affirmed it again:
    [requests x probes]. What older messages of the request, and older summaries, affirm is outdated too."""
    count = len(requests)
    ended = np.zeros((count, len(texts.probes)), bool)
    sent_ranges = (*requests.verbatim, *requests.recalled)
    for position, probe in texts.endings:
        alone = np.zeros((texts.length + 1, 1), np.uint8)
        alone[position + 1 :] = 1
        sent = held_in(sent_ranges, alone, count)[:, 0]
        said = texts.counts.answers[:, probe]
        is_last = said[np.minimum(requests.lengths, texts.length)] == said[position + 1]
        ended[:, probe] |= sent & is_last
    return ended


def _superseded(probes: Sequence[Probe], known: Bools) -> Bools:
    """Return where a fact is known whose answer another fact names as a stale one, and that other fact is known
    too."""
    outdated = np.zeros_like(known)
    stale: dict[tuple[str, ...], list[int]] = {}
    for number, probe in enumerate(probes):
        for answer in probe.stale:
            stale.setdefault(normal_tokens(answer), []).append(number)
    if not stale:
        return outdated
    for number, probe in enumerate(probes):
        for answer in probe.answers:
            for newer in stale.get(normal_tokens(answer), ()):
                if set(probe.evidence) != set(probes[newer].evidence):
                    outdated[:, number] |= known[:, number] & known[:, newer]
    return outdated


def _born(
    run: Run,
    probes: tuple[Probe, ...],
    requests: RequestContents,
    evidence: Bools,
    found: _Found,
) -> Retention:
    length = len(run.log)
    births = np.array([_birth(probe, length) for probe in probes], np.int64)
    born = births < requests.lengths[:, None]
    return Retention(
        probes=probes,
        turns=requests.turns,
        births=births,
        states=np.where(born, found.states, np.uint8(Knowledge.NOT_BORN)),
        evidence=evidence & born,
        contained=(found.states > Knowledge.LOST) & born,
        stale=found.stale & born,
        run=run,
    )


def _birth(probe: Probe, length: int) -> int:
    """Return the log position of the message with which the probe is born; -1 without evidence, ``length`` if
    never."""
    if not all(0 <= position < length for position in probe.evidence):
        return length
    return max(probe.evidence, default=-1)
