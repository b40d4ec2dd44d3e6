"""Claude.ai's export: blocks before text, attachments, tools inside a reply, and branches."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.loading import load_file
from tests.transcripts.sample_files import FOLDER as SAMPLES

ROOT = "00000000-0000-4000-8000-000000000000"


def said(id, sender="human", text="hi", parent=None, second=0, **more):
    blocks = [{"type": "text", "text": text}]
    message = {"uuid": id, "sender": sender, "text": text, "content": blocks, **more}
    message["created_at"] = f"2025-01-01T00:00:{second:02d}Z"
    return message | ({"parent_message_uuid": parent} if parent else {})


def load(*messages, **more):
    return load_transcript(
        json.dumps(
            [{"uuid": "c", "name": "Talk", "chat_messages": messages, **more}]
        ).encode()
    )


def brief(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def test_a_conversation_with_everything():
    transcript, lines = load_file(
        SAMPLES / "claude_ai_export__branches.json"
    ).transcripts
    assert (transcript.format, transcript.title) == ("claude_ai_export", "Garden plan")
    assert transcript.held_at.isoformat() == "2025-03-01T10:00:00+00:00"
    files = "[file: soil.txt]\nClay, wet.\n[file]\nPasted note.\n[image: bed.jpg]\n[file: plan.pdf]"
    assert brief(transcript) == [
        ("user", f"Plan a bed.\n{files}"),
        ("assistant", "Let me look."),
        ("tool", "Clay\nhttps://soil.example\nAdd grit."),
        ("assistant", ""),
        ("tool", "Tool failed"),
        ("assistant", "Add grit.\nThen compost."),
        ("user", "Note\nAnd in spring?"),
        ("assistant", "Sow beans."),
    ]
    first, second = transcript.messages[1], transcript.messages[3]
    assert first.meta == {
        "time": "2025-03-01T10:00:03+00:00",
        "reasoning": "Clay needs sand.",
    }
    assert first.tool_calls == (ToolCall("t1", "web_search", '{"query": "clay soil"}'),)
    assert (transcript.messages[2].tool_call_id, transcript.messages[2].name) == (
        "t1",
        "web_search",
    )
    assert second.tool_calls[0].id == ""
    assert transcript.messages[4].meta == {"is_error": True}
    assert transcript.warnings == (
        "1 message of another branch was left out: only the branch that was continued last is read.",
    )
    (event,) = transcript.events
    assert (event.kind, event.after_message, event.text) == (
        "summary",
        8,
        "They plan a garden bed.",
    )
    assert brief(lines) == [("user", "Ping"), ("assistant", "Pong")]
    assert (lines.warnings, lines.events) == ((), ())


def test_text_is_used_only_where_the_content_says_nothing():
    assert brief(load_transcript(SAMPLES / "claude_ai_export__old_text.json")) == [
        ("user", "What is a scone?"),
        ("assistant", "A small cake."),
        ("user", "Search it."),
        ("assistant", ""),
        ("tool", "A bun."),
        ("assistant", "Found one."),
    ]
    assert brief(
        load({**said("a"), "content": [{"type": "text", "text": "blocks"}]})
    ) == [("user", "blocks")]
    assert brief(load({**said("a"), "content": []})) == [("user", "hi")]


def test_the_newest_branch_is_read_whatever_the_order_of_the_file():
    messages = [
        said("a", parent=ROOT, second=0),
        said("b", "assistant", "new", parent="a", second=5),
        said("old", "assistant", "old", parent="a", second=1),
        said("old2", text="old too", parent="old", second=2),
    ]
    transcript = load(*messages)
    assert brief(transcript) == [("user", "hi"), ("assistant", "new")]
    assert "2 messages of other branches were left out" in transcript.warnings[0]
    assert brief(load(*messages, current_leaf_message_uuid="old2"))[-1] == (
        "user",
        "old too",
    )


def test_a_chain_without_branches_is_complete_and_told_nothing():
    messages = [said("b", "assistant", "ok", parent="a"), said("a", parent=ROOT)]
    assert brief(load(*messages)) == [("user", "hi"), ("assistant", "ok")]
    unknown = [
        said("a", parent="gone"),
        said("b", "assistant", "ok", parent="gone too"),
    ]
    assert brief(load(*unknown)) == [("user", "hi"), ("assistant", "ok")]
    assert load(*unknown).warnings == ()


def test_first_messages_that_were_edited_are_branches():
    transcript = load(
        said("a", text="old", parent=ROOT), said("b", text="new", parent=ROOT, second=3)
    )
    assert brief(transcript) == [("user", "new")]


def test_messages_with_the_same_id_are_all_read():
    assert (
        len(load(said("a", parent=ROOT), said("a", "assistant", parent=ROOT)).messages)
        == 2
    )


def test_an_unknown_sender_is_left_out_and_counted():
    transcript = load(said("a"), said("b", "critic"), 3)
    assert transcript.warnings == (
        "imported 1 of 3 messages: index 1 has the unknown sender 'critic', index 2 is a number, not an object.",
    )


def test_the_other_files_of_an_export_are_not_claimed():
    for value in (
        [{"uuid": "p", "name": "Project", "docs": []}],
        [{"uuid": "u", "full_name": "A"}],
    ):
        with pytest.raises(TranscriptError, match="no known format"):
            load_transcript(json.dumps(value).encode())


def test_another_file_is_refused_with_what_was_found():
    with pytest.raises(
        TranscriptError, match="chat_messages was expected, found a number"
    ):
        load_transcript(b"3", "claude_ai_export")
