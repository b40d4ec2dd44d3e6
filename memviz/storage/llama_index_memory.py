"""memviz as the memory of LlamaIndex's chat engines and agents: needs `pip install 'memviz[llama-index]'`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memviz.core.errors import ParameterError
from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import ModelError
from memviz.engine.chat_memory import ChatMemory
from memviz.models.base import Model, Reply
from memviz.storage.memory_store import build_chat_memory

try:
    from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.llms import LLM
    from llama_index.core.memory import BaseMemory
except ImportError as error:
    raise ImportError(
        "memviz.LlamaIndexMemory needs llama-index-core: pip install 'memviz[llama-index]'."
    ) from error

ORIGINAL = "llama_index"
"""Key in a message's ``meta``: what LlamaIndex said that a message of memviz has no place for, such as an image."""


class LlamaIndexMemory(BaseMemory):
    """A :class:`ChatMemory`, under any strategy, that a chat engine or an agent of LlamaIndex takes as its ``memory``.

    What is put in is converted to messages of memviz, what is given out to messages of LlamaIndex: text, calls of
    tools and their results as both know them, and everything else as it was put in. Its async methods run the
    blocking ones in a worker thread. ``chat_memory`` is the memory itself, with its run and its recalls.
    """

    _memory: ChatMemory = PrivateAttr()

    def __init__(self, memory: ChatMemory) -> None:
        super().__init__()
        if not isinstance(memory, ChatMemory):
            raise ParameterError(
                "memory",
                memory,
                "a memviz.ChatMemory, such as memviz.build_chat_memory gives",
            )
        self._memory = memory

    @classmethod
    def class_name(cls) -> str:
        """The name by which LlamaIndex knows it."""
        return "MemvizMemory"

    @classmethod
    def from_defaults(
        cls,
        chat_history: Sequence[ChatMessage] | None = None,
        llm: LLM | None = None,
        token_limit: int = 64000,
        memory: ChatMemory | None = None,
        **options: Any,
    ) -> LlamaIndexMemory:
        """Around ``memory``, or around a chat summary buffer of ``token_limit`` tokens. Its summaries are written by
        ``llm``, or without one by the offline model. ``options`` are those of :func:`memviz.build_chat_memory`."""
        if memory is None:
            summarizer = "offline" if llm is None else LlamaIndexModel(llm)
            memory = build_chat_memory(summarizer, token_limit, **options)
        made = cls(memory)
        if chat_history:
            made.set(list(chat_history))
        return made

    @property
    def chat_memory(self) -> ChatMemory:
        """The memory inside."""
        return self._memory

    def put(self, message: ChatMessage) -> None:
        """Take in the next message, and summarize if it is time to."""
        self._memory.put(as_message(message))

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Take in several messages in order."""
        self._memory.put_messages([as_message(message) for message in messages])

    def get(self, input: str | None = None, **options: Any) -> list[ChatMessage]:
        """The messages to send to the model now. Which tokens of a prompt count besides is the strategy's to say."""
        return [as_chat_message(message) for message in self._memory.get(input)]

    def get_all(self) -> list[ChatMessage]:
        """Every message that was put in."""
        return [as_chat_message(message) for message in self._memory.get_all()]

    def set(self, messages: list[ChatMessage]) -> None:
        """Start over with these messages."""
        self._memory.set([as_message(message) for message in messages])

    def reset(self) -> None:
        """Forget everything."""
        self._memory.reset()


class LlamaIndexModel(Model):
    """An LLM of LlamaIndex as the one who writes summaries for memviz."""

    def __init__(self, llm: LLM) -> None:
        if not isinstance(llm, LLM):
            raise ParameterError("llm", llm, "an LLM of LlamaIndex")
        self._llm = llm
        self.name = llm.metadata.model_name

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:  # type: ignore[override]  # offered no tools
        """Ask the LLM, and give its answer whole. Raises :class:`memviz.ModelError` for whatever it raises."""
        try:
            said = [as_chat_message(message) for message in messages]
            text = self._llm.chat(said).message.content or ""
        except Exception as error:  # each provider's package has errors of its own
            raise ModelError(
                f"{self.name} failed ({type(error).__name__}: {error}).",
                model=self.name,
            ) from error
        yield Reply(text, model=self.name)


def as_message(given: ChatMessage) -> Message:
    """A message of memviz. What it has no place for comes along in ``meta``, which is never sent to a summarizer."""
    message = Message.of(given)
    if not isinstance(given, ChatMessage) or as_chat_message(message) == given:
        return message
    return replace(
        message, meta={ORIGINAL: given.model_dump(mode="json", fallback=str)}
    )


def as_chat_message(message: Message) -> ChatMessage:
    """A message of LlamaIndex: the one that was put in, or one with the text, the calls and their ids."""
    original = (message.meta or {}).get(ORIGINAL)
    if original is not None:
        return ChatMessage.model_validate(original)
    blocks: list[Any] = []
    if message.content or not message.tool_calls:
        blocks.append(TextBlock(text=message.content))
    blocks += map(_call_block, message.tool_calls)
    labels = {}
    if message.name is not None:
        labels["name"] = message.name
    if message.tool_call_id is not None:
        labels["tool_call_id"] = message.tool_call_id
    return ChatMessage(role=message.role, blocks=blocks, additional_kwargs=labels)


def _call_block(call: ToolCall) -> ToolCallBlock:
    given: Any = call.arguments  # as they are, where a model wrote no object
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        given = arguments
    return ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=given)
