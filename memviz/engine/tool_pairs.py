"""Tool calls and their results belong together: find halves without the other, and mend the request.

A provider rejects a tool result whose call is not in the request, and a call whose result is not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from memviz.conversation import Log


def orphaned_results(log: Log, history: Sequence[range], recalled: Sequence[int]) -> list[int]:
    """Positions of sent tool results whose calling message is not sent before them."""
    tools = log.tools
    if not tools.results:
        return []
    results = [*_results_that_may_be_orphaned(log, history), *(p for p in recalled if log[p].role == "tool")]
    return [p for p in results if not _is_sent(tools.call_of[p], history, recalled)]


def _results_that_may_be_orphaned(log: Log, history: Sequence[range]) -> Iterator[int]:
    for positions in history:
        # Nothing lies before the start of the log, so there only results without any call are orphans.
        candidates = log.tools.results if positions.start else log.tools.uncalled
        yield from _within(candidates, positions)


def unanswered_calls(log: Log, history: Sequence[range], recalled: Sequence[int]) -> list[int]:
    """Positions of sent messages that call a tool of which not every result is sent."""
    tools = log.tools
    callers = [p for positions in history for p in _within(tools.callers, positions)]
    callers += [p for p in recalled if log[p].tool_calls]
    return [
        caller
        for caller in callers
        if sum(_is_sent(p, history, recalled) for p in tools.results_of[caller]) < len(log[caller].tool_calls)
    ]


def without_halves(
    log: Log, history: Sequence[range], recalled: Sequence[int]
) -> tuple[tuple[range, ...], tuple[int, ...]]:
    """``history`` and ``recalled`` without tool results or calls whose other half is not sent."""
    calls = unanswered_calls(log, history, recalled)
    dropped = {*orphaned_results(log, history, recalled), *calls}
    dropped.update(result for call in calls for result in log.tools.results_of[call])
    if not dropped:
        return tuple(history), tuple(recalled)
    kept = tuple(part for positions in history for part in _split(positions, sorted(dropped)))
    return kept, tuple(p for p in recalled if p not in dropped)


def _within(sorted_positions: Sequence[int], positions: range) -> Sequence[int]:
    low = bisect_left(sorted_positions, positions.start)
    return sorted_positions[low : bisect_left(sorted_positions, positions.stop, low)]


def _is_sent(position: int | None, history: Sequence[range], recalled: Sequence[int]) -> bool:
    return position is not None and (any(position in part for part in history) or position in recalled)


def _split(positions: range, dropped: Sequence[int]) -> Iterator[range]:
    start = positions.start
    for position in _within(dropped, positions):
        if start < position:
            yield range(start, position)
        start = position + 1
    if start < positions.stop:
        yield range(start, positions.stop)
