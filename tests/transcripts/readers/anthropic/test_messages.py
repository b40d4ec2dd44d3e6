"""Anthropic messages: tool results inside user messages, thinking, requests, responses and batch rows."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.document import Document
from memviz.transcripts.loading import load_file
from memviz.transcripts.readers.anthropic.messages import AnthropicMessages
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI = {"role": "user", "content": "hi"}
USE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
}


def load(*items, format=None):
    return load_transcript(json.dumps(items).encode(), format)


def brief(transcript):
    return [(message.role, message.content) for message in transcript.messages]


@for_each("name", ["list.json", "lines.jsonl"])
def test_blocks_become_messages(name):
    transcript = load_transcript(SAMPLES / f"anthropic_messages__{name}")
    assert transcript.format == "anthropic_messages"
    assert brief(transcript) == [
        ("user", "Where is the ferry?"),
        ("assistant", "Looking.\nOne moment."),
        ("tool", "high"),
        ("tool", "timeout\n[image]"),
        ("user", "Try the map.\n[file: Map]\nPier 4"),
        ("assistant", ""),
        ("tool", "Ferry times\nhttps://ferry.example"),
        ("assistant", "It leaves from pier 4."),
    ]
    assert transcript.messages[1].meta == {"reasoning": "Two lookups."}
    assert transcript.messages[1].tool_calls == (
        ToolCall("a", "ferry", '{"line": "Nørd"}'),
        ToolCall("b", "tide", "{}"),
    )
    assert [message.tool_call_id for message in transcript.messages[2:4]] == ["b", "a"]
    assert [message.meta for message in transcript.messages[2:4]] == [
        None,
        {"is_error": True},
    ]
    assert transcript.messages[6].tool_call_id == "s1"
    assert transcript.warnings == ()


def test_a_request_with_a_system_prompt():
    transcript = load_transcript(SAMPLES / "anthropic_messages__request.json")
    assert transcript.system_prompt == "Be kind.\nBe brief."
    assert brief(transcript) == [("user", "Hi"), ("assistant", "Hello")]
    text = {"system": "Be kind.", "max_tokens": 9, "messages": [HI]}
    assert load_transcript(json.dumps(text).encode()).system_prompt == "Be kind."


def test_a_request_without_system_is_known_by_its_blocks():
    transcript = load_transcript(
        json.dumps({"model": "m", "messages": [HI, USE]}).encode()
    )
    assert (transcript.format, transcript.system_prompt) == ("anthropic_messages", None)


def test_a_response_in_a_list_is_a_message_and_alone_a_conversation():
    transcript = load_transcript(
        SAMPLES / "anthropic_messages__list_with_response.json"
    )
    assert brief(transcript) == [
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "Bye"),
    ]
    assert transcript.messages[1].meta == {"model": "claude-sonnet-4-5"}
    response = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "A"}],
        "stop_reason": "x",
    }
    assert brief(load_transcript(json.dumps(response).encode())) == [("assistant", "A")]
    assert len(load_file(json.dumps([response, response]).encode()).transcripts) == 2


def test_batch_rows():
    loaded = load_file(SAMPLES / "anthropic_messages__batch_results.jsonl")
    assert [brief(transcript) for transcript in loaded.transcripts] == [
        [("assistant", "Hello")]
    ]
    assert "the request ended as 'errored'" in str(loaded.failures[0])
    requests = load_file(SAMPLES / "anthropic_messages__batch_requests.jsonl")
    assert [brief(transcript) for transcript in requests.transcripts] == [
        [("user", "Hi")]
    ] * 2


def test_a_compaction_is_an_event_and_no_message():
    reply = {
        "role": "assistant",
        "content": [
            {"type": "compaction", "content": "They met."},
            {"type": "text", "text": "So?"},
        ],
    }
    transcript = load(HI, reply)
    assert brief(transcript) == [("user", "hi"), ("assistant", "So?")]
    (event,) = transcript.events
    assert (event.kind, event.after_message, event.text) == (
        "compaction",
        1,
        "They met.",
    )


def test_ids_that_repeat_stay_as_they_are():
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}],
    }
    transcript = load(HI, USE, result, USE, result)
    assert [m.tool_call_id for m in transcript.messages if m.role == "tool"] == [
        "a",
        "a",
    ]
    assert transcript.warnings == ()


@for_each(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        (
            {
                "type": "code_execution_result",
                "stdout": "out",
                "stderr": "err",
                "return_code": 1,
            },
            "out\nerr",
        ),
        (
            {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
            "max_uses_exceeded",
        ),
        (
            [
                {
                    "type": "search_result",
                    "title": "T",
                    "source": "S",
                    "content": [{"type": "text", "text": "x"}],
                }
            ],
            "T\nS\nx",
        ),
        ([{"type": "document", "source": {"type": "base64", "data": "AA"}}], "[file]"),
    ],
)
def test_what_a_tool_answers(content, text):
    transcript = load(
        HI,
        USE,
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": content}
            ],
        },
    )
    assert brief(transcript)[2:] == [("tool", text)]


def test_a_block_of_an_unknown_type_is_named_and_told():
    transcript = load(
        HI, {"role": "assistant", "content": [{"type": "hologram"}, *USE["content"]]}
    )
    assert transcript.messages[1].content == "[hologram]"
    assert transcript.warnings == (
        "content of a kind that is not known is shown by its name only: index 1.",
    )


def test_what_is_said_of_a_document_is_read_and_what_a_reply_quotes_is_kept_beside_it():
    document = {
        "type": "document",
        "source": {"type": "text", "data": "words"},
        "title": "T",
        "context": "from Ana",
    }
    quote = {"type": "char_location", "cited_text": "words", "document_title": "T"}
    transcript = load(
        {"role": "user", "content": [document]},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "So", "citations": [quote]}],
        },
    )
    assert transcript.messages[0].content == "[file: T]\nwords\nfrom Ana"
    assert transcript.messages[1].meta == {"citations": [quote]}


def test_a_call_without_a_name_is_kept_and_told():
    transcript = load(
        HI,
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a"}, {"type": "text", "text": "x"}],
        },
    )
    assert [(call.id, call.name) for call in transcript.messages[1].tool_calls] == [
        ("a", "unnamed")
    ]
    assert transcript.messages[1].content == "x"
    assert transcript.warnings == (
        "a tool call without a name is called 'unnamed': index 1.",
    )


def test_an_unknown_role_is_left_out_and_counted():
    transcript = load(HI, USE, {"role": "critic", "content": "x"}, 7)
    assert (
        "imported 2 of 4 messages: index 2 has the unknown role 'critic', index 3 is a number"
        in transcript.warnings[0]
    )


@for_each(
    "foreign",
    [
        [HI, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}],
        {"model": "gpt", "max_tokens": 5, "messages": [HI]},
        [{"custom_id": "a", "response": {"body": {"choices": [{"message": HI}]}}}],
        [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "x"}],
            }
        ],
    ],
)
def test_the_messages_of_others_are_not_claimed(foreign):
    assert not AnthropicMessages().recognise(Document(json.dumps(foreign).encode()))


def test_another_file_is_refused_with_what_was_found():
    with pytest.raises(TranscriptError, match="was expected, found a number"):
        load_transcript(b"3", "anthropic_messages")
