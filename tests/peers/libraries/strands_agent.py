"""An agent of Strands that has a conversation with a scripted model, and what its model is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from strands import Agent
from strands.models import Model

Sent = list[tuple[str, str]]
"""The roles and the texts of a request."""


class Scripted(Model):
    """Answers with the replies of a conversation, and writes summaries with numbers. A character is a token."""

    def __init__(self, replies: Sequence[str], window_tokens: int) -> None:
        self._replies = iter(replies)
        self._window_tokens = window_tokens
        self._summaries = 0
        self.requests: list[Sent] = []

    def update_config(self, **model_config: Any) -> None:
        """Nothing can be set."""

    def get_config(self) -> dict[str, Any]:
        return {"context_window_limit": self._window_tokens}

    async def structured_output(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def count_tokens(self, messages: Any, **options: Any) -> int:
        return sum(len(text) for _, text in read_messages(messages))

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **_: Any
    ) -> AsyncIterator[Any]:
        sent = read_messages(messages)
        if system_prompt:
            self._summaries += 1
            text = f"summary {self._summaries}"
        else:
            self.requests.append(sent)
            text = next(self._replies)
        read = sum(len(said) for _, said in sent)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": text}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
        usage = {"inputTokens": read, "outputTokens": len(text), "totalTokens": read}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 0}}}


def read_messages(messages: Any) -> Sent:
    """The messages of Strands by their roles and texts."""
    return [
        (one["role"], "".join(block["text"] for block in one["content"]))
        for one in messages
    ]


def requests_of_an_agent(
    texts: Sequence[str], manager: Any, window_tokens: int
) -> list[Sent]:
    """The requests to an agent's model: the user says every other text, and the model answers with the rest."""
    model = Scripted([*texts[1::2], "the end"], window_tokens)
    agent = Agent(model=model, conversation_manager=manager, callback_handler=None)
    for text in texts[::2]:
        agent(text)
    return model.requests
