"""Open the file: how SQLite is set up, how transactions begin, and its errors in plain words."""

import json
import logging
import sqlite3
import weakref
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.pool import StaticPool

from memviz.core.recently_used import RecentlyUsed
from memviz.core.storage_errors import ConversationChangedError, StorageError
from memviz.core.translation import _, noop
from memviz.storage.database_file import DatabaseFile, reason_of
from memviz.storage.migrations import migrate
from memviz.storage.tables import CHANGED

BUSY_SECONDS = 10
"""How long a write waits for another process or thread that is writing."""

MEMORY = ":memory:"
MAX_COPIES = 3
"""Copies kept from before an upgrade of the file; the oldest goes first."""
READINGS_KEPT = 1_000
T = TypeVar("T")
LOGGER = logging.getLogger(__name__)


def database_path(path_or_url: str | Path) -> str:
    """The file that a path or an ``sqlite:///`` address names, or ``:memory:``."""
    given = str(path_or_url)
    if "://" in given:
        try:
            url = make_url(given)
        except ArgumentError:
            url = URL.create("unknown")
        if url.get_backend_name() != "sqlite":
            raise StorageError(
                _(
                    "{backend}:// is not a database that memviz can use. Give a file path.",
                    backend=given.split("://")[0],
                )
            )
        given = url.database or MEMORY
    return given if given == MEMORY else str(Path(given).expanduser())


@dataclass(eq=False, repr=False)
class Readings:
    """The values that were read from a file last, for as long as nobody writes to it.

    SQLite counts for a connection the commits of all others, those of other processes included (PRAGMA
    data_version), and says the number in microseconds. ``watching`` therefore never writes itself.
    """

    watching: sqlite3.Connection
    _lock: Lock = field(default_factory=Lock)
    _kept: RecentlyUsed[Hashable, tuple[int, Any]] = field(
        default_factory=lambda: RecentlyUsed(READINGS_KEPT)
    )

    def __post_init__(self) -> None:
        self.close = weakref.finalize(self, self.watching.close)

    def once(self, what: Hashable, read: Callable[[], T]) -> T:
        """The result of ``read``, which is called only if the file has changed since it last was called for
        ``what``."""
        number = self._commits()
        if number is None:
            return read()
        kept = self._kept.get(what)
        if kept is None or kept[0] != number:
            # The number is older than what is read now, so a commit in between means that it is read once more.
            kept = self._kept.put(what, (number, read()))
        value: T = kept[1]
        return value

    def _commits(self) -> int | None:
        """``None`` where the file cannot be read: then reading it says what is wrong."""
        with self._lock, suppress(sqlite3.Error, UnicodeDecodeError):
            return int(self.watching.execute("PRAGMA data_version").fetchone()[0])
        return None


@dataclass(frozen=True)
class Database:
    """An open database. ``file`` and ``readings`` are ``None`` for one that is in memory only."""

    path: str
    engine: Engine
    file: DatabaseFile | None
    readings: Readings | None = None

    def expect_in_place(self) -> None:
        """Raise :class:`DatabaseMovedError` if the file was removed or replaced."""
        if self.file is not None:
            self.file.expect_in_place()

    def keep_copy(self, version: int) -> None:
        """Keep a copy of the file as it is before it is brought to ``version``, beside it, and say so in the log."""
        if self.file is None:
            return
        copies = Path(self.path).absolute()
        copy = copies.with_name(f"{copies.name}.before-v{version}")
        self.file.copy_to(copy, overwrite=True)
        older = sorted(
            copies.parent.glob(f"{escape(copies.name)}.before-v*"),
            key=lambda kept: kept.stat().st_mtime,
        )
        for kept in older[:-MAX_COPIES]:
            kept.unlink(missing_ok=True)
        LOGGER.warning(
            "%s is brought to file version %d. A copy as it was before is %s.",
            self.path,
            version,
            copy,
        )

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()
        if self.readings is not None:
            self.readings.close()
        if self.file is not None:
            self.file.close()


def open_database(path: str) -> Database:
    """Open or create the file at ``path``, its folder included, at the newest version.

    Raises :class:`StorageError`; a file that cannot be used is left as it was.
    """
    try:
        file = None if path == MEMORY else _open_file(path)
    except (OSError, sqlite3.Error) as error:
        raise StorageError(_unopened(path, reason_of(error))) from error
    except UnicodeDecodeError as error:
        raise plain_error(error, path) from error
    database = Database(path, _engine(path, file), file)
    try:
        _bring_up_to_date(database)
    except (SQLAlchemyError, sqlite3.Error, UnicodeDecodeError, StorageError) as error:
        database.close()
        if isinstance(error, StorageError):
            raise
        raise plain_error(error, path) from error
    return (
        database
        if file is None
        else replace(database, readings=Readings(file.connect()))
    )


def _open_file(path: str) -> DatabaseFile:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return DatabaseFile(path, BUSY_SECONDS)


def _bring_up_to_date(database: Database) -> None:
    with writing(database.engine).begin() as connection:
        migrate(connection, database.path, before_upgrade=database.keep_copy)
    if database.file is not None:
        database.file.log_ahead()


def writing(engine: Engine) -> Engine:
    """The same engine, for transactions that write. They take the write lock at once: one that read
    first and asked for the lock later could find its reading out of date, and would fail."""
    return engine.execution_options(begin="BEGIN IMMEDIATE")


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


def plain_error(
    error: SQLAlchemyError | sqlite3.Error | UnicodeDecodeError, path: str
) -> StorageError:
    """The error in plain words: the fault of the file at ``path``, its place, and the remedy."""
    if isinstance(
        error, UnicodeDecodeError
    ):  # SQLite's own error quotes names of tables, and these are damaged
        return StorageError(_(_DAMAGED, path=path))
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, SQLAlchemyError):
        problem = (
            _("a value in it cannot be stored")
            if isinstance(error, StatementError)
            else _("there is no way to it")
        )
        return StorageError(
            _(
                "Nothing was saved to {path}: {problem} ({value}).",
                path=path,
                problem=problem,
                value=error.__cause__ or error,
            )
        )
    name = getattr(cause, "sqlite_errorname", "") or ""
    for start, sentence in _SENTENCES.items():
        if name.startswith(start):
            kind = ConversationChangedError if sentence is CHANGED else StorageError
            return kind(_(sentence, path=path, seconds=BUSY_SECONDS))
    if name.startswith(
        ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
    ):
        return StorageError(_unopened(path, str(cause)))
    return StorageError(
        _(
            "{path} could not be read or written ({cause}). Nothing was saved; try again.",
            path=path,
            cause=cause,
        )
    )


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


def _unopened(path: str, reason: str) -> str:
    return _(
        "{path} cannot be opened for writing ({reason}). Check the folder and its rights, or choose "
        "another file.",
        path=path,
        reason=reason,
    )
