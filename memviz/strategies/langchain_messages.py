"""Messages as LangChain has them."""

import json
from importlib import import_module
from typing import Any

from memviz.core.messages import Message


def as_langchain(message: Message, id: str) -> Any:
    """``message`` as LangChain's. Arguments that are no JSON object become one, so that the call is there."""
    kinds = import_module("langchain_core.messages")
    fields: dict[str, Any] = {
        "content": message.content,
        "name": message.name,
        "id": id,
    }
    if message.role == "assistant":
        calls = [
            {"id": call.id, "name": call.name, "args": _arguments(call.arguments)}
            for call in message.tool_calls
        ]
        return kinds.AIMessage(tool_calls=calls, **fields)
    if message.role == "tool":
        return kinds.ToolMessage(tool_call_id=message.tool_call_id or "", **fields)
    return (kinds.SystemMessage if message.role == "system" else kinds.HumanMessage)(
        **fields
    )


def _arguments(text: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {"arguments": text}
