"""Requests that a provider refuses: a tool's result without the call that it answers, or a call without its result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memviz.conversation import Log
from memviz.engine.assembly import Parts
from memviz.engine.run import Run
from memviz.engine.tool_pairs import in_pairs, orphaned_results
from memviz.forms import WithCalls
from memviz.metrics.requests.orphaned import begins_behind_a_call


def refused_requests(run: Run) -> int:
    """Return how many requests of ``run`` a provider would refuse for a broken pair of a tool's call and result."""
    tools, sent = run.log.tools, run.columns
    if not tools.results and not tools.callers:
        return 0
    pieced = sum(_has_a_broken_pair(run.log, parts) for parts in sent.others.values())
    return pieced + int(np.sum(begins_behind_a_call(run) | _ends_before_a_result(run)))


def _has_a_broken_pair(log: Log, parts: Parts) -> bool:
    return bool(orphaned_results(log, parts)) or _with_their_calls(in_pairs(log, parts)) != _with_their_calls(parts)


def _with_their_calls(parts: Parts) -> set[tuple[int, WithCalls | None]]:
    """The positions that are sent, each with which of its calls are, where not all are."""
    forms = [(piece, piece.form if isinstance(piece.form, WithCalls) else None) for piece in parts.messages]
    return {(position, form) for piece, form in forms for position in piece.positions}


def _ends_before_a_result(run: Run) -> NDArray[np.bool_]:
    """Which of the requests that are one range of the log hold a call of which the log had not every result yet."""
    tools, sent = run.log.tools, run.columns
    found = np.zeros(len(sent.starts), bool)
    for caller in {*tools.unanswered, *tools.late}:  # few: an orderly conversation has none
        last = len(run.log) if caller in tools.unanswered else max(tools.results_of[caller])
        found |= (sent.starts >= 0) & (sent.starts <= caller) & (caller < sent.stops) & (last >= sent.stops)
    return found
