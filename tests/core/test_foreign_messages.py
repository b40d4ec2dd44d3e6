"""Messages of other libraries are taken as they are: objects of the installed libraries, and objects of their shape."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import memviz
from memviz import Message, MessageError, ToolCall
from tests.tables import for_each

LOOK_UP = {
    "id": "a",
    "function": {"name": "look_up", "arguments": '{"city": "Lisbon"}'},
}
SAME = [
    Message("system", "Be kind."),
    Message("user", "What is the weather?"),
    Message("assistant", "I look.", tool_calls=(LOOK_UP,)),  # type: ignore[arg-type]
    Message("tool", "rain", tool_call_id="a"),
    Message("assistant", "It rains."),
]


class TestLangChain:
    def messages(self) -> list[Any]:
        of = pytest.importorskip("langchain_core.messages")
        return [
            of.SystemMessage("Be kind."),
            of.HumanMessage([{"type": "text", "text": "What is "}, "the weather?"]),
            of.AIMessage(
                "I look.",
                tool_calls=[{"name": "look_up", "args": {"city": "Lisbon"}, "id": "a"}],
            ),
            of.ToolMessage("rain", tool_call_id="a"),
            of.AIMessageChunk(content="It rains."),
        ]

    def test_are_taken_by_every_face(self) -> None:
        memory, store = (
            memviz.ChatMemory(memviz.strategy("buffer")),
            memviz.MemoryStore(memviz.strategy("buffer")),
        )
        for message in self.messages():
            memory.append(message)
            store.append("ann", message)
        assert memory.get_all() == store.load("ann") == SAME
        memory.set(self.messages())
        assert memory.load() == SAME
        assert (
            list(memviz.replay(self.messages(), memviz.strategy("buffer")).log) == SAME
        )

    def test_roles_and_parts(self) -> None:
        of = pytest.importorskip("langchain_core.messages")
        image = {
            "type": "image_url",
            "image_url": {"url": "data:image/png;base64,AAAA"},
        }
        used = {"type": "tool_use", "id": "a", "name": "look_up", "input": {}}
        thought = {"type": "thinking", "thinking": "What may it be?"}
        broken = {
            "name": "look_up",
            "args": '{"city": ',
            "id": "b",
            "error": "cut off",
            "type": "invalid_tool_call",
        }
        found = [
            Message.of(message)
            for message in (
                of.HumanMessage(["Look: ", image], name="ann"),
                of.AIMessage([thought, {"type": "text", "text": "Yes."}, used]),
                of.AIMessage("", invalid_tool_calls=[broken]),
                of.FunctionMessage("rain", name="look_up"),
                of.ChatMessage("Hello", role="user"),
            )
        ]
        assert found == [
            Message("user", "Look: [image]", name="ann"),
            Message("assistant", "Yes.", tool_calls=(ToolCall("a", "look_up", "{}"),)),
            Message(
                "assistant", "", tool_calls=(ToolCall("b", "look_up", '{"city": '),)
            ),
            Message("tool", "rain", name="look_up"),
            Message("user", "Hello"),
        ]

    def test_a_call_that_stands_in_both_places_is_one(self) -> None:
        of = pytest.importorskip("langchain_core.messages")
        used = {
            "type": "tool_use",
            "id": "a",
            "name": "look_up",
            "input": {"city": "Lisbon"},
        }
        call = {"name": "look_up", "args": {"city": "Lisbon"}, "id": "a"}
        assert Message.of(of.AIMessage(["I look.", used], tool_calls=[call])) == SAME[2]
        assert Message.of(of.AIMessage(["I look.", used])) == SAME[2]

    def test_one_of_no_role_is_refused(self) -> None:
        of = pytest.importorskip("langchain_core.messages")
        with pytest.raises(MessageError, match="'remove' is unknown"):
            Message.of(of.RemoveMessage(id="1"))


class TestLlamaIndex:
    def messages(self) -> list[Any]:
        of = pytest.importorskip("llama_index.core.base.llms.types")
        call = of.ToolCallBlock(
            tool_call_id="a", tool_name="look_up", tool_kwargs={"city": "Lisbon"}
        )
        return [
            of.ChatMessage(role="developer", content="Be kind."),
            of.ChatMessage("What is the weather?"),
            of.ChatMessage(
                role="assistant", blocks=[of.TextBlock(text="I look."), call]
            ),
            of.ChatMessage(
                role="tool", content="rain", additional_kwargs={"tool_call_id": "a"}
            ),
            of.ChatMessage(role="model", content="It rains."),
        ]

    def test_are_taken_as_they_are(self) -> None:
        memory = memviz.ChatMemory(memviz.strategy("buffer"))
        memory.set(self.messages())
        assert memory.get() == SAME

    def test_calls_and_names_of_additional_kwargs_and_other_blocks(self) -> None:
        of = pytest.importorskip("llama_index.core.base.llms.types")
        picture = of.ImageBlock(url="http://127.0.0.1/a.png")
        cited = of.CitationBlock(
            cited_content=of.TextBlock(text="a report"),
            source="x",
            title="t",
            additional_location_info={},
        )
        found = [
            Message.of(message)
            for message in (
                of.ChatMessage(
                    role="assistant",
                    content=None,
                    additional_kwargs={"tool_calls": [LOOK_UP]},
                ),
                of.ChatMessage(
                    blocks=[
                        of.TextBlock(text="one"),
                        of.TextBlock(text="two"),
                        picture,
                        cited,
                    ]
                ),
                of.ChatMessage(
                    role="assistant",
                    blocks=[of.ThinkingBlock(content="Hm."), of.TextBlock(text="Yes.")],
                ),
                of.ChatMessage(
                    role="function",
                    content="rain",
                    additional_kwargs={"name": "look_up"},
                ),
            )
        ]
        assert found == [
            Message("assistant", "", tool_calls=(LOOK_UP,)),  # type: ignore[arg-type]
            Message("user", "one\ntwo\n[image]\na report"),
            Message("assistant", "Yes."),
            Message("tool", "rain", name="look_up"),
        ]


class TestOpenAI:
    def test_a_reply_of_the_client_is_taken_as_it_is(self) -> None:
        of = pytest.importorskip("openai.types.chat")
        reply = of.ChatCompletionMessage.model_validate(
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [LOOK_UP | {"type": "function"}],
            }
        )
        assert Message.of(reply) == SAME[2]

    def test_the_transcript_of_the_audio_is_what_the_reply_says(self) -> None:
        of = pytest.importorskip("openai.types.chat")
        audio = {"id": "a", "data": "", "expires_at": 1, "transcript": "Sorry."}
        said = {"role": "assistant", "content": None, "audio": audio}
        assert (
            Message.of(of.ChatCompletionMessage.model_validate(said)).content
            == "Sorry."
        )
        said["refusal"] = "I cannot."
        assert (
            Message.of(of.ChatCompletionMessage.model_validate(said)).content
            == "I cannot.\nSorry."
        )

    def test_a_refusal_is_what_the_reply_says(self) -> None:
        of = pytest.importorskip("openai.types.chat")
        reply = of.ChatCompletionMessage(
            role="assistant", content=None, refusal="I cannot."
        )
        assert (
            Message.of(reply)
            == Message.of(reply.model_dump())
            == Message("assistant", "I cannot.")
        )

    def test_anything_of_that_shape(self) -> None:
        assert Message.of(
            SimpleNamespace(role="user", content="Hello", name="ann")
        ) == Message("user", "Hello", name="ann")


@for_each(
    "value",
    [
        "Hello",
        7,
        None,
        ["user", "Hello"],
        object(),
        Message,
        SimpleNamespace(role="user", content=3),
    ],
)
def test_what_has_no_such_shape_is_refused_in_a_sentence(value: Any) -> None:
    with pytest.raises(
        MessageError, match=r"has to be (an object with role and content|text)\."
    ):
        Message.of(value)
