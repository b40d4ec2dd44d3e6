"""Which facts a new version of a summary lost, and which it gained."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from memviz.metrics.retention.probe_texts import answers_of
from memviz.transcripts.base import Probe


class SummaryChange(NamedTuple):
    """Facts that the old text states and the new one does not: those that it names only to deny or to call outdated are
    ``contradicted``, the others ``lost``; and those that the new text states only."""

    lost: tuple[Probe, ...] = ()
    gained: tuple[Probe, ...] = ()
    contradicted: tuple[Probe, ...] = ()


def summary_change(old: str, new: str, probes: Sequence[Probe]) -> SummaryChange:
    """Compare two versions of a summary by the answers of ``probes``, as
    :mod:`memviz.core.text.containment` finds them."""
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
