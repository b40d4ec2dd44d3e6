"""LangChain and LangGraph: messages in each shape, memories, states, and the table of a message history."""

import json

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
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


def bare(type, content, **fields):
    return {
        "content": content,
        "additional_kwargs": {},
        "response_metadata": {},
        "type": type,
        **fields,
    }


def serialised(name, **fields):
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", name],
        "kwargs": fields,
    }


def test_messages_to_dict_with_all_that_a_message_can_have():
    transcript = sample_of("langchain__messages_to_dict.json")
    assert said(transcript) == [
        ("system", "Answer in one line."),
        ("user", "What grows\n[image]\nin this bed?"),
        ("assistant", "I look."),
        ("tool", "leeks"),
        ("tool", "kale"),
        ("assistant", "Kale and leeks."),
        ("assistant", ""),
        ("tool", "none"),
        ("user", "Water them."),
        ("assistant", ""),
        ("tool", "done"),
        ("assistant", "That I cannot do."),
    ]
    looked = transcript.messages[2]
    assert calls(looked) == [("a", "bed", '{"row": 1}'), ("b", "bed", '{"row": 2}')]
    assert looked.meta == {REASONING: "Two beds to look up.", "model": "gpt-x"}
    assert transcript.messages[1].name == "ana"
    assert [message.tool_call_id for message in transcript.messages[3:5]] == ["b", "a"]
    assert calls(transcript.messages[6]) == [("c", "bed", '{"row": ')]
    assert calls(transcript.messages[9]) == [("", "water", '{"litres": 2}')]
    assert Log(transcript.messages).tools.uncalled == []
    assert transcript.warnings == (
        "imported 12 of 13 messages: index 9 has the unknown role 'gardener'.",
    )


def test_serialised_constructors_and_what_could_not_be_serialised():
    transcript = sample_of("langchain__dumpd.json")
    assert said(transcript) == [
        ("system", "Be kind."),
        ("user", "Hello?"),
        ("assistant", "Hi."),
    ]
    assert transcript.messages[2].meta == {REASONING: "A greeting."}
    assert any(
        "RemoveMessage" in warning and "index 3" in warning
        for warning in transcript.warnings
    )
    assert any(
        "3 of 4" in warning and "not_implemented" in warning
        for warning in transcript.warnings
    )


def test_the_tools_of_a_provider_answer_in_the_middle_of_a_reply():
    transcript = sample_of("langchain__model_dump.json")
    assert said(transcript) == [
        ("user", "Search for tides."),
        ("assistant", ""),
        ("tool", "Tide table https://example.org"),
        ("assistant", "High at six."),
        ("user", "[file: tide.pdf]\nAnd this?"),
    ]
    assert calls(transcript.messages[1]) == [("s1", "web_search", '{"query": "tides"}')]
    assert transcript.messages[2].tool_call_id == "s1"
    assert transcript.warnings == ()


def test_a_summary_buffer_has_lost_its_oldest_turns():
    transcript = sample_of("langchain__summary_buffer.json")
    assert said(transcript) == [("user", "And the boat?"), ("assistant", "It is blue.")]
    assert transcript.events == (RecordedEvent("summary", 0, "They spoke of a lake."),)
    assert len(transcript.warnings) == 1
    assert "already replaced by the stored summary" in transcript.warnings[0]


def test_a_summary_memory_still_has_all_that_its_summary_says():
    transcript = sample_of("langchain__summary_memory.json")
    assert transcript.events == (
        RecordedEvent("summary", 2, "The human has a blue boat."),
    )
    assert transcript.warnings == ()


def test_an_empty_summary_is_none():
    memory = {
        "chat_memory": {"messages": [bare("human", "Hi")]},
        "moving_summary_buffer": "",
    }
    transcript = load_transcript(as_json(memory))
    assert (transcript.events, transcript.warnings) == ((), ())


