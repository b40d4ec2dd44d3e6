"""The code for LlamaIndex, run with that library: what its chat engine sends, and every difference that is named."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from itertools import count
from types import ModuleType
from typing import Any

import pytest

import memviz
from memviz import Message, ScriptedModel
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.running import (
    load,
    pairs,
    requests,
    setting,
    talk,
    texts,
    with_code,
)

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory

OWN = ("window", "recent_only", "summary", "summary_buffer", "summary_only")


class Answering(MockLLM):
    """Answers with what a function makes of the messages, and keeps them."""

    _answer: Callable[[list[ChatMessage]], str] = PrivateAttr()
    _requests: list[list[tuple[str, str]]] = PrivateAttr()

    def __init__(self, answer: Callable[[list[ChatMessage]], str]) -> None:
        super().__init__()
        self._answer, self._requests = answer, []

    @property
    def requests(self) -> list[list[tuple[str, str]]]:
        return self._requests

    def chat(self, messages: Any, **options: Any) -> ChatResponse:
        self._requests.append([(m.role.value, m.content or "") for m in messages])
        return ChatResponse(
            message=ChatMessage(role="assistant", content=self._answer(list(messages)))
        )


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for the package with the models, which needs a provider to talk to."""
    module = ModuleType("llama_index.llms.litellm")
    module.LiteLLM = lambda model, **options: Answering(lambda _: f"I am {model}.")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "llama_index.llms.litellm", module)


def numbered() -> Iterator[str]:
    return (f"Summary {number}" + " and so on" * (number % 7) for number in count(1))


def held(wanted: Setting, talked: list[Message]) -> list[list[tuple[str, str]]]:
    """The requests of a chat engine with the exported memory, when this conversation is held."""
    names, summaries = load("llamaindex", wanted), numbered()
    memory = names["build_memory"](Answering(lambda _: next(summaries)))
    replies = iter([reply for _, reply in pairs(talked)])
    llm = Answering(lambda _: next(replies))
    engine = SimpleChatEngine.from_defaults(
        llm=llm, memory=memory, system_prompt=names["SYSTEM_PROMPT"]
    )
    for question, _ in pairs(talked):
        engine.chat(question)
    return llm.requests


def simulated(wanted: Setting, talked: list[Message]) -> list[list[tuple[str, str]]]:
    return [
        texts(sent) for _, sent in requests(talked, wanted, ScriptedModel(numbered()))
    ]


@pytest.mark.parametrize("counter", ["o200k_base", "bytes4"])
@pytest.mark.parametrize("id", [*OWN, "buffer", "chat_summary_buffer"])
def test_the_chat_engine_sends_what_memviz_simulated(id: str, counter: str) -> None:
    talked = list(bundled()["trip"].messages)
    wanted = setting(id, counter=counter, system_prompt="Be kind.")
    assert held(wanted, talked) == simulated(wanted, talked)


@pytest.mark.parametrize("counter", ["o200k_base", "chars4"])
def test_the_system_prompt_counts_where_it_is_asked_to(counter: str) -> None:
    talked, prompt = (
        list(bundled()["tutoring"].messages),
        "Be kind and patient with everybody. " * 30,
    )
    counted, uncounted = (
        setting(
            "chat_summary_buffer",
            counter=counter,
            system_prompt=prompt,
            parameters={"count_initial_tokens": on},
        )
        for on in (True, False)
    )
    assert (
        held(counted, talked) == simulated(counted, talked) != held(uncounted, talked)
    )


def as_chat_message(message: Message) -> ChatMessage:
    chat_message = ChatMessage(role=message.role, content=message.content)
    for call in message.tool_calls:
        chat_message.blocks.append(
            ToolCallBlock(
                tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments
            )
        )
    if message.tool_call_id:
        chat_message.additional_kwargs["tool_call_id"] = message.tool_call_id
    return chat_message


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("id", OWN)
def test_tool_calls_are_sent_as_in_the_replay(id: str, repair: bool) -> None:
    talked, model = list(bundled()["support"].messages), memviz.model("offline")
    wanted = setting(id, repair_tool_pairs=repair)
    expected = dict(requests(talked, wanted, model))

    def summarize(messages: list[ChatMessage]) -> str:
        return model.summarize(
            [Message(m.role.value, m.content or "") for m in messages]
        ).text

    memory = load("llamaindex", wanted)["build_memory"](Answering(summarize))
    for length, message in enumerate(talked, start=1):
        memory.put(as_chat_message(message))
        if length in expected:
            got = memory.get()
            assert [(m.role.value, m.content or "") for m in got] == texts(
                expected[length]
            )
            assert sum(
                isinstance(b, ToolCallBlock) for m in got for b in m.blocks
            ) == sum(len(m.get("tool_calls", ())) for m in expected[length])


