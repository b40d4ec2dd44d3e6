"""LlamaIndex's ChatSummaryMemoryBuffer over a conversation, with a language model that follows a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

from memviz import Message
from tests.strategies.conversations import answered, text_of

pytest.importorskip("llama_index.core")
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatSummaryMemoryBuffer

roles = st.lists(
    st.sampled_from(["user", "assistant", "user", "assistant", "caller", "tool"]),
    min_size=1,
    max_size=40,
)


sizes = st.lists(
    st.integers(1, 12), min_size=41, max_size=41
)  # words; the library counts an empty message as one


summary_sizes = st.lists(st.integers(1, 20), min_size=1, max_size=5)


class ScriptedLLM(MockLLM):
    """Writes the summaries of a script in turn and keeps what it was asked."""

    _script: Iterator[str] = PrivateAttr()
    _requests: list[list[ChatMessage]] = PrivateAttr()

    def __init__(self, script: Iterator[str]) -> None:
        super().__init__()
        self._script, self._requests = script, []

    @property
    def requests(self) -> list[list[ChatMessage]]:
        return self._requests

    def chat(self, messages: Any, **options: Any) -> ChatResponse:
        self._requests.append(list(messages))
        return ChatResponse(
            message=ChatMessage(role="assistant", content=next(self._script))
        )


def summaries(sizes: list[int]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield " ".join(
            ["S" + str(number), *["word"] * (sizes[number % len(sizes)] - 1)]
        )


def conversation(roles: list[str], sizes: list[int]) -> list[Message]:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    messages = []
    for i, role in enumerate(roles if "user" in roles else [*roles, "user"]):
        calls = (call,) if role == "caller" else ()
        call_id = "a" if role == "tool" else None
        messages.append(
            Message(
                "assistant" if calls else role,
                text_of(i, sizes[i]),
                tool_calls=calls,
                tool_call_id=call_id,
            )
        )  # type: ignore[arg-type]
    return answered(messages)


def words(text: str) -> int:
    return len(text.split())


def requests_of_the_library(
    messages: list[Message],
    asked: list[int],
    llm: ScriptedLLM | None,
    limit: int,
    prompt_tokens: int | None,
) -> list[list[tuple[str, str]]]:
    """What ``get`` gives at every request; ``asked`` are the log lengths at which one is made."""
    memory = ChatSummaryMemoryBuffer.from_defaults(
        llm=llm,
        token_limit=limit,
        tokenizer_fn=str.split,
        count_initial_tokens=prompt_tokens is not None,
    )
    given = []
    for length, message in enumerate(messages, start=1):
        memory.put(ChatMessage(role=message.role, content=message.content))
        if length in asked:
            got = memory.get(initial_token_count=prompt_tokens or 0)
            given.append([(m.role.value, str(m.content)) for m in got])
    return given
