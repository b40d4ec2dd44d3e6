"""Which facts a new version of a summary lost, and which it gained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memviz.metrics.retention.probe_texts import answers_of
from memviz.transcripts.base import Probe


class SummaryChange(NamedTuple):
    """Facts whose answer stands in the old text only, and those whose answer stands in the new text only."""

    lost: tuple[Probe, ...] = ()
    gained: tuple[Probe, ...] = ()


def summary_change(old: str, new: str, probes: Sequence[Probe]) -> SummaryChange:
    """Compare two versions of a summary by the answers of ``probes``, as :mod:`memviz.text.containment` finds them."""
    if not probes:
        return SummaryChange()
    before, after = answers_of(tuple(probes)).holding([old, new]).answers
    return SummaryChange(
        tuple(probe for probe, was, is_now in zip(probes, before, after, strict=True) if was and not is_now),
        tuple(probe for probe, was, is_now in zip(probes, before, after, strict=True) if is_now and not was),
    )
