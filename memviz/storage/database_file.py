"""The database file on disk: created for its owner alone, watched while it is open, copied while it is in use."""

import os
import sqlite3
import weakref
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import date
from glob import escape
from pathlib import Path
from tempfile import mkstemp
from time import time

from memviz.core.storage_errors import DatabaseMovedError, StorageError
from memviz.core.translation import _

OWNER_ONLY = 0o600
LOGS = ("-wal", "-shm")
"""Endings of the files that SQLite keeps beside a database in use. They hold what was written last."""

DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises, and what Python does where the names of tables that SQLite's error quotes are damaged."""
PART = ".part"
"""Ending of a copy that is being written."""
ABANDONED_SECONDS = 3600.0
"""A copy to which nobody wrote for so long belongs to a program that was killed."""
Identity = tuple[int, int]
"""Device and inode."""


class DatabaseFile:
    """The file at ``path``, as it was when it was opened; created where there is none.

    SQLite goes on writing to a file that was removed or replaced, and reports success, although nobody
    can find what it wrote. So the file is known by device and inode, and asked for again around every
    write. One connection stays open for as long as this object lives: it keeps what a removed file
    held, and keeps the logs beside the file from being deleted and created again.
    """

    def __init__(self, path: str, busy_seconds: float) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._place = (
            Path(path).resolve()
        )  # SQLite keeps its logs beside the file itself, not beside a link to it
        with suppress(FileExistsError):
            create_for_owner(self._place)
        self._first = self._connect()
        self._opened = {"": _identity(self._place)}
        self.close = weakref.finalize(
            self, _close, self._first, self._place, self._opened
        )

    def _connect(self) -> sqlite3.Connection:
        # "rw", not "rwc": where the file is gone, an empty one in its place would only hide that.
        return sqlite3.connect(
            self._place.as_uri() + "?mode=rw",
            uri=True,
            timeout=self._busy_seconds,
            check_same_thread=False,
            isolation_level=None,  # left to itself, the driver begins a transaction only at the first write
        )

    def connect(self) -> sqlite3.Connection:
        """One more connection. Raises :class:`DatabaseMovedError` instead of opening another file."""
        self.expect_in_place()
        connection = self._connect()
        try:
            if LOGS[0] in self._opened:
                _open_logs(
                    connection
                )  # now: SQLite does not open them for a file that was removed
            self.expect_in_place()
        except (DatabaseMovedError, *DAMAGE):
            connection.close()
            raise
        return connection

    def log_ahead(self) -> None:
        """Let readers read while one writes; the file remembers it. From now on, expect the logs as well."""
        with suppress(
            sqlite3.OperationalError
        ):  # busy: another process has just opened it and does the same
            self._first.execute("PRAGMA journal_mode = WAL")
        _open_logs(self._first)
        self._opened |= {
            ending: known
            for ending in LOGS
            if (known := _identity(self._place, ending))
        }

    def problem(self) -> str:
        """The sentence on a change of the file since it was opened; empty if it is where it was."""
        for ending, opened in self._opened.items():
            now = _identity(self._place, ending)
            if now is None:
                return _(
                    "{path}{ending} was removed while memviz was using it.",
                    path=self.path,
                    ending=ending,
                )
            if now != opened:
                return _(
                    "Another file has taken the place of {path}{ending} while memviz was using it.",
                    path=self.path,
                    ending=ending,
                )
        return ""

    def expect_in_place(self) -> None:
        """Raise :class:`DatabaseMovedError` if what is written now could not be found again."""
        if problem := self.problem():
            raise DatabaseMovedError(problem)

    def leave(self) -> None:
        """Make the path free for the file that is there now. Raises :class:`StorageError` where that is not possible
        yet, or not needed."""
        try:
            left = self.problem() != "" and _leave(
                self._first, self._place, self._opened
            )
        except (OSError, *DAMAGE) as error:
            raise StorageError(
                _(
                    "{path} cannot be let go of ({reason}). Start memviz again.",
                    path=self.path,
                    reason=reason_of(error),
                )
            ) from error
        if not left:
            raise StorageError(
                _("{path} is still being read. Try again in a moment.", path=self.path)
            )

    def copy_to(self, target: Path, *, overwrite: bool = False) -> None:
        """Write all that the file holds to ``target``, readable by its owner alone, while others go on using it.

        The copy is there whole or not at all. Raises :class:`StorageError`, also where ``target`` is
        there already and is not to be overwritten.
        """
        part: Path | None = None
        try:
            if target.exists() and not overwrite:
                raise FileExistsError
            _remove_abandoned(target)
            part = _empty_beside(target)
            self._copy_into(part)
            if not overwrite:
                create_for_owner(target)  # fails if another program was faster
            os.replace(part, target)
        except FileExistsError:
            raise StorageError(
                _(
                    "{target} is there already, so nothing was written. Choose another name.",
                    target=target,
                )
            ) from None
        except (OSError, *DAMAGE) as error:
            raise _unwritten(target, error) from error
        finally:
            if part is not None:
                part.unlink(missing_ok=True)

    def _copy_into(self, part: Path) -> None:
        with closing(sqlite3.connect(part)) as copy:
            self._first.backup(copy)
            copy.execute(
                "PRAGMA journal_mode = DELETE"
            )  # one file, without logs beside it

    def rescue_to(self, target: Path) -> None:
        """As :meth:`copy_to` to a new file, in a new folder if need be. Logs that were left there without their
        file are removed: they would be taken for the copy's own."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            for ending in LOGS if not target.exists() else ():
                _beside(target, ending).unlink(missing_ok=True)
        except OSError as error:
            raise _unwritten(target, error) from error
        self.copy_to(target)


def create_for_owner(path: Path) -> None:
    """Create an empty file that only its owner may read. SQLite gives the logs beside it the same rights.

    Raises OSError, FileExistsError among them. A file that is there is not even opened: closing it again
    would let go of the locks that this process has on it.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY)
    os.close(descriptor)


