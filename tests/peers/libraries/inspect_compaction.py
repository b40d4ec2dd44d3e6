"""The compaction strategies of inspect_ai, called as an agent calls them before each request of its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspect_ai import model as models
from inspect_ai.tool import ToolCall

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, FromLibrary, run_to_end


class CompactionAtWork:
    """A compaction handler, and the whole conversation, which it is given at each request."""

    def __init__(
        self, name: str, arguments: dict[str, Any], ask: Ask, counter: Counter
    ) -> None:
        self._ask = ask
        self._count = counter
        self._model = models.get_model("mockllm/model", memoize=False)
        # Its own counting asks another machine for a vocabulary.
        self._model.count_tokens = self._tokens  # type: ignore[method-assign]
        self._model.count_tool_tokens = self._tokens  # type: ignore[method-assign]
        self._model.generate = self._answer  # type: ignore[method-assign]
        strategy = getattr(models, name)(memory=False, **arguments)
        self._handler = models.compaction(strategy, prefix=[], model=self._model)
        self._said: dict[str, Message] = {}
        self._messages: list[Any] = []

    async def _answer(self, input: Any, *rest: Any, **options: Any) -> Any:
        answer = self._ask([Message("user", message.text) for message in input])
        return models.ModelOutput.from_content("mockllm/model", answer)

    async def _tokens(self, counted: Any, *rest: Any, **options: Any) -> int:
        """The tokens of the contents."""
        if isinstance(counted, str):
            return self._count(counted)
        return sum([self._count(message.text) for message in counted])

    def take(self, position: int, message: Message) -> None:
        self._said[str(position)] = message
        self._messages.append(_as_theirs(message, str(position)))

    def request(self) -> Sequence[FromLibrary]:
        sent, written = run_to_end(self._handler.compact_input(self._messages))
        if written is not None:
            self._messages.append(written)
        return [self._as_ours(message) for message in sent]

    def _as_ours(self, theirs: Any) -> FromLibrary:
        said = self._said.get((theirs.metadata or {}).get("said", ""))
        if said is None:
            return FromLibrary(Message(theirs.role, theirs.text))
        changed = theirs.text != said.content
        return FromLibrary(
            replace(said, content=theirs.text) if changed else said,
            int(theirs.metadata["said"]),
        )


def _as_theirs(message: Message, id: str) -> Any:
    fields: dict[str, Any] = {
        "id": id,
        "content": message.content,
        "metadata": {"said": id},
    }
    if message.role == "assistant":
        calls = [
            ToolCall(id=call.id, function=call.name, arguments={})
            for call in message.tool_calls
        ]
        return models.ChatMessageAssistant(tool_calls=calls or None, **fields)
    if message.role == "tool":
        return models.ChatMessageTool(tool_call_id=message.tool_call_id or "", **fields)
    if message.role == "system":
        return models.ChatMessageSystem(**fields)
    return models.ChatMessageUser(**fields)
