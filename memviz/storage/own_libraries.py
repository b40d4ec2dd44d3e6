"""The libraries of visitors who have one each: a file of their own, so that nobody can ask for another's."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from memviz.core.new_file import create_whole
from memviz.core.storage_errors import FullLibraryError
from memviz.core.translation import _
from memviz.storage.limits import Limits
from memviz.storage.workspace import Workspace

NOTED_EVERY_SECONDS = 3_600.0
SUFFIX = ".db"
OF_ONE_VISITOR = Limits(conversations=200, bytes=100_000_000)
"""The bundled conversations are among them."""
MOST_VISITORS = 500
MOST_OPEN = 60
"""Libraries that stay open, each with what was replayed in it; the one that was asked for the longest ago is opened
again if it is needed."""


class OwnLibraries:
    """The libraries of one class, in a folder: ``<visitor>.db``, with what SQLite keeps beside each. Safe to share
    between threads: while one of them is opened or deleted, others wait."""

    def __init__(
        self,
        folder: Path,
        limits: Limits = OF_ONE_VISITOR,
        *,
        most_visitors: int = MOST_VISITORS,
        at_opening: Callable[[Workspace], object] = lambda _: None,
    ) -> None:
        self._folder = folder.expanduser() / "libraries"
        self._limits = limits
        self._most_visitors = most_visitors
        self._at_opening = at_opening
        self._open: OrderedDict[str, Workspace] = OrderedDict()
        self._lock = Lock()

    def path_of(self, visitor: str) -> Path:
        """Return the file of a visitor's library, which need not be there."""
        return self._folder / f"{visitor}{SUFFIX}"

    def open(self, visitor: str) -> Workspace:
        """Return the library of a visitor, a new one with the bundled conversations where there is none. Raises
        :class:`memviz.core.storage_errors.FullLibraryError` where there are too many visitors for a new one, and
        :class:`memviz.core.storage_errors.StorageError` for a file that cannot be used."""
        with self._lock:
            if visitor not in self._open:
                path = self.path_of(visitor)
                if not path.exists():
                    self._create(path)
                self._open[visitor] = Workspace(path, self._limits)
                self._at_opening(self._open[visitor])
            self._open.move_to_end(visitor)
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return self._open[visitor]

    def _create(self, path: Path) -> None:
        if len(list(self._folder.glob(f"*{SUFFIX}"))) >= self._most_visitors:
            raise FullLibraryError(
                _(
                    "This class has {most:,} visitors, the most there can be. Whoever runs the server can start "
                    "another one.",
                    most=self._most_visitors,
                )
            )
        with suppress(OSError):  # opening it says what is wrong
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            create_whole(path, self._new_library)

    @cached_property
    def _new_library(self) -> bytes:
        """The file of a library that nobody has used yet. To write it anew for each visitor would take a class that
        comes in at once several seconds."""
        with TemporaryDirectory() as folder:
            made = Workspace(Path(folder) / "made.db")
            copy = Path(folder) / "copy.db"
            made.store.back_up(copy)
            made.store.close()
            return copy.read_bytes()

    def note_visit(self, visitor: str) -> None:
        """Note that a library is in use, by the time of its file's last change: reading it changes no file."""
        path = self.path_of(visitor)
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > NOTED_EVERY_SECONDS:
                os.utime(path)

    def delete(self, visitor: str) -> None:
        """Delete a visitor's library, and copies of it that an upgrade made. Whoever still has it open saves nothing
        more in it."""
        with self._lock:
            self._delete(visitor)

    def delete_idle(self, seconds: float) -> None:
        """Delete the libraries that nobody has opened for so long."""
        for path in self._folder.glob(f"*{SUFFIX}"):
            with self._lock, suppress(OSError):
                if _seconds_since_change(path) > seconds:
                    self._delete(path.stem)

    def _delete(self, visitor: str) -> None:
        self._open.pop(visitor, None)
        # The database first: its logs would else be taken for those of a new one.
        for file in sorted(self._folder.glob(f"{visitor}.*")):
            file.unlink(missing_ok=True)


def _seconds_since_change(path: Path) -> float:
    """Return how long ago a library was changed, or its file touched. One that is written to has its newest changes in
    a file beside it."""
    log = path.with_name(f"{path.name}-wal")
    changes = [path.stat().st_mtime]
    with suppress(FileNotFoundError):
        changes.append(log.stat().st_mtime)
    return time.time() - max(changes)
