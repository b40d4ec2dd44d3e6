"""The seam between what is stored and where: all that a file and a server do differently, behind one class."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError, StatementError

from memviz.core.recently_used import RecentlyUsed
from memviz.core.storage_errors import StorageError
from memviz.core.translation import _
from memviz.storage.database_file import DatabaseFile
from memviz.storage.tables import Base

READINGS_KEPT = 1_000
ROWS_A_COPY = 5_000
T = TypeVar("T")


class Database(ABC):
    """An open database, at the newest version: a file (``SqliteFile``) or a server's (``PostgresServer``).

    All other modules of storage speak SQLAlchemy to ``reading`` and ``writing``. A transaction of ``reading`` sees one
    state of the database from its beginning to its end. Those of ``writing`` come one after the other, whoever
    writes, so what one has read stays true until it ends.
    """

    name: str
    """As people are told: the path of a file, ``:memory:``, or the address of a server without a password."""
    reading: Engine
    writing: Engine
    file: DatabaseFile | None = None
    """``None`` where there is none: in memory, or on a server."""

    def __init__(self) -> None:
        self._readings: RecentlyUsed[Hashable, tuple[Hashable, Any]]
        self._readings = RecentlyUsed(READINGS_KEPT)
        self._claims: set[str] = set()
        self._claiming = Lock()

    def read_once(self, what: Hashable, read: Callable[[], T]) -> T:
        """Return the result of ``read``, which is called only if the database has changed since it last was called for
        ``what``."""
        mark = self.commit_mark()
        if mark is None:
            return read()
        kept = self._readings.get(what)
        if kept is None or kept[0] != mark:
            # The mark is older than what is read now, so a commit in between means that it is read once more.
            kept = self._readings.put(what, (mark, read()))
        value: T = kept[1]
        return value

    def try_claim(self, name: str) -> bool:
        """Return whether nobody else has this claim; then it is the caller's until :meth:`release_claim`. It holds for
        this process, and on a server of PostgreSQL for all that use the library."""
        with self._claiming:
            if name in self._claims:
                return False
            self._claims.add(name)
            return True

    def release_claim(self, name: str) -> None:
        """Give up a claim."""
        with self._claiming:
            self._claims.discard(name)

    @abstractmethod
    def commit_mark(self) -> Hashable | None:
        """Return what is another value after every commit, whoever made it. ``None`` where nobody can say: then
        everything is read each time."""

    def expect_in_place(self) -> None:
        """Raise :class:`DatabaseMovedError` if there is a file and it was removed or replaced: what is written now
        could not be found again."""
        if self.file is not None:
            self.file.expect_in_place()

    @abstractmethod
    def back_up(self, target: Path, *, overwrite: bool) -> None:
        """Write everything to a file of SQLite, while others go on using the database. Raises StorageError."""

    @abstractmethod
    def faults(self, connection: Connection) -> Iterator[str]:
        """Yield what the database itself finds wrong, a sentence each."""

    @abstractmethod
    def used_bytes(self, connection: Connection) -> int:
        """Return how many bytes the tables take."""

    @abstractmethod
    def error_in_words(
        self, error: SQLAlchemyError | UnicodeDecodeError
    ) -> StorageError:
        """Return the error for people: the fault, its place, and the remedy."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


def not_stored(name: str, error: Exception) -> StorageError:
    """Return the error for a value that cannot be stored, or a connection that cannot be had."""
    problem = (
        _("a value in it cannot be stored")
        if isinstance(error, StatementError)
        else _("there is no way to it")
    )
    return StorageError(
        _(
            "Nothing was saved to {path}: {problem} ({value}).",
            path=name,
            problem=problem,
            value=error.__cause__ or error,
        )
    )


def not_writable(name: str, reason: str) -> StorageError:
    """Return the error for a database whose file or tables cannot be written."""
    return StorageError(
        _(
            "{path} cannot be opened for writing ({reason}). Check the folder and its rights, or choose "
            "another file.",
            path=name,
            reason=reason,
        )
    )


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy all rows of all tables into a database whose tables are empty."""
    for table in Base.metadata.sorted_tables:
        query = table.select().execution_options(yield_per=ROWS_A_COPY)
        for rows in source.execute(query).mappings().partitions():
            target.execute(table.insert(), [dict(row) for row in rows])
