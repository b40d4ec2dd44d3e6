"""Framing and tool schemas against what the OpenAI API billed: figures of its cookbook, and of those who tried it."""

from __future__ import annotations

import json
from typing import Any

import memviz
from memviz import Message
from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.core.tool_schemas import (
    SAVED_BY_SYSTEM_MESSAGE,
    count_schema_tokens,
    definitions,
)
from memviz.metrics.requests.traffic import count_traffic
from tests.tables import for_each

JARGON = [
    Message(
        "system",
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    Message(
        "system", "New synergies will help drive top-line growth.", name="example_user"
    ),
    Message(
        "system",
        "Things working well together will increase revenue.",
        name="example_assistant",
    ),
    Message(
        "system",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        name="example_user",
    ),
    Message(
        "system",
        "Let's talk later when we're less busy about how to do better.",
        name="example_assistant",
    ),
    Message(
        "user",
        "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    ),
]
"""The example of OpenAI's cookbook, "How to count tokens with tiktoken"."""
WEATHER = [
    Message(
        "system",
        "You are a helpful assistant that can answer to questions about the weather.",
    ),
    Message("user", "What's the weather like in San Francisco?"),
]
WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {
                    "type": "string",
                    "description": "The city and state, e.g. San Francisco, CA",
                },
                "unit": {
                    "type": "string",
                    "description": "The unit of temperature to return",
                    "enum": ["celsius", "fahrenheit"],
                },
            },
            "required": ["location"],
        },
    },
}


def billed(messages: list[Message], counter: str, *tools: dict[str, Any]) -> int:
    """The tokens of the one request of a conversation that gets a reply."""
    schemas = [json.dumps(tool) for tool in tools]
    said = [*messages, Message("assistant", "Yes.")]
    run = memviz.replay(said, memviz.strategy("buffer"), counter=counter, tools=schemas)
    (request,) = run.requests
    return request.total_tokens


@for_each(("counter", "tokens"), [("o200k_base", 124), ("cl100k_base", 129)])
def test_messages_count_as_the_cookbook_counts_them(counter: str, tokens: int) -> None:
    assert billed(JARGON, counter) == tokens


@for_each(("counter", "tokens"), [("o200k_base", 101), ("cl100k_base", 105)])
def test_a_tool_counts_as_the_api_billed_it_in_the_cookbook(
    counter: str, tokens: int
) -> None:
    assert billed(WEATHER, counter, WEATHER_TOOL) == tokens


def test_the_parts_of_a_request_are_counted_apart() -> None:
    run = memviz.replay(
        [*JARGON, Message("assistant", "Yes.")], memviz.strategy("buffer")
    )
    tokens = run.requests[0].tokens
    count = memviz.counter("o200k_base")
    assert tokens["overhead"] == 4 * len(JARGON) + 3
    assert tokens["names"] == 2 * (
        count("example_user") + 1 + count("example_assistant") + 1
    )
    assert run.columns.totals.tolist() == [124]


def function(name: str, description: str = "", **properties: Any) -> dict[str, Any]:
    about = {"description": description} if description else {}
    return {
        "name": name,
        **about,
        "parameters": {"type": "object", "properties": properties},
    }


RECIPE = {
    "name": "get_recipe",
    "parameters": {
        "type": "object",
        "required": ["ingredients", "instructions", "time_to_cook"],
        "properties": {
            "ingredients": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "unit", "amount"],
                    "properties": {
                        "name": {"type": "string"},
                        "unit": {
                            "enum": ["grams", "ml", "cups", "pieces", "teaspoons"],
                            "type": "string",
                        },
                        "amount": {"type": "number"},
                    },
                },
            },
            "instructions": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Steps to prepare the recipe (no numbering)",
            },
            "time_to_cook": {
                "type": "number",
                "description": "Total time to prepare the recipe in minutes",
            },
        },
    },
}
A_NUMBER = {"type": "number", "description": "A number"}
LETTERS = {"type": "string", "enum": ["a", "b", "c"]}
WITHIN = {"type": "object", "properties": {"bar": LETTERS, "baz": {"type": "boolean"}}}


