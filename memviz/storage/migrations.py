"""Versions of the file. The number is kept in the file itself, next to a mark that says whose it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import Connection

from memviz.core.errors import StorageError
from memviz.storage.tables import Base

Upgrade = Callable[[Connection], None]


def _add_free_runs(connection: Connection) -> None:
    """Version 2: free runs, and what a chat recalls and pins for requests to come."""
    connection.exec_driver_sql("ALTER TABLE run ADD COLUMN ahead JSON")
    connection.exec_driver_sql(
        "CREATE TABLE free_run ("
        "conversation_id VARCHAR NOT NULL REFERENCES conversation (id) ON DELETE CASCADE, key VARCHAR NOT NULL, "
        "message_count INTEGER NOT NULL CONSTRAINT not_negative CHECK (message_count >= 0), "
        "updated_at DATETIME NOT NULL, record JSON NOT NULL, PRIMARY KEY (conversation_id, key))"
    )


def _add_origins(connection: Connection) -> None:
    """Version 3: when an imported conversation was held, and what its own program did to its memory."""
    connection.exec_driver_sql("ALTER TABLE conversation ADD COLUMN held_at DATETIME")
    connection.exec_driver_sql("ALTER TABLE conversation ADD COLUMN events JSON")


def _add_cells(connection: Connection) -> None:
    """Version 4: finished cells of sweeps."""
    connection.exec_driver_sql(
        "CREATE TABLE cell (key VARCHAR NOT NULL, kept_at DATETIME NOT NULL, cell BLOB NOT NULL, PRIMARY KEY (key))"
    )
    connection.exec_driver_sql("CREATE INDEX ix_cell_kept_at ON cell (kept_at)")


def _add_earlier_settings(connection: Connection) -> None:
    """The settings that a chat was held under before the one in force."""
    connection.exec_driver_sql("ALTER TABLE run ADD COLUMN earlier_settings JSON")


def _add_wordings_and_answers(connection: Connection) -> None:
    """Visitors' wordings of summaries, and answers that were judged."""
    owner = "conversation_id VARCHAR NOT NULL REFERENCES conversation (id) ON DELETE CASCADE, key VARCHAR NOT NULL, "
    connection.exec_driver_sql(
        f"CREATE TABLE wording ({owner}version INTEGER NOT NULL CONSTRAINT not_negative CHECK (version >= 0), "
        "text VARCHAR NOT NULL, PRIMARY KEY (conversation_id, key, version))"
    )
    connection.exec_driver_sql(
        f"CREATE TABLE judged_answer ({owner}probe INTEGER NOT NULL, run INTEGER NOT NULL, settled INTEGER NOT NULL, "
        "answer JSON NOT NULL, PRIMARY KEY (conversation_id, key, probe, run), "
        "CONSTRAINT not_negative CHECK (probe >= 0 AND run >= 0 AND settled >= 0))"
    )


def _keep_every_request(connection: Connection) -> None:
    """Version 7: a turn's record has a record of each of its requests. Those of before stay as they are, and are read
    as they are; a memviz of before would take the new ones for damaged. And a conversation keeps the schemas of its
    tools."""
    connection.exec_driver_sql("ALTER TABLE conversation ADD COLUMN tools JSON")


def _keep_pieces(connection: Connection) -> None:
    """Version 8: a request's record has the pieces that were sent, in order. Those of before stay as they are, and are
    read as they are; a memviz of before would take the new ones for damaged. And a summary says what kind of notes it
    is."""
    connection.exec_driver_sql("ALTER TABLE summary ADD COLUMN track VARCHAR")


def _add_recordings(connection: Connection) -> None:
    """Version 9: recordings that were opened."""
    connection.exec_driver_sql(
        "CREATE TABLE recording ("
        "id VARCHAR NOT NULL, opened_at DATETIME NOT NULL, content BLOB NOT NULL, PRIMARY KEY (id))"
    )


def _add_lessons(connection: Connection) -> None:
    """Version 10: lessons that were written here or uploaded."""
    connection.exec_driver_sql(
        "CREATE TABLE lesson (id VARCHAR NOT NULL, saved_at DATETIME NOT NULL, text VARCHAR NOT NULL, PRIMARY KEY (id))"
    )


UPGRADES: tuple[Upgrade, ...] = (
    _add_free_runs, _add_origins, _add_cells, _add_earlier_settings, _add_wordings_and_answers, _keep_every_request,
    _keep_pieces, _add_recordings, _add_lessons,
)  # fmt: skip
"""``UPGRADES[0]`` makes a file of version 1 one of version 2, and so on. A new file skips them:
it is created as the tables stand now. Append only; never change one that has been released."""

APPLICATION_ID = 0x6D656D76  # "memv"


FIRST_TABLES = ("conversation", "message", "run", "turn", "compaction", "summary")
"""What a file of version 1 has."""


def migrate(
    connection: Connection,
    path: str,
    upgrades: Sequence[Upgrade] = UPGRADES,
    before_upgrade: Callable[[int], object] = lambda version: None,
) -> int:
    """Bring the file to the newest version, within the transaction of ``connection``; return that version.

    ``before_upgrade`` is called with the newest version if the file is of an older one, and may raise. Raises
    :class:`StorageError`, with nothing changed, for a file of another program or of a newer memviz, and for one
    whose tables are not those of its version.
    """
    newest, version = 1 + len(upgrades), _pragma(connection, "user_version")
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
        for upgrade in upgrades[version - 1 :]:
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
    there = {
        name: {
            row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({name})")
        }
        for name in expected
    }
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


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
