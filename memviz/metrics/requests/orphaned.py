"""Requests that hold a tool's result without the call that it answers: a provider refuses them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memviz.engine.run import Run
from memviz.engine.tool_pairs import orphaned_results


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
