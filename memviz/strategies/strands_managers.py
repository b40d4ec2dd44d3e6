"""The conversation managers of Strands themselves, run inside memviz."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

from memviz.core.counters import Counter
from memviz.core.messages import Message
from memviz.strategies.library import (
    Ask,
    Asking,
    Counted,
    FromLibrary,
    LibraryStrategy,
)
from memviz.strategies.parameters import choice, whole_number


class StrandsManagers(LibraryStrategy):
    """Runs a conversation manager of Strands itself and sends what the agent would send.

    Gains: what happens is the installed library's doing, with its own prompt, whichever version that is.

    Loses: nobody can say beforehand when it will act, and the library has to be installed and takes a second or two to
    load.

    Hurts when: results have to be the same tomorrow: an update of the library may change them.

    Used by:
    - Strands SummarizingConversationManager: agents that are given it, with proactive compression (run with
      strands-agents 1.62.0)
    - Strands SlidingWindowConversationManager: agents that are given nothing else (run with strands-agents 1.62.0)

    The manager is asked before each request, as an agent with ``per_turn`` asks it, with proactive compression: in a
    replay no provider refuses a request for its length, which is when an agent without it would ask. It counts the
    contents of messages with memviz's counter, and its model is memviz's summarizer. Of three messages or fewer it
    summarizes one, though that is more than its share, and where nothing else may go it summarizes its own summary,
    again before each request. Its window begins at a message of the user or at a call with its result, and keeps all
    where there is neither. Differences: where its summarizer fails Strands goes on and asks again before the next
    request; here it is asked again in a later turn. The input is always sent. A system message in the midst of a
    conversation is one of the user for Strands. Checked with strands-agents 1.62.0.
    """

    title: ClassVar[str] = "Strands"
    reference: ClassVar[str] = (
        "The conversation managers of the Strands that is installed"
    )
    order: ClassVar[int] = 92
    main_parameter: ClassVar[str] = "rule"
    library_name: ClassVar[str] = "Strands"
    package: ClassVar[str] = "strands-agents"
    modules: ClassVar[tuple[str, ...]] = ("strands",)

    rule: Literal["summarizing", "sliding_window"] = choice(
        "summarizing",
        {
            "summarizing": "the oldest messages become a summary (SummarizingConversationManager)",
            "sliding_window": "the newest messages stay (SlidingWindowConversationManager)",
        },
        "The conversation manager that is run.",
    )
    window_tokens: int = whole_number(
        128_000,
        "tokens",
        "Summarizing: the context window that the share below is of. Larger summarizes later.",
        (4000, 200_000),
    )
    compress_percent: int = whole_number(
        70,
        "%",
        "Summarizing: it acts once the messages have this share of the context window. Larger summarizes later.",
        (10, 90),
        maximum=100,
    )
    summary_percent: int = whole_number(
        30,
        "%",
        "Summarizing: this share of the messages is summarized, the oldest. Larger summarizes more at a time and less "
        "often.",
        (10, 80),
        minimum=10,
        maximum=80,
    )
    keep_messages: int = whole_number(
        10,
        "messages",
        "Summarizing: so many of the newest messages stay at least. Larger keeps more.",
        (1, 40),
    )
    window_size: int = whole_number(
        40,
        "messages",
        "Sliding window: so many messages are sent at most. Larger keeps more.",
        (4, 80),
    )

    def open(self, ask: Ask, counter: Counter) -> ManagerAtWork:
        """A conversation manager of its own, with an agent that holds messages and does nothing else."""
        manager = import_module("strands.agent.conversation_manager")
        if self.rule == "sliding_window":
            made = manager.SlidingWindowConversationManager(
                window_size=self.window_size, per_turn=True
            )
        else:
            made = manager.SummarizingConversationManager(
                summary_ratio=self.summary_percent / 100,
                preserve_recent_messages=self.keep_messages,
                proactive_compression={
                    "compression_threshold": self.compress_percent / 100
                },
            )
        return ManagerAtWork(made, ask, counter, self.window_tokens)


class ManagerAtWork:
    """One conversation manager of Strands, and the messages of the agent that it manages."""

    def __init__(
        self, manager: Any, ask: Ask, counter: Counter, window_tokens: int
    ) -> None:
        self._manager = manager
        self._ask = Asking(ask)
        self._counted = Counted(counter)
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
        # The library goes on without a summary, and says so in its log alone.
        self._ask.raise_failure()
        return [self._as_ours(message) for message in self._agent.messages]

    def _as_ours(self, theirs: Mapping[str, Any]) -> FromLibrary:
        if id(theirs) in self._said:
            return self._said[id(theirs)]
        return FromLibrary(Message(theirs["role"], _text_of(theirs)))

    def _tokens(self) -> int:
        """The tokens of the contents that the agent would send."""
        messages = self._agent.messages
        return sum([self._counted[_text_of(message)] for message in messages])


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
