"""Changes of the file since something was read from it: without one it need not be read again."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from typing import Any, TypeVar

from memviz.core.recently_used import RecentlyUsed

T = TypeVar("T")
READINGS_KEPT = 1_000


class Readings:
    """The values that were read from a file last, for as long as nobody writes to it.

    SQLite counts for a connection the commits of all others, those of other processes included (PRAGMA
    data_version), and says the number in microseconds. ``watching`` therefore never writes itself.
    """

    def __init__(self, watching: sqlite3.Connection) -> None:
        self._watching = watching
        self._lock = Lock()
        self._kept: RecentlyUsed[Hashable, tuple[int, Any]] = RecentlyUsed(
            READINGS_KEPT
        )
        self.close = weakref.finalize(self, watching.close)

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
        found: T = kept[1]
        return found

    def _commits(self) -> int | None:
        """``None`` where the file cannot be read: then reading it says what is wrong."""
        with self._lock, suppress(sqlite3.Error, UnicodeDecodeError):
            return int(self._watching.execute("PRAGMA data_version").fetchone()[0])
        return None
