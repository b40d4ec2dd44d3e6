"""Versions of the database. The number is kept in the database itself, next to a mark that says whose it is."""

import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress

from sqlalchemy import Connection, select, update

from memviz.core.conversation import Log
from memviz.core.errors import MessageError
from memviz.core.messages import Message
from memviz.core.storage_errors import StorageError
from memviz.core.text.wording import COMMA
from memviz.core.translation import _
from memviz.storage.kept_values import put
from memviz.storage.tables import CONVERSATIONS, MESSAGES, Base

Upgrade = Callable[[Connection], None]


def _bring_over_0_1(connection: Connection) -> None:
    """Version 11: what memviz 0.1 kept under file versions up to 10, brought over where it stands.

    Conversations stay as they are, damaged ones too; recordings and lessons move to where such values are kept now.
    Runs and what was worked out of them go: they had another form, and are made again.
    """
    known = _columns(connection, "conversation")
    for column, type in _LATER_COLUMNS.items():
        if column not in known:
            connection.exec_driver_sql(
                f"ALTER TABLE conversation ADD COLUMN {column} {type}"
            )
    _count_again(connection)
    kept = {
        table: connection.exec_driver_sql(query).all()
        for table, query in _KEPT_OF_0_1.items()
        if _columns(connection, table)
    }
    for table in _TABLES_OF_0_1:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
    Base.metadata.create_all(connection)
    for name, content in kept.get("recording", ()):
        with suppress(zlib.error, TypeError):
            file = zlib.decompress(content).decode("latin-1")
            put(connection, "recording", name, file)
    for id, text in kept.get("lesson", ()):
        put(connection, "lesson", id, text)


def _count_again(connection: Connection) -> None:
    """Count the turns and requests of all conversations as :class:`memviz.core.conversation.Log` counts them now."""
    for (id,) in connection.execute(select(CONVERSATIONS.c.id)).all():
        roles = (
            select(MESSAGES.c.role)
            .where(MESSAGES.c.conversation_id == id)
            .order_by(MESSAGES.c.position)
        )
        with suppress(MessageError):  # of a damaged one, which is named when it is read
            log = Log(Message(role, "") for role in connection.scalars(roles))
            counts = {"turn_count": log.turn_count, "request_count": log.request_count}
            this = update(CONVERSATIONS).where(CONVERSATIONS.c.id == id)
            connection.execute(this.values(counts))


_LATER_COLUMNS = {
    "held_at": "DATETIME",
    "events": "JSON",
    "tools": "JSON",
    "request_count": "INTEGER NOT NULL DEFAULT 0",
}
"""Columns of a conversation that files of earlier versions have not got."""
_KEPT_OF_0_1 = {
    "recording": "SELECT id, content FROM recording ORDER BY opened_at",
    "lesson": "SELECT id, text FROM lesson ORDER BY saved_at",
}
_TABLES_OF_0_1 = (
    *("turn", "compaction", "summary", "run", "free_run"),
    *("wording", "judged_answer", "cell", "recording", "lesson"),
)
"""Tables that go, those first that refer to others."""

UPGRADES: Mapping[int, Upgrade] = {11: _bring_over_0_1}
"""What makes a file of an earlier version one of the version that is the key. A new file skips them:
it is created as the tables stand now. Append only; never change one that has been released."""

APPLICATION_ID = 0x6D656D76  # "memv"


FIRST_TABLES = ("conversation", "message", "run")
"""What a file of version 1 has."""


class Catalogue:
    """The place where a file keeps its version, and the mark that it is memviz's; a server has another one."""

    def version(self, connection: Connection) -> int | None:
        """Return the version, ``None`` where nothing says that this is memviz's."""
        is_ours = _pragma(connection, "application_id") == APPLICATION_ID
        return _pragma(connection, "user_version") if is_ours else None

    def is_free(self, connection: Connection) -> bool:
        """Return whether tables can be made here: those of no other program are in the way."""
        count_tables = "SELECT count(*) FROM sqlite_master"
        is_empty = not connection.exec_driver_sql(count_tables).scalar_one()
        return is_empty and not _pragma(connection, "user_version")

    def mark(self, connection: Connection, version: int) -> None:
        """Say that this is memviz's, and of which version."""
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")

    def columns(self, connection: Connection, table: str) -> set[str]:
        """Return the names of a table's columns, none where it is not there."""
        return _columns(connection, table)


OF_FILE = Catalogue()


def migrate(
    connection: Connection,
    path: str,
    upgrades: Mapping[int, Upgrade] = UPGRADES,
    before_upgrade: Callable[[int], object] = lambda version: None,
    catalogue: Catalogue = OF_FILE,
) -> int:
    """Bring the database to the newest version, within the transaction of ``connection``; return that version.

    ``before_upgrade`` is called with the newest version if the file is of an older one, and may raise. Raises
    :class:`StorageError`, with nothing changed, for a file of another program or of a newer memviz, and for one
    whose tables are not those of its version.
    """
    newest = max(upgrades)
    version = catalogue.version(connection)
    if version is None:
        if not catalogue.is_free(connection):
            raise StorageError(
                _(
                    "{path} is the database of another program. Choose another file.",
                    path=path,
                )
            )
        Base.metadata.create_all(connection)
    else:
        _expect_version(version, newest, path)
        if version < newest:
            first: dict[str, set[str]] = {name: set() for name in FIRST_TABLES}
            _expect_tables(connection, path, first, catalogue)
            before_upgrade(newest)
        for number, upgrade in upgrades.items():
            if number > version:
                upgrade(connection)
    columns = {}
    for table in Base.metadata.sorted_tables:
        columns[table.name] = set(table.columns.keys())
    _expect_tables(connection, path, columns, catalogue)
    if version != newest:
        catalogue.mark(connection, newest)
    return newest


def _expect_version(version: int, newest: int, path: str) -> None:
    if version < 1:
        raise StorageError(
            _(
                "{path} is marked as a database of memviz, but of file version {version}, which there never was. "
                "It was left as it is; restore a copy of it, or choose another file.",
                path=path,
                version=version,
            )
        )
    if version > newest:
        raise StorageError(
            _(
                "{path} was written by a newer memviz (file version {version}; this one knows up to {newest}). "
                "Update memviz, or choose another file.",
                path=path,
                version=version,
                newest=newest,
            )
        )


def _expect_tables(
    connection: Connection,
    path: str,
    expected: Mapping[str, set[str]],
    catalogue: Catalogue,
) -> None:
    """Raise unless all ``expected`` tables are there with these columns."""
    there = {name: catalogue.columns(connection, name) for name in expected}
    missing = [
        _("the table {name}", name=name)
        for name, columns in there.items()
        if not columns
    ]
    missing += [
        _("the column {column} of {name}", column=column, name=name)
        for name, columns in there.items()
        for column in sorted(expected[name] - columns if columns else ())
    ]
    if missing:
        is_empty = not any(there.values())
        if is_empty:
            raise StorageError(
                _(
                    "{path} is marked as a database of memviz, but has none of its tables. It was left as it is; "
                    "restore a copy of it, or choose another file.",
                    path=path,
                )
            )
        raise StorageError(
            _(
                "{path} is marked as a database of memviz, but lacks {missing}. It was left as it is; restore a copy "
                "of it, or choose another file.",
                path=path,
                missing=_(COMMA).join(missing),
            )
        )


def _columns(connection: Connection, table: str) -> set[str]:
    rows = connection.exec_driver_sql(f"PRAGMA table_info({table})")
    return {row[1] for row in rows}


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
