"""The log database of llm: the tables of its newer and of its older versions."""

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING
from tests.transcripts.readers.library_files import (
    SAMPLES,
    as_database,
    calls,
    said,
    sample_bytes,
)

THREADS = (SAMPLES / "llm_logs__threads.sql").read_text(encoding="utf-8")
RESPONSES = (SAMPLES / "llm_logs__responses.sql").read_text(encoding="utf-8")


def conversations(*sql):
    return load_file(as_database(*sql), name="logs.db").transcripts


def test_a_conversation_of_the_older_tables():
    bridges, alone = conversations(RESPONSES)
    assert bridges.title == "Bridges"
    assert bridges.system_prompt == "You know bridges.\n\nBe brief."
    assert said(bridges) == [
        ("user", "A list of bridges.\nWhich bridge?\n[image]\n[file: map.pdf]"),
        ("assistant", "The old one."),
        ("user", "And how long?"),
        ("assistant", ""),
        ("tool", "90"),
        ("tool", "Error: no tape"),
        ("assistant", "It is 90 m."),
        ("system", "Be long."),
        ("user", "Now a poem"),
        ("assistant", "Water, stone."),
    ]
    assert bridges.warnings == ()
    assert said(alone) == [("user", "Alone"), ("assistant", "Yes.")]


def test_calls_results_thoughts_and_times_of_the_older_tables():
    bridges = conversations(RESPONSES)[0]
    first, asked = bridges.messages[1], bridges.messages[3]
    assert first.meta == {
        TIME: "2026-05-01T10:00:00+00:00",
        "model": "m-1",
        REASONING: "It is old.",
    }
    assert calls(asked) == [
        ("t1", "measure", '{"what": "length"}'),
        ("t2", "measure", '{"what": "width"}'),
    ]
    assert [result.tool_call_id for result in bridges.messages[4:6]] == ["t1", "t2"]
    assert Log(bridges.messages).tools.uncalled == []
    assert bridges.held_at.isoformat() == "2026-05-01T10:00:00+00:00"


def test_a_database_of_the_first_versions_lacks_most_tables():
    sql = """
    CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
    CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT,
                            conversation_id TEXT, datetime_utc TEXT);
    INSERT INTO conversations VALUES ('c', 'Short', 'm');
    INSERT INTO responses VALUES ('r', 'm', 'Hi', NULL, 'Hello', 'c', '2023-07-11T03:37:10.869000');
    """
    (found,) = conversations(sql)
    assert said(found) == [("user", "Hi"), ("assistant", "Hello")]
    assert found.messages[0].meta == {TIME: "2023-07-11T03:37:10.869000+00:00"}


def test_what_a_tool_raised_is_kept_beside_what_the_model_was_told():
    found = [
        message
        for message in conversations(RESPONSES)[0].messages
        if message.meta and "exception" in message.meta
    ]
    assert [(message.content, message.meta["exception"]) for message in found] == [
        ("Error: no tape", "ValueError: no tape")
    ]


def test_a_thread_is_the_path_from_the_root_to_its_tip():
    tides, fork = conversations(THREADS)
    assert said(tides) == [
        ("system", "Be exact."),
        ("user", "Port, hour, height.\nWhat is this?\n[image]"),
        ("assistant", "A tide table."),
        ("user", "High water today?"),
        ("assistant", ""),
        ("tool", "6:00"),
        ("tool", "7:00\n[image]"),
        ("assistant", ""),
        ("tool", "full"),
        ("assistant", "At six and at seven."),
    ]
    assert (tides.title, fork.title) == ("Tides", "Fork")
    assert said(fork) == said(tides)[:3]
    assert tides.warnings == fork.warnings == ()


def test_calls_results_thoughts_and_times_of_a_thread():
    tides = conversations(THREADS)[0]
    asked = tides.messages[4]
    assert calls(asked) == [
        ("c1", "tide", '{"port": "Elm"}'),
        ("c2", "tide", '{"port": "Oak"}'),
    ]
    assert asked.meta == {
        TIME: "2026-09-01T08:01:00+00:00",
        "model": "m",
        REASONING: "Two ports.",
    }
    assert tides.messages[1].meta == {TIME: "2026-09-01T08:00:00+00:00"}
    assert [(result.tool_call_id, result.name) for result in tides.messages[5:7]] == [
        ("c1", "tide"),
        ("c2", "tide"),
    ]
    assert calls(tides.messages[7]) == [("w1", "web_search", '{"q": "moon"}')]
    assert Log(tides.messages).tools.uncalled == []


def test_a_thread_that_continues_an_older_conversation_has_it_whole():
    only_old, continued = load_file(sample_bytes("llm_logs__continued.sql")).transcripts
    assert (only_old.title, said(only_old)) == (
        "Only old",
        [("user", "Kept"), ("assistant", "Yes.")],
    )
    assert continued.title == "Old name"
    assert [text for _, text in said(continued)] == ["First", "One.", "Second", "Two."]


def test_new_tables_that_are_empty_do_not_hide_the_old_ones():
    empty = THREADS[: THREADS.index("INSERT")]
    created = empty[empty.index("CREATE TABLE threads") :]
    assert len(conversations(RESPONSES + created)) == 2


def test_messages_without_a_thread_are_read_from_each_end():
    found = conversations(THREADS, "DELETE FROM threads;")
    assert [len(transcript.messages) for transcript in found] == [10]


def test_what_is_missing_of_a_thread_is_noted():
    (gone,) = {
        found.warnings
        for found in conversations(THREADS, "DELETE FROM messages WHERE hash = 'h0';")
    }
    assert gone == ("what comes before the first message is missing in the database.",)
    tides = conversations(THREADS, "DELETE FROM fragments;")[0]
    assert tides.warnings == (
        "a fragment of a message is missing in the database: message h1.",
    )
    assert tides.messages[1].content == "\nWhat is this?\n[image]"


def test_a_circle_of_messages_ends():
    tides = conversations(
        THREADS, "UPDATE messages SET parent_hash = 'h6' WHERE hash = 'h0';"
    )[0]
    assert len(tides.messages) == 10
    assert "circle" in tides.warnings[0]


def test_a_thread_whose_end_is_missing_fails_alone():
    loaded = load_file(
        as_database(THREADS, "DELETE FROM messages WHERE hash = 'h6';"), name="logs.db"
    )
    assert [found.title for found in loaded.transcripts] == ["Fork"]
    assert "conversation 1" in str(loaded.failures[0])


def test_an_empty_log_is_refused_in_words():
    created = "".join(
        line + "\n" for line in THREADS.splitlines() if line.startswith("CREATE")
    )
    with pytest.raises(TranscriptError, match="0 messages"):
        load_transcript(as_database(created))