def test_the_own_memory_is_a_memory_of_the_library() -> None:
    memory = load("llamaindex", setting("window", parameters={"window_size": 2}))[
        "build_memory"
    ](None)
    messages = [as_chat_message(message) for message in talk(2)]
    memory.set(messages)
    assert (memory.get(), memory.get_all()) == (messages[2:], messages)
    memory.reset()
    assert memory.get_all() == []


def buffer_of(id: str, answer: Callable[[Any], str], **parameters: Any) -> Any:
    return load("llamaindex", setting(id, parameters=parameters, counter="chars4"))[
        "build_memory"
    ](Answering(answer))


def put(memory: Any, *contents: tuple[str, str]) -> None:
    for role, content in contents:
        memory.put(ChatMessage(role=role, content=content))


def failing(messages: Any) -> str:
    raise ConnectionError("no answer")


def named(id: str, words: str) -> bool:
    """Whether the file says so."""
    return words in targets()["llamaindex"].write(setting(id)).replace("\n#   ", " ")


class TestDifferences:
    """Each is named in the file, and the library really does so. A token is four characters here."""

    def test_a_failing_summarizer_loses_the_newest_messages(self) -> None:
        assert named(
            "chat_summary_buffer", "LlamaIndex loses the newest messages for good"
        )
        memory = buffer_of("chat_summary_buffer", failing, token_limit=25)
        put(
            memory,
            *[
                ("user" if i % 2 == 0 else "assistant", f"number {i} " + "x" * 10)
                for i in range(9)
            ],
        )
        before = [m.content for m in memory.get_all()]
        with pytest.raises(ConnectionError):
            memory.get()
        left = [m.content for m in memory.get_all()]
        assert len(left) < 9
        assert left == before[: len(left)]  # the newest are the ones that are gone

    def test_a_question_over_the_limit_is_swallowed(self) -> None:
        assert named("chat_summary_buffer", "swallowed by the summary")
        memory = buffer_of("chat_summary_buffer", lambda _: "short", token_limit=25)
        put(memory, ("user", "y" * 400))
        assert [(m.role.value, m.content) for m in memory.get()] == [
            ("system", "short")
        ]

    @pytest.mark.parametrize(
        ("id", "parameter"),
        [("chat_summary_buffer", "token_limit"), ("token_buffer", "max_tokens")],
    )
    def test_a_leading_system_message_is_no_system_prompt(
        self, id: str, parameter: str
    ) -> None:
        assert named(id, "give it as system_prompt")
        memory = buffer_of(id, lambda _: "short", **{parameter: 25})
        said = [
            ("system", "rules"),
            *(("user" if i % 2 == 0 else "assistant", "x" * 40) for i in range(5)),
        ]
        put(memory, *said)
        assert "rules" not in [m.content for m in memory.get()]
        run = memviz.replay(
            [Message(*each) for each in said],
            setting(id, parameters={parameter: 25}).strategy,
        )
        assert all(
            record.context.messages[0].content == "rules" for record in run.turns
        )

    def test_what_was_summarized_is_removed(self) -> None:
        assert named("chat_summary_buffer", "removed from the chat store")
        memory = buffer_of("chat_summary_buffer", lambda _: "short", token_limit=25)
        put(
            memory,
            *[("user" if i % 2 == 0 else "assistant", "x" * 20) for i in range(9)],
        )
        memory.get()
        assert len(memory.get_all()) < 9

    def test_the_summarizer_reads_another_layout(self) -> None:
        assert named("chat_summary_buffer", "in another layout, without the tool calls")
        llm = Answering(lambda _: "short")
        wanted = setting(
            "chat_summary_buffer", parameters={"token_limit": 5}, counter="chars4"
        )
        memory = load("llamaindex", wanted)["build_memory"](llm)
        call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
        memory.put(
            as_chat_message(
                Message("assistant", "I look it up." * 4, tool_calls=(call,))
            )
        )  # type: ignore[arg-type]
        put(memory, ("user", "And?"))
        memory.get()
        assert llm.requests[0][0] == ("system", wanted.strategy.instruction)
        assert "I look it up." in llm.requests[0][1][1]
        assert "look_up" not in llm.requests[0][1][1]

    def test_the_first_message_kept_is_the_users(self) -> None:
        assert named("token_buffer", "The first message kept is never an assistant's")
        talked = talk(4)
        wanted = setting(
            "token_buffer", counter="o200k_base", parameters={"max_tokens": 60}
        )
        library, memvizs = held(wanted, talked)[-1], simulated(wanted, talked)[-1]
        assert memvizs[0][0] == "assistant"
        assert library == memvizs[1:]

    def test_the_messages_are_counted_as_one_text(self) -> None:
        assert named("token_buffer", "counted as one text")
        words = [("user", "abcd"), ("assistant", "abcd"), ("user", "abcd")]
        memory = buffer_of("token_buffer", failing, max_tokens=3)
        put(memory, *words)
        assert len(memory.get()) == 3  # 14 characters with the blanks
        memory = buffer_of("token_buffer", failing, max_tokens=4)
        put(memory, *words, ("assistant", "abcd"), ("user", "abcdef"))
        assert (
            len(memory.get()) < 4
        )  # 25 characters with the blanks; memviz counts 1 + 1 + 1 + 1
        sent = simulated(
            setting("token_buffer", counter="chars4", parameters={"max_tokens": 4}),
            [Message(*m) for m in (*words, ("assistant", "abcd"), ("user", "abcdef"))],
        )[-1]
        assert len(sent) == 4

    def test_the_newest_message_is_sent_whoever_said_it(self) -> None:
        assert named(
            "token_buffer", "When not even the newest message fits, it is sent alone"
        )
        memory = buffer_of("token_buffer", failing, max_tokens=2)
        put(memory, ("user", "abcd"), ("assistant", "z" * 100))
        assert [m.content for m in memory.get()] == ["z" * 100]

    def test_the_buffer_never_cuts(self) -> None:
        memory = load("llamaindex", setting("buffer"))["build_memory"](None)
        put(memory, *[("user", "word " * 2000)] * 20)
        assert len(memory.get()) == 20


