"""LlamaIndex's own memories, run inside memviz."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Literal

from memviz.core.counters import Counter
from memviz.core.messages import Message
from memviz.core.translation import noop
from memviz.strategies.library import (
    Ask,
    Counted,
    FromLibrary,
    Library,
    LibraryStrategy,
    run_to_end,
)
from memviz.strategies.parameters import choice, whole_number

_POSITION = "memviz position"
"""The key under which a message of LlamaIndex has its position of the log beside it."""


class LlamaIndex(LibraryStrategy):
    """Runs a memory of LlamaIndex itself and sends what an agent or a chat engine would get from it.

    Gains: what happens is the installed library's doing, with its own prompt, whichever version that is.

    Loses: nobody can say beforehand when it will act, and the library has to be installed and takes a second or two to
    load.

    Hurts when: results have to be the same tomorrow: an update of the library may change them.

    Used by:
    - LlamaIndex ChatSummaryMemoryBuffer: chat engines and agents that are given it (run with llama-index-core 0.14.25)
    - LlamaIndex Memory: agents that are given it, here with a FactExtractionMemoryBlock or with no block (run with
      llama-index-core 0.14.25)

    Each message is put when the next request is due, and what is sent is what the memory gives then. It counts the
    contents of messages with memviz's counter, and its model is memviz's summarizer. The ChatSummaryMemoryBuffer counts
    a message without content as its word None, and its summary is a system message. Memory puts its facts before the
    words of the first system message that it holds, else into one of its own; where the conversation has such a
    message, it is shown as the library's own words. Differences: a summarizer that fails, or answers with no text at
    all, leaves everything as it was and is asked again in a later turn, where LlamaIndex loses the messages that it had
    taken out. The input is always sent, where LlamaIndex summarizes or takes out an input that is too large. The
    ChatSummaryMemoryBuffer does not count the system prompt, and Memory does not count the ids of tool results. Checked
    with llama-index-core 0.14.25.
    """

    title: ClassVar[str] = "LlamaIndex"
    reference: ClassVar[str] = "The memories of the LlamaIndex that is installed"
    order: ClassVar[int] = 91
    main_parameter: ClassVar[str] = "token_limit"
    library_name: ClassVar[str] = "LlamaIndex"
    package: ClassVar[str] = "llama-index-core"
    limits: ClassVar[str] = noop("messages word for word")
    """The messages that it holds."""
    modules: ClassVar[tuple[str, ...]] = ("llama_index",)

    rule: Literal["summary_buffer", "memory"] = choice(
        "summary_buffer",
        {
            "summary_buffer": "messages past the limit become a summary (ChatSummaryMemoryBuffer)",
            "memory": "the oldest turns are taken out, and their facts are listed (Memory)",
        },
        "The memory that is run.",
    )
    token_limit: int = whole_number(
        30_000,
        "tokens",
        "Limit of the memory. Larger keeps more word for word and costs more a turn.",
        (500, 30_000),
    )
    history_percent: int = whole_number(
        70,
        "%",
        "Memory: share of the limit that messages may take word for word. Larger keeps more.",
        (30, 100),
        maximum=100,
    )
    flush_percent: int = whole_number(
        10,
        "%",
        "Memory: share of the limit that is taken out at least each time. Larger asks the summarizer less often, with "
        "more to read.",
        (5, 50),
        maximum=100,
    )
    max_facts: int = whole_number(
        50,
        "facts",
        "Memory: more facts than this are condensed into fewer by a second call. Larger sends a longer list. 0: no "
        "facts are listed, and nobody is asked.",
        (5, 100),
        minimum=0,
        zero_is_off=True,
    )

    def open(self, ask: Ask, counter: Counter) -> Library:
        """A memory of its own."""
        if self.rule == "memory":
            return FactsAtWork(self, ask, counter)
        return BufferAtWork(self, ask, counter)


class _AtWork(ABC):
    """A memory of LlamaIndex, and the messages that were put into it."""

    def __init__(self, ask: Ask, counter: Counter) -> None:
        self._types = import_module("llama_index.core.base.llms.types")
        self._memories = import_module("llama_index.core.memory")
        self._model = _model_that_asks()(ask)
        self._said: dict[int, Message] = {}
        self._waiting: list[Any] = []
        self._beside = set[str]()
        self._counted = Counted(counter)

    def take(self, position: int, message: Message) -> None:
        """Keep the next message until a request is due: a memory may ask its model when a message is put."""
        self._said[position] = message
        theirs = self._as_theirs(message, {_POSITION: position})
        self._beside.add(str(theirs.additional_kwargs))
        self._waiting.append(theirs)

    def request(self) -> Sequence[FromLibrary]:
        """All that the memory gives once all messages were put."""
        messages = self._put_and_get(self._waiting)
        self._waiting = []
        return [self._as_ours(message) for message in messages]

    @abstractmethod
    def _put_and_get(self, messages: Sequence[Any]) -> Sequence[Any]:
        """All that the memory gives behind these messages. Where its model fails, the memory is as it was before."""

    def _tokens(self, text: str) -> range:
        """A list as long as the content has tokens, for LlamaIndex takes its length. What stands beside a message
        counts nothing."""
        return range(0 if text in self._beside else self._counted[text])

    def _as_theirs(self, message: Message, beside: dict[str, Any]) -> Any:
        calls = [
            self._types.ToolCallBlock(
                tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments
            )
            for call in message.tool_calls
        ]
        return self._types.ChatMessage(
            role=message.role,
            blocks=[self._types.TextBlock(text=message.content), *calls],
            additional_kwargs=beside,
        )

    def _as_ours(self, theirs: Any) -> FromLibrary:
        position = theirs.additional_kwargs.get(_POSITION)
        text = theirs.content or ""
        if position is not None and text == self._said[position].content:
            return FromLibrary(self._said[position], position)
        return FromLibrary(Message(theirs.role.value, text), is_notes=True)


class BufferAtWork(_AtWork):
    """A ChatSummaryMemoryBuffer."""

    def __init__(self, strategy: LlamaIndex, ask: Ask, counter: Counter) -> None:
        super().__init__(ask, counter)
        self._memory = self._memories.ChatSummaryMemoryBuffer.from_defaults(
            llm=self._model,
            token_limit=strategy.token_limit,
            tokenizer_fn=self._tokens,
        )

    def _put_and_get(self, messages: Sequence[Any]) -> Sequence[Any]:
        before = [*self._memory.get_all()]
        try:
            for message in messages:
                self._memory.put(message)
            sent: Sequence[Any] = self._memory.get()
        except Exception:
            self._memory.set(before)
            # It had counted half of them.
            self._memory._token_count = 0
            raise
        return sent


class FactsAtWork(_AtWork):
    """A Memory with a block of facts, if any."""

    def __init__(self, strategy: LlamaIndex, ask: Ask, counter: Counter) -> None:
        super().__init__(ask, counter)
        self._facts: Any = None
        if strategy.max_facts:
            self._facts = self._memories.FactExtractionMemoryBlock(
                llm=self._model, max_facts=strategy.max_facts
            )
        self._queue = _queue_in_memory()()
        flush = int(strategy.token_limit * (strategy.flush_percent / 100))
        self._memory = self._memories.Memory(
            token_limit=strategy.token_limit,
            chat_history_token_ratio=strategy.history_percent / 100,
            token_flush_size=max(1, flush),
            memory_blocks=[self._facts] if self._facts else [],
            tokenizer_fn=self._tokens,
            sql_store=self._queue,
            session_id="memviz",
        )

    def _put_and_get(self, messages: Sequence[Any]) -> Sequence[Any]:
        held = [*self._queue.held]
        facts = [*self._facts.facts] if self._facts else []
        try:
            sent: Sequence[Any] = run_to_end(self._put(messages))
        except Exception:
            self._queue.held = held
            if self._facts:
                self._facts.facts = facts
            raise
        return sent

    async def _put(self, messages: Sequence[Any]) -> Sequence[Any]:
        for message in messages:
            await self._memory.aput(message)
        sent: Sequence[Any] = await self._memory.aget()
        return sent


@cache
def _queue_in_memory() -> Any:
    """The class of a store of messages that holds a Memory's queue as a list. LlamaIndex's own is a database, which
    gives new messages out as well, so that what becomes of them is not its queue's."""
    base: type[Any] = import_module(
        "llama_index.core.storage.chat_store.base_db"
    ).AsyncDBChatStore

    class Queue(base):  # type: ignore[misc]
        held: list[Any] = []  # noqa: RUF012 - pydantic copies it

        async def get_messages(self, key: str, **which: Any) -> list[Any]:
            return [_copied(message) for message in self.held]

        async def add_message(self, key: str, message: Any, **status: Any) -> None:
            self.held.append(_copied(message))

        async def archive_oldest_messages(self, key: str, n: int) -> None:
            del self.held[:n]

    # A Memory calls no others of its ten methods.
    Queue.__abstractmethods__ = frozenset()
    return Queue


def _copied(message: Any) -> Any:
    beside = dict(message.additional_kwargs)
    return message.model_copy(update={"additional_kwargs": beside})


@cache
def _model_that_asks() -> Any:
    """The class of a model that asks memviz's summarizer. Made when LlamaIndex is loaded, which is its base."""
    types = import_module("llama_index.core.base.llms.types")
    private = import_module("llama_index.core.bridge.pydantic").PrivateAttr
    base: type[Any] = import_module("llama_index.core.llms").MockLLM

    class Asking(base):  # type: ignore[misc]
        _ask: Any = private()

        def __init__(self, ask: Ask) -> None:
            super().__init__()
            self._ask = ask

        def chat(self, messages: Any, **options: Any) -> Any:
            request = [
                Message(message.role.value, message.content or "")
                for message in messages
            ]
            answer = self._ask(request)
            reply = types.ChatMessage(role="assistant", content=answer)
            return types.ChatResponse(message=reply)

        async def achat(self, messages: Any, **options: Any) -> Any:
            return self.chat(messages)

    return Asking
