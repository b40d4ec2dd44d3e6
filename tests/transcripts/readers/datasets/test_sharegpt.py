"""ShareGPT rows: who speaks under which name, tool calls as turns, and what rows carry beside the turns."""

import json
from datetime import UTC, datetime

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME, Message, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI, HELLO = {"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}


def row(*turns, **beside):
    return {"conversations": list(turns), **beside}


def load(*rows, format=None):
    return load_transcript(json.dumps(rows).encode(), format)


@for_each(
    ("speaker", "role"),
    [
        *[(name, "user") for name in ("human", "user", "Human", "USER")],
        *[
            (name, "assistant")
            for name in (
                "gpt",
                "chatgpt",
                "GPT-4",
                "bing",
                "bard",
                "assistant",
                "model",
            )
        ],
        ("system", "system"),
    ],
)
def test_names_of_speakers(speaker, role):
    transcript = load(row(HI, {"from": speaker, "value": "x"}))
    assert transcript.messages[1] == Message(role, "x")
    assert (transcript.format, transcript.warnings) == ("sharegpt", ())


@for_each(
    "speaker",
    ["observation", "tool", "function_response", "function-response", "tool_response"],
)
@for_each("caller", ["function_call", "function-call", "tool_call"])
def test_tools_are_called_and_answer(caller, speaker):
    call = {
        "from": caller,
        "value": '{"name": "find", "arguments": {"city": "Málaga"}}',
    }
    transcript = load(row(HI, call, {"from": speaker, "value": "21"}, HELLO))
    assert [message.role for message in transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert transcript.messages[1].tool_calls == (
        ToolCall("", "find", '{"city": "Málaga"}'),
    )
    assert transcript.messages[2].content == "21"
    assert Log(transcript.messages).tools.results_of == {1: [2]}
    assert transcript.warnings == ()


@for_each("as_turns", [True, False])
def test_parallel_calls_are_one_message(as_turns):
    calls = [
        {"name": "a", "arguments": '{"x": 1}'},
        {"name": "b", "parameters": {"y": 2}},
    ]
    turns = [
        {"from": "function_call", "value": value}
        for value in (calls if as_turns else [calls])
    ]
    results = [{"from": "observation", "value": text} for text in ("1", "2")]
    transcript = load(row(HI, *turns, *results, HELLO))
    assert transcript.messages[1].tool_calls == (
        ToolCall("", "a", '{"x": 1}'),
        ToolCall("", "b", '{"y": 2}'),
    )
    assert Log(transcript.messages).tools.results_of == {1: [2, 3]}
    assert transcript.warnings == ()


def test_ids_of_calls_are_kept():
    call = {
        "from": "function_call",
        "value": '[{"id": "c9", "name": "a", "arguments": {}}]',
    }
    transcript = load(
        row(HI, call, {"from": "observation", "value": "1", "tool_call_id": "c9"})
    )
    assert (
        transcript.messages[1].tool_calls[0].id,
        transcript.messages[2].tool_call_id,
    ) == ("c9", "c9")


@for_each(
    "value", ["{'name': 'a'}", "[]", "find(x)", '{"arguments": {}}', "[" * 100_000]
)
def test_a_call_that_is_no_json_stays_the_text_of_the_assistant(value):
    transcript = load(row(HI, {"from": "function_call", "value": value}, HELLO))
    assert transcript.messages[1] == Message("assistant", value)
    assert "kept as the assistant's text: turn 1" in transcript.warnings[0]


def test_unknown_speakers_and_broken_turns_are_left_out_and_counted():
    turns = [
        HI,
        {"from": "narrator", "value": "x"},
        {"value": "y"},
        {"from": "gpt"},
        "z",
        {"from": ["gpt"], "value": "w"},
    ]
    transcript = load(row(*turns))
    assert transcript.messages == (Message("user", "hi"),)
    assert transcript.warnings == (
        "imported 1 of 6 messages: turn 1 has the unknown speaker 'narrator', turn 2 has no speaker, "
        "turn 3 has no value, and 2 more.",
    )


def test_what_rows_say_beside_the_turns():
    first, second, third = load_file(
        (SAMPLES / "sharegpt__tools.json").read_bytes()
    ).transcripts
    assert (first.title, first.system_prompt) == ("row-1", "You book tables.")
    assert (second.title, [message.content for message in second.messages][1]) == (
        "Old page",
        "<p>Hello!</p>",
    )
    assert (third.title, third.messages[0]) == ("7", Message("system", "Be kind."))


def test_rows_of_wildchat_and_lmsys():
    first, second, third = load_file(
        (SAMPLES / "sharegpt__rows.jsonl").read_bytes()
    ).transcripts
    assert (first.language, first.held_at) == (
        "de",
        datetime(2023, 4, 9, 0, 2, 53, tzinfo=UTC),
    )
    assert first.messages[0] == Message("user", "Wie hoch ist der Turm?")
    assert first.messages[1].meta == {TIME: "2023-04-09T00:02:53+00:00"}
    assert [message.role for message in second.messages] == ["user", "assistant"]
    assert [message.content for message in third.messages] == [
        "Pick one.",
        "The blue one.",
    ]
    assert third.warnings == ("the rejected reply was left out.",)


def test_a_row_that_cannot_be_read_does_not_take_the_others_with_it():
    loaded = load_file(
        json.dumps([row(HI), 3, {"id": 1}, row(), row(HI, HELLO), row(HI)]).encode()
    )
    assert [len(transcript.messages) for transcript in loaded.transcripts] == [1, 2, 1]
    assert [
        str(failure).split(": ")[-1].split(".")[0] for failure in loaded.failures
    ] == [
        "it is a number, not an object",
        "a row with a list of turns was expected, found an object with 'id'",
        "the conversation has no messages",
    ]


@for_each(
    "foreign",
    [
        {"items": [{"role": "user", "content": "hi"}]},
        {"conversation": {"speaker_a": "Ana"}},
        {"conversations": [{"mapping": {}}]},
        {"conversations": [{"role": "critic", "content": "x"}]},
    ],
)
def test_other_lists_are_not_claimed(foreign):
    with pytest.raises(TranscriptError, match="no known format"):
        load(foreign)
