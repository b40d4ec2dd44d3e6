"""The adapter as the memory of LlamaIndex's own chat engines and of an agent, with mock models."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import ChatMemory, Message, ParameterError, ScriptedModel
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk

pytest.importorskip("llama_index.core")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ImageBlock,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import BaseMemory
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from memviz.storage.llama_index_memory import (
    LlamaIndexMemory,
    LlamaIndexModel,
    as_chat_message,
    as_message,
)


class Answering(MockLLM):
    """Answers "answer 1", "answer 2" and so on, and keeps what it was sent."""

    _numbers: Any = PrivateAttr()
    _requests: list[list[tuple[str, str]]] = PrivateAttr()

    def __init__(self) -> None:
        super().__init__(is_chat_model=True)
        self._numbers, self._requests = count(1), []

    @property
    def requests(self) -> list[list[tuple[str, str]]]:
        return self._requests

    def chat(self, messages: Any, **options: Any) -> ChatResponse:
        self._requests.append([(m.role.value, m.content or "") for m in messages])
        return ChatResponse(
            message=ChatMessage(
                role="assistant", content=f"answer {next(self._numbers)}"
            )
        )

    def stream_chat(
        self, messages: Any, **options: Any
    ) -> Generator[ChatResponse, None, None]:
        reply = self.chat(messages)
        yield ChatResponse(message=reply.message, delta=reply.message.content)

    async def astream_chat(
        self, messages: Any, **options: Any
    ) -> AsyncGenerator[ChatResponse, None]:
        async def pieces() -> AsyncGenerator[ChatResponse, None]:
            for piece in self.stream_chat(messages):
                yield piece

        return pieces()


class Shelf(BaseRetriever):
    """Finds the same text for every question."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(text="The ferry leaves at nine."), score=1.0)
        ]


def memory_of(id: str = "summary", **options: Any) -> LlamaIndexMemory:
    options = {
        "model": ScriptedModel(f"summary {n}" for n in count(1)),
        "counter": "chars4",
        **options,
    }
    return LlamaIndexMemory(ChatMemory(small(id), **options))


def expected(
    questions: Sequence[str], id: str = "summary"
) -> list[list[tuple[str, str]]]:
    """What the engine has to send: what the very same memory gives in a loop of one's own."""
    memory, sent = memory_of(id).chat_memory, []
    for number, question in enumerate(questions, start=1):
        memory.append({"role": "user", "content": question})
        sent.append(
            [("system", "Be kind."), *((m.role, m.content) for m in memory.load())]
        )
        memory.append({"role": "assistant", "content": f"answer {number}"})
    return sent


QUESTIONS = [f"question {number}" for number in range(1, 8)]


class TestSimpleChatEngine:
    @pytest.mark.parametrize("id", REPRESENTATIVES)
    def test_sends_what_the_memory_gives(self, id: str) -> None:
        llm, memory = Answering(), memory_of(id)
        engine = SimpleChatEngine.from_defaults(
            llm=llm, memory=memory, system_prompt="Be kind."
        )
        for number, question in enumerate(QUESTIONS, start=1):
            assert engine.chat(question).response == f"answer {number}"
        assert llm.requests == expected(QUESTIONS, id)
        assert [m.content for m in engine.chat_history][:2] == [
            "question 1",
            "answer 1",
        ]
        assert len(memory.chat_memory.get_all()) == 2 * len(QUESTIONS)
        engine.reset()
        assert memory.get_all() == []

    def test_streams(self) -> None:
        llm = Answering()
        engine = SimpleChatEngine.from_defaults(
            llm=llm, memory=memory_of(), system_prompt="Be kind."
        )
        for number, question in enumerate(QUESTIONS, start=1):
            assert (
                "".join(engine.stream_chat(question).response_gen) == f"answer {number}"
            )
        assert llm.requests == expected(QUESTIONS)

    def test_on_an_event_loop_whole_and_in_pieces(self) -> None:
        async def converse(engine: SimpleChatEngine) -> None:
            for number, question in enumerate(QUESTIONS, start=1):
                if number % 2:
                    assert (await engine.achat(question)).response == f"answer {number}"
                else:
                    reply = await engine.astream_chat(question)
                    assert (
                        "".join([piece async for piece in reply.async_response_gen()])
                        == f"answer {number}"
                    )

        llm = Answering()
        asyncio.run(
            converse(
                SimpleChatEngine.from_defaults(
                    llm=llm, memory=memory_of(), system_prompt="Be kind."
                )
            )
        )
        assert llm.requests == expected(QUESTIONS)

    def test_makes_one_of_its_own_where_it_is_given_the_class(self) -> None:
        llm = Answering()
        history = [as_chat_message(message) for message in talk(2)]
        engine = SimpleChatEngine.from_defaults(
            llm=llm, memory_cls=LlamaIndexMemory, chat_history=history
        )
        engine.chat("And now?")
        assert llm.requests == [
            [*((m.role, m.content) for m in talk(2)), ("user", "And now?")]
        ]


