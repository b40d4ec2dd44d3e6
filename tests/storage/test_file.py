"""The file itself: places, damage, versions, and what the database refuses."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, event

import memviz
from memviz import Chat, Message, ScriptedModel, StorageError
from memviz.storage import tables
from memviz.storage.migrations import UPGRADES, migrate
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript


def a_chat() -> Chat:
    chat = Chat(
        memviz.strategy("buffer"), model=ScriptedModel(["Hello."]), counter="chars4"
    )
    chat.send("Hi.")
    return chat


def test_purged_and_replaced_records_leave_nothing_behind(tmp_path: Path) -> None:
    path, chat = tmp_path / "chats.db", a_chat()
    store = Store(path)
    id = store.add_conversation(Transcript(()))
    for strategy in ("summary", "summary_buffer", "buffer"):
        chat.change_strategy(memviz.strategy(strategy))
        store.save_turn(id, chat.run)
    store.save_run(
        id, memviz.replay(chat.log, memviz.strategy("buffer"), counter="chars4"), "k"
    )
    names = ("message", "run", "record", "conversation")
    with closing(sqlite3.connect(path)) as file:
        rows = [
            file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in names
        ]
        assert rows == [2, 2, 2, 1]
        store.delete(id)
        store.purge(older_than_days=0)
        assert [
            file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in names
        ] == [0] * 4
    store.close()


def test_the_tables_can_be_loaded_again_as_hot_reloading_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "memviz.storage.tables", tables
    )  # puts the first one back afterwards
    monkeypatch.delitem(sys.modules, tables.__name__)
    again = import_module(tables.__name__)
    assert again.MESSAGES is not tables.MESSAGES


def test_somebody_reading_holds_up_no_writer(tmp_path: Path) -> None:
    store = Store(tmp_path / "chats.db")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM conversation").fetchone() == (0,)
        store.add_conversation(Transcript(()))
        assert reader.execute("SELECT count(*) FROM conversation").fetchone() == (0,), (
            "it reads on undisturbed"
        )
    assert store.count() == 1
    store.close()


def test_a_file_that_stays_busy_is_an_error_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.storage.sqlite_file.BUSY_SECONDS", 0.1)
    store = Store(tmp_path / "chats.db")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="busy"):
            store.add_conversation(Transcript(()))
        assert store.count() == 0
    store.add_conversation(Transcript(()))
    store.close()


def test_a_full_disk_costs_only_what_was_to_be_saved(tmp_path: Path) -> None:
    def limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 60")

    event.listen(Engine, "connect", limit)
    try:
        store = Store(tmp_path / "chats.db")
        id = store.add_conversation(Transcript((Message("user", "short"),)))
        with pytest.raises(StorageError, match="no room left"):
            store.add_conversation(
                Transcript(tuple(Message("user", "word " * 200) for _ in range(500)))
            )
        assert [entry.id for entry in store.conversations()] == [id]
        store.close()
    finally:
        event.remove(Engine, "connect", limit)


def a_file(path: Path) -> str:
    store = Store(path)
    id = store.add_conversation(
        Transcript(tuple(Message("user", "word " * 200) for _ in range(200)))
    )
    store.close()
    return id


def test_a_file_that_is_no_database_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    text, foreign = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_bytes(b"Dear diary, " * 500)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE diary (day)")
    for path, sentence in (
        (text, "not a memviz database"),
        (foreign, "another program"),
    ):
        before = path.read_bytes()
        with pytest.raises(StorageError, match=sentence) as caught:
            Store(path)
        assert str(path) in str(caught.value)
        assert path.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt", "other.db"]


@pytest.mark.parametrize(
    "damage", [slice(100, 4096), slice(8192, 90_000), slice(60_000, None)]
)
def test_a_damaged_file_is_an_error_in_plain_words(
    tmp_path: Path, damage: slice
) -> None:
    path = tmp_path / "chats.db"
    id = a_file(path)
    content = bytearray(path.read_bytes())
    content[damage] = b"" if damage.stop is None else b"\x55" * len(content[damage])
    path.write_bytes(content)
    with pytest.raises(StorageError, match="damaged"):
        Store(path).conversation(id)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "damage",
    [
        "conversation SET probes = '[{'",
        "record SET value = '{}'",
        "record SET value = '{'",
    ],
)
def test_a_damaged_value_is_an_error_in_plain_words(
    tmp_path: Path, damage: str
) -> None:
    path, chat = tmp_path / "chats.db", a_chat()
    store = Store(path)
    id = store.add_conversation(Transcript(()))
    store.save_turn(id, chat.run)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {damage}")
    with pytest.raises(StorageError, match="damaged"):
        store.conversation(id), store.chat_run(id)
    store.close()


@pytest.mark.parametrize("place", ["", "notes.txt/chats.db", "/proc/chats.db"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "notes.txt").write_text("Dear diary")
    with pytest.raises(StorageError, match="cannot be opened for writing") as caught:
        Store(tmp_path / place)
    assert str(tmp_path / place) in str(caught.value)


def test_an_address_works_like_a_path_and_other_databases_are_refused(
    tmp_path: Path,
) -> None:
    a_file(tmp_path / "chats.db")
    assert Store(f"sqlite:///{tmp_path}/chats.db").count() == 1
    with pytest.raises(StorageError, match="mysql"):
        Store("mysql://localhost/chats")


def test_a_file_of_a_newer_memviz_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    a_file(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(
        StorageError, match=r"newer memviz \(file version 99.*Update memviz"
    ):
        Store(path)
    assert path.read_bytes() == before


def add_colour(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE conversation ADD COLUMN colour TEXT")


def fail(connection: Connection) -> None:
    add_colour(connection)
    raise StorageError("no colours left")


def columns(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute("PRAGMA table_info(conversation)")]


def test_an_older_file_is_brought_up_to_date_once_or_left_as_it_is(
    tmp_path: Path,
) -> None:
    path = tmp_path / "chats.db"
    id = a_file(path)
    engine = create_engine(f"sqlite:///{path}", connect_args={"isolation_level": None})
    event.listen(
        engine,
        "begin",
        lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"),
    )
    with (
        pytest.raises(StorageError, match="no colours left"),
        engine.begin() as connection,
    ):
        migrate(connection, str(path), {**UPGRADES, 12: fail})
    assert "colour" not in columns(path)
    for _ in range(2):
        with engine.begin() as connection:
            upgrades = {**UPGRADES, 12: add_colour}
            assert migrate(connection, str(path), upgrades) == 12
    engine.dispose()
    assert "colour" in columns(path)
    with closing(sqlite3.connect(path)) as file:
        assert file.execute(
            "SELECT count(*) FROM message WHERE conversation_id = ?", (id,)
        ).fetchone() == (200,)


NO_TABLES = "PRAGMA writable_schema = ON; DELETE FROM sqlite_master; PRAGMA writable_schema = OFF; VACUUM;"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (NO_TABLES, "but has none of its tables. It was left as it is; restore a copy"),
        (NO_TABLES + "PRAGMA user_version = 1", "but has none of its tables"),
        (
            NO_TABLES + "PRAGMA user_version = 0",
            "of file version 0, which there never was. It was left as it is",
        ),
        ("PRAGMA user_version = 0", "of file version 0, which there never was"),
        ("PRAGMA user_version = -3", "of file version -3, which there never was"),
        ("DROP TABLE record", "but lacks the table record. It was left"),
        (
            "ALTER TABLE run DROP COLUMN ahead",
            "but lacks the column ahead of run. It was left",
        ),
        (
            "DROP TABLE run; PRAGMA user_version = 10",
            "but lacks the table run. It was left",
        ),
    ],
)
def test_a_marked_file_that_is_not_whole_is_said_and_left_as_it_is(
    tmp_path: Path, change: str, sentence: str
) -> None:
    path = tmp_path / "chats.db"
    a_file(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(change)
    before = path.read_bytes()
    with pytest.raises(StorageError, match=sentence) as caught:
        Store(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        "message SET role = 'robot'",
        "run SET message_count = -1",
        "run SET kind = 'dream'",
        "message SET position = -1",
    ],
)
def test_the_database_itself_refuses_what_cannot_be(
    tmp_path: Path, change: str
) -> None:
    path, chat = tmp_path / "chats.db", a_chat()
    store = Store(path)
    store.save_turn(store.add_conversation(Transcript(())), chat.run)
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="CHECK"),
    ):
        connection.execute(f"UPDATE {change}")
    store.close()