def test_a_memory_in_which_nothing_was_said_is_refused_in_words():
    with pytest.raises(TranscriptError, match="no messages"):
        load_transcript(
            as_json({"chat_memory": {"messages": []}, "memory_key": "history"})
        )


def test_of_the_saved_states_of_a_thread_the_newest_is_read():
    loaded = load_file(sample_bytes("langchain__thread_states.json"))
    (transcript,) = loaded.transcripts
    assert said(transcript) == [("user", "One?"), ("assistant", "Two.")]
    assert transcript.held_at.isoformat() == "2026-03-01T10:00:05+00:00"
    assert "2 saved states" in transcript.warnings[0]


def test_states_of_several_threads_are_several_conversations():
    states = [
        {"thread_id": id, "values": {"messages": [bare("human", id)]}}
        for id in ("a", "b")
    ]
    assert [said(found) for found in load_file(as_json(states)).transcripts] == [
        [("user", "a")],
        [("user", "b")],
    ]


def test_a_checkpoint_keeps_its_summary_and_the_message_of_the_middleware():
    transcript = sample_of("langchain__checkpoint.json")
    assert transcript.messages[0].role == "user"
    assert transcript.messages[0].content.startswith(
        "Here is a summary of the conversation to date:"
    )
    assert transcript.events == (RecordedEvent("summary", 2, "A lake."),)


@for_each(
    "path", [("messages",), ("values", "messages"), ("channel_values", "messages")]
)
def test_a_state_of_a_graph_may_be_wrapped(path):
    value = [bare("human", "Hi"), serialised("AIMessage", content="Hello")]
    for key in reversed(path):
        value = {key: value}
    assert recognised(as_json(value)) == ["langchain"]
    assert said(load_transcript(as_json(value))) == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]


def test_one_message_a_line():
    assert said(sample_of("langchain__lines.jsonl")) == [
        ("user", "First?"),
        ("assistant", "Second."),
    ]


def test_lists_and_dictionaries_of_sessions_are_several_conversations():
    loaded = load_file(sample_bytes("langchain__sessions.json"))
    assert [(found.title, len(found.messages)) for found in loaded.transcripts] == [
        ("anna", 2),
        ("ben", 1),
    ]
    lists = [[bare("human", "One")], [], [bare("human", "Two")]]
    assert [said(found)[0][1] for found in load_file(as_json(lists)).transcripts] == [
        "One",
        "Two",
    ]


def test_a_reply_saved_in_the_pieces_of_its_stream_is_one_message():
    transcript = sample_of("langchain__streamed.json")
    assert said(transcript) == [
        ("user", "Count."),
        ("assistant", "One, two."),
        ("tool", "2"),
        ("assistant", "Done."),
    ]
    assert calls(transcript.messages[1]) == [("k", "count", '{"to": 2}')]


def test_pieces_of_blocks_are_put_together_by_their_index():
    pieces = [
        bare(
            "AIMessageChunk",
            [{"type": "thinking", "thinking": "a", "index": 0}],
            id="r",
        ),
        bare(
            "AIMessageChunk",
            [{"type": "thinking", "thinking": "b", "index": 0}],
            id="r",
        ),
        bare("AIMessageChunk", [{"type": "text", "text": "On", "index": 1}], id="r"),
        bare("AIMessageChunk", [{"type": "text", "text": "e", "index": 1}], id="r"),
    ]
    transcript = load_transcript(as_json([bare("human", "?"), *pieces]))
    assert said(transcript)[1:] == [("assistant", "One")]
    assert transcript.messages[1].meta == {REASONING: "ab"}


def test_a_message_history_in_a_table_is_one_conversation_for_each_session():
    loaded = load_file(sample_bytes("langchain__message_store.sql"))
    assert [(found.title, said(found)) for found in loaded.transcripts] == [
        ("anna", [("user", "Where's my key?"), ("assistant", "In the bowl.")]),
        ("ben", [("user", "Hello"), ("assistant", "Hi Ben.")]),
    ]
    assert loaded.transcripts[1].warnings == (
        "imported 2 of 3 messages: row 4 is not JSON.",
    )