@pytest.mark.parametrize("id", with_code("llamaindex"))
def test_the_example_runs(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    load("llamaindex", setting(id, model="anthropic/claude-sonnet-4-5"))["main"]()
    assert capsys.readouterr().out == "I am anthropic/claude-sonnet-4-5.\n" * 2


def test_without_a_model_nothing_is_summarized() -> None:
    names = load("llamaindex", setting("summary"))
    with pytest.raises(RuntimeError, match="SUMMARIZER"):
        names["summarize"]([{"role": "user", "content": "Hello"}])


FACTS_LIMIT = {"token_limit": 400, "static_text": "Ada is the owner."}


def facts() -> Iterator[str]:
    return (
        f"Here: <facts>\n<fact>Fact {n // 2}</fact><fact>Fact {n}</fact></facts>"
        for n in count(1)
    )


def with_memory(
    memory: Memory, use: Callable[[Memory], Coroutine[Any, Any, None]]
) -> None:
    """Use a memory within one event loop, as its database has to be."""

    async def using() -> None:
        try:
            await use(memory)
        finally:
            await memory.sql_store._async_engine.dispose()  # type: ignore[union-attr]

    asyncio.run(using())


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [FACTS_LIMIT, {"token_limit": 300, "history_percent": 40, "flush_percent": 30}],
)
def test_the_memory_with_facts_sends_what_memviz_simulated(
    parameters: dict[str, Any],
) -> None:
    talked = list(bundled()["trip"].messages)
    wanted = setting("fifo_facts", parameters=parameters, system_prompt="Be kind.")
    names, answers, replies = (
        load("llamaindex", wanted),
        facts(),
        iter([reply for _, reply in pairs(talked)]),
    )
    asked = Answering(lambda _: next(answers))
    llm = Answering(lambda _: next(replies))

    async def holding(memory: Memory) -> None:
        engine = SimpleChatEngine.from_defaults(
            llm=llm, memory=memory, system_prompt="Be kind."
        )
        for question, _ in pairs(talked):
            await engine.achat(question)

    with_memory(names["build_memory"](asked), holding)
    expected = requests(
        talked,
        setting("fifo_facts", parameters=parameters, system_prompt="Be kind."),
        ScriptedModel(facts()),
    )
    assert llm.requests == [texts(sent) for _, sent in expected]
    assert asked.requests


class TestFactsDifferences:
    """Each is named in the file, and the library really does so."""

    def test_a_failing_model_loses_what_was_taken_out(self) -> None:
        assert named("fifo_facts", "LlamaIndex loses the messages that it took out")
        wanted, left = setting("fifo_facts", parameters={"token_limit": 60}), []

        async def putting(memory: Memory) -> None:
            for message in talk(6):
                with suppress(ConnectionError):
                    await memory.aput(as_chat_message(message))
            left.extend(m.content for m in await memory.aget())

        with_memory(
            load("llamaindex", wanted)["build_memory"](Answering(failing)), putting
        )
        assert 0 < len(left) < 12
        assert left == [m.content for m in talk(6)][-len(left) :]

    def test_facts_stand_in_a_system_message_of_the_history(self) -> None:
        assert named("fifo_facts", "LlamaIndex puts the facts before its words")
        wanted = setting(
            "fifo_facts", parameters={"token_limit": 1000, "static_text": "Ada."}
        )
        sent = []

        async def putting(memory: Memory) -> None:
            for role, content in (
                ("user", "Hello"),
                ("system", "A note."),
                ("user", "And?"),
            ):
                await memory.aput(ChatMessage(role=role, content=content))
            sent.extend(
                (m.role.value, "Ada." in str(m.content)) for m in await memory.aget()
            )

        with_memory(
            load("llamaindex", wanted)["build_memory"](Answering(failing)), putting
        )
        assert sent == [("user", False), ("system", True), ("user", False)]
