"""Whether the file has changed since something was read from it: then it need not be read again."""

from __future__ import annotations

import sqlite3
from threading import Lock

from sqlalchemy import Engine

from memviz.storage.engine import MEMORY


class ChangeNumber:
    """A number that is another one after every commit to the file, whichever thread or process made it.

    SQLite counts for each connection the commits of all others (PRAGMA data_version), which takes microseconds. So
    a connection of its own, which never writes, sees every one.
    """

    def __init__(self, engine: Engine, path: str) -> None:
        self._lock = Lock()
        self._connection = None if path == MEMORY else engine.raw_connection()

    def now(self) -> int | None:
        """The number, or ``None`` where there is no telling: in memory, or if the file cannot be asked."""
        with self._lock:
            if self._connection is None:
                return None
            try:
                cursor = self._connection.cursor()
                return int(cursor.execute("PRAGMA data_version").fetchone()[0])
            except sqlite3.Error:
                return None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