class TestEnginesThatRetrieve:
    @pytest.mark.parametrize(
        "engine_class", [CondensePlusContextChatEngine, ContextChatEngine]
    )
    def test_take_it(self, engine_class: Any) -> None:
        llm, memory = Answering(), memory_of()
        engine = engine_class.from_defaults(retriever=Shelf(), llm=llm, memory=memory)
        for question in QUESTIONS[:4]:
            engine.chat(question)
        assert [
            m.content for m in memory.get_all() if m.role.value == "user"
        ] == QUESTIONS[:4]
        contents = [content for _, content in llm.requests[-1]]
        assert any("The ferry leaves at nine." in content for content in contents)
        assert any(
            content.startswith("Summary of earlier conversation: summary ")
            for content in contents
        )
        assert QUESTIONS[0] not in contents

    def test_on_an_event_loop(self) -> None:
        async def converse(engine: Any) -> None:
            for question in QUESTIONS[:4]:
                await engine.achat(question)

        llm, memory = Answering(), memory_of()
        asyncio.run(
            converse(
                CondensePlusContextChatEngine.from_defaults(
                    retriever=Shelf(), llm=llm, memory=memory
                )
            )
        )
        assert [
            m.content for m in memory.get_all() if m.role.value == "user"
        ] == QUESTIONS[:4]