def test_an_empty_table_is_refused_in_words():
    data = as_database(
        "CREATE TABLE message_store (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT);"
    )
    with pytest.raises(TranscriptError, match="0 messages"):
        load_transcript(data)


def test_results_inside_a_user_message_come_before_its_text():
    messages = [
        bare(
            "ai",
            [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}],
            tool_calls=[],
        ),
        bare(
            "human",
            [
                {"type": "text", "text": "Next?"},
                {"type": "tool_result", "tool_use_id": "t", "content": "ok"},
            ],
        ),
    ]
    transcript = load_transcript(as_json(messages))
    assert said(transcript) == [("assistant", ""), ("tool", "ok"), ("user", "Next?")]
    assert calls(transcript.messages[0]) == [("t", "f", '{"a": 1}')]
    assert Log(transcript.messages).tools.uncalled == []


def test_reasoning_of_each_vendor_is_no_content():
    blocks = [
        {"type": "reasoning", "reasoning": "first"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "second"}]},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": "Said."},
    ]
    transcript = load_transcript(as_json([bare("human", "?"), bare("ai", blocks)]))
    assert said(transcript)[1] == ("assistant", "Said.")
    assert transcript.messages[1].meta == {REASONING: "first\nsecond"}
    assert transcript.warnings == ()


def test_what_the_vendor_sent_counts_where_langchain_has_no_calls_of_its_own():
    vendor = {
        "id": "v",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }
    own = {"name": "g", "args": {}, "id": "o", "type": "tool_call"}
    extra = {"tool_calls": [vendor]}
    messages = [
        bare("ai", "", additional_kwargs=extra),
        bare("ai", "", additional_kwargs=extra, tool_calls=[own]),
    ]
    transcript = load_transcript(as_json(messages))
    assert [calls(message) for message in transcript.messages] == [
        [("v", "f", "{}")],
        [("o", "g", "{}")],
    ]


def test_what_was_spoken_and_what_a_tool_made_is_kept():
    spoken = bare(
        "ai", "", additional_kwargs={"audio": {"id": "a", "transcript": "Good day."}}
    )
    made = bare("tool", "done", tool_call_id="t", artifact={"rows": ["one"]})
    transcript = load_transcript(as_json([bare("human", "?"), spoken, made]))
    assert transcript.messages[1].content == "Good day."
    assert transcript.messages[2].meta == {"artifact": {"rows": ["one"]}}


def test_a_call_without_a_name_is_noted():
    transcript = load_transcript(
        as_json([bare("human", "?"), bare("ai", "x", tool_calls=[{"args": {}}, "f"])])
    )
    assert [call.name for call in transcript.messages[1].tool_calls] == ["unnamed"]
    assert transcript.warnings == (
        "a tool call without a name is called 'unnamed': index 1.",
        "a tool call that is a text, not an object, was left out: index 1.",
    )


@for_each(
    "rows",
    [
        [{"role": "user", "content": "Hi"}],
        [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "x"}],
            }
        ],
        [{"type": "user", "uuid": "1", "message": {"role": "user", "content": "Hi"}}],
        [
            {"type": "system", "content": "note", "uuid": "1"},
            {"type": "user", "uuid": "2"},
        ],
        [{"type": "tool", "content": "x"}, {"type": "system", "content": "y"}],
        [{"type": "human"}, {"type": "ai"}],
    ],
)
def test_messages_of_other_products_are_not_claimed(rows):
    assert "langchain" not in recognised(as_json(rows))
    assert "langchain" not in recognised("\n".join(map(json.dumps, rows)).encode())


def test_a_named_format_refuses_what_it_cannot_read():
    with pytest.raises(TranscriptError, match="its only message cannot be read"):
        load_transcript(as_json([{"role": "user", "content": "Hi"}]), "langchain")
