"""Requests that a provider may refuse: a tool result without its call, an assistant's message first."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.context import ORPHANED_TOOL_MESSAGE
from memviz.conversation import Log
from memviz.engine.assembly import Parts, assemble
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning, turns_of
from memviz.strategies.base import Strategy, Trigger
from memviz.text.wording import share_of


def orphaned_tool_messages(run: Run) -> HealthWarning | None:
    """Requests with a tool result whose call is not in them."""
    orphaned = [record for record in run.requests if ORPHANED_TOOL_MESSAGE in record.flags]
    if not orphaned:
        return None
    return HealthWarning(
        "orphaned_tool_message", "Tool results without their call",
        f"{share_of(len(orphaned), len(run.requests), 'request')} hold a tool result whose call was cut off.",
        "A real API rejects such a request, so these calls of the model would have had no answer.",
        "Replay with repair_tool_pairs on, as a live chat does, or choose a strategy that cuts between turns.",
        turns_of(orphaned), "bad",
    )  # fmt: skip


def assistant_first(run: Run) -> HealthWarning | None:
    """Requests whose first message behind the system part (system prompt, summary) is an assistant's."""
    spoken = _next_spoken(run.log)
    found = [record for record in run.requests if _is_assistant_first(run.log, record.parts, spoken)]
    if not found:
        return None
    return HealthWarning(
        "assistant_first", "An assistant's message comes first",
        f"In {share_of(len(found), len(run.requests), 'request')} the first message behind the system part is an "
        "assistant's.",
        "Some providers reject a conversation that does not begin with the user, and a model sees an answer without "
        "its question.",
        _remedy(run, found, spoken), turns_of(found),
    )  # fmt: skip


def _next_spoken(log: Log) -> list[int]:
    """For every position the first one from there on that is no system message; the log's length if there is none."""
    found = [len(log)] * (len(log) + 1)
    for position in range(len(log) - 1, -1, -1):
        found[position] = found[position + 1] if log[position].role == "system" else position
    return found


def _is_assistant_first(log: Log, parts: Parts, spoken: Sequence[int]) -> bool:
    recalled = (range(position, position + 1) for position in parts.recalled)
    sent = (*parts.history, *recalled, parts.input)
    first = next((spoken[part.start] for part in sent if part and spoken[part.start] < part.stop), None)
    return first is not None and log[first].role == "assistant"


def _remedy(run: Run, found: Sequence[TurnRecord], spoken: Sequence[int]) -> str:
    name = run.strategy.main_parameter
    for other in _neighbours(run.strategy):
        better = len(found) - _still_first(run, found, spoken, other)
        if 2 * better > len(found):
            share = share_of(better, len(found), "such request")
            return f"Set {name} to {getattr(other, name):,}: then the user's message comes first in {share}."
    if all(record.parts.history and record.parts.history[0].start == run.space.system_stop for record in found):
        return "The conversation itself begins with the assistant: move its greeting to the system prompt."
    return "Choose a strategy that begins what it keeps with a message of the user, such as recent turns."


def _neighbours(strategy: Strategy) -> list[Strategy]:
    """The strategy with one message more and with one less, where it just sends a number of messages."""
    declared = {parameter.name: parameter for parameter in strategy.parameters()}
    parameter = declared.get(strategy.main_parameter)
    if parameter is None or parameter.unit != "messages" or strategy.trigger is not Trigger.NEVER:
        return []
    value = getattr(strategy, parameter.name)
    least, most = parameter.minimum or 1, parameter.maximum or value + 1
    allowed = [number for number in (value + 1, value - 1) if least <= number <= most]
    return [strategy.model_copy(update={parameter.name: number}) for number in allowed]


def _still_first(run: Run, found: Sequence[TurnRecord], spoken: Sequence[int], other: Strategy) -> int:
    """In how many of these requests it would still be so under ``other``."""
    again = (assemble(record.memory, other.select(record.memory), record.parts.recalled) for record in found)
    return sum(_is_assistant_first(run.log, parts, spoken) for parts in again)