class TestAgent:
    def test_calls_and_results_stay_whole(self) -> None:
        requests: list[list[ChatMessage]] = []

        def answer(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
            requests.append(list(messages))
            if messages[-1].role.value == "tool":
                return ChatMessage(
                    role="assistant", content=f"It says {messages[-1].content}"
                )
            call = ToolCallBlock(
                tool_call_id=f"call {len(requests)}",
                tool_name="look_up",
                tool_kwargs={"city": "Lisbon"},
            )
            return ChatMessage(
                role="assistant", blocks=[TextBlock(text="I look."), call]
            )

        def look_up(city: str) -> str:
            """The weather of a city."""
            return f"rain in {city}"

        async def converse(agent: FunctionAgent, memory: BaseMemory) -> list[str]:
            return [
                str(await agent.run(user_msg=question, memory=memory))
                for question in QUESTIONS[:3]
            ]

        memory = memory_of("buffer")
        agent = FunctionAgent(
            tools=[look_up],
            llm=MockFunctionCallingLLM(response_generator=answer),
            streaming=False,
        )
        answers = asyncio.run(converse(agent, memory))
        assert answers == ["It says rain in Lisbon"] * 3
        said = memory.chat_memory.get_all()[:4]
        assert [m.role for m in said] == ["user", "assistant", "tool", "assistant"]
        assert said[1].tool_calls[0].id == said[2].tool_call_id
        assert said[1].tool_calls[0].arguments == '{"city": "Lisbon"}'
        sent = [
            block
            for m in requests[-1]
            for block in m.blocks
            if isinstance(block, ToolCallBlock)
        ]
        assert [block.tool_kwargs for block in sent] == [{"city": "Lisbon"}] * 3


class TestConversion:
    def messages(self) -> list[ChatMessage]:
        call = ToolCallBlock(
            tool_call_id="a", tool_name="look_up", tool_kwargs={"city": "Lisbon"}
        )
        cut = ToolCallBlock(
            tool_call_id="b", tool_name="look_up", tool_kwargs='{"city": "Lis'
        )
        return [
            ChatMessage(role="system", content="Be kind."),
            ChatMessage(role="developer", content="Be brief."),
            ChatMessage(
                blocks=[
                    TextBlock(text="Look:"),
                    ImageBlock(url="http://127.0.0.1/a.png"),
                ]
            ),
            ChatMessage(
                role="assistant", blocks=[TextBlock(text="I look."), call, cut]
            ),
            ChatMessage(
                role="tool",
                content="rain",
                additional_kwargs={"tool_call_id": "a", "name": "look_up"},
            ),
            ChatMessage(
                role="assistant",
                content="It rains.",
                additional_kwargs={"provider": {"id": 7}},
            ),
            ChatMessage(role="assistant", content=None),
        ]

    def test_what_was_put_in_comes_out_as_it_was(self, tmp_path: Path) -> None:
        memory = memory_of("buffer")
        memory.put_messages(self.messages())
        assert memory.get_all() == self.messages()
        assert memory.chat_memory.get_all()[2].content == "Look:\n[image]"
        kept = memviz.MemoryStore(small("buffer"), persistence=tmp_path / "chats.db")
        LlamaIndexMemory(kept.memory("ann")).set(self.messages())
        again = memviz.MemoryStore(small("buffer"), persistence=tmp_path / "chats.db")
        assert LlamaIndexMemory(again.memory("ann")).get_all() == self.messages(), (
            "after a restart as well"
        )

    def test_messages_of_memviz_come_back_as_they_were(self) -> None:
        call = {
            "id": "a",
            "function": {"name": "look_up", "arguments": '{"city": "Lisbon"}'},
        }
        messages = [
            *talk(2),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", "rain", tool_call_id="a"),  # type: ignore[arg-type]
            Message("user", "Hello", name="ann"),
            Message("user", ""),
        ]
        assert [
            as_message(as_chat_message(message)) for message in messages
        ] == messages

    def test_what_only_llama_index_knows_is_not_sent_to_the_summarizer(self) -> None:
        model = ScriptedModel(["short"] * 9)
        memory = LlamaIndexMemory(ChatMemory(small("summary"), model=model))
        memory.set([*self.messages()[2:3], *map(as_chat_message, talk(2))])
        assert "[image]" in model.requests[0][0].content
        assert "127.0.0.1" not in model.requests[0][0].content


class TestMaking:
    def test_summaries_by_an_llm_of_llama_index(self) -> None:
        llm = Answering()
        memory = LlamaIndexMemory.from_defaults(
            llm=llm, token_limit=8, counter="chars4"
        )
        memory.set([as_chat_message(message) for message in talk(3)[:5]])
        assert memory.get()[0] == ChatMessage(role="system", content="answer 1")
        assert memory.chat_memory.strategy == memviz.strategy(
            "chat_summary_buffer", token_limit=8
        )

    def test_an_llm_that_fails_loses_nothing(self) -> None:
        class Down(Answering):
            def chat(self, messages: Any, **options: Any) -> ChatResponse:
                raise RuntimeError("no connection")

        memory = LlamaIndexMemory(
            ChatMemory(small("summary"), model=LlamaIndexModel(Down()))
        )
        memory.set([as_chat_message(message) for message in talk(3)[:5]])
        assert [m.content for m in memory.get()] == [m.content for m in talk(3)[:5]]
        assert "no connection" in str(memory.chat_memory.run.compactions[0].error)

    @pytest.mark.parametrize("memory", ["summary", None, small("summary")])
    def test_wrong_types_are_refused_at_once(self, memory: Any) -> None:
        with pytest.raises(ParameterError, match="memory"):
            LlamaIndexMemory(memory)
        with pytest.raises(ParameterError, match="llm"):
            LlamaIndexModel(memory)

    def test_recall_works_through_it(self) -> None:
        memory = LlamaIndexMemory(ChatMemory(small("window"), model=Digest()))
        memory.set([as_chat_message(message) for message in talk(4)[:7]])
        memory.chat_memory.recall_conversation([1])
        assert {m.content for m in talk(1)} <= {m.content for m in memory.get()}


def test_a_dictionary_is_taken_as_a_message() -> None:
    memory = LlamaIndexMemory(ChatMemory(memviz.strategy("buffer"), counter="chars4"))
    memory.put({"role": "user", "content": "x"})
    assert memory.get_all() == [ChatMessage(role="user", content="x")]


@pytest.mark.slow
def test_without_llama_index_the_rest_of_memviz_works_and_the_adapter_says_what_to_install() -> (
    None
):
    code = """
import sys
sys.modules["llama_index"] = None
import memviz
from tests.engine.probes import REPRESENTATIVES
memory = memviz.build_chat_memory("offline")
memory.put({"role": "user", "content": "Hello"})
try:
    memviz.LlamaIndexMemory
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "pip install 'memviz[llama-index]'" in done.stdout
