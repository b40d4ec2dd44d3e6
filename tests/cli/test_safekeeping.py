"""``memviz backup`` and ``memviz check``."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from memviz.storage.workspace import Workspace
from memviz.transcripts.samples import bundled
from tests.cli.terminal import memviz, refused


def damage(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(statement)


def test_a_backup_is_a_library_of_its_own(
    library: Workspace, database: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    shown = memviz("backup", copy)
    assert shown.lines == [
        f"Wrote {len(bundled())} conversations of {database} to {copy}."
    ]
    assert memviz("list", "--db", copy, "--json").json == memviz("list", "--json").json
    assert memviz("check", "--db", copy).lines == [
        f"{copy} is sound: {len(bundled())} conversations, all of them readable."
    ]
    if os.name != "nt":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_backup_overwrites_only_when_it_is_told_to(
    library: Workspace, database: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("something else")
    refused(
        "backup",
        copy,
        code=1,
        words=("copy.db is there already", "Choose another name"),
    )
    assert copy.read_text() == "something else"
    memviz("backup", copy, "--force")
    memviz("check", "--db", copy)
    refused("backup", database, "--force", code=1, words=("is the library itself",))


@pytest.mark.parametrize("command", [["backup", "copy.db"], ["check"]])
def test_a_library_that_is_not_there_is_not_created(
    command: list[str], database: Path
) -> None:
    refused(*command, code=1, words=("There is no file", "library.db", "--db"))
    assert not database.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "UPDATE conversation SET probes = '42' WHERE id = 'sample-trip'",
            "(id sample-trip) cannot be read: the value",
        ),
        (
            "UPDATE conversation SET created_at = 'soon' WHERE id = 'sample-trip'",
            "the value of created_at is damaged",
        ),
        (
            "DELETE FROM message WHERE conversation_id = 'sample-trip' AND position = 3",
            "message 4 is damaged",
        ),
        (
            "UPDATE message SET tool_calls = '[7]' WHERE conversation_id = 'sample-trip' AND position = 3",
            "message 4 is",
        ),
        (
            "UPDATE record SET value = '{}' WHERE kind = 'request' AND number = 3",
            "(id sample-trip): The stored run of 'summary_buffer' is damaged",
        ),
        (
            "INSERT INTO message VALUES ('nobody', 0, 'user', 'Hi.', NULL, NULL, NULL, NULL)",
            "Row",
        ),
        (
            "INSERT INTO kept VALUES ('cell', '', 'key', 0, NULL, '2026-01-01 00:00:00', 'no cell')",
            "1 of 1 kept cells of sweeps",
        ),
    ],
)
def test_check_names_what_is_damaged(
    library: Workspace, database: Path, statement: str, words: str
) -> None:
    memviz("replay", "sample-trip", "--strategy", "summary_buffer")
    assert f"is sound: {len(bundled())} conversations" in memviz("check").out
    damage(database, statement)
    shown = memviz("check", code=1)
    assert len(shown.lines) == 1
    assert words in shown.out
    assert shown.err == f"1 problem in {database}.\n"


def test_list_names_what_cannot_be_read_and_lists_the_others(
    library: Workspace, database: Path
) -> None:
    damage(
        database, "UPDATE conversation SET warnings = 'oops' WHERE id = 'sample-trip'"
    )
    shown = memviz("list", "--json")
    assert len(shown.json) == len(bundled()) - 1
    assert (
        "(id sample-trip) cannot be read: the value of warnings is damaged" in shown.err
    )
    refused(
        "replay",
        "sample-trip",
        "--strategy",
        "buffer",
        code=1,
        words=("cannot be read", "left aside"),
    )
    memviz("replay", "sample-tutoring", "--strategy", "buffer")
