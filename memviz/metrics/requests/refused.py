"""Requests that hold a tool's result without the call that it answers: a provider refuses them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memviz.conversation import Log
from memviz.engine.assembly import Parts
from memviz.engine.run import Run
from memviz.engine.tool_pairs import in_pairs, orphaned_results
from memviz.forms import Form


def orphaned_requests(run: Run) -> int:
    """How many of the requests of ``run`` these are."""
    pieced = sum(
        bool(orphaned_results(run.log, parts)) for parts in run.columns.others.values()
    )
    return pieced + int(np.sum(begins_behind_a_call(run)))


def begins_behind_a_call(run: Run) -> NDArray[np.bool_]:
    """Which of the requests that are one range of the log hold a result whose call stands before the range; false for
    all others."""
    tools, sent = run.log.tools, run.columns
    found = np.zeros(len(sent.starts), bool)
    if not tools.results:
        return found
    results = np.array(tools.results)
    calls = [tools.call_of[position] for position in tools.results]
    callers = np.array(
        [-1 if caller is None else caller for caller in calls] + [len(run.log)]
    )  # the end, for reduceat
    first, stop = (
        np.searchsorted(results, sent.starts),
        np.searchsorted(results, sent.stops),
    )
    has_results = (sent.starts >= 0) & (first < stop)
    bounds = np.stack([first[has_results], stop[has_results]], axis=1).ravel()
    earliest = np.minimum.reduceat(callers, bounds)[::2] if bounds.size else bounds
    found[has_results] = earliest < sent.starts[has_results]
    return found


def refused_requests(run: Run) -> int:
    """Return how many requests of ``run`` a provider would refuse for a broken pair of a tool's call and result."""
    tools, sent = run.log.tools, run.columns
    if not tools.results and not tools.callers:
        return 0
    pieced = sum(_has_a_broken_pair(run.log, parts) for parts in sent.others.values())
    return pieced + int(np.sum(begins_behind_a_call(run) | _ends_before_a_result(run)))


def _has_a_broken_pair(log: Log, parts: Parts) -> bool:
    if orphaned_results(log, parts):
        return True
    sent, mended = _forms(parts), _forms(in_pairs(log, parts))
    return sent != mended and _as_sent(log, sent) != _as_sent(log, mended)


def _forms(parts: Parts) -> set[tuple[int, Form | None]]:
    """The positions that are sent, recalled ones among them, each with its form."""
    sent = {
        (position, piece.form)
        for piece in parts.messages
        for position in piece.positions
    }
    return sent | {(position, None) for position in parts.recalled}


def _as_sent(log: Log, forms: set[tuple[int, Form | None]]) -> set[tuple[int, str]]:
    """The same with what each is sent as: another form may say the same."""
    return {(position, repr(log.sent(position, form))) for position, form in forms}


def _ends_before_a_result(run: Run) -> NDArray[np.bool_]:
    """Which of the requests that are one range of the log hold a call of which the log had not every result yet."""
    tools, sent = run.log.tools, run.columns
    found = np.zeros(len(sent.starts), bool)
    for caller in {
        *tools.unanswered,
        *tools.late,
    }:  # few: an orderly conversation has none
        last = (
            len(run.log)
            if caller in tools.unanswered
            else max(tools.results_of[caller])
        )
        found |= (
            (sent.starts >= 0)
            & (sent.starts <= caller)
            & (caller < sent.stops)
            & (last >= sent.stops)
        )
    return found
