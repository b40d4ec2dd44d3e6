"""A file of SQLite as a database: how it is set up, how transactions begin, and its errors in plain words."""

import json
import logging
import sqlite3
import weakref
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import partial
from glob import escape
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from memviz.core.storage_errors import ConversationChangedError, StorageError
from memviz.core.translation import _, noop
from memviz.storage.database import Database, not_stored, not_writable
from memviz.storage.database_file import DatabaseFile, reason_of
from memviz.storage.migrations import migrate
from memviz.storage.tables import CHANGED

BUSY_SECONDS = 10
"""How long a write waits for another process or thread that is writing."""
MEMORY = ":memory:"
MAX_COPIES = 3
"""Copies kept from before an upgrade of the file; the oldest goes first."""
MAX_PROBLEMS_OF_SQLITE = 100
LOGGER = logging.getLogger(__name__)


class SqliteFile(Database):
    """The database in a file, or for ``:memory:`` in memory only. The file and its folder are created where there are
    none.

    Raises :class:`StorageError`; a file that cannot be used is left as it was.
    """

    def __init__(self, path: str) -> None:
        self.name = path
        super().__init__()
        try:
            self.file = None if path == MEMORY else _open_file(path)
        except (OSError, sqlite3.Error) as error:
            raise not_writable(path, reason_of(error)) from error
        except UnicodeDecodeError as error:
            raise self.error_in_words(error) from error
        self.reading = _engine(path, self.file)
        # They take the write lock at once: one that read first and asked for the lock later could find its reading out
        # of date, and would fail.
        self.writing = self.reading.execution_options(begin="BEGIN IMMEDIATE")
        self._watching: sqlite3.Connection | None = None
        self._lock = Lock()
        try:
            self._bring_up_to_date()
        except (
            SQLAlchemyError,
            sqlite3.Error,
            UnicodeDecodeError,
            StorageError,
        ) as error:
            self.close()
            if isinstance(error, StorageError):
                raise
            raise self.error_in_words(error) from error
        if self.file is not None:
            self._watching = self.file.connect()
            weakref.finalize(self, self._watching.close)

    def _bring_up_to_date(self) -> None:
        with self.writing.begin() as connection:
            migrate(connection, self.name, before_upgrade=self._keep_copy)
        if self.file is not None:
            self.file.log_ahead()

    def _keep_copy(self, version: int) -> None:
        """Keep a copy of the file as it is before it is brought to ``version``, beside it, and say so in the log."""
        if self.file is None:
            return
        path = Path(self.name).absolute()
        copy = path.with_name(f"{path.name}.before-v{version}")
        self.file.copy_to(copy, overwrite=True)
        older = sorted(
            path.parent.glob(f"{escape(path.name)}.before-v*"),
            key=lambda kept: kept.stat().st_mtime,
        )
        for kept in older[:-MAX_COPIES]:
            kept.unlink(missing_ok=True)
        LOGGER.warning(
            "%s is brought to file version %d. A copy as it was before is %s.",
            self.name,
            version,
            copy,
        )

    def commit_mark(self) -> Hashable | None:
        """SQLite counts for a connection the commits of all others, those of other processes included (PRAGMA
        data_version), and says the number in microseconds. ``_watching`` therefore never writes itself."""
        if self._watching is None:
            return None
        with self._lock, suppress(sqlite3.Error, UnicodeDecodeError):
            return int(self._watching.execute("PRAGMA data_version").fetchone()[0])
        return None

    def back_up(self, target: Path, *, overwrite: bool) -> None:
        """Copy the file. Raises StorageError, also where there is none."""
        if self.file is None:
            raise StorageError(
                _("This database is in memory only; there is no file to copy.")
            )
        self.file.copy_to(target, overwrite=overwrite)

    def faults(self, connection: Connection) -> Iterator[str]:
        """Yield what SQLite's own checks of the file find."""
        for (finding,) in connection.exec_driver_sql(
            f"PRAGMA integrity_check({MAX_PROBLEMS_OF_SQLITE})"
        ):
            if finding != "ok":
                yield _("The file itself is damaged: {finding}.", finding=finding)
        for table, row, parent, _number in connection.exec_driver_sql(
            "PRAGMA foreign_key_check"
        ):
            yield _(
                "Row {row} of the table {table} belongs to a {parent} that is not there.",
                row=row,
                table=table,
                parent=parent,
            )

    def used_bytes(self, connection: Connection) -> int:
        """Return the bytes of the file's pages in use."""
        count, free, size = (
            int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (count - free) * size

    def error_in_words(
        self, error: SQLAlchemyError | sqlite3.Error | UnicodeDecodeError
    ) -> StorageError:
        """Return the error in plain words: the fault of the file, its place, and the remedy."""
        path = self.name
        if isinstance(
            error, UnicodeDecodeError
        ):  # SQLite's own error quotes names of tables, and these are damaged
            return StorageError(_(_DAMAGED, path=path))
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, SQLAlchemyError):
            return not_stored(path, cause)
        name = getattr(cause, "sqlite_errorname", "") or ""
        for start, sentence in _SENTENCES.items():
            if name.startswith(start):
                kind = ConversationChangedError if sentence is CHANGED else StorageError
                return kind(_(sentence, path=path, seconds=BUSY_SECONDS))
        if name.startswith(
            ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
        ):
            return not_writable(path, str(cause))
        return StorageError(
            _(
                "{path} could not be read or written ({cause}). Nothing was saved; try again.",
                path=path,
                cause=cause,
            )
        )

    def close(self) -> None:
        """Let go of the file."""
        self.reading.dispose()
        if self._watching is not None:
            self._watching.close()
        if self.file is not None:
            self.file.close()


def _open_file(path: str) -> DatabaseFile:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return DatabaseFile(path, BUSY_SECONDS)


def _engine(path: str, file: DatabaseFile | None) -> Engine:
    in_memory = {
        "poolclass": StaticPool,
        "connect_args": {"isolation_level": None, "check_same_thread": False},
    }
    options: dict[str, Any] = {"creator": file.connect} if file else in_memory
    engine = create_engine(
        URL.create("sqlite", database=path),
        json_serializer=partial(json.dumps, separators=(",", ":")),
        hide_parameters=True,  # conversations do not belong into error texts
        **options,
    )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _holds_folded(text: bytes | None, wanted: str) -> bool:
    """True if a text holds ``wanted``, which is folded already, whatever its upper and lower case."""
    return text is not None and wanted in text.decode("utf-8", "replace").casefold()


def _set_up(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    # A damaged byte becomes a question mark in its text, and does not hide all that is listed with it.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    # SQLite's own upper and lower case know ASCII only.
    connection.create_function("holds_folded", 2, _holds_folded, deterministic=True)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


_DAMAGED = noop(
    "{path} is not a memviz database, or it is damaged. It "
    "was left as it is; choose another file or restore a copy."
)
_SENTENCES = {
    "SQLITE_CONSTRAINT_PRIMARYKEY": CHANGED,
    "SQLITE_CONSTRAINT_UNIQUE": CHANGED,
    "SQLITE_CONSTRAINT_FOREIGNKEY": CHANGED,
    "SQLITE_BUSY": noop(
        "{path} is busy: another program has been writing to it for {seconds} seconds. Try again."
    ),
    "SQLITE_FULL": noop(
        "There is no room left for {path}, so nothing was saved. Free some space and try again."
    ),
    "SQLITE_NOTADB": _DAMAGED,
    "SQLITE_CORRUPT": _DAMAGED,
}
