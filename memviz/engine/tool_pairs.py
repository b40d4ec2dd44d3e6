"""Tool calls and their results belong together: find halves without the other, and mend the request.

A provider rejects a tool result whose call is not in the request, and a call whose result is not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from memviz.conversation import Log
from memviz.engine.assembly import Parts


def orphaned_results(log: Log, parts: Parts) -> list[int]:
    """Positions of sent tool results whose calling message is not sent before them."""
    call_of, history, recalled = log.tools.call_of, parts.history, parts.recalled
    orphaned = [p for p in _results_that_may_be_orphaned(log, _sent(parts)) if not _in_history(call_of[p], history)]
    return orphaned + [
        p for p in recalled if p in call_of and not (call_of[p] in recalled or _in_history(call_of[p], history))
    ]


def _sent(parts: Parts) -> tuple[range, ...]:
    """History and input: a tool's results are the input of the request that follows them."""
    return (*parts.history, parts.input) if parts.input else parts.history


def _results_that_may_be_orphaned(log: Log, history: Sequence[range]) -> Iterator[int]:
    for positions in history:
        # Nothing lies before the start of the log, so there only results without any call are orphans.
        candidates = log.tools.results if positions.start else log.tools.uncalled
        yield from _within(candidates, positions)


def _callers_that_may_be_unanswered(log: Log, history: Sequence[range]) -> Iterator[int]:
    for positions in history[:-1]:
        yield from _within(log.tools.callers, positions)
    # The last range runs up to the input, and so do the results of its calls, but for these few.
    if history:
        yield from (p for p in log.tools.unanswered if p in history[-1])
        yield from _within(log.tools.late, history[-1])


def in_pairs(log: Log, parts: Parts) -> Parts:
    """``parts`` with only those calls and results whose other half is sent as well. The input is always sent, so the
    call that it answers is pulled in where it would be missing; of the input only results without a call are left
    out."""
    tools = log.tools
    history = _with_calls_of(log, parts)
    sent = _sent(parts._replace(history=history))
    dropped = {p for p in _results_that_may_be_orphaned(log, history) if not _in_history(tools.call_of[p], history)}
    for caller in _callers_that_may_be_unanswered(log, history):
        results = tools.results_of[caller]
        if any(p in parts.input for p in results):
            continue
        if len(results) < len(log[caller].tool_calls) or not all(_in_history(p, sent) for p in results):
            dropped.update((caller, *results))
    kept = tuple(part for positions in history for part in _split(positions, sorted(dropped)))
    more, asked = _answerable(log, parts.input)
    recalled = tuple(p for p in parts.recalled if _is_whole(log, p, parts.recalled))
    return parts._replace(history=(*kept, *more), recalled=recalled, input=asked)


def _answerable(log: Log, asked: range) -> tuple[tuple[range, ...], range]:
    """The input without results that answer no call: its last messages in a row, and those before them. One that is
    nothing else stays as it is."""
    pieces = tuple(_split(asked, log.tools.uncalled))
    return (pieces[:-1], pieces[-1]) if pieces else ((), asked)


def _with_calls_of(log: Log, parts: Parts) -> tuple[range, ...]:
    """The history with the calling message of every tool result in the input."""
    history = parts.history
    for position in _within(log.tools.results, parts.input):
        caller = log.tools.call_of[position]
        if caller is not None and not _in_history(caller, history):
            history = tuple(sorted((*history, range(caller, caller + 1)), key=lambda part: part.start))
    return history


def _is_whole(log: Log, position: int, recalled: Sequence[int]) -> bool:
    """Whether a recalled message, if it calls a tool or answers a call, has its other half recalled too."""
    tools = log.tools
    caller = position if log[position].tool_calls else tools.call_of.get(position)
    if caller is None:
        return position not in tools.call_of
    results = tools.results_of[caller]
    return caller in recalled and len(results) == len(log[caller].tool_calls) and all(p in recalled for p in results)


def _within(sorted_positions: Sequence[int], positions: range) -> Sequence[int]:
    low = bisect_left(sorted_positions, positions.start)
    return sorted_positions[low : bisect_left(sorted_positions, positions.stop, low)]


def _in_history(position: int | None, history: Sequence[range]) -> bool:
    return position is not None and any(position in part for part in history)


def _split(positions: range, dropped: Sequence[int]) -> Iterator[range]:
    start = positions.start
    for position in _within(dropped, positions):
        if start < position:
            yield range(start, position)
        start = position + 1
    if start < positions.stop:
        yield range(start, positions.stop)
