"""The context filter of Google's ADK, called as a runner calls it before each request of its model."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.genai import types

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, FromLibrary, run_to_end


class FilterAtWork:
    """The plugin, which is given the whole conversation at each request: nothing is remembered between them."""

    def __init__(self, arguments: dict[str, Any], ask: Ask, counter: Counter) -> None:
        self._plugin = ContextFilterPlugin(**arguments)
        self._said: dict[int, FromLibrary] = {}
        self._contents: list[types.Content] = []

    def take(self, position: int, message: Message) -> None:
        content = as_theirs(message)
        self._said[id(content)] = FromLibrary(message, position)
        self._contents.append(content)

    def request(self) -> Sequence[FromLibrary]:
        # Checking thousands of contents anew at each request is no part of the rule.
        request: Any = LlmRequest.model_construct(contents=list(self._contents))
        context: Any = SimpleNamespace()
        run_to_end(
            self._plugin.before_model_callback(
                callback_context=context, llm_request=request
            )
        )
        return [self._said[id(content)] for content in request.contents]


def as_theirs(message: Message) -> types.Content:
    """A system message is one of the user there, and a result as well."""
    if message.role == "tool":
        result = types.FunctionResponse(
            id=message.tool_call_id or "",
            name=message.name or "tool",
            response={"result": message.content},
        )
        return types.Content(role="user", parts=[types.Part(function_response=result)])
    parts = [types.Part(text=message.content)]
    for call in message.tool_calls:
        parts.append(
            types.Part(
                function_call=types.FunctionCall(id=call.id, name=call.name, args={})
            )
        )
    role = "model" if message.role == "assistant" else "user"
    return types.Content(role=role, parts=parts)
