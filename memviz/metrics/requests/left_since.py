"""Which messages one request no longer sends word for word, by its number."""

from __future__ import annotations

from memviz.core.context import Fate
from memviz.engine.run import Run
from memviz.metrics.requests.turn_changes import sent_positions


def left_since(run: Run, requests: range) -> list[tuple[int, Fate]]:
    """Messages that the request before ``requests`` (0-based numbers) held word for word and the last of these does
    not: their log positions, and what became of them: a summary stands for them now, or nothing does, or they are sent
    with less in them. The request before may be an earlier call of the same turn."""
    if not requests.start:
        return []
    before, record = run.requests[requests.start - 1], run.requests[requests[-1]]
    fates = run.fates_at(record)
    left = sorted(sent_positions(before) - sent_positions(record))
    return [(position, Fate(int(fates[position]))) for position in left]