def free_place(path: Path) -> Path:
    """``path``, or where another file is there, a name beside it that says what is in it."""
    place = path
    number = 0
    rescued = f"{path.stem}-rescued-{date.today()}"
    while place.exists():
        number += 1
        place = path.with_stem(rescued if number == 1 else f"{rescued}-{number}")
    return place


def _remove_abandoned(target: Path) -> None:
    """Remove the unfinished copies of ``target`` that killed programs left behind: those to which nobody wrote for a
    long time, for a copy that is being written may be another program's."""
    abandoned_before = time() - ABANDONED_SECONDS
    for part in target.parent.glob(f".{escape(target.name)}.*{PART}"):
        with suppress(OSError):  # it is gone by now, or somebody else's
            if (
                part.is_file()
                and not part.is_symlink()
                and part.stat().st_mtime < abandoned_before
            ):
                part.unlink()


def _empty_beside(target: Path) -> Path:
    handle, name = mkstemp(
        prefix=f".{target.name}.", suffix=PART, dir=target.parent
    )  # for its owner alone
    os.close(handle)
    return Path(name)


def _close(
    connection: sqlite3.Connection, place: Path, opened: Mapping[str, Identity | None]
) -> None:
    with (
        closing(connection),
        suppress(OSError, *DAMAGE),
    ):  # the place itself may be gone
        _leave(connection, place, opened)


def _leave(
    connection: sqlite3.Connection, place: Path, opened: Mapping[str, Identity | None]
) -> bool:
    """Put the logs of a file that was moved into it and take them away: a file that is put in its place would take
    them for its own, and be damaged. Returns whether that is done; not while somebody reads from them."""
    if _identity(place) == opened[""]:
        return True
    if _is_busy(connection):
        return False
    for ending in LOGS:
        if _identity(place, ending) == opened.get(ending, ()):
            _beside(place, ending).unlink(missing_ok=True)
    return True


def _open_logs(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _is_busy(connection: sqlite3.Connection) -> bool:
    """Put what the log holds into the file, wherever that is now; whether somebody was still reading from it."""
    return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _identity(path: Path, ending: str = "") -> Identity | None:
    """The identity of the file at this path; ``None`` if there is none, or no way to it."""
    try:
        status = _beside(path, ending).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _unwritten(target: Path, error: Exception) -> StorageError:
    return StorageError(
        _(
            "{target} could not be written ({reason}). Choose another place.",
            target=target,
            reason=reason_of(error),
        )
    )


def reason_of(error: Exception) -> str:
    """Return what the system or SQLite says of an error: "Permission denied"."""
    return getattr(error, "strerror", None) or str(error)
