"""Requests that hold a tool's result without the call that it answers: a provider refuses them."""

from __future__ import annotations

import numpy as np

from memviz.engine.run import Run
from memviz.engine.tool_pairs import orphaned_results


def orphaned_requests(run: Run) -> int:
    """How many of the requests of ``run`` these are."""
    pieced = sum(bool(orphaned_results(run.log, parts)) for parts in run.columns.others.values())
    return pieced + _cut_off(run)


def _cut_off(run: Run) -> int:
    """How many of the requests that are one range of the log begin behind the call of one of their results."""
    tools, sent = run.log.tools, run.columns
    if not tools.results:
        return 0
    results = np.array(tools.results)
    calls = [tools.call_of[position] for position in tools.results]
    callers = np.array([-1 if caller is None else caller for caller in calls] + [len(run.log)])  # the end, for reduceat
    first, stop = np.searchsorted(results, sent.starts), np.searchsorted(results, sent.stops)
    has_results = (sent.starts >= 0) & (first < stop)
    bounds = np.stack([first[has_results], stop[has_results]], axis=1).ravel()
    earliest = np.minimum.reduceat(callers, bounds)[::2] if bounds.size else bounds
    return int(np.sum(earliest < sent.starts[has_results]))
