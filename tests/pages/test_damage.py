"""Damaged values in a sound database: the conversation is named and left aside, and all pages work with the others."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from sqlalchemy import JSON, Integer, LargeBinary, String
from sqlmodel.sql.sqltypes import UTCDateTime
from streamlit.testing.v1 import AppTest

import memviz
from memviz import Chat, MemvizError, ScriptedModel
from memviz.core.storage_errors import DamagedRunError
from memviz.engine.calls import ReplyFacts
from memviz.engine.judging import JudgedAnswer
from memviz.models.registry import model
from memviz.storage.store import Store
from memviz.storage.tables import Base
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.base import Probe, RecordedEvent, Transcript
from tests.page_names import QUESTIONS
from tests.pages.driving import click, labelled, open_page, page_of, sentences
from tests.storage.stored_runs import keys_of_runs, stored_runs

VALUES = {
    JSON: ("NULL", "42", "'words'", "'['", "'{}'", "'[{\"a\": 1}]'", "x'ff00'", "'[[0, 99999]]'"),
    Integer: ("NULL", "1e300", "'words'", "x'ff00'", "99999999999"),
    String: ("NULL", "42", "x'ff00'"),
    LargeBinary: ("NULL", "42", "'words'"),
    UTCDateTime: ("NULL", "42", "'words'", "'2024-13-45 00:00:00'"),
}  # fmt: skip
"""What may stand in a column of a type instead of what was written."""
PAGE_VALUES = ("42", "'[{\"a\": 1}]'", "x'ff00'", "99999999999", "'[[0, 99999]]'")
COLUMNS = [
    (table.name, column.name)
    for table in Base.metadata.sorted_tables
    for column in table.columns
]
TITLE = "Ferry times"


@cache
def content(folder: Path) -> bytes:
    """A database with one conversation that was imported, held in Chat, replayed and answered freely."""
    workspace = Workspace(folder / "made.db")
    summarizer = ScriptedModel(f"Summary {number}." for number in range(1_000))
    chat = Chat(
        memviz.strategy("summary", buffer_size=2),
        model=ScriptedModel(f"Reply {n}." for n in range(20)),
        summarizer=summarizer,
        counter="chars4",
    )
    for number in range(5):
        chat.send(f"The ferry {number} leaves at 7:{number}0.")
    chat.recall(turns=[1])
    chat.send("When does ferry 2 leave?")
    probe = Probe("When does ferry 1 leave?", ("7:10",), (2,), "number")
    transcript = Transcript(
        (),
        title=TITLE,
        format="chat",
        probes=(probe,),
        warnings=("A warning.",),
        events=(RecordedEvent("compaction", 2, reason="auto"),),
    )
    id = workspace.store.add_conversation(transcript, "ferry")
    workspace.save_chat(id, chat, "offline")
    for strategy in (
        memviz.strategy("buffer"),
        memviz.strategy("window", window_size=10),
        memviz.strategy("summary_buffer", max_token_limit=40),
    ):
        workspace.run(RunKey(id, strategy, "o200k_base", "offline"), model("offline"))
    free = memviz.free_run(
        workspace.store.conversation(id),
        memviz.strategy("buffer"),
        counter="chars4",
        model=ScriptedModel(f"Reply {n}." for n in range(20)),
    )
    workspace.store.save_free_run(id, free, "free", 12)
    workspace.store.keep_wording("ferry", "replay", 1, "My own words.")
    answer = JudgedAnswer(probe, 0, "At 7:10.", "right", calls=(ReplyFacts("offline"),))
    workspace.store.keep_judged_answers("ferry", "asked", {0: [answer]})
    workspace.store.keep_cell("cell", {"subject": TITLE})
    workspace.store.close()
    return (folder / "made.db").read_bytes()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return content(tmp_path_factory.mktemp("made"))


def damage(path: Path, made: bytes, table: str, column: str, value: str) -> bool:
    """Whether SQLite itself lets such a value be there."""
    for old in path.parent.glob(path.name + "*"):
        old.unlink()
    path.write_bytes(made)
    return damage_row(path, table, column, value)


def damage_row(path: Path, table: str, column: str, value: str) -> bool:
    """Whether SQLite itself lets such a value be there, in a database that may be open."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        of_it = {
            "conversation": "id = 'ferry'",
            "message": "conversation_id = 'ferry' AND position = 3",
        }.get(table, "1")
        one = f"rowid = (SELECT max(rowid) FROM {table} WHERE {of_it})"  # noqa: S608
        try:
            connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {one}")  # noqa: S608
        except sqlite3.IntegrityError:
            return False
    return True


def mend(path: Path, sound: Path) -> None:
    """Bring back the sound content of a database that may be open."""
    with (
        closing(sqlite3.connect(sound)) as source,
        closing(sqlite3.connect(path)) as damaged,
    ):
        source.backup(damaged)


