"""An agent of Pydantic AI that has a compaction among its capabilities, and what its model is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from memviz import Message, Strategy
from memviz.strategies.pydantic_ai_compaction import CompactionAtWork

Sent = list[tuple[str, str]]
"""The roles and the texts of a request."""


def requests_of_an_agent(
    messages: Sequence[Message], stops: Sequence[int], rule: Strategy
) -> list[Sent]:
    """The requests of an agent that is run on with the history grown to each of these lengths."""
    requests: list[Sent] = []

    def answer(asked: list[Any], info: Any) -> ModelResponse:
        requests.append([read_message(one) for one in asked])
        return ModelResponse([TextPart("answer")])

    made = CompactionAtWork(rule, lambda request: "", len)  # type: ignore[arg-type]
    agent = Agent(FunctionModel(answer), capabilities=[made._capability])
    history: list[Any] = []
    for start, stop in zip([0, *stops], stops, strict=False):
        for position in range(start, stop):
            made.take(position, messages[position])
            history.append(made._history[-1])
        run = agent.run_sync(message_history=history)
        history = run.all_messages()[:-1]  # its answer stands in the conversation
    return requests


def read_message(theirs: Any) -> tuple[str, str]:
    """A message of theirs by its role and its text."""
    parts = [part for part in theirs.parts if not isinstance(part, ToolCallPart)]
    text = "".join(str(part.content) for part in parts)
    if theirs.kind == "response":
        return "assistant", text
    role = "tool" if theirs.parts[0].part_kind == "tool-return" else "user"
    return role, text
