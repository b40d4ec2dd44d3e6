"""The conversation managers of Strands, called as an agent's loop calls them before each request of its model."""

from collections.abc import AsyncIterator, Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from memviz.core.counters import Counter
from memviz.core.messages import Message
from memviz.strategies.library import Ask, FromLibrary
from tests.peers.libraries.objects import Asking


class ManagerAtWork:
    """One conversation manager of Strands, and the messages of the agent that it manages."""

    def __init__(
        self,
        name: str,
        arguments: Mapping[str, Any],
        ask: Ask,
        counter: Counter,
        window_tokens: int,
    ) -> None:
        manager = import_module("strands.agent.conversation_manager")
        self._manager = getattr(manager, name)(**arguments)
        self._ask = Asking(ask)
        self._count = counter
        self._said: dict[int, FromLibrary] = {}
        self._held: list[Any] = []  # an id is one object's as long as it is held
        model = SimpleNamespace(
            stream=self._stream,
            context_window_limit=window_tokens,
            estimate_utilization=lambda tokens: tokens / window_tokens,
        )
        self._agent = SimpleNamespace(messages=[], model=model, aux_model=model)

    async def _stream(
        self, asked: Sequence[Any], system_prompt: str = "", **options: Any
    ) -> AsyncIterator[Any]:
        request = [Message("system", system_prompt)]
        request += [Message(one["role"], _text_of(one)) for one in asked]
        answer = self._ask(request)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": answer}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}

    def take(self, position: int, message: Message) -> None:
        """Add the next message to those of the agent. A system message is one of the user there."""
        theirs = _as_theirs(message)
        self._said[id(theirs)] = FromLibrary(message, position)
        self._held.append(theirs)
        self._agent.messages.append(theirs)

    def request(self) -> Sequence[FromLibrary]:
        """The agent's messages after the manager had its turn."""
        event = SimpleNamespace(
            agent=self._agent, projected_input_tokens=self._tokens()
        )
        self._manager._on_before_model_call_threshold(event)
        if hasattr(self._manager, "per_turn"):
            self._manager._on_before_model_call(event)
        self._ask.raise_failure()  # the library goes on without a summary, and says so in its log alone
        return [
            self._said.get(id(one)) or FromLibrary(Message(one["role"], _text_of(one)))
            for one in self._agent.messages
        ]

    def _tokens(self) -> int:
        """The tokens of the contents that the agent would send."""
        return sum([self._count(_text_of(one)) for one in self._agent.messages])


def _as_theirs(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        result = {
            "toolUseId": message.tool_call_id or "",
            "status": "success",
            "content": [{"text": message.content}],
        }
        return {"role": "user", "content": [{"toolResult": result}]}
    content: list[dict[str, Any]] = [{"text": message.content}]
    for call in message.tool_calls:
        use = {"toolUseId": call.id, "name": call.name, "input": call.arguments}
        content.append({"toolUse": use})
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": content}


def _text_of(theirs: Mapping[str, Any]) -> str:
    """The words of a message of theirs, those of a tool's result among them."""
    texts = []
    for block in theirs["content"]:
        if "toolResult" in block:
            texts += [part["text"] for part in block["toolResult"]["content"]]
        elif "text" in block:
            texts.append(block["text"])
    return "\n".join(texts)
