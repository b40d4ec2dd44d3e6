"""What the model can still know at each request, told by what it was sent; no model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from memviz.metrics.retention.probe_texts import (
    Bools,
    Counts,
    ProbeTexts,
    running_counts,
)
from memviz.text.containment import normal_tokens
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
    run: Run, probes: Sequence[Probe], texts: ProbeTexts | None = None
) -> Retention:
    """What every request of ``run`` retains of ``probes``.

    ``texts``, built once, serves all runs over the same conversation. Raises ValueError if it was built for
    another conversation or other probes.
    """
    texts = _texts_for(run, probes, texts)
    requests = RequestContents.of(run)
    kept = _with_evidence(run, texts, requests, _found(run, texts, requests))
    return _with_contradictions(kept, run, texts, requests)


def ceiling(
    run: Run, probes: Sequence[Probe], texts: ProbeTexts | None = None
) -> Retention:
    """What the requests of ``run`` would retain if each held all messages so far, and no summary."""
    texts = _texts_for(run, probes, texts)
    requests = RequestContents.of(run)
    lengths, nothing = requests.lengths, np.zeros(len(requests), np.int64)
    everything = (
        Layer(np.arange(len(requests)), nothing + run.space.system_stop, lengths),
    )
    requests = RequestContents(
        requests.turns, lengths, (), everything, (), requests.leading
    )
    kept = _with_evidence(run, texts, requests, _found_in(run, texts, requests))
    return _with_contradictions(kept, run, texts, requests)


def floor(
    run: Run, probes: Sequence[Probe], other: Run, texts: ProbeTexts | None = None
) -> Retention:
    """What is contained by chance: ``probes``, born as in ``run``, looked up in the requests of ``other``, a run
    of another conversation under the same setting. After its last request that one goes on counting.

    ``texts`` are those of the other conversation. Evidence stands in none of its requests.
    """
    texts = _texts_for(other, probes, texts)
    found = _found(other, texts, RequestContents.of(other))
    if not other.requests:
        found = _Found.nothing(1, len(texts.probes))
    rows = np.minimum(np.arange(len(run.requests)), len(found.states) - 1)
    nowhere = np.zeros((len(run.requests), len(texts.probes)), dtype=bool)
    return _born(
        run,
        texts.probes,
        RequestContents.of(run),
        nowhere,
        _Found(found.states[rows], found.stale[rows]),
    )


class _Found(NamedTuple):
    """Where answers are contained, whether born or not."""

    states: NDArray[np.uint8]
    stale: Bools

    @classmethod
    def nothing(cls, requests: int, probes: int) -> _Found:
        return cls(
            np.full((requests, probes), Knowledge.LOST, np.uint8),
            np.zeros((requests, probes), dtype=bool),
        )


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


def _found(run: Run, texts: ProbeTexts, requests: RequestContents) -> _Found:
    found, summaries = _found_in(run, texts, requests), run.space.summaries
    held = texts.holding([version.text for version in summaries.versions])
    for numbers, starts, stops in requests.notes:
        known = held_in_summaries(summaries, starts, stops, held.answers) * np.uint8(
            Knowledge.SUMMARY
        )
        found.states[numbers] = np.maximum(found.states[numbers], known)
        found.stale[np.ix_(numbers, texts.stale_columns)] |= held_in_summaries(
            summaries, starts, stops, held.stale
        )
    return found


def _found_in(run: Run, texts: ProbeTexts, requests: RequestContents) -> _Found:
    count = len(requests)
    found = _Found.nothing(count, len(texts.probes))
    if prompts := run.space.system_messages:
        held = texts.holding([prompt.content for prompt in prompts])
        found.states[:, held.answers.any(axis=0)] = Knowledge.SYSTEM
        found.stale[:, texts.stale_columns] |= held.stale.any(axis=0)
    said = texts.answer_counts, texts.stale_counts
    besides = texts.counts_of(requests.words) if requests.words else said
    for ranges, state, (answers, stale) in (
        (requests.inside, Knowledge.SYSTEM, besides),
        (requests.recalled, Knowledge.RECALLED, said),
        (requests.others, Knowledge.VERBATIM, besides),
        (requests.verbatim, Knowledge.VERBATIM, said),
    ):
        np.maximum(
            found.states,
            held_in(ranges, answers, count) * np.uint8(state),
            out=found.states,
        )
        found.stale[:, texts.stale_columns] |= held_in(ranges, stale, count)
    return found


def _with_evidence(
    run: Run, texts: ProbeTexts, requests: RequestContents, found: _Found
) -> Retention:
    positions, verbatim = (
        [probe.evidence for probe in texts.probes],
        (*requests.verbatim, *requests.leading),
    )
    evidence = whole = all_within(verbatim, positions, len(requests))
    if requests.recalled:
        evidence = all_within((*verbatim, *requests.recalled), positions, len(requests))
    retained = _born(run, texts.probes, requests, evidence, found)
    states = np.maximum(
        retained.states, retained.evidence * np.uint8(Knowledge.RECALLED)
    )
    states[retained.evidence & whole] = Knowledge.VERBATIM
    retained.states[...] = states
    return retained


def _with_contradictions(
    kept: Retention, run: Run, texts: ProbeTexts, requests: RequestContents
) -> Retention:
    """``kept`` with the facts that a request mentions only where it denies them, or where they are outdated."""
    states = kept.states
    outdated = ended_since(texts, requests) | superseded(
        kept.probes, states > Knowledge.LOST
    )
    contradicted = (states == Knowledge.LOST) & (
        mentioned_to_deny(run, texts, requests) | kept.stale
    )
    states[contradicted | (outdated & kept.born)] = Knowledge.CONTRADICTED
    return kept


def _born(
    run: Run,
    probes: tuple[Probe, ...],
    requests: RequestContents,
    evidence: Bools,
    found: _Found,
) -> Retention:
    births = np.array([_birth(probe, len(run.log)) for probe in probes], dtype=np.int64)
    born = births < requests.lengths[:, None]
    return Retention(
        probes=probes,
        turns=requests.turns,
        births=births,
        states=np.where(born, found.states, np.uint8(Knowledge.NOT_BORN)),
        evidence=evidence & born,
        contained=(found.states > Knowledge.LOST) & born,
        stale=found.stale & born,
    )


def _birth(probe: Probe, length: int) -> int:
    """Log position of the message with which the probe is born; -1 without evidence, ``length`` if never."""
    if not all(0 <= position < length for position in probe.evidence):
        return length
    return max(probe.evidence, default=-1)


def mentioned_to_deny(run: Run, texts: ProbeTexts, requests: RequestContents) -> Bools:
    """Where a text of each request mentions an accepted answer and denies it: [requests x probes]."""
    count = len(requests)
    denied = np.zeros((count, len(texts.probes)), dtype=bool)
    columns, counts = _log_counts(texts.denials, texts.length)
    if columns.size:
        for ranges in (requests.recalled, requests.verbatim):
            denied[:, columns] |= held_in(ranges, counts, count)
    if requests.words:
        in_words = texts.denied_counts_of(requests.words)
        for ranges in (requests.inside, requests.others):
            denied |= held_in(ranges, in_words, count)
    if prompts := run.space.system_messages:
        denied |= texts.holding([prompt.content for prompt in prompts]).denied.any(
            axis=0
        )
    summaries = run.space.summaries
    if requests.notes:
        in_versions = texts.holding(
            [version.text for version in summaries.versions]
        ).denied
        for numbers, starts, stops in requests.notes:
            denied[numbers] |= held_in_summaries(summaries, starts, stops, in_versions)
    return denied


def ended_since(texts: ProbeTexts, requests: RequestContents) -> Bools:
    """Where a message of each request calls an answer outdated, and no message since then affirmed it again:
    [requests x probes]. What older messages of the request, and older summaries, affirm is outdated too."""
    count = len(requests)
    ended = np.zeros((count, len(texts.probes)), dtype=bool)
    for position, probe in texts.endings:
        alone = np.zeros((texts.length + 1, 1), dtype=np.uint8)
        alone[position + 1 :] = 1
        sent = held_in((*requests.verbatim, *requests.recalled), alone, count)[:, 0]
        said = texts.answer_counts[:, probe]
        is_last = said[np.minimum(requests.lengths, texts.length)] == said[position + 1]
        ended[:, probe] |= sent & is_last
    return ended


def superseded(probes: Sequence[Probe], known: Bools) -> Bools:
    """Where a fact is known whose answer another fact names as a stale one, and that other fact is known too."""
    outdated = np.zeros_like(known)
    stale: dict[tuple[str, ...], list[int]] = {}
    for number, probe in enumerate(probes):
        for answer in probe.stale:
            stale.setdefault(normal_tokens(answer), []).append(number)
    if not stale:
        return outdated
    for number, probe in enumerate(probes):
        for newer in {
            other
            for answer in probe.answers
            for other in stale.get(normal_tokens(answer), ())
        }:
            if newer != number and set(probe.evidence) != set(probes[newer].evidence):
                outdated[:, number] |= known[:, number] & known[:, newer]
    return outdated


def _log_counts(
    pairs: Sequence[tuple[int, int]], length: int
) -> tuple[NDArray[np.int64], Counts]:
    """The probes of ``pairs``, and of each the running number of its positions: few probes are denied anywhere."""
    columns = np.unique(np.array([probe for _, probe in pairs], dtype=np.int64))
    held = np.zeros((length, len(columns)), dtype=bool)
    for position, probe in pairs:
        held[position, np.searchsorted(columns, probe)] = True
    return columns, running_counts(held)
