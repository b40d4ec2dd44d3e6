"""Messages as one reads them: all that can be known by reading their text and the tools that they call."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from memviz.core.messages import Message, ToolCall
from memviz.engine.records import TurnRecord


def calls_asked_for(record: TurnRecord) -> list[ToolCall]:
    """Return the calls of tools in the reply to a request, as far as the log has them: what a live model recalls by
    itself is in none."""
    log = record.memory.log
    start = record.log_length
    replies = log[start : log.reply_stop(start)]
    return [call for message in replies for call in message.tool_calls]


class ArgumentValue(NamedTuple):
    """One scalar of a call's arguments. ``name`` is its path, such as ``flights.0.date``."""

    name: str
    value: str | int | float | bool | None


def argument_values(call: ToolCall) -> list[ArgumentValue]:
    """Return the scalars in the arguments of ``call``, nested ones too; its whole text where that is no JSON."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return [ArgumentValue("", call.arguments)]
    return list(_scalars("", value))


def readable(message: Message) -> str:
    """Return the content, and one line for each value in the arguments of its tool calls.

    Arguments are read as JSON, so that an escaped character or line break does not hide a word.
    """
    if not message.tool_calls:
        return message.content
    lines = [message.content]
    for call in message.tool_calls:
        lines += [str(item.value) for item in argument_values(call)]
    return "\n".join(lines)


def _scalars(name: str, value: Any) -> Iterator[ArgumentValue]:
    """Yield all scalars without recursion: what a model writes may be nested deeply."""
    waiting = [(name, value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            items = [(str(key), item) for key, item in value.items()]
        elif isinstance(value, list):
            items = [(str(at), item) for at, item in enumerate(value)]
        else:
            yield ArgumentValue(name, value)
            continue
        waiting.extend(
            (f"{name}.{key}" if name else key, item) for key, item in reversed(items)
        )
