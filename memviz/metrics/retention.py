"""What the model can still know at each request, told by what it was sent; no model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.engine.run import Run
from memviz.metrics.knowledge import Freshness, Knowledge, Retention
from memviz.metrics.probe_texts import Bools, ProbeTexts
from memviz.metrics.sent_ranges import (
    Ranges,
    all_within,
    held_in,
    held_in_summaries,
    log_length,
    recalled_ranges,
    verbatim_ranges,
)  # fmt: skip
from memviz.transcripts.base import Probe

__all__ = ["Freshness", "Knowledge", "ProbeTexts", "Retention", "ceiling", "floor", "retention"]


def retention(run: Run, probes: Sequence[Probe], texts: ProbeTexts | None = None) -> Retention:
    """What every request of ``run`` retains of ``probes``.

    ``texts``, built once, serves all runs over the same conversation. Raises ValueError if it was built for
    another conversation or other probes.
    """
    texts = _texts_for(run, probes, texts)
    return _with_evidence(run, texts, _verbatim(run), _recalled(run), _found(run, texts))


def ceiling(run: Run, probes: Sequence[Probe], texts: ProbeTexts | None = None) -> Retention:
    """What the requests of ``run`` would retain if each held all messages so far, and no summary."""
    texts = _texts_for(run, probes, texts)
    everything = [[range(log_length(record))] for record in run.turns]
    nothing: Ranges = [[] for _ in run.turns]
    return _with_evidence(run, texts, everything, nothing, _found_in(run, texts, everything, nothing))


def floor(run: Run, probes: Sequence[Probe], other: Run, texts: ProbeTexts | None = None) -> Retention:
    """What is contained by chance: ``probes``, born as in ``run``, looked up in the requests of ``other``, a run
    of another conversation under the same setting. After its last request that one goes on counting.

    ``texts`` are those of the other conversation. Evidence stands in none of its requests.
    """
    texts = _texts_for(other, probes, texts)
    found = _found(other, texts)
    if not other.turns:
        found = _Found.nothing(1, len(texts.probes))
    rows = np.minimum(np.arange(len(run.turns)), len(found.states) - 1)
    nowhere = np.zeros((len(run.turns), len(texts.probes)), dtype=bool)
    return _born(run, texts.probes, nowhere, _Found(found.states[rows], found.stale[rows]))


class _Found(NamedTuple):
    """Where answers are contained, whether born or not."""

    states: NDArray[np.uint8]
    stale: Bools

    @classmethod
    def nothing(cls, requests: int, probes: int) -> _Found:
        return cls(np.full((requests, probes), Knowledge.LOST, np.uint8), np.zeros((requests, probes), dtype=bool))


def _texts_for(run: Run, probes: Sequence[Probe], texts: ProbeTexts | None) -> ProbeTexts:
    if texts is None:
        return ProbeTexts(run.log, probes)
    if texts.probes != tuple(probes) or not texts.fits(run.log):
        raise ValueError("These ProbeTexts were built for another conversation or for other probes.")
    texts.extend()
    return texts


def _verbatim(run: Run) -> Ranges:
    return [verbatim_ranges(record) for record in run.turns]


def _recalled(run: Run) -> Ranges:
    return [recalled_ranges(record) for record in run.turns]


def _found(run: Run, texts: ProbeTexts) -> _Found:
    found = _found_in(run, texts, _verbatim(run), _recalled(run))
    held = texts.holding([version.text for version in run.space.summaries.versions])
    sent = [record.parts.summaries for record in run.turns]
    np.maximum(found.states, held_in_summaries(run, sent, held.answers) * np.uint8(Knowledge.SUMMARY), out=found.states)
    found.stale[:, texts.stale_columns] |= held_in_summaries(run, sent, held.stale)
    return found


def _found_in(run: Run, texts: ProbeTexts, verbatim: Ranges, recalled: Ranges) -> _Found:
    found = _Found.nothing(len(run.turns), len(texts.probes))
    if run.system_prompt:
        held = texts.holding([run.system_prompt])
        found.states[:, held.answers[0]] = Knowledge.SYSTEM
        found.stale[:, texts.stale_columns] |= held.stale
    for ranges, state in ((recalled, Knowledge.RECALLED), (verbatim, Knowledge.VERBATIM)):
        np.maximum(found.states, held_in(ranges, texts.answer_counts) * np.uint8(state), out=found.states)
        found.stale[:, texts.stale_columns] |= held_in(ranges, texts.stale_counts)
    return found


def _with_evidence(run: Run, texts: ProbeTexts, verbatim: Ranges, recalled: Ranges, found: _Found) -> Retention:
    positions = [probe.evidence for probe in texts.probes]
    evidence = whole = all_within(verbatim, positions)
    if any(recalled):
        both = [
            sorted((*one, *other), key=lambda part: part.start) for one, other in zip(verbatim, recalled, strict=True)
        ]
        evidence = all_within(both, positions)
    retained = _born(run, texts.probes, evidence, found)
    states = np.maximum(retained.states, retained.evidence * np.uint8(Knowledge.RECALLED))
    states[retained.evidence & whole] = Knowledge.VERBATIM
    retained.states[...] = states
    return retained


def _born(run: Run, probes: tuple[Probe, ...], evidence: Bools, found: _Found) -> Retention:
    births = np.array([_birth(probe, len(run.log)) for probe in probes], dtype=np.int64)
    lengths = np.array([log_length(record) for record in run.turns], dtype=np.int64)
    born = births < lengths[:, None]
    return Retention(
        probes=probes,
        turns=np.array([record.turn for record in run.turns], dtype=np.int64),
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
