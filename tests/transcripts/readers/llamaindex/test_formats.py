"""LlamaIndex: chat stores, memory buffers, lists of messages, and the table of its SQL memory."""

import json

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING, RecordedEvent
from tests.tables import for_each
from tests.transcripts.readers.library_files import (
    as_database,
    as_json,
    calls,
    recognised,
    said,
    sample_bytes,
    sample_of,
)

GARDEN = [
    ("system", "Be short."),
    ("user", "What is in\n[image]\n[file: plan.pdf]"),
    ("assistant", ""),
    ("tool", "a garden"),
    ("tool", "a tree"),
    ("assistant", "[file: Plan]\nPage 1\nA garden with a tree."),
]
TABLE = "CREATE TABLE chats (id INTEGER PRIMARY KEY, key TEXT, timestamp BIGINT, role TEXT, status TEXT, data JSON);"


def message(role, text, **extra):
    return {
        "role": role,
        "additional_kwargs": extra,
        "blocks": [{"block_type": "text", "text": text}],
    }


def store(**lists):
    return {"store": lists, "class_name": "SimpleChatStore"}


def test_every_key_of_a_store_with_messages_is_a_conversation():
    loaded = load_file(sample_bytes("llamaindex__store.json"))
    assert [(found.title, len(found.messages)) for found in loaded.transcripts] == [
        ("anna", 6),
        ("ben", 1),
    ]
    assert loaded.failures == ()
    assert loaded.transcripts[0].warnings == ()


@for_each("name", ["llamaindex__store.json", "llamaindex__messages.json"])
def test_blocks_of_each_kind(name):
    transcript = load_file(sample_bytes(name)).transcripts[0]
    assert said(transcript) == GARDEN
    looked = transcript.messages[2]
    assert calls(looked) == [
        ("1", "look", '{"at": "plan"}'),
        ("2", "look", '{"at": "image"}'),
    ]
    assert looked.meta == {REASONING: "I look it up."}
    assert [
        (result.tool_call_id, result.name) for result in transcript.messages[3:5]
    ] == [("1", "look"), ("2", "look")]
    assert Log(transcript.messages).tools.uncalled == []


def test_a_store_of_an_older_version_has_content_and_calls_beside_it():
    transcript = sample_of("llamaindex__old_store.json")
    assert said(transcript) == [
        ("user", "Two plus two?"),
        ("assistant", ""),
        ("tool", "4"),
        ("assistant", "Four."),
    ]
    assert calls(transcript.messages[1]) == [("c1", "add", '{"a": 2}')]
    assert transcript.messages[2].tool_call_id == "c1"
    assert transcript.title == "llamaindex__old_store"


def test_calls_in_blocks_count_and_not_the_same_ones_beside_them():
    block = {
        "block_type": "tool_call",
        "tool_call_id": "1",
        "tool_name": "f",
        "tool_kwargs": {},
    }
    vendor = {
        "id": "1",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }
    both = {
        "role": "assistant",
        "additional_kwargs": {"tool_calls": [vendor]},
        "blocks": [block],
    }
    assert calls(
        load_transcript(as_json(store(k=[message("user", "?"), both]))).messages[1]
    ) == [("1", "f", "{}")]


def test_the_store_inside_a_buffer_may_be_json_text():
    transcript = sample_of("llamaindex__buffer_with_store_text.json")
    assert said(transcript) == [("user", "Hi"), ("assistant", "Hello")]


def test_a_summary_that_quotes_what_was_asked_is_a_summary():
    quoted = "The user asked for help. The assistant said: you are welcome."
    chats = store(chat_history=[message("system", quoted), message("user", "Hello")])
    buffer = {
        "chat_store": chats,
        "token_limit": 9,
        "class_name": "ChatSummaryMemoryBuffer",
    }
    assert load_transcript(as_json(buffer)).events == (
        RecordedEvent("summary", 0, quoted),
    )


def test_a_summary_buffer_that_begins_with_its_summary_says_so():
    transcript = sample_of("llamaindex__summary_buffer.json")
    assert said(transcript)[0] == ("system", "The user spoke of a lake.")
    assert len(transcript.messages) == 3
    assert transcript.events == (
        RecordedEvent("summary", 0, "The user spoke of a lake."),
    )
    assert len(transcript.warnings) == 1
    assert "already replaced by the summary" in transcript.warnings[0]


