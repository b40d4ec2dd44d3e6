"""Cohere's chat API: both versions, what is asked beside the history, results that repeat their calls, documents."""

import json

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def sample(name):
    return load_transcript((SAMPLES / f"cohere__{name}").read_bytes())


def load(value):
    return load_transcript(json.dumps(value).encode())


def bare(transcript):
    return [(message.role, message.content) for message in transcript.messages]


HISTORY = [
    ("user", "Who discovered gravity?"),
    ("assistant", "Newton."),
    ("system", "Be short."),
    ("user", "Weather in Oslo?"),
    ("assistant", "I will look it up."),
    ("tool", '{"text": "snow"}\n{"text": "-3"}'),
    ("tool", '{"t": 20}'),
    ("assistant", "Snow in Oslo."),
]
TALK = [
    ("system", "Be short."),
    ("user", "Weather?\n[image]"),
    ("assistant", "I will look."),
    ("tool", '{"temp": "20"}\n{"text": "warm"}'),
    ("assistant", "Warm."),
]


def test_a_history_of_the_first_version():
    read = sample("v1_history.json")
    assert (bare(read), read.warnings) == (HISTORY, ())
    assert read.messages[4].tool_calls == (
        ToolCall("", "weather", '{"city": "Oslo"}'),
        ToolCall("", "weather", '{"city": "Rome"}'),
    )
    assert [message.name for message in read.messages[5:7]] == ["weather", "weather"]
    assert Log(read.messages).tools.uncalled == []


def test_a_request_of_the_first_version_has_its_last_message_and_documents_beside_the_history():
    read = sample("v1_request.json")
    asked = 'And tomorrow?\n[file: Forecast]\nSun in the morning.\n{"day": "Friday", "sky": "grey"}'
    assert bare(read) == [*HISTORY, ("user", asked)]
    assert read.system_prompt == "Answer shortly."


def test_a_reply_that_stands_in_the_history_too_is_read_once():
    assert bare(sample("v1_response.json")) == [
        ("user", "And tomorrow?"),
        ("assistant", "Sun."),
    ]


def test_a_reply_alone_with_calls():
    calls = [{"name": "weather", "parameters": {"city": "Oslo"}}]
    read = load({"text": "I look.", "generation_id": "g", "tool_calls": calls})
    assert bare(read) == [("assistant", "I look.")]
    assert read.messages[0].tool_calls == (ToolCall("", "weather", '{"city": "Oslo"}'),)


def test_results_that_are_sent_with_a_request():
    chatbot = {
        "role": "chatbot",
        "message": "I look.",
        "tool_calls": [{"name": "f", "parameters": {}}],
    }
    results = [{"call": {"name": "f", "parameters": {}}, "outputs": [{"n": 1}]}]
    request = {
        "message": "",
        "chat_history": [{"role": "user", "message": "Hi"}, chatbot],
        "tool_results": results,
    }
    assert bare(load(request)) == [
        ("user", "Hi"),
        ("assistant", "I look."),
        ("tool", '{"n": 1}'),
    ]


def test_messages_of_the_second_version():
    read = sample("v2_messages.json")
    assert (bare(read), read.warnings) == (TALK, ())
    assert read.messages[2].tool_calls == (ToolCall("w1", "weather", "{}"),)
    assert read.messages[3].tool_call_id == "w1"
    assert read.messages[4].meta[REASONING] == "so it is warm"
    assert read.messages[4].meta["citations"][0]["text"] == "Warm"


def test_documents_of_a_request_come_with_the_question():
    asked = "Weather?\n[image]\nOslo lies at the sea.\n[file: Rome]\nRome is warm."
    assert bare(sample("v2_request.json")) == [TALK[0], ("user", asked), *TALK[2:]]


def test_responses_of_the_second_version():
    read = load_file((SAMPLES / "cohere__v2_responses.jsonl").read_bytes()).transcripts
    assert [bare(transcript) for transcript in read] == [TALK[2:3], TALK[4:]]


@for_each("thinking", ["Hm.", [{"type": "text", "text": "Hm."}]])
def test_thoughts_beside_calls(thinking):
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    content = [
        {"type": "thinking", "thinking": thinking},
        {"type": "text", "text": "So"},
    ]
    talk = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": content, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
    ]
    read = load(talk)
    assert bare(read) == [("user", "Hi"), ("assistant", "So"), ("tool", "1")]
    assert read.messages[1].meta == {REASONING: "Hm."}


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="a chat_history or a reply"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "cohere")
