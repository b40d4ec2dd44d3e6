"""Sessions of the OpenAI Agents SDK, with and without branches."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.readers.library_files import (
    as_database,
    calls,
    in_write_ahead_mode,
    said,
    sample_bytes,
    sample_of,
)

TABLES = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TIMESTAMP);
"""
USER = """INSERT INTO agent_messages VALUES (1, 's', '{"role": "user", "content": "Hi"}', '2026-04-01 09:00:00');"""


def test_each_session_is_a_conversation_of_responses_items():
    loaded = load_file(sample_bytes("openai_agents__session.sql"))
    assert [found.title for found in loaded.transcripts] == ["anna", "ben"]
    anna = loaded.transcripts[0]
    assert said(anna) == [
        ("user", "Which bus?"),
        ("assistant", ""),
        ("tool", "12"),
        ("assistant", "Bus 12."),
    ]
    assert calls(anna.messages[1]) == [("c1", "bus", '{"to": "lake"}')]
    assert anna.messages[1].meta == {REASONING: "Look it up."}
    assert anna.messages[0].meta == {TIME: "2026-04-01T09:00:01+00:00"}
    assert anna.held_at.isoformat() == "2026-04-01T09:00:01+00:00"
    assert anna.warnings == ()


def test_of_several_branches_the_main_one_is_read_and_the_others_are_noted():
    transcript = sample_of("openai_agents__branches.sql")
    assert [text for _, text in said(transcript)] == ["Tea?", "Yes.", "Green?", "No."]
    (warning,) = transcript.warnings
    assert "'main' was read" in warning
    assert "2 messages" in warning
    assert "'black'" in warning


def test_without_a_main_branch_the_one_last_continued_is_read():
    data = sample_bytes("openai_agents__branches.sql").replace(b"main", b"side")
    assert [text for _, text in said(load_transcript(data))] == [
        "Tea?",
        "Yes.",
        "Black?",
        "Fine.",
    ]


def test_a_database_without_the_file_beside_it_has_no_rows_and_says_why():
    with pytest.raises(TranscriptError, match="-wal"):
        load_transcript(in_write_ahead_mode(as_database(TABLES)))
    with pytest.raises(TranscriptError, match="0 messages") as refused:
        load_transcript(as_database(TABLES))
    assert "wal" not in str(refused.value)


def test_a_database_in_that_mode_with_rows_is_read_without_warning():
    transcript = load_transcript(in_write_ahead_mode(as_database(TABLES + USER)))
    assert (said(transcript), transcript.warnings) == ([("user", "Hi")], ())


@for_each(
    ("cell", "reason"),
    [("{broken", "is not JSON"), ('{"__enc__": 1, "v": 1}', "is encrypted")],
)
def test_rows_that_cannot_be_read_are_counted(cell, reason):
    more = "INSERT INTO agent_messages VALUES (2, 's', 'CELL', NULL);".replace(
        "CELL", cell
    )
    transcript = load_transcript(as_database(TABLES + USER + more))
    assert transcript.warnings == (f"imported 1 of 2 messages: row 2 {reason}.",)
    with pytest.raises(TranscriptError, match=reason):
        load_transcript(as_database(TABLES + more))


def test_tables_may_have_names_of_their_own():
    renamed = (
        (TABLES + USER)
        .replace("agent_messages", "my chats")
        .replace(" my chats", ' "my chats"')
    )
    assert said(load_transcript(as_database(renamed))) == [("user", "Hi")]