@for_each("name", ["ChatMemoryBuffer", "ChatSummaryMemoryBuffer"])
def test_a_buffer_that_lost_nothing_says_nothing(name):
    first = message("system" if name == "ChatMemoryBuffer" else "user", "Hi")
    chats = store(chat_history=[first, message("user", "Hello")])
    buffer = {
        "chat_store": chats,
        "chat_store_key": "chat_history",
        "token_limit": 9,
        "class_name": name,
    }
    transcript = load_transcript(as_json(buffer))
    assert (transcript.events, transcript.warnings) == ((), ())


@for_each(
    ("text", "more"),
    [
        ("You are a patient tutor.", {}),
        ("Answer in French, please.", {}),
        ("Keep YOUR answers short.", {"llm": {"class_name": "openai_llm"}}),
        ("你是一位老师。", {}),
        (
            "A tutor of mathematics.",
            {"llm": None},
        ),  # without a model nothing was ever summarized
    ],
)
def test_a_summary_buffer_saved_before_any_summary_says_nothing(text, more):
    chats = store(chat_history=[message("system", text), message("user", "Hello")])
    name = "ChatSummaryMemoryBuffer"
    buffer = {
        "chat_store": chats,
        "chat_store_key": "chat_history",
        "token_limit": 9,
        "class_name": name,
        **more,
    }
    transcript = load_transcript(as_json(buffer))
    assert said(transcript) == [("system", text), ("user", "Hello")]
    assert (transcript.events, transcript.warnings) == ((), ())


def test_a_buffer_of_the_oldest_version_is_a_list():
    transcript = load_transcript(
        as_json({"chat_history": [message("user", "Hi")], "token_limit": 5}),
        "llamaindex",
    )
    assert said(transcript) == [("user", "Hi")]


def test_archived_rows_are_older_turns_of_the_same_conversation():
    loaded = load_file(sample_bytes("llamaindex__memory.sql"))
    assert [found.title for found in loaded.transcripts] == ["s1", "s2"]
    first = loaded.transcripts[0]
    assert [text for _, text in said(first)] == ["Oldest.", "Old.", "Newer.", "Newest."]
    assert first.messages[0].meta == {TIME: "2026-11-21T06:59:42.373913+00:00"}
    assert first.held_at.year == 2026
    assert first.warnings == ()


def test_a_memory_saved_with_its_rows():
    transcript = sample_of("llamaindex__memory_rows.json")
    assert said(transcript) == [("user", "Hi"), ("assistant", "Hello")]
    assert transcript.title == "s"


def test_rows_that_are_no_messages_are_left_out_and_counted():
    row = (
        "INSERT INTO chats VALUES (NUMBER, 'k', NUMBER, 'assistant', 'active', 'DATA');"
    )
    cells = ["{broken", json.dumps(message("user", "Hi")), json.dumps({"blocks": []})]
    rows = [
        row.replace("NUMBER", str(number)).replace("DATA", cell)
        for number, cell in enumerate(cells)
    ]
    transcript = load_transcript(as_database(TABLE, *rows))
    assert said(transcript) == [("user", "Hi"), ("assistant", "")]
    assert transcript.warnings == ("imported 2 of 3 messages: row 0 is not JSON.",)


def test_an_empty_table_is_refused_in_words():
    with pytest.raises(TranscriptError, match="0 messages"):
        load_transcript(as_database(TABLE))


@for_each("role", ["critic", None, 3])
def test_a_role_that_is_not_known_is_left_out_and_noted(role):
    transcript = load_transcript(
        as_json(
            store(k=[message("user", "Hi"), {**message("user", "x"), "role": role}])
        )
    )
    assert said(transcript) == [("user", "Hi")]
    assert "index 1 has" in transcript.warnings[0]


@for_each(
    "value",
    [
        [{"role": "user", "content": "Hi"}],
        {"store": {"a": 1}},
        {"chat_store": 3},
        [{"type": "message", "user": "U1", "blocks": [{"type": "rich_text"}]}],
        {"chat_history": [{"role": "user", "content": "Hi"}]},
    ],
)
def test_files_of_other_products_are_not_claimed(value):
    assert "llamaindex" not in recognised(as_json(value))
