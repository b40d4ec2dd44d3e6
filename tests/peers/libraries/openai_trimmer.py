"""The trimmer of tools' outputs of the OpenAI Agents SDK, called as a run calls it before each request of its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from agents.extensions import ToolOutputTrimmer
from agents.run_config import ModelInputData

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, FromLibrary


class TrimmerAtWork:
    """The filter, and the items of the session that a run would give it: nothing is remembered between requests."""

    def __init__(self, arguments: dict[str, Any], ask: Ask, counter: Counter) -> None:
        self._trimmer = ToolOutputTrimmer(**arguments)
        self._said: list[tuple[int, Message]] = []
        self._items: list[dict[str, Any]] = []

    def take(self, position: int, message: Message) -> None:
        self._said.append((position, message))
        if message.role == "tool":
            self._items.append(
                {
                    "type": "function_call_output",
                    "call_id": message.tool_call_id or "",
                    "output": message.content,
                    "said": len(self._said) - 1,
                }
            )
            return
        self._items.append(
            {
                "role": message.role,
                "content": message.content,
                "said": len(self._said) - 1,
            }
        )
        for call in message.tool_calls:
            self._items.append(
                {
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": call.arguments,
                }
            )

    def request(self) -> Sequence[FromLibrary]:
        data = SimpleNamespace(model_data=ModelInputData(list(self._items), None))
        found = []
        for item in self._trimmer(data).input:
            if "said" not in item:
                continue  # a call, which its message has
            position, message = self._said[item["said"]]
            content = item["output"] if message.role == "tool" else item["content"]
            changed = content != message.content
            found.append(
                FromLibrary(
                    replace(message, content=content) if changed else message, position
                )
            )
        return found
