"""Files that grow as the programs write them, and libraries that keep what they hold."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from memviz.core.messages import Message
from memviz.storage.store import Store
from memviz.watching.keeper import Keeper

SAMPLES = Path(__file__).parent / "samples"
"""Sessions of the programs themselves against a scripted server: Claude Code 2.1.197, Codex 0.171.0, Gemini CLI
0.61.0, Copilot CLI 1.0.102, opencode 1.18.33. Long texts are cut, and folders renamed."""


def lines_of(program: str) -> list[bytes]:
    """The lines of a session as its program wrote it."""
    return (SAMPLES / f"{program}.jsonl").read_bytes().splitlines(keepends=True)


def append(path: Path, data: bytes) -> None:
    """Write more to a file."""
    with path.open("ab") as file:
        file.write(data)


def keeper_in(folder: Path, redact: Sequence[str] = ()) -> Keeper:
    """A keeper over a library in this folder."""
    return Keeper(Store(folder / "library.db"), redact)


def kept(keeper: Keeper, key: str) -> tuple[Message, ...]:
    """The messages that the library has of a watched conversation; reading them checks its counts too."""
    watched = keeper.store.find_watched(key)
    assert watched is not None
    messages = keeper.store.conversation(watched.id).messages
    assert len(messages) == watched.message_count
    return messages


def said(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Who said what."""
    return [(one.role, one.content) for one in messages]


def opencode_rows() -> Iterator[tuple[str, list[object]]]:
    """The rows of a library of opencode as it wrote them, in the order in which it did."""
    tables = json.loads((SAMPLES / "opencode.json").read_text(encoding="utf-8"))
    yield "session", tables["session"][0]
    for message in tables["message"]:
        yield "message", message
        for part in tables["part"]:
            if part[1] == message[0]:
                yield "part", part


def begin_opencode(path: Path) -> None:
    """Make an empty library of opencode."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE session (id, title);"
            "CREATE TABLE message (id, session_id, time_created, time_updated, data);"
            "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);"
        )


def add_row(path: Path, table: str, row: list[object]) -> None:
    """Add a row to a library of opencode."""
    marks = ", ".join("?" * len(row))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
