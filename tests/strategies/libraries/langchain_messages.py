"""Messages of memviz as LangChain's, and back without loss."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from memviz import Message, ToolCall

KINDS = {
    "user": HumanMessage,
    "assistant": AIMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
}
ROLES = {kind: role for role, kind in KINDS.items()}
WRITTEN = "arguments_as_written"
"""Key of the calls' arguments as JSON text: LangChain keeps them parsed, so spaces would be lost on the way back."""


def to_langchain(message: Message, id: str | None = None) -> BaseMessage:
    """``message`` as LangChain's, with the id by which it is recognized later."""
    fields: dict[str, Any] = {
        "content": message.content,
        "name": message.name,
        "id": id,
    }
    if message.role == "assistant":
        fields["tool_calls"] = [
            {
                "id": call.id,
                "name": call.name,
                "args": json.loads(call.arguments),
                "type": "tool_call",
            }
            for call in message.tool_calls
        ]
        fields["response_metadata"] = {
            WRITTEN: [call.arguments for call in message.tool_calls]
        }
    if message.role == "tool":
        fields["tool_call_id"] = message.tool_call_id or ""
    return KINDS[message.role](**fields)


def from_langchain(message: BaseMessage) -> Message:
    """The message that a model would be sent, as memviz's."""
    return Message(
        ROLES[type(message)],
        str(message.content),
        name=message.name,
        tool_calls=tuple(_calls(message)),
        tool_call_id=message.tool_call_id or None
        if isinstance(message, ToolMessage)
        else None,
    )


def _calls(message: BaseMessage) -> Iterable[ToolCall]:
    written = message.response_metadata.get(WRITTEN, [])
    for number, call in enumerate(
        message.tool_calls if isinstance(message, AIMessage) else ()
    ):
        text = written[number] if number < len(written) else "{}"
        arguments = (
            text
            if json.loads(text) == call["args"]
            else json.dumps(call["args"], ensure_ascii=False)
        )
        yield ToolCall(call["id"] or "", call["name"], arguments)


def content_counter(
    count: Callable[[str], int],
) -> Callable[[Sequence[BaseMessage]], int]:
    """A token counter for LangChain that counts what memviz counts: the contents alone, each text once."""
    counted = cache(count)
    return lambda messages: sum(counted(str(message.content)) for message in messages)
