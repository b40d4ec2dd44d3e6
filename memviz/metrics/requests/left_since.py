"""Which messages one request no longer sends word for word, by its number."""

from __future__ import annotations

from memviz.context import Fate
from memviz.engine.run import Run
from memviz.metrics.requests.turn_changes import sent_positions


def left_since(run: Run, requests: range) -> list[tuple[int, Fate]]:
    """Messages that the request before ``requests`` (0-based numbers) held word for word and the last of these does
    not: their log positions, and whether a summary stands for them now or nothing does. The request before may be an
    earlier call of the same turn."""
    if not requests.start:
        return []
    before, record = run.requests[requests.start - 1], run.requests[requests[-1]]
    sent = record.parts.summaries
    covered = run.space.summaries.covered(sent.start, sent.stop)
    return [
        (position, Fate.SUMMARIZED if any(position in part for part in covered) else Fate.DROPPED)
        for position in sorted(sent_positions(before) - sent_positions(record))
    ]
