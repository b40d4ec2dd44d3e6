"""Each kind of object sends what it would send in its own program."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

import memviz
from memviz import testing
from memviz.testing.objects import messages_of
from tests.tables import for_each
from tests.testing.memories import PROMPT, LastMessages, talk


def sent_last(memory: Any, **settings: Any) -> list[str]:
    """The contents of the last request behind the system prompt."""
    run = testing.replay(talk(), memory, counter="chars4", **settings)
    context = run.runs[0].requests[-1].context
    contents = [message.content for message in context.messages]
    assert contents[0] == PROMPT
    return contents[1:]


def newest(number: int) -> list[str]:
    # The last reply answers the last request.
    contents = [message["content"] for message in talk()[:-1]]
    return contents[-number:]


class PutAndGet:
    def __init__(self) -> None:
        self.all: list[Any] = []

    def put(self, message: Any) -> None:
        self.all.append(message)

    def get(self) -> list[Any]:
        return self.all[-3:]

    def reset(self) -> None:
        self.all.clear()


class AddAndMessages:
    """The messages are an attribute, as in a chat history."""

    def __init__(self) -> None:
        self.all: list[Any] = []

    def add_message(self, message: Any) -> None:
        self.all.append(message)

    @property
    def messages(self) -> list[Any]:
        return self.all[-3:]


class Slowly(PutAndGet):
    """Its methods have to be awaited."""

    async def put(self, message: Any) -> None:
        self.all.append(message)

    async def get(self) -> list[Any]:
        return self.all[-3:]


class Exchanges:
    """A memory of questions and answers, whose history is messages."""

    def __init__(self) -> None:
        self.all: list[Any] = []

    def save_context(self, inputs: dict[str, str], outputs: dict[str, str]) -> None:
        self.all.append({"role": "user", "content": inputs["input"]})
        self.all.append({"role": "assistant", "content": outputs["output"]})

    def load_memory_variables(self, inputs: dict[str, str]) -> dict[str, Any]:
        assert inputs["input"] == newest(1)[0] or len(self.all) < 18
        return {"history": self.all[-2:]}


class Invoked:
    def invoke(self, messages: list[Any]) -> list[Any]:
        return messages[-3:]


@for_each(
    "memory",
    [
        PutAndGet,
        PutAndGet(),
        AddAndMessages,
        Slowly,
        Exchanges,
        Invoked(),
        lambda messages: messages[-3:],
        lambda: deque(maxlen=3),
        deque(maxlen=3),
        memviz.strategy("window", window_size=3),
    ],
)
def test_an_object_of_ones_own_is_known_by_its_methods(memory: Any) -> None:
    assert sent_last(memory) == newest(3)


def test_settings_are_those_of_the_object() -> None:
    assert sent_last(LastMessages, keep=5) == newest(5)
    assert sent_last(lambda keep: LastMessages(keep), keep=4) == newest(4)


def test_a_memory_of_memviz_gets_messages_of_memviz() -> None:
    strategy = memviz.strategy("window", window_size=3)
    assert sent_last(lambda: memviz.ChatMemory(strategy)) == newest(3)


def from_llama_index() -> Any:
    memory = pytest.importorskip("llama_index.core.memory").ChatMemoryBuffer
    return memory.from_defaults(token_limit=30)


def history_of_langchain() -> Any:
    histories = pytest.importorskip("langchain_core.chat_history")

    class Newest(histories.InMemoryChatMessageHistory):  # type: ignore[misc, name-defined]
        def get_messages(self) -> list[Any]:
            messages: list[Any] = self.messages[-3:]
            return messages

    return Newest()


def trimmer_of_langchain() -> Any:
    messages = pytest.importorskip("langchain_core.messages")
    return messages.trim_messages(max_tokens=3, token_counter=len, strategy="last")


@for_each("make", [from_llama_index, history_of_langchain, trimmer_of_langchain])
def test_objects_of_libraries_get_their_own_messages(make: Callable[[], Any]) -> None:
    sent = sent_last(make())
    assert sent == newest(len(sent))
    assert 2 <= len(sent) < 20


def test_a_middleware_that_edits_the_state_and_one_that_edits_the_request() -> None:
    middleware = pytest.importorskip("langchain.agents.middleware")
    messages = pytest.importorskip("langchain_core.messages")
    everything = pytest.importorskip("langgraph.graph.message").REMOVE_ALL_MESSAGES

    class State(middleware.AgentMiddleware):  # type: ignore[misc, name-defined]
        def before_model(self, state: Any, runtime: Any) -> Any:
            remove = messages.RemoveMessage(id=everything)
            return {"messages": [remove, *state["messages"][-3:]]}

    class Request(middleware.AgentMiddleware):  # type: ignore[misc, name-defined]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(messages=request.messages[-5:]))

    class StateLater(State):
        before_model = middleware.AgentMiddleware.before_model

        async def abefore_model(self, state: Any, runtime: Any) -> Any:
            return State().before_model(state, runtime)

    class RequestLater(middleware.AgentMiddleware):  # type: ignore[misc, name-defined]
        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(request.override(messages=request.messages[-5:]))

    assert sent_last(State()) == sent_last(StateLater()) == newest(3)
    assert sent_last(Request()) == sent_last(RequestLater()) == newest(5)
    with pytest.raises(testing.UnknownMemoryError, match="neither before_model nor"):
        sent_last(middleware.AgentMiddleware())


def test_a_middleware_may_override_the_system_message() -> None:
    middleware = pytest.importorskip("langchain.agents.middleware")
    kinds = pytest.importorskip("langchain_core.messages")
    seen = set[str]()

    class Override(middleware.AgentMiddleware):  # type: ignore[misc, name-defined]
        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            seen.add(request.system_message.content)
            text = self.words.format(prompt=request.system_message.content)
            system = kinds.SystemMessage(text)
            newest = request.messages[-1:]
            return handler(request.override(system_message=system, messages=newest))

    memory = "Ann plans a trip."
    sent = sent_last(Override(f"{{prompt}}\n\n{memory}"))
    assert sent == [memory, *newest(1)]
    assert seen == {PROMPT}
    without = testing.replay(talk(), Override(memory), counter="chars4").verify()
    (line,) = without.reasons
    assert line.endswith("the system prompt is left out.")
    two = [{"role": "system", "content": "Be kind."}, *talk()]
    both = testing.replay(two, Override(f"{{prompt}}\n\n{memory}"), counter="chars4")
    assert both.verify()
    last = both.runs[0].requests[-1].context.messages
    contents = [message.content for message in last]
    assert contents == ["Be kind.", PROMPT, memory, *newest(1)]


def test_what_an_object_gives_becomes_messages() -> None:
    said = {"role": "user", "content": "Hi"}
    assert [m.content for m, _ in messages_of([said, "Note", [said]])] == [
        "Hi",
        "Note",
        "Hi",
    ]
    assert [m.role for m, _ in messages_of({"history": "Human: Hi"})] == ["system"]
    assert messages_of({"history": " "}) == []
    assert [m.content for m, _ in messages_of(said)] == ["Hi"]
