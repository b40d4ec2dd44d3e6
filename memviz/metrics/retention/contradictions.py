"""Which facts a request contradicts: it mentions them only where they are denied, or where they are outdated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.containment import normal_tokens
from memviz.engine.run import Run
from memviz.metrics.requests.request_table import (
    RequestContents,
    held_in,
    held_in_summaries,
)
from memviz.metrics.retention.probe_texts import (
    Bools,
    Counts,
    ProbeTexts,
    running_counts,
)
from memviz.transcripts.base import Probe


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
