"""A chat client of Agent Framework with a compaction strategy of its own, and what it sends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import Any

from agent_framework import (
    BaseChatClient,
    ChatResponse,
    SummarizationStrategy,
)
from agent_framework import Message as Theirs

from memviz import Message, Strategy
from memviz.strategies.agent_framework_compaction import CompactionAtWork

Sent = list[tuple[str, str]]
"""The roles and the texts of a request."""


class Sending(BaseChatClient):
    """Keeps what it sends, and answers with a number; summaries are those of a client of their own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.requests: list[Sent] = []
        self._numbers = count(1)

    async def _inner_get_response(
        self, *, messages: Any, stream: bool, options: Any, **more: Any
    ) -> ChatResponse:
        self.requests.append([(str(one.role), text_of(one)) for one in messages])
        text = f"summary {next(self._numbers)}"
        return ChatResponse(messages=[Theirs("assistant", [text])])


def text_of(message: Any) -> str:
    """The words of a message of theirs, or the result that it holds."""
    results = [one.result for one in message.contents if one.type == "function_result"]
    return "".join(map(str, results)) if results else str(message.text)


def requests_of_a_client(
    messages: Sequence[Message], stops: Sequence[int], rule: Strategy
) -> list[Sent]:
    """The requests of a client that is handed the same list again and again, grown to each of these lengths."""
    made = CompactionAtWork(rule, lambda request: "", len)  # type: ignore[arg-type]
    strategy = made._strategy
    if isinstance(strategy, SummarizationStrategy):
        strategy.client = Sending()
    client = Sending(compaction_strategy=strategy)
    for start, stop in zip([0, *stops], stops, strict=False):
        for position in range(start, stop):
            made.take(position, messages[position])
        asyncio.run(client.get_response(made._history))
    return client.requests
