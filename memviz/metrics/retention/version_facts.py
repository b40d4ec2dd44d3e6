"""What each version of a summary did to the facts: which it took over, which it took in, and which were lost by it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memviz.engine.run import Run
from memviz.metrics.retention.losses import Losses
from memviz.metrics.retention.probe_texts import ProbeTexts


class VersionProbes(NamedTuple):
    """Numbers of probes, in order. ``kept``: an answer stands in the version, and stood in the one that it replaced.
    ``new``: it stands in the version alone. ``lost``: the request after this compaction was the first that did not
    know it, by the rule of :class:`memviz.metrics.retention.life_lines.LifeLine`; such a one need not have been in a
    summary."""

    kept: tuple[int, ...] = ()
    new: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()


def version_probes(
    run: Run, losses: Losses, texts: ProbeTexts
) -> tuple[VersionProbes, ...]:
    """One a compaction of ``run``, in order. ``losses`` are those of the run, ``texts`` what they were found with."""
    held = texts.holding(
        [version.text for version in run.space.summaries.versions]
    ).answers
    lost: dict[int, list[int]] = {}
    for (probe, _), by in losses.items():
        if by is not None:
            lost.setdefault(by, []).append(probe)
    found = []
    for number, compaction in enumerate(run.compactions):
        gone = tuple(sorted(lost.get(number, ())))
        if compaction.written is None:
            found.append(VersionProbes(lost=gone))
            continue
        base = (
            compaction.revises
            if compaction.revises is not None
            else compaction.replaces
        )
        now = held[compaction.written.version - 1]
        before = held[base - 1] if base else np.zeros_like(now)
        kept, new = (
            tuple(np.flatnonzero(which).tolist())
            for which in (now & before, now & ~before)
        )
        found.append(VersionProbes(kept, new, gone))
    return tuple(found)
