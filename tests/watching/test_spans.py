"""Spans of every convention as exchanges."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.messages import Message
from memviz.transcripts.base import REASONING
from memviz.watching.spans import read_span
from tests.tables import for_each
from tests.watching.span_shapes import (
    ANSWERED,
    ASKED,
    BESIDE,
    CALL_SAID,
    CURRENT,
    OPENINFERENCE,
    TOLD,
    USAGE,
)

Events = Sequence[tuple[str, Mapping[str, Any]]]

AS_VALUES = {
    name: json.loads(value) if str(value).startswith("[") else value
    for name, value in CURRENT.items()
}
OPENLLMETRY = {
    "llm.request.type": "chat",
    "traceloop.association.properties.session_id": "talk",
    "gen_ai.request.model": "small",
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be kind.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": '[{"type": "text", "text": "Weather in Paris?"}]',
    "gen_ai.prompt.2.role": "assistant",
    "gen_ai.prompt.2.tool_calls.0.id": "call_1",
    "gen_ai.prompt.2.tool_calls.0.name": "weather",
    "gen_ai.prompt.2.tool_calls.0.arguments": '{"city": "Paris"}',
    "gen_ai.prompt.3.role": "tool",
    "gen_ai.prompt.3.tool_call_id": "call_1",
    "gen_ai.prompt.3.content": "rainy",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "It rains.",
    "llm.request.functions.0.name": "weather",
    "gen_ai.usage.prompt_tokens": 12,
    "gen_ai.usage.completion_tokens": 5,
    "gen_ai.usage.cache_read_input_tokens": 4,
    "gen_ai.usage.cache_creation_input_tokens": 3,
}
AS_JSON = [(name, {"gen_ai.event.content": json.dumps(one)}) for name, one in TOLD]
DETAILS = [("gen_ai.client.inference.operation.details", CURRENT)]
PLAIN = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": ASKED[1].content},
    {"role": "assistant", "tool_calls": [CALL_SAID]},
    {"role": "tool", "tool_call_id": "call_1", "content": "rainy"},
]
ANSWER = [{"role": "assistant", "content": "It rains."}]
ALL_AT_ONCE = [
    ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(PLAIN)}),
    ("gen_ai.content.completion", {"gen_ai.completion": json.dumps(ANSWER)}),
]


@for_each(
    ("attributes", "events"),
    [
        (CURRENT, []),
        (AS_VALUES, []),
        (OPENLLMETRY, []),
        (OPENINFERENCE, []),
        (BESIDE, TOLD),
        (BESIDE, AS_JSON),
        (BESIDE, DETAILS),
        (BESIDE, ALL_AT_ONCE),
    ],
    
)  # fmt: skip
def test_every_convention_says_the_same(
    attributes: dict[str, Any], events: Events
) -> None:
    found = read_span(attributes, events, "trace")
    assert found is not None
    assert found.sent == ASKED
    assert found.reply == ANSWERED
    assert (found.conversation, found.trace) == ("talk", "trace")
    assert found.usage == USAGE
    assert list(map(json.loads, found.tools)) == [{"name": "weather"}]
    assert found.model == "small"


@for_each(
    ("name", "value"),
    [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.operation.name", "execute_tool"),
        ("openinference.span.kind", "CHAIN"),
        ("llm.request.type", "embedding"),
    ],
)
def test_spans_of_anything_else_are_none(name: str, value: str) -> None:
    assert read_span({**CURRENT, name: value}, [], "t") is None


def test_a_span_that_says_nothing_is_none() -> None:
    assert read_span({"http.method": "GET"}, [("exception", {"a": "b"})], "t") is None


def test_without_a_conversation_there_is_its_trace() -> None:
    known = {**CURRENT}
    del known["gen_ai.conversation.id"]
    found = read_span(known, [], "abc")
    assert found is not None
    assert found.name == "abc"


def test_thoughts_and_pictures() -> None:
    parts = [
        {"type": "reasoning", "content": "Hm."},
        {"type": "text", "content": "See:"},
        {"type": "blob", "modality": "image"},
    ]
    messages = [{"role": "assistant", "parts": parts}]
    found = read_span({"gen_ai.output.messages": messages}, [], "t")
    assert found is not None
    (reply,) = found.reply
    assert reply.content == "See:\n[blob]"
    assert reply.meta == {REASONING: "Hm."}


def test_a_thought_without_text_is_no_message() -> None:
    thought = {"type": "reasoning", "content": ""}
    said = {"role": "assistant", "parts": [{"type": "text", "content": "See."}]}
    messages = [{"role": "assistant", "parts": [thought]}, said]
    found = read_span({"gen_ai.output.messages": messages}, [], "t")
    assert found is not None
    assert [one.content for one in found.reply] == ["See."]


def test_messages_stand_in_the_order_of_their_numbers() -> None:
    numbers = [10, 2, 999_999, 1]
    known = {f"gen_ai.prompt.{n}.content": str(n) for n in numbers}
    found = read_span(known, [], "t")
    assert found is not None
    assert [int(one.content) for one in found.sent] == sorted(numbers)


@for_each(
    "known",
    [
        {"gen_ai.prompt": "just a text"},
        {"gen_ai.prompt": "[not json"},
        {"gen_ai.prompt": [1, None, True, {"content": 5}, {"content": [7]}]},
        {"gen_ai.prompt": "", "gen_ai.prompt.0.content": "x", "gen_ai.prompt.0": "y"},
        {"gen_ai.prompt.0.tool_calls": [5, {"name": ""}, {"function": []}]},
        {"gen_ai.prompt." + "1." * 500 + "content": "deep"},
        {"gen_ai.prompt.0.role": ["x"], "gen_ai.prompt.0.content": "\ud800"},
        {"gen_ai.prompt": "[" * 100_000},
    ],
)
def test_whatever_is_there_makes_messages_or_none(known: dict[str, Any]) -> None:
    found = read_span(known, [], "t")
    assert found is None or all(isinstance(one, Message) for one in found.sent)
