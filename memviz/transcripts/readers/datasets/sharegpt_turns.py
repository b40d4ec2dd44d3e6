"""The turns of ShareGPT conversations, whose speakers every data set names in its own way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from memviz.conversation import ToolCall
from memviz.errors import MessageError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.chat_items import chat_item
from memviz.transcripts.times import with_time

CALL = "call"
"""What a speaker of :data:`SPEAKERS` says whose turn is nothing but tool calls."""
SPEAKERS = {
    **dict.fromkeys(("human", "user", "prompter"), "user"),
    **dict.fromkeys(("gpt", "chatgpt", "gpt4", "gpt_4", "gpt_3.5", "gpt_3.5_turbo", "bing", "bard"), "assistant"),
    **dict.fromkeys(("assistant", "model", "bot", "chatbot", "ai", "claude", "gemini"), "assistant"),
    **dict.fromkeys(("observation", "tool", "function", "function_response", "tool_response"), "tool"),
    **dict.fromkeys(("function_result", "tool_result", "function_output", "tool_output"), "tool"),
    **dict.fromkeys(("function_call", "tool_call", "tool_calls", "function_calls"), CALL),
}
TEXT_KEYS = ("value", "content", "text")


def take_turn(turn: object, place: str, after_call: bool, builder: TranscriptBuilder) -> bool:
    """Add a turn; returns whether it is nothing but tool calls, which more may follow of the same reply."""
    if not isinstance(turn, dict):
        builder.leave_out(place, f"is {kind_of(turn)}, not an object")
        return False
    name = next((turn[key] for key in ("from", "role") if turn.get(key) is not None), None)
    speaker = _speaker(name)
    value_key = next((key for key in TEXT_KEYS if key in turn), None)
    if speaker is None:
        shown = repr(name[:40]) if isinstance(name, str) else kind_of(name)
        builder.leave_out(place, f"has the unknown speaker {shown}" if name is not None else "has no speaker")
    elif value_key is None and not turn.get("tool_calls"):
        builder.leave_out(place, "has no value")
    elif speaker == CALL and (calls := tool_calls(turn.get(value_key or ""))):
        return _take_calls(calls, place, after_call, builder)
    else:
        if speaker == CALL:
            builder.note("a tool call that is not JSON with a name was kept as the assistant's text", place)
        role = "assistant" if speaker == CALL else speaker
        item = {**turn, "role": role, "content": turn.get(value_key or "")}
        builder.add_json(chat_item(item, **with_time(turn.get("timestamp"))), place)
    return False


def _speaker(name: object) -> str | None:
    key = name.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(name, str) else ""
    return SPEAKERS.get(key) or known_role(name)


def _take_calls(calls: tuple[ToolCall, ...], place: str, after_call: bool, builder: TranscriptBuilder) -> bool:
    if after_call:
        builder.messages[-1] = replace(builder.messages[-1], tool_calls=(*builder.messages[-1].tool_calls, *calls))
    else:
        builder.add_text("assistant", "", place, tool_calls=calls)
    return True


def tool_calls(value: object) -> tuple[ToolCall, ...]:
    """The tool calls that a value, or its text as JSON, describes; none if it describes anything else.

    Calls without ids keep none: results then belong to the call before them.
    """
    try:
        found = json.loads(value) if isinstance(value, str) else value
        return tuple(ToolCall.of(_call(item)) for item in (found if isinstance(found, list) else [found]))
    except (ValueError, RecursionError, MessageError):
        return ()


def _call(item: Any) -> Any:
    if isinstance(item, dict) and "arguments" not in item and "parameters" in item:
        return {**item, "arguments": item["parameters"]}
    return item
