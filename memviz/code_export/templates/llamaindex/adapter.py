"""A rule as a memory of LlamaIndex."""

import json
from typing import Any

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import BaseMemory

from memviz.code_export.templates.rule import Memory

DIFFERENCES = [
    "LlamaIndex has no memory with this rule, so the rule stands here as plain Python, in a memory class of its own. "
    "It sends what memviz simulated; the system prompt is added by the chat engine.",
]


def as_dict(message: ChatMessage) -> dict:
    """A message of LlamaIndex as the rule above reads it."""
    calls = []
    for block in message.blocks:
        if isinstance(block, ToolCallBlock):
            given = block.tool_kwargs if isinstance(block.tool_kwargs, str) else json.dumps(block.tool_kwargs)
            calls.append({"id": block.tool_call_id or "", "function": {"name": block.tool_name, "arguments": given}})
    return {
        "role": message.role.value,
        "content": message.content or "",
        "tool_calls": calls,
        "tool_call_id": message.additional_kwargs.get("tool_call_id"),
        "original": message,
    }


def as_message(message: dict) -> ChatMessage:
    """What the rule above sends as a message of LlamaIndex."""
    if "original" in message:
        return message["original"]
    written = ChatMessage(role=message["role"], content=message["content"])
    for call in message.get("tool_calls", ()):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        written.blocks.append(ToolCallBlock(tool_call_id=call["id"], tool_name=name, tool_kwargs=arguments))
    return written


class StrategyMemory(BaseMemory):
    """The rule above as a memory that chat engines and agents of LlamaIndex take."""

    _memory: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> "StrategyMemory":
        return cls()

    def put(self, message: ChatMessage) -> None:
        self._memory.append(as_dict(message))

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return [as_message(message) for message in self._memory.context()]

    def get_all(self) -> list[ChatMessage]:
        return [message["original"] for message in self._memory.log]

    def set(self, messages: list[ChatMessage]) -> None:
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        self._memory = Memory()