@for_each(
    ("tool", "tokens"),
    [
        (function("foo"), 31),
        (function("foo", "Do a foo"), 36),
        (function("bing_bong", "Do a bing bong", foo={"type": "string"}), 49),
        (
            function(
                "bing_bong", "Do a bing bong", foo={"type": "string"}, bar=A_NUMBER
            ),
            57,
        ),
        (function("bing_bong", "Do a bing bong", foo=WITHIN), 68),
        (RECIPE, 106),
    ],
)
def test_tools_count_as_gpt_3_5_billed_them_beside_one_word(
    tool: dict[str, Any], tokens: int
) -> None:
    assert billed([Message("user", "hello")], "cl100k_base", tool) == tokens


def test_the_schema_may_be_in_the_shape_of_any_provider() -> None:
    about = WEATHER_TOOL["function"]
    assert isinstance(about, dict)
    name, description, parameters = (
        about["name"],
        about["description"],
        about["parameters"],
    )
    shapes = [
        about,
        {"name": name, "description": description, "input_schema": parameters},
        {
            "toolSpec": {
                "name": name,
                "description": description,
                "inputSchema": {"json": parameters},
            }
        },
    ]
    wanted = definitions([json.dumps(WEATHER_TOOL)])
    assert [definitions([json.dumps(shape)]) for shape in shapes] == [wanted] * 3


def test_references_and_alternatives_are_written_out() -> None:
    tree = {
        "type": "object",
        "properties": {"child": {"$ref": "#/$defs/Tree"}, "size": {"type": "integer"}},
    }
    tool = function(
        "plant",
        tree={"$ref": "#/$defs/Tree"},
        at={"anyOf": [{"type": "string"}, {"type": "null"}]},
    )
    tool["parameters"]["$defs"] = {"Tree": tree}
    written = definitions([json.dumps(tool)])
    assert "at?: string | null," in written
    assert "  size?: number," in written


@for_each("text", ["no JSON at all", "[1, 2]", '"text"', "{}", "[" * 100_000])
def test_what_is_no_schema_counts_as_its_text(text: str) -> None:
    count = memviz.counter("chars4")
    assert count_schema_tokens(count, (text,), has_system_prompt=False) > count(text)


def test_no_tools_add_nothing() -> None:
    assert (
        count_schema_tokens(memviz.counter("chars4"), (), has_system_prompt=False) == 0
    )


def test_a_summary_takes_the_schemas_in_as_a_system_prompt_does() -> None:
    said = [Message("user", "hello"), Message("assistant", "Yes.")] * 3
    counts = []
    for prompt in (None, "Be brief."):
        run = memviz.replay(
            said,
            memviz.strategy("summary", buffer_size=1),
            tools=[json.dumps(WEATHER_TOOL)],
            system_prompt=prompt,
        )
        counts.append([request.tokens["tools"] for request in run.requests])
        assert run.columns.tokens["tools"].tolist() == counts[-1]
    before, with_prompt = counts
    assert before == [with_prompt[0] + SAVED_BY_SYSTEM_MESSAGE, *with_prompt[1:]]


def test_a_later_system_message_takes_the_schemas_in_while_it_is_sent() -> None:
    said = [
        Message("user", "hello"),
        Message("assistant", "Yes."),
        Message("system", "Be brief."),
        Message("user", "Shorter?"),
        Message("assistant", "Yes."),
        Message("user", "Good."),
        Message("assistant", "Yes."),
    ]
    window = memviz.strategy("window", window_size=2)
    run = memviz.replay(said, window, tools=[json.dumps(WEATHER_TOOL)])
    first, with_system, last = (request.tokens["tools"] for request in run.requests)
    assert first == last == with_system + SAVED_BY_SYSTEM_MESSAGE
    assert run.columns.tokens["tools"].tolist() == [first, with_system, last]


@for_each("id", ["summary", "summary_only"])
def test_what_two_requests_share_holds_the_schemas_as_they_were_counted(
    id: str,
) -> None:
    said = [Message("user", "hello"), Message("assistant", "Yes.")] * 6
    prompt = Message("system", "Be brief.")
    shared = []
    for system_prompt in (None, prompt.content):
        run = memviz.replay(
            said,
            memviz.strategy(id, **({"buffer_size": 1} if id == "summary" else {})),
            tools=[json.dumps(WEATHER_TOOL)],
            system_prompt=system_prompt,
        )
        shared.append(count_traffic(run).shared_tokens[2:])
    without, with_prompt = shared
    of_prompt = memviz.counter("o200k_base")(prompt.content) + TOKENS_PER_MESSAGE
    # Of both runs the schemas cost the same: a summary takes them in, too.
    assert (with_prompt - without == of_prompt).all()
