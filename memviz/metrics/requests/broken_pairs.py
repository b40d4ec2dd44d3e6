"""Requests that a provider refuses: they hold a tool's result without its call, or a call without its result.

A setting that cuts a conversation between a call and its result sends such requests. Cells of a sweep count them, and
the health of a run warns of them. Nearly all requests are one range of the log, so those are judged all at once with
numpy; only the others are read message by message.
"""

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


def find_orphaned_requests(run: Run) -> list[int]:
    """Return the numbers (0-based) of the requests that hold a tool's result without its call."""
    if not run.log.tools.results:
        return []
    is_orphaned = _mark_results_without_call(run)
    for number, parts in run.columns.others.items():
        is_orphaned[number] = bool(
            find_orphaned_results(run.log, parts, run.space.summaries)
        )
    _forgive_provider_blocks(run, is_orphaned)
    return np.flatnonzero(is_orphaned).tolist()


def count_refused_requests(run: Run) -> int:
    """Return how many requests of ``run`` hold a call or a result of a tool without its other half."""
    tools = run.log.tools
    if not tools.results and not tools.callers:
        return 0
    is_refused = _mark_results_without_call(run)
    _forgive_provider_blocks(run, is_refused)
    is_refused |= _mark_calls_without_result(run)
    for number, parts in run.columns.others.items():
        is_refused[number] = _has_a_broken_pair(run.log, parts, run.space.summaries)
    return int(is_refused.sum())


def _forgive_provider_blocks(run: Run, is_broken: Bools) -> None:
    """Set ``is_broken`` to false for requests whose missing call is in a block that the provider itself wrote."""
    if not run.space.summaries.has_opaque:
        return
    for number in np.flatnonzero(is_broken).tolist():
        parts = run.requests[number].parts
        is_broken[number] = bool(
            find_orphaned_results(run.log, parts, run.space.summaries)
        )


def _mark_results_without_call(run: Run) -> Bools:
    """Return true for each request that is one range of the log and holds a result whose call is before that range."""
    tools = run.log.tools
    starts = run.columns.starts
    is_behind_call = np.zeros(len(starts), bool)
    if not tools.results:
        return is_behind_call
    # The position of the call of each result; -1, before every request, if nobody called.
    calls = [tools.call_of[position] for position in tools.results]
    callers = [-1 if caller is None else caller for caller in calls]
    first, stop = np.searchsorted(tools.results, [starts, run.columns.stops])
    has_results = (starts >= 0) & (first < stop)
    if has_results.any():
        # reduceat takes the minimum between each two neighbouring bounds. Every second one is that of a request, the
        # others lie between two requests. A bound may be the end, so there has to be an item behind the last result.
        bounds = np.stack([first, stop], axis=1)[has_results].ravel()
        earliest_calls = np.minimum.reduceat([*callers, len(run.log)], bounds)[::2]
        is_behind_call[has_results] = earliest_calls < starts[has_results]
    return is_behind_call


def _mark_calls_without_result(run: Run) -> Bools:
    """Return true for each request that is one range of the log and holds a call without all of its results."""
    tools = run.log.tools
    starts = run.columns.starts
    stops = run.columns.stops
    lacks_result = np.zeros(len(starts), bool)
    # An orderly conversation has no such calls.
    for caller in {*tools.unanswered, *tools.late}:
        last_result = len(run.log)
        if caller not in tools.unanswered:
            last_result = max(tools.results_of[caller])
        holds_call = (starts >= 0) & (starts <= caller) & (caller < stops)
        lacks_result |= holds_call & (last_result >= stops)
    return lacks_result


def _has_a_broken_pair(log: Log, parts: Parts, summaries: SummaryLog) -> bool:
    if find_orphaned_results(log, parts, summaries) or has_split_pair(log, parts):
        return True
    sent = _list_forms(parts)
    in_block = set(chain(*find_provider_blocks(parts, summaries)))
    # The request as it would be without broken pairs. Calls inside a provider's block need no repair.
    repaired = {
        (position, form)
        for position, form in _list_forms(complete_tool_pairs(log, parts))
        if (position, form) in sent or position not in in_block
    }
    if sent == repaired:
        return False
    # Two forms of a message may read the same, so in the end the messages themselves decide.
    return _list_messages(log, sent) != _list_messages(log, repaired)


def _list_forms(parts: Parts) -> set[tuple[int, Form | None]]:
    """Return the positions that are sent, recalled ones among them, each with its form."""
    forms: set[tuple[int, Form | None]] = set()
    for piece in parts.pieces:
        if isinstance(piece, Messages | Picked):
            forms |= {(position, piece.form) for position in piece.positions}
    return forms


def _list_messages(
    log: Log, forms: set[tuple[int, Form | None]]
) -> set[tuple[int, str]]:
    """Return the messages that are sent in these forms, as text, with their positions."""
    messages = set()
    for position, form in forms:
        messages.add((position, repr(log.sent(position, form))))
    return messages
