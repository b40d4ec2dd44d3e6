"""The tool calls of a message in the shape of the OpenAI chat API, from untrusted JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memviz.core.conversation import ToolCall
from memviz.transcripts.json_text import kind_of

if TYPE_CHECKING:
    from memviz.transcripts.chat_messages import Note

UNNAMED = "unnamed"
"""The name of a tool call that has none in the file, so that its arguments and its result are kept."""
UNNAMED_CALL = f"a tool call without a name is called {UNNAMED!r}"


def tool_calls_of(
    item: Mapping[str, Any], note: Note
) -> tuple[tuple[ToolCall, ...], list[str]]:
    """The tool calls of a message, and what there is in place of others."""
    calls, legacy = item.get("tool_calls") or [], item.get("function_call")
    if not calls and not legacy:  # nearly every message
        return (), []
    if not isinstance(calls, list):
        return (), [f"a value of tool_calls that is {kind_of(calls)}, not a list"]
    found = [*calls, *([legacy] if legacy else [])]
    broken = [not_a_call(call) for call in found if not isinstance(call, dict)]
    return tuple(
        _tool_call(call, note) for call in found if isinstance(call, dict)
    ), broken


def _tool_call(call: Mapping[str, Any], note: Note) -> ToolCall:
    custom = call.get("custom")
    if isinstance(custom, dict):  # a custom tool takes free text instead of arguments
        call = {
            "id": call.get("id"),
            "name": custom.get("name"),
            "arguments": custom.get("input"),
        }
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    return ToolCall.of(
        {
            "id": call.get("id"),
            "name": tool_name(inner, note),
            "arguments": inner.get("arguments"),
        }
    )


def tool_name(call: Mapping[str, Any], note: Note, *keys: str) -> str:
    """The name of the tool under the first of these keys ("name" if none are given) that has one; where none has,
    :data:`UNNAMED`, which is noted."""
    name = next(
        (
            call[key]
            for key in keys or ("name",)
            if isinstance(call.get(key), str) and call[key]
        ),
        "",
    )
    if not name:
        note(UNNAMED_CALL)
    return name or UNNAMED


def not_a_call(value: object) -> str:
    """What something in a list of tool calls is that is no object."""
    return f"a tool call that is {kind_of(value)}, not an object"
