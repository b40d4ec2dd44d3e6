"""The library of opencode, as it fills row by row."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memviz.core.messages import Message
from memviz.watching import opencode
from memviz.watching.folders import FolderWatch
from memviz.watching.opencode import OpencodeLibrary
from memviz.watching.programs import PROGRAMS, WatchedFolder
from tests.watching.growing import (
    add_row,
    begin_opencode,
    keeper_in,
    kept,
    opencode_rows,
)


def test_a_session_that_fills_row_by_row_is_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    keeper = keeper_in(tmp_path)
    library = OpencodeLibrary(path, keeper)
    for number, (table, row) in enumerate(opencode_rows()):
        add_row(path, table, row)
        library.read_on()
        if number % 4 == 1:
            library = OpencodeLibrary(path, keeper)
    messages = kept(keeper, "opencode/ses_1")
    assert [one.role for one in messages] == [
        "user", "assistant", "tool", "assistant", "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert "3,600 euros" in messages[0].content
    assert [one.name for one in messages[1].tool_calls] == ["bash"]
    assert messages[2].content.strip() == "hello from the tool"
    assert messages[2].tool_call_id == messages[1].tool_calls[0].id
    watched = keeper.store.find_watched("opencode/ses_1")
    assert watched is not None
    assert watched.state["context_tokens"] == 1027
    # In milliseconds since 1970, as opencode has it.
    assert messages[0].meta == {"time": "2026-11-29T23:23:12.648000+00:00"}
    assert messages[1].meta == {
        "time": "2026-11-29T23:23:20.500000+00:00",
        "model": "scripted",
    }
    assert messages[2].meta == {"time": "2026-11-29T23:23:27.956000+00:00"}
    assert not OpencodeLibrary(tmp_path / "none.db", keeper).read_on()
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\x00" + b"x" * 5000)
    assert not OpencodeLibrary(tmp_path / "broken.db", keeper).read_on()


USER = {"role": "user"}
DONE = {"role": "assistant", "time": {"completed": 1}}
FAILED = {"role": "assistant", "error": {"name": "ProviderAuthError"}}
KILLED = {"role": "assistant", "time": {"created": 1}}
Told = tuple[dict[str, Any], int]
"""A message and the number of its parts."""


def read_once(folder: Path, session: Sequence[Told]) -> tuple[Message, ...]:
    """The messages that are kept of a session that is read once."""
    path = folder / "opencode.db"
    begin_opencode(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, (about, parts) in enumerate(session):
            id = f"msg_{number:05}"
            message = (id, "ses_1", 1, 1, json.dumps(about))
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", message)
            for at in range(parts):
                text = json.dumps({"type": "text", "text": f"{number}."})
                part = (f"prt_{number:05}_{at:03}", id, "ses_1", 1, 1, text)
                connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", part)
    keeper = keeper_in(folder)
    OpencodeLibrary(path, keeper).read_on()
    return kept(keeper, "opencode/ses_1")


def test_a_reply_that_failed_before_its_first_word_hides_nothing_behind_it(
    tmp_path: Path,
) -> None:
    session = [(USER, 1), (FAILED, 0), (USER, 1), (DONE, 1)]
    found = read_once(tmp_path, session)
    assert [one.content for one in found] == ["0.", "2.", "3."]


@pytest.mark.parametrize("first", [DONE, KILLED])
def test_a_session_of_more_than_is_read_at_a_time_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: dict[str, Any]
) -> None:
    monkeypatch.setattr(opencode, "MAX_MESSAGES", 60)
    monkeypatch.setattr(opencode, "MAX_ROWS", 200)
    session: list[Told] = [(USER, 1), (first, 3)]
    session += [(USER, 3), (DONE, 3)] * 100
    found = read_once(tmp_path, session)
    expected = [f"{number}." * parts for number, (_, parts) in enumerate(session)]
    assert [one.content for one in found] == expected


def test_a_session_of_a_subagent_is_known_as_one(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE session ADD COLUMN parent_id")
        connection.execute(
            "INSERT INTO session VALUES ('ses_1', 'Explore', 'ses_0'), ('ses_2', 'Own', NULL)"
        )
        for session in ("ses_1", "ses_2"):
            id = f"msg_{session}"
            message = (id, session, 1, 1, json.dumps(USER))
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", message)
            text = json.dumps({"type": "text", "text": "Hi"})
            part = ("prt", id, session, 1, 1, text)
            connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", part)
    keeper = keeper_in(tmp_path)
    OpencodeLibrary(path, keeper).read_on()
    newest = keeper.store.newest_watched()
    assert {one.title: one.state["is_subagent"] for one in newest} == {
        "Explore": True,
        "Own": False,
    }


def test_a_session_that_was_deleted_in_the_library_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "opencode.db"
    assert len(read_once(tmp_path, [(USER, 1), (DONE, 1)])) == 2
    keeper = keeper_in(tmp_path)
    (watched,) = keeper.store.newest_watched()
    keeper.store.delete(watched.id)
    for number, about in ((2, USER), (3, KILLED)):
        id = f"msg_{number:05}"
        add_row(path, "message", [id, "ses_1", 2, 2, json.dumps(about)])
        text = json.dumps({"type": "text", "text": "more"})
        add_row(path, "part", [f"prt_{number:05}", id, "ses_1", 2, 2, text])
    written: list[object] = []

    def write(*arguments: object) -> None:
        written.append(arguments)
        assert len(written) < 3, "it is read again and again"

    monkeypatch.setattr(keeper, "write_rows", write)
    OpencodeLibrary(path, keeper).read_on()
    assert keeper.store.newest_watched() == []


def test_a_title_that_its_user_gave_stays_while_the_session_grows(
    tmp_path: Path,
) -> None:
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    keeper = keeper_in(tmp_path)
    library = OpencodeLibrary(path, keeper)
    add_row(path, "session", ["ses_1", "Trip"])

    def title_after(number: int) -> str:
        id = f"msg_{number}"
        add_row(path, "message", [id, "ses_1", number, number, json.dumps(USER)])
        text = json.dumps({"type": "text", "text": "Hi"})
        add_row(path, "part", [f"prt_{number}", id, "ses_1", number, number, text])
        library.read_on()
        (watched,) = keeper.store.newest_watched()
        return watched.title

    assert title_after(1) == "Trip"
    (watched,) = keeper.store.newest_watched()
    keeper.store.rename(watched.id, "Mine")
    assert title_after(2) == "Mine"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE session SET title = 'A trip to Porto'")
    assert title_after(3) == "A trip to Porto"


def test_a_title_that_was_cut_amid_a_letter_hides_no_session(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO session VALUES ('ses_1', CAST(x'54f09f98' AS TEXT))"
        )
    add_row(path, "message", ["msg_1", "ses_1", 1, 1, json.dumps(USER)])
    text = json.dumps({"type": "text", "text": "Hi"})
    add_row(path, "part", ["prt_1", "msg_1", "ses_1", 1, 1, text])
    keeper = keeper_in(tmp_path)
    OpencodeLibrary(path, keeper).read_on()
    (watched,) = keeper.store.newest_watched()
    assert watched.title == "T\ufffd"


def test_a_library_that_is_not_as_opencode_has_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE part (id, session)")
    complaints: list[str] = []
    place = WatchedFolder(tmp_path, PROGRAMS["opencode"])
    FolderWatch([place], keeper_in(tmp_path), complaints.append)._look()
    assert complaints == [
        "What is new in opencode.db cannot be read (OperationalError)."
    ]


def test_a_library_that_its_program_holds_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opencode, "BUSY_SECONDS", 0.0)
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert not OpencodeLibrary(path, keeper_in(tmp_path)).read_on()


def test_all_parts_are_gone_through_once_while_sessions_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans: list[int] = []
    scan = OpencodeLibrary._read_changed

    def count(self: OpencodeLibrary, connection: sqlite3.Connection) -> bool:
        scans.append(1)
        return scan(self, connection)

    monkeypatch.setattr(OpencodeLibrary, "_read_changed", count)
    path = tmp_path / "opencode.db"
    begin_opencode(path)
    keeper = keeper_in(tmp_path)
    library = OpencodeLibrary(path, keeper)

    def texts() -> dict[str, str]:
        library.read_on()
        return {
            watched.key: " ".join(one.content for one in kept(keeper, watched.key))
            for watched in keeper.store.newest_watched()
        }

    def change(query: str, *values: object) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(query, values)

    def part_of(text: str) -> str:
        return json.dumps({"type": "text", "text": text})

    add_row(path, "message", ["msg_1", "ses_1", 1, 1, json.dumps(USER)])
    add_row(path, "part", ["prt_1", "msg_1", "ses_1", 1, 1, part_of("Hi")])
    add_row(path, "message", ["msg_2", "ses_1", 1, 1, json.dumps(KILLED)])
    add_row(path, "part", ["prt_2", "msg_2", "ses_1", 1, 1, part_of("")])
    assert texts() == {"opencode/ses_1": "Hi"}
    # A reply grows in place, and is over in the end.
    for text in ("One", "One two"):
        change("UPDATE part SET data = ? WHERE id = 'prt_2'", part_of(text))
        assert texts() == {"opencode/ses_1": f"Hi {text}"}
    change("UPDATE message SET data = ? WHERE id = 'msg_2'", json.dumps(DONE))
    texts()
    assert not library._open
    add_row(path, "message", ["msg_3", "ses_2", 1, 1, json.dumps(USER)])
    add_row(path, "part", ["prt_3", "msg_3", "ses_2", 1, 1, part_of("New")])
    assert texts() == {"opencode/ses_1": "Hi One two", "opencode/ses_2": "New"}
    assert scans == [1]
    monkeypatch.setattr(opencode, "SCAN_SECONDS", 0.0)
    add_row(path, "message", ["msg_0", "ses_0", 9, 9, json.dumps(USER)])
    add_row(path, "part", ["prt_0", "msg_0", "ses_0", 9, 9, part_of("Old")])
    assert "opencode/ses_0" in texts()
