"""LlamaIndex's Memory with a static block and a block of facts, driven through a conversation message by message.

Each message is put when it is said, and what is sent with a request is what ``aget`` gives then. The system prompt
stays outside, as an agent of LlamaIndex keeps it. LlamaIndex also counts the text of ``additional_kwargs``, such as
``{'tool_call_id': 'call_1'}``; here contents alone count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import MockLLM
from llama_index.core.memory import (
    FactExtractionMemoryBlock,
    InsertMethod,
    Memory,
    StaticMemoryBlock,
)
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from memviz import Log, Message, ToolCall
from tests.strategies.libraries.library_run import Ask, Asked, LibraryRun


@dataclass(frozen=True)
class Parameters:
    """What the memory is made with. Blocks with a priority above 0 may be left out of a request."""

    token_limit: int = 30_000
    history_ratio: float = 0.7
    flush_tokens: int = 3_000
    max_facts: int = 50
    static_text: str = ""
    static_priority: int = 0
    facts_priority: int = 0
    insert: str = "system"


class AskedLLM(MockLLM):
    """A model whose answers a Python function gives."""

    _ask: Ask = PrivateAttr()

    def __init__(self, ask: Ask) -> None:
        super().__init__()
        self._ask = ask

    async def achat(self, messages: Any, **options: Any) -> ChatResponse:
        answer = self._ask([from_library(message) for message in messages])
        return ChatResponse(message=ChatMessage(role="assistant", content=answer))


def requests(
    messages: list[Message],
    parameters: Parameters,
    summarizer: Ask,
    counter: Callable[[str], int],
) -> LibraryRun:
    """What is sent with each request. A put that raises has been made all the same; the program goes on."""
    return asyncio.run(_requests(Log(messages), parameters, summarizer, counter))


async def _requests(
    log: Log, parameters: Parameters, summarizer: Ask, counter: Callable[[str], int]
) -> LibraryRun:
    run = LibraryRun()

    def ask(sent: list[Message]) -> str:
        run.asked.append(Asked(len(run.requests), sent))
        return summarizer(sent)

    store = SQLAlchemyChatStore(
        "messages", async_database_uri="sqlite+aiosqlite:///:memory:"
    )
    memory = _memory(parameters, AskedLLM(ask), store, _tokenizer(log, counter))
    try:
        done = log.system_stop
        for request in log.requests():
            await _put(memory, log[done : request.stop], run)
            done = request.stop
            sent = [from_library(message) for message in await memory.aget()]
            run.requests.append([*log[: log.system_stop], *sent])
    finally:
        if store._async_engine is not None:
            await store._async_engine.dispose()
    return run


async def _put(memory: Memory, messages: Any, run: LibraryRun) -> None:
    for message in messages:
        try:
            await memory.aput(to_library(message))
        except Exception as error:
            run.errors.append(error)


def _memory(
    parameters: Parameters, llm: AskedLLM, store: SQLAlchemyChatStore, tokenizer: Any
) -> Memory:
    facts = FactExtractionMemoryBlock(
        llm=llm, max_facts=parameters.max_facts, priority=parameters.facts_priority
    )
    static = StaticMemoryBlock(
        static_content=parameters.static_text, priority=parameters.static_priority
    )
    return Memory(
        token_limit=parameters.token_limit,
        chat_history_token_ratio=parameters.history_ratio,
        token_flush_size=parameters.flush_tokens,
        memory_blocks=[static, facts] if parameters.static_text else [facts],
        insert_method=InsertMethod(parameters.insert),
        tokenizer_fn=tokenizer,
        sql_store=store,
        session_id="one",
    )


def _tokenizer(log: Log, counter: Callable[[str], int]) -> Callable[[str], range]:
    """Counts as memviz does: contents, and nothing of what stands beside them."""
    beside = {str(to_library(message).additional_kwargs) for message in log}
    return lambda text: range(0 if text in beside else counter(text))


def to_library(message: Message) -> ChatMessage:
    """LlamaIndex's message: a text block, then a block for each call."""
    calls = [
        ToolCallBlock(
            tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments
        )
        for call in message.tool_calls
    ]
    beside = {"name": message.name, "tool_call_id": message.tool_call_id}
    return ChatMessage(
        role=message.role,
        blocks=[TextBlock(text=message.content), *calls],
        additional_kwargs={
            key: value for key, value in beside.items() if value is not None
        },
    )


def from_library(given: ChatMessage) -> Message:
    """The message as memviz has it. Several text blocks are joined as ``ChatMessage.content`` joins them."""
    calls = tuple(
        ToolCall(str(block.tool_call_id), block.tool_name, str(block.tool_kwargs))
        for block in given.blocks
        if isinstance(block, ToolCallBlock)
    )
    beside = given.additional_kwargs
    return Message(
        given.role.value,
        given.content or "",
        name=beside.get("name"),
        tool_calls=calls,
        tool_call_id=beside.get("tool_call_id"),
    )
