"""Requests that a provider may refuse: a tool result without its call, an assistant's message first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memviz.core.conversation import Log
from memviz.core.pieces import Messages, Notes, Picked
from memviz.core.text.wording import share_of
from memviz.engine.assembly import assemble
from memviz.engine.parts import Parts
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning, turns_at
from memviz.metrics.requests.refused import orphaned_requests
from memviz.metrics.retention.probe_texts import Bools
from memviz.strategies.base import Strategy, Trigger


def orphaned_tool_messages(run: Run) -> HealthWarning | None:
    """Requests with a tool result whose call is not in them."""
    orphaned = orphaned_requests(run)
    if not orphaned:
        return None
    return HealthWarning(
        "orphaned_tool_message",
        "Tool results without their call",
        f"{share_of(len(orphaned), len(run.requests), 'request')} hold a tool result whose call was cut off.",
        "A real API rejects such a request, so these calls of the model would have had no answer.",
        "Choose a strategy that cuts between turns, such as recent turns, or that cuts nothing. Chat and exported code "
        "send no such result; a replay in Python with repair_tool_pairs=True sends none either.",
        turns_at(run, orphaned),
        "bad",
    )


def assistant_first(run: Run) -> HealthWarning | None:
    """Warn of requests whose first message behind the system part (system prompt, summary) is an assistant's."""
    spoken = _next_spoken(run.log)
    first = _first_in_one_range(run, spoken)
    for number, parts in run.columns.others.items():
        first[number] = _is_assistant_first(run.log, parts, spoken)
    found = np.flatnonzero(first).tolist()
    if not found:
        return None
    return HealthWarning(
        "assistant_first",
        "An assistant's message comes first",
        f"In {share_of(len(found), len(run.requests), 'request')} the first message behind the system part is an "
        "assistant's.",
        "Some providers reject a conversation that does not begin with the user, and a model sees an answer without "
        "its question.",
        _remedy(run, found, spoken),
        turns_at(run, found),
    )


def _first_in_one_range(run: Run, spoken: Sequence[int]) -> Bools:
    """Return which of the requests of one range, behind a summary or not, begin so. All at once: they are nearly
    all."""
    columns, log = run.columns, run.log
    is_one_range = columns.starts >= 0
    positions = np.array(spoken)[np.maximum(columns.starts, 0)]
    is_assistant = np.array([*(message.role == "assistant" for message in log), False])
    found = (positions < columns.stops) & is_assistant[positions]
    if columns.summary_role != "system":
        has_summary = columns.summary_stops > columns.summary_starts
        found[has_summary] = columns.summary_role == "assistant"
    return np.asarray(found & is_one_range)


def _next_spoken(log: Log) -> list[int]:
    """Return for every position the first one from there on that is no system message; the log's length if there is
    none."""
    found = [len(log)]
    for position in range(len(log) - 1, -1, -1):
        is_system = log[position].role == "system"
        found.append(found[-1] if is_system else position)
    return found[::-1]


def _is_assistant_first(log: Log, parts: Parts, spoken: Sequence[int]) -> bool:
    return next(_roles(log, parts, spoken), None) == "assistant"


def _roles(log: Log, parts: Parts, spoken: Sequence[int]) -> Iterator[str]:
    """The role of the first message of each piece that is no system message, in the order of the request."""
    for piece in parts.pieces:
        if isinstance(piece, Messages):
            if spoken[piece.start] < piece.stop:
                yield log[spoken[piece.start]].role
        elif isinstance(piece, Picked):
            roles = [log[position].role for position in piece.positions]
            yield from (role for role in roles if role != "system")
        elif piece.place == "message":
            role = piece.role if isinstance(piece, Notes) else piece.message.role
            if role != "system":
                yield role


def _remedy(run: Run, found: Sequence[int], spoken: Sequence[int]) -> str:
    name = run.strategy.main_parameter
    for other in _neighbours(run.strategy):
        better = 0
        for number in found:
            memory = run.requests.memory_at(number)
            recalled = run.requests.parts_at(number).recalled
            parts = assemble(memory, other.select(memory), recalled)
            better += not _is_assistant_first(run.log, parts, spoken)
        if 2 * better > len(found):
            share = share_of(better, len(found), "such request")
            return f"Set {name} to {getattr(other, name):,}: then the user's message comes first in {share}."
    histories = [run.requests.parts_at(number).history for number in found]
    start = run.space.system_stop
    if all(history and history[0].start == start for history in histories):
        return "The conversation itself begins with the assistant: move its greeting to the system prompt."
    return "Choose a strategy that begins what it keeps with a message of the user, such as recent turns."


def _neighbours(strategy: Strategy) -> list[Strategy]:
    """Return the strategy with one message more and with one less, where it just sends a number of messages."""
    declared = {parameter.name: parameter for parameter in strategy.parameters()}
    parameter = declared.get(strategy.main_parameter)
    if parameter is None or parameter.unit != "messages":
        return []
    if strategy.trigger is not Trigger.NEVER:
        return []
    value = getattr(strategy, parameter.name)
    least, most = parameter.minimum or 1, parameter.maximum or value + 1
    allowed = [number for number in (value + 1, value - 1) if least <= number <= most]
    return [strategy.model_copy(update={parameter.name: number}) for number in allowed]
