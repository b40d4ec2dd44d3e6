"""Sessions and checkpoints of the Gemini CLI: rows that replace and rewind, tools inside replies, stored summaries."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

META = {"sessionId": "s", "projectHash": "h", "startTime": "2026-04-01T07:00:00Z"}


def row(id, kind, content, **more):
    return {
        "id": id,
        "timestamp": "2026-04-01T07:00:01Z",
        "type": kind,
        "content": content,
        **more,
    }


def load(*rows):
    return load_transcript(
        "\n".join(map(json.dumps, (META, *rows))).encode(), "gemini_cli"
    )


def checkpoint(*texts):
    contents = [
        {"role": ("user", "model")[n % 2], "parts": [{"text": text}]}
        for n, text in enumerate(texts)
    ]
    return load_transcript(json.dumps({"history": contents}).encode(), "gemini_cli")


def bare(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def sample(name):
    return load_transcript((SAMPLES / f"gemini_cli__{name}").read_bytes())


def test_the_rewound_sample():
    read = sample("rewound.jsonl")
    assert bare(read) == [
        ("user", "Read the notes.\n[image]"),
        ("assistant", "I look."),
        ("tool", "alpha"),
        ("tool", '{"error": "no such file"}'),
        ("assistant", "Only alpha."),
        ("user", "Keep it."),
        ("assistant", "Kept."),
    ]
    reply = read.messages[1]
    assert reply.tool_calls == (
        ToolCall("c1", "read_file", '{"path": "a"}'),
        ToolCall("c2", "read_file", '{"path": "b"}'),
    )
    assert (reply.meta[REASONING], reply.meta["model"]) == (
        "Files\nBoth at once.",
        "gemini-2.5-pro",
    )
    (compaction,) = read.events
    assert (
        compaction.after_message,
        compaction.tokens_before,
        compaction.tokens_after,
    ) == (5, 5000, 800)
    assert (read.title, read.held_at.hour) == ("Notes that were kept", 7)
    assert read.warnings == (
        "messages that the user went back on were left out (2 times).",
    )


def test_messages_that_the_program_replaced_are_counted():
    others = {"$set": {"messages": [row("1", "user", "a"), row("3", "user", "c")]}}
    read = load(row("1", "user", "a"), row("2", "gemini", "b"), others)
    assert bare(read) == [("user", "a"), ("user", "c")]
    assert read.warnings == (
        "messages that the program replaced by others were left out.",
    )


def test_a_row_with_the_id_of_an_earlier_one_replaces_it_in_its_place():
    assert bare(
        load(row("1", "user", "a"), row("2", "gemini", "b"), row("1", "user", "c"))
    ) == [
        ("user", "c"),
        ("assistant", "b"),
    ]


def test_a_rewind_to_a_message_that_is_not_there_is_noted():
    read = load(row("1", "user", "a"), {"$rewindTo": "9"})
    assert (len(read.messages), read.warnings) == (
        1,
        ("a rewind to a message that is not in the file was passed over.",),
    )


def test_messages_that_are_set_replace_all_before_them():
    read = load(
        row("1", "user", "a"),
        {"$set": {"messages": [row("2", "user", "b")]}},
        row("3", "gemini", "c"),
    )
    assert bare(read) == [("user", "b"), ("assistant", "c")]


def test_what_a_compression_replaced_was_said_all_the_same():
    read = sample("compressed.jsonl")
    said = [
        "My cat is called Ida.",
        "Hello to Ida.",
        "She is grey.",
        "Noted.",
        "What is her name?",
        "Ida.",
    ]
    assert [message.content for message in read.messages] == said
    assert [(event.kind, event.after_message) for event in read.events] == [
        ("compaction", 4)
    ]
    assert (read.events[0].text, read.warnings) == (
        "<state_snapshot>\nCat: Ida\n</state_snapshot>",
        (),
    )


@for_each(
    ("result", "text"),
    [
        ([{"functionResponse": {"id": "c", "response": {"output": "x"}}}], "x"),
        (
            [
                {"functionResponse": {"id": "c", "response": {"a": 1}}},
                {"inlineData": {"mimeType": "image/png"}},
            ],
            '{"a": 1}\n[image]',
        ),
        ("plain", "plain"),
        ([], ""),
    ],
)
def test_results_of_tools(result, text):
    calls = [
        {
            "id": "c",
            "name": "f",
            "args": {},
            "result": result,
            "timestamp": "2026-04-01T07:00:01Z",
        }
    ]
    read = load(row("1", "user", "a"), row("2", "gemini", "", toolCalls=calls))
    assert (
        read.messages[2].role,
        read.messages[2].content,
        read.messages[2].tool_call_id,
    ) == ("tool", text, "c")


def test_a_call_without_result_has_no_tool_message():
    calls = [
        {"id": "c", "name": "f", "args": {}, "result": None, "status": "cancelled"}
    ]
    assert [
        message.role
        for message in load(
            row("1", "user", "a"), row("2", "gemini", "", toolCalls=calls)
        ).messages
    ] == ["user", "assistant"]


def test_calls_and_results_that_also_stand_in_the_parts_are_read_once():
    response = {
        "functionResponse": {"id": "c", "name": "f", "response": {"output": "x"}}
    }
    other = {"functionResponse": {"id": "d", "name": "g", "response": {"output": "y"}}}
    parts = [
        {"text": "Hm", "thought": True},
        {"text": "Look"},
        {"functionCall": {"id": "c", "name": "f"}},
        {"functionCall": {"id": "d", "name": "g"}},
    ]
    calls = [{"id": "c", "name": "f", "args": {}, "result": [response]}]
    read = load(
        row("1", "user", "a"),
        row("2", "gemini", parts, toolCalls=calls),
        row("3", "user", [response, other]),
    )
    assert bare(read) == [
        ("user", "a"),
        ("assistant", "Look"),
        ("tool", "x"),
        ("tool", "y"),
    ]
    assert sorted(call.id for call in read.messages[1].tool_calls) == ["c", "d"]
    assert read.messages[1].meta[REASONING] == "Hm"
    assert read.warnings == ()


@for_each("kind", ["info", "error", "warning"])
def test_notices_are_no_messages(kind):
    read = load(row("1", "user", "a"), row("2", kind, "Request cancelled."))
    assert (bare(read), read.events, read.warnings) == ([("user", "a")], (), ())


def test_the_set_up_of_a_checkpoint_is_no_message():
    greeting = (
        "This is the Gemini CLI. We are setting up the context for our chat.",
        "Got it. Thanks for the context!",
    )
    assert bare(checkpoint(*greeting, "Hi", "Hello")) == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]
    wrapped = f"<session_context>\n{greeting[0]}\n</session_context>"
    assert bare(checkpoint(wrapped, "Hello", "Hi")) == [
        ("assistant", "Hello"),
        ("user", "Hi"),
    ]


def test_thanks_without_the_set_up_is_a_message():
    assert (
        len(checkpoint("Here is a file.", "Got it. Thanks for the context!").messages)
        == 2
    )


@for_each("tag", ["state_snapshot", "compressed_history", "compressed_chat_history"])
def test_a_checkpoint_that_starts_with_a_summary(tag):
    summary = f"<{tag}>\nx\n</{tag}>"
    read = checkpoint(summary, "Got it. Thanks for the additional context!", "Hi")
    assert bare(read) == [("user", "Hi")]
    assert [(event.kind, event.after_message, event.text) for event in read.events] == [
        ("summary", 0, summary)
    ]
    assert "not in the file" in read.warnings[0]


def test_what_is_no_message_is_counted():
    (warning,) = load(row("1", "user", "a"), 3, row("2", "robot", "b")).warnings
    assert "imported 1 of 3" in warning
    assert "line 3" in warning
    assert "robot" in warning


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="a session"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "gemini_cli")
