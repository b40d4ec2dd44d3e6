"""Versions of the file. The number is kept in the file itself, next to a mark that says whose it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, ScalarSelect, func, select, update

from memviz.errors import StorageError
from memviz.storage.tables import CONVERSATIONS, MESSAGES, Base

Upgrade = Callable[[Connection], None]


def _bring_over_0_1(connection: Connection) -> None:
    """Version 11: what memviz 0.1 kept under file versions up to 10, brought over where it stands.

    Conversations, recordings and lessons stay, damaged ones too. Runs and what was worked out of them go: they had
    another form, and are made again.
    """
    for table in _RUNS_OF_0_1:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
    known = _columns(connection, "conversation")
    for column, type in _LATER_COLUMNS.items():
        if column not in known:
            connection.exec_driver_sql(
                f"ALTER TABLE conversation ADD COLUMN {column} {type}"
            )
    # Once a system message between two messages of the user parted their turn.
    connection.execute(update(CONVERSATIONS).values(turn_count=_turns_counted()))
    Base.metadata.create_all(connection)


_RUNS_OF_0_1 = ("turn", "compaction", "summary", "run", "free_run", "wording", "judged_answer", "cell")  # fmt: skip
"""Tables that are dropped, those first that refer to others."""
_LATER_COLUMNS = {"held_at": "DATETIME", "events": "JSON", "tools": "JSON"}
"""Columns of a conversation that a file of version 1 has not got."""


def _turns_counted() -> ScalarSelect[int]:
    """The turns that the messages of a conversation make, as :class:`memviz.conversation.Log` counts them."""
    message = MESSAGES.c
    speaker_before = func.lag(message.role).over(order_by=message.position)
    spoken = (
        select(message.role, speaker_before.label("before"))
        .where(message.conversation_id == CONVERSATIONS.c.id, message.role != "system")
        .correlate(CONVERSATIONS)
        .subquery()
        .c
    )
    begins_turn = (spoken.role == "user", spoken.before.is_distinct_from("user"))
    return select(func.count()).where(*begins_turn).scalar_subquery()


UPGRADES: Mapping[int, Upgrade] = {11: _bring_over_0_1}
"""What makes a file of an earlier version one of the version that is the key. A new file skips them:
it is created as the tables stand now. Append only; never change one that has been released."""

APPLICATION_ID = 0x6D656D76  # "memv"


FIRST_TABLES = ("conversation", "message", "run", "turn", "compaction", "summary")
"""What a file of version 1 has."""


def migrate(
    connection: Connection,
    path: str,
    upgrades: Mapping[int, Upgrade] = UPGRADES,
    before_upgrade: Callable[[int], object] = lambda version: None,
) -> int:
    """Bring the file to the newest version, within the transaction of ``connection``; return that version.

    ``before_upgrade`` is called with the newest version if the file is of an older one, and may raise. Raises
    :class:`StorageError`, with nothing changed, for a file of another program or of a newer memviz, and for one
    whose tables are not those of its version.
    """
    newest = max(upgrades)
    version = _pragma(connection, "user_version")
    if _pragma(connection, "application_id") != APPLICATION_ID:
        if (
            version
            or connection.exec_driver_sql(
                "SELECT count(*) FROM sqlite_master"
            ).scalar_one()
        ):
            raise StorageError(
                f"{path} is the database of another program. Choose another file."
            )
        Base.metadata.create_all(connection)
    else:
        _expect_version(version, newest, path)
        if version < newest:
            _expect_tables(connection, path, {name: set() for name in FIRST_TABLES})
            before_upgrade(newest)
        for number, upgrade in upgrades.items():
            if number > version:
                upgrade(connection)
    _expect_tables(
        connection,
        path,
        {
            table.name: set(table.columns.keys())
            for table in Base.metadata.sorted_tables
        },
    )
    if version != newest:
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {newest}")
    return newest


def _expect_version(version: int, newest: int, path: str) -> None:
    if version < 1:
        raise StorageError(
            f"{path} is marked as a database of memviz, but of file version {version}, which there never was. "
            f"It was left as it is; {_REMEDY}"
        )
    if version > newest:
        raise StorageError(
            f"{path} was written by a newer memviz (file version {version}; this one knows up to {newest}). "
            "Update memviz, or choose another file."
        )


def _expect_tables(
    connection: Connection, path: str, expected: Mapping[str, set[str]]
) -> None:
    """Raise unless all ``expected`` tables are there with these columns."""
    there = {name: _columns(connection, name) for name in expected}
    missing = [f"the table {name}" for name, columns in there.items() if not columns]
    missing += [
        f"the column {column} of {name}"
        for name, columns in there.items()
        for column in sorted(expected[name] - columns if columns else ())
    ]
    if missing:
        is_empty = not any(there.values())
        lacks = "has none of its tables" if is_empty else f"lacks {', '.join(missing)}"
        raise StorageError(
            f"{path} is marked as a database of memviz, but {lacks}. It was left as it is; {_REMEDY}"
        )


_REMEDY = "restore a copy of it, or choose another file."


def _columns(connection: Connection, table: str) -> set[str]:
    rows = connection.exec_driver_sql(f"PRAGMA table_info({table})")
    return {row[1] for row in rows}


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
