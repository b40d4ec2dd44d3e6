"""What of a message can be known by reading it: its text, and the values that its tool calls carry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from memviz.core.conversation import Message, ToolCall


class ArgumentValue(NamedTuple):
    """One scalar of a call's arguments. ``name`` is its path, such as ``flights.0.date``."""

    name: str
    value: str | int | float | bool | None


def argument_values(call: ToolCall) -> list[ArgumentValue]:
    """The scalars in the arguments of ``call``, nested ones too; its whole text where that is no JSON."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return [ArgumentValue("", call.arguments)]
    return list(_scalars("", value))


def readable(message: Message) -> str:
    """The content, and one line for each value in the arguments of its tool calls.

    Arguments are read as JSON, so that an escaped character or line break does not hide a word.
    """
    if not message.tool_calls:
        return message.content
    values = (
        item.value for call in message.tool_calls for item in argument_values(call)
    )
    return "\n".join([message.content, *(str(value) for value in values)])


def _scalars(name: str, value: Any) -> Iterator[ArgumentValue]:
    """Without recursion: what a model writes may be nested deeply."""
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