def read_all(store: Store) -> None:
    """Ask for everything that pages ask for."""
    for read in (
        lambda: store.page("", 50, 0),
        lambda: store.page("ferry", 50, 0),
        lambda: store.entry("ferry"),
        lambda: store.conversation("ferry"),
        lambda: store.chat_run("ferry"),
        lambda: store.find_free_run("ferry", "free"),
        lambda: store.find_wordings("ferry"),
        lambda: store.find_judged_answers("ferry", "asked"),
        lambda: store.find_cells(["cell"]),
        lambda: [
            store.find_run("ferry", key)
            for key in keys_of_runs(store, "ferry")
            if isinstance(key, str)
        ],
    ):
        with suppress(MemvizError):
            read()


def wrong_values(table: str, column: str) -> tuple[str, ...]:
    type_of_column = Base.metadata.tables[table].columns[column].type
    return next(
        values for kind, values in VALUES.items() if isinstance(type_of_column, kind)
    )


@pytest.mark.slow
def test_no_value_of_any_column_is_more_than_a_sentence(
    database: Path, made: bytes
) -> None:
    sound = database.with_name("sound.db")
    for copy in (database, sound):
        copy.write_bytes(made)
    store = Store(database)  # one: each would compile every statement anew
    for table, column in COLUMNS:
        for value in wrong_values(table, column):
            if damage_row(database, table, column, value):
                damage_is_told(store, f"{table}.{column} = {value}")
                mend(database, sound)
    store.close()


def damage_is_told(store: Store, damage: str) -> None:
    """Fails if anything but an error of memviz is raised, or the samples cannot be read."""
    readable, unreadable, total = store.page("", 50, 0)
    assert len(readable) + len(unreadable) == total
    samples = [entry for entry in readable if entry.id.startswith("sample-")]
    assert len(samples) == total - 1, damage
    try:
        read_all(store)
        for damaged in unreadable:
            assert store.stored_rows(damaged.row)["conversation"]
    except Exception as error:
        raise AssertionError(damage) from error


def works(session: AppTest) -> None:
    assert page_of(session)
    for sentence in sentences(session.error):
        assert "ferry" in sentence or "stored run" in sentence, sentence


PAGES_THAT_READ = [
    name for name in QUESTIONS if name not in ("lessons", "guide", "fleet")
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "table", "column"),
    [(number, *COLUMNS[5 * number]) for number in range(len(COLUMNS) // 5)],
)
def test_a_page_works_whatever_is_in_a_column(
    number: int, table: str, column: str, database: Path, made: bytes
) -> None:
    """Every fifth column on one page, for all pages read them through the store, of which the test above says for every
    column what it lets through."""
    value = PAGE_VALUES[number % len(PAGE_VALUES)]
    if not damage(database, made, table, column, value):
        pytest.skip("SQLite does not let it in")
    page = PAGES_THAT_READ[number % len(PAGES_THAT_READ)]
    st.cache_resource.clear()
    query = {
        "chat": {"chat": "ferry"},
        "library": {},
        "tune": {"over": '["ferry"]', "try": '["buffer"]'},
    }
    works(open_page(page, **query.get(page, {"conversation": "ferry"})))


def test_a_damaged_replay_is_made_again(database: Path, made: bytes) -> None:
    assert damage(database, made, "record", "value", "'{}'")
    workspace = Workspace(database)
    entry = next(
        run
        for run in stored_runs(workspace.store, "ferry")
        if not readable(workspace.store, run.key)
    )
    key = RunKey(
        "ferry",
        memviz.strategy(entry.strategy_id, **entry.parameters),
        entry.counter,
        entry.summarizer,
    )
    assert workspace.kept_run(key) is None
    assert len(workspace.run(key, model("offline")).turns) == 6
    workspace.store.close()
    again = Store(database)
    assert all(
        readable(again, run.key)
        for run in stored_runs(again, "ferry")
        if run.kind == "replay"
    )
    assert not again.check()
    again.close()


def readable(store: Store, key: str) -> bool:
    with suppress(DamagedRunError):
        store.find_run("ferry", key)
        return True
    return False


def test_a_chat_whose_memory_is_damaged_is_derived_from_its_messages(
    database: Path, made: bytes
) -> None:
    damage(database, made, "record", "value", "'{}'")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "UPDATE record SET value = '[]' WHERE run_id = (SELECT id FROM run WHERE kind = 'chat')"
        )
    session = open_page("chat", chat="ferry")
    (sentence,) = sentences(session.error)
    assert "The stored run of 'summary' is damaged" in sentence
    assert "The messages of this chat are all there" in sentence
    assert not session.chat_message
    click(session, "Derive its memory from the messages")
    assert not session.error
    assert len(session.chat_message) == 12
    session = open_page("chat", chat="ferry")
    assert not session.error
    assert len(session.chat_message) == 12


@pytest.mark.parametrize("page", ["compare", "chat"])
def test_a_conversation_with_a_missing_message_leaves_the_others_to_choose(
    page: str, database: Path, made: bytes
) -> None:
    damage(database, made, "message", "position", "77")
    session = open_page(page, **{"chat" if page == "chat" else "conversation": "ferry"})
    assert any(
        "Ferry times" in text
        for text in [*sentences(session.error), *sentences(session.warning)]
    )
    page_of(session)
    other = labelled(session.selectbox, "Conversation")
    other.select("sample-tutoring").run()
    assert page_of(session) == page
    assert not session.error
