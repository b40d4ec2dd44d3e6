"""Requests that hold a tool's result without its call, or a call without its result, which providers refuse."""

from itertools import chain

import numpy as np

from memviz.core.conversation import Log
from memviz.core.forms import Form
from memviz.core.pieces import Messages, Picked
from memviz.core.summaries import SummaryLog
from memviz.engine.parts import Parts
from memviz.engine.run import Run
from memviz.engine.tool_pairs import (
    complete_tool_pairs,
    find_orphaned_results,
    find_provider_blocks,
    has_split_pair,
)
from memviz.metrics.retention.probe_texts import Bools


def orphaned_requests(run: Run) -> list[int]:
    """Return the numbers (0-based) of the requests that hold a tool's result without the call that it answers."""
    if not run.log.tools.results:
        return []
    is_orphaned = _begin_behind_a_call(run)
    for number, parts in run.columns.others.items():
        is_orphaned[number] = bool(
            find_orphaned_results(run.log, parts, run.space.summaries)
        )
    _forgive_provider_blocks(run, is_orphaned)
    return np.flatnonzero(is_orphaned).tolist()


def refused_requests(run: Run) -> int:
    """Return how many requests of ``run`` a provider would refuse for a broken pair of a tool's call and result."""
    tools = run.log.tools
    if not tools.results and not tools.callers:
        return 0
    # Requests that are one range of the log are judged all at once, the others one by one.
    is_refused = _begin_behind_a_call(run)
    _forgive_provider_blocks(run, is_refused)
    is_refused |= _end_before_a_result(run)
    for number, parts in run.columns.others.items():
        is_refused[number] = _has_a_broken_pair(run.log, parts, run.space.summaries)
    return int(is_refused.sum())


def _forgive_provider_blocks(run: Run, is_broken: Bools) -> None:
    """Clear the mark of requests that are one range of the log and whose first results have their call in a block
    that the provider wrote."""
    if not run.space.summaries.has_opaque:
        return
    for number in np.flatnonzero(is_broken).tolist():
        parts = run.requests[number].parts
        is_broken[number] = bool(
            find_orphaned_results(run.log, parts, run.space.summaries)
        )


def _begin_behind_a_call(run: Run) -> Bools:
    """Return which of the requests that are one range of the log hold a result whose call stands before the range;
    false for all others."""
    tools = run.log.tools
    starts = run.columns.starts
    is_behind_call = np.zeros(len(starts), bool)
    if not tools.results:
        return is_behind_call
    # For each result of a tool the position of its call, which lies before the request if the request begins behind it.
    calls = [tools.call_of[position] for position in tools.results]
    # The last one is the end, for reduceat.
    callers = [-1 if caller is None else caller for caller in calls] + [len(run.log)]
    first, stop = np.searchsorted(tools.results, [starts, run.columns.stops])
    has_results = (starts >= 0) & (first < stop)
    if has_results.any():
        # The smallest of every second stretch between the bounds: those of the requests, without those between them.
        bounds = np.stack([first, stop], axis=1)[has_results].ravel()
        earliest = np.minimum.reduceat(callers, bounds)[::2]
        is_behind_call[has_results] = earliest < starts[has_results]
    return is_behind_call


def _end_before_a_result(run: Run) -> Bools:
    """Return which of the requests that are one range of the log hold a call of which the log had not every result
    yet."""
    tools = run.log.tools
    starts = run.columns.starts
    stops = run.columns.stops
    lacks_result = np.zeros(len(starts), bool)
    # Few: an orderly conversation has none.
    for caller in {*tools.unanswered, *tools.late}:
        last = len(run.log)
        if caller not in tools.unanswered:
            last = max(tools.results_of[caller])
        holds_call = (starts >= 0) & (starts <= caller) & (caller < stops)
        lacks_result |= holds_call & (last >= stops)
    return lacks_result


def _has_a_broken_pair(log: Log, parts: Parts, summaries: SummaryLog) -> bool:
    if find_orphaned_results(log, parts, summaries) or has_split_pair(log, parts):
        return True
    entries = _list_forms(parts)
    in_block = set(chain(*find_provider_blocks(parts, summaries)))
    mended = {
        entry
        for entry in _list_forms(complete_tool_pairs(log, parts))
        if entry in entries or entry[0] not in in_block
    }
    # Another form may say the same.
    return entries != mended and _as_sent(log, entries) != _as_sent(log, mended)


def _list_forms(parts: Parts) -> set[tuple[int, Form | None]]:
    """Return the positions that are sent, recalled ones among them, each with its form."""
    entries: set[tuple[int, Form | None]] = set()
    for piece in parts.pieces:
        if isinstance(piece, Messages | Picked):
            entries |= {(position, piece.form) for position in piece.positions}
    return entries


def _as_sent(log: Log, forms: set[tuple[int, Form | None]]) -> set[tuple[int, str]]:
    return {(position, repr(log.sent(position, form))) for position, form in forms}
