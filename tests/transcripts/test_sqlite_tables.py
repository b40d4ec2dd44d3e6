"""Databases: tables are read, in memory; nothing in them runs, and nothing takes for ever."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from time import perf_counter

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import load_file
from memviz.transcripts.sqlite_tables import Tables
from tests.tables import for_each
from tests.transcripts.sample_files import sample_files

ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
)


def database(script: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return connection.serialize()


def tables(script: str, **limits: int) -> Tables:
    return Tables(database(script), Limits(**limits))


def test_rows_come_with_the_columns_asked_for_in_the_order_asked_for() -> None:
    found = tables(
        "CREATE TABLE t (b INT, a TEXT); INSERT INTO t VALUES (2, 'x'), (1, 'y')"
    )
    assert found.columns == {"t": ("b", "a")}
    assert found.rows("t", ("a", "gone")) == [
        {"a": "x", "gone": None},
        {"a": "y", "gone": None},
    ]
    assert found.rows("t", ("a", "b"), order=("b", "gone")) == [
        {"a": "y", "b": 1},
        {"a": "x", "b": 2},
    ]
    assert found.rows("no such table", ("a",)) == []
    assert found.rows("t", ("gone",)) == []


def test_names_are_quoted() -> None:
    found = tables(
        'CREATE TABLE "a""b; DROP" ("select" TEXT, "x"" y" TEXT); INSERT INTO "a""b; DROP" VALUES (1, 2)'
    )
    assert found.rows('a"b; DROP', ("select", 'x" y')) == [{"select": "1", 'x" y': "2"}]


def test_views_and_virtual_tables_are_not_there() -> None:
    script = f"CREATE TABLE t (a); CREATE VIEW messages AS {ENDLESS}; CREATE VIRTUAL TABLE f USING fts5(a)"
    assert "messages" not in tables(script).columns
    assert "f" not in tables(script).columns
    assert "t" in tables(script).columns


@for_each("name", ["openai_agents", "llm_logs", "llamaindex", "langchain"])
def test_an_endless_view_in_place_of_a_table_hangs_nothing(name: str) -> None:
    sample = next(
        data
        for file, data in sample_files().items()
        if file.startswith(name) and data[:6] == b"SQLite"
    )
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(sample)
        names = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        for table in names:
            if not table.startswith("sqlite_"):
                connection.execute(f'ALTER TABLE "{table}" RENAME TO "old_{table}"')
                connection.execute(f'CREATE VIEW "{table}" AS {ENDLESS}')
        hostile = connection.serialize()
    start = perf_counter()
    with suppress(
        TranscriptError
    ):  # some know their tables by the columns, and find them under the other name
        assert load_file(hostile).transcripts
    assert perf_counter() - start < 5


@for_each("size", [900_000, 9_000_000])
def test_columns_that_are_computed_cannot_fill_the_memory(size: int) -> None:
    made = f"CREATE TABLE t (a, b AS (hex(zeroblob({size // 2}))));"
    found = tables(made + "INSERT INTO t (a) VALUES ('x');" * 9)
    assert len(found.rows("t", ("a",))) == 9
    with pytest.raises(TranscriptError, match=r"more than the whole file|too big"):
        found.rows("t", ("b",))


def test_too_many_rows_are_refused() -> None:
    found = tables("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)", messages=2)
    with pytest.raises(TranscriptError, match="more than 2 rows"):
        found.rows("t", ("a",))


def test_reading_for_ever_is_ended() -> None:
    found = tables(f"CREATE TABLE t AS {ENDLESS} LIMIT 100000")
    found._limits = Limits(database_seconds=0)
    with pytest.raises(
        TranscriptError, match=r"longer than the limit of 0 s\."
    ) as caught:
        found.rows("t", ("x",), order=("x",))
    assert "MEMVIZ_IMPORT_DATABASE_SECONDS" in caught.value.remedy


def test_text_that_is_no_utf_8_is_text_all_the_same() -> None:
    found = tables(
        "CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'ff41' AS TEXT))"
    )
    assert found.rows("t", ("a",)) == [{"a": "\ufffdA"}]


def garbage(data: bytes) -> bytes:
    return data[:100] + b"\xff" * (len(data) - 100)


@for_each("damage", [garbage, lambda data: data[:50], lambda data: data[:3000]])
def test_damage_is_a_sentence(damage: Callable[[bytes], bytes]) -> None:
    whole = database("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    with pytest.raises(
        TranscriptError, match=r"database cannot be read|no known chat database"
    ) as caught:
        load_file(damage(whole))
    assert caught.value.remedy


def test_another_database_says_what_is_in_it() -> None:
    with pytest.raises(
        TranscriptError, match="no known chat database: it has 'invoices'"
    ):
        load_file(database("CREATE TABLE invoices (a)"))


def test_a_live_database_copied_without_its_log_says_so(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(
            "CREATE TABLE agent_messages (id INTEGER, session_id TEXT, message_data TEXT)"
        )
        connection.commit()
        copied = path.read_bytes()
    with pytest.raises(TranscriptError, match="-wal"):
        load_file(copied)


def test_a_database_in_write_ahead_mode_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    found = Tables(path.read_bytes(), Limits())
    assert found.in_write_ahead_mode
    assert found.rows("t", ("a",)) == [{"a": 1}]
