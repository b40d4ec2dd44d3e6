"""The places of a class: where each visitor's library is stored, what visitors share, and the key that signs cookies.

:class:`memviz.storage.own_libraries.OwnLibraries` opens and deletes libraries through a :class:`LibraryPlaces`.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from memviz.core.new_file import create_whole
from memviz.core.storage_errors import FullLibraryError
from memviz.core.translation import _
from memviz.models.class_door import read_folder_key
from memviz.storage.limits import Limits
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace

NOTED_EVERY_SECONDS = 3_600.0
SUFFIX = ".db"


class LibraryPlaces(ABC):
    """The places of one class: files in a folder (:class:`LibraryFolder`), or schemas of a database on a server
    (:class:`memviz.storage.library_schemas.LibrarySchemas`). Visitors are named by their ids of 32 hexadecimal
    digits."""

    @abstractmethod
    def key(self) -> bytes:
        """Return the key that cookies are signed with, which is made with the places. Raises
        :class:`memviz.core.errors.MemvizError` where they cannot be used."""

    @property
    @abstractmethod
    def notes(self) -> Store | None:
        """The place of what several servers of one class have to know of it; ``None`` where no other server can have
        these places."""

    @abstractmethod
    def open_shelf(self) -> Store:
        """Return the store of what visitors share and of what they have spent; it is created where there is none.
        Raises :class:`memviz.core.storage_errors.StorageError`."""

    @abstractmethod
    def has(self, visitor: str) -> bool:
        """Return whether a visitor has a library."""

    @abstractmethod
    def made_at(self, visitor: str) -> float | None:
        """Return when a visitor's library was made; ``None`` where no other server can reach it.

        Another server may delete a library and make a new one: the time tells that an open library is the old one.
        """

    @abstractmethod
    def make(self, visitor: str, most_visitors: int) -> None:
        """Make a visitor's library. Raises :class:`memviz.core.storage_errors.FullLibraryError` where there are so many
        visitors already."""

    @abstractmethod
    def open(self, visitor: str, limits: Limits) -> Workspace:
        """Return a visitor's library, which was made before. Raises
        :class:`memviz.core.storage_errors.StorageError` for one that cannot be used."""

    @abstractmethod
    def note_visit(self, visitor: str) -> None:
        """Note that a library is in use."""

    @abstractmethod
    def delete(self, visitor: str) -> None:
        """Delete a visitor's library."""

    @abstractmethod
    def idle_visitors(self, seconds: float) -> list[str]:
        """Return the visitors whose libraries nobody has opened for so long."""

    @abstractmethod
    def delete_idle(self, visitor: str, seconds: float) -> bool:
        """Delete a visitor's library if nobody has opened it for so long; return whether it was deleted."""


def make_full_class_error(most_visitors: int) -> FullLibraryError:
    """Return the error for a visitor for whom there is no place."""
    return FullLibraryError(
        _(
            "This class has {most:,} visitors, the most there can be. Whoever runs the server can start another one.",
            most=most_visitors,
        )
    )


class LibraryFolder(LibraryPlaces):
    """Files in a folder: ``libraries/<visitor>.db``, with what SQLite keeps beside each, ``shelf.db`` and ``key``."""

    notes = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()
        self._libraries = self._folder / "libraries"
        self._making = Lock()

    def key(self) -> bytes:
        """Return what is in the file ``key``."""
        return read_folder_key(self._folder)

    def open_shelf(self) -> Store:
        """Return what is in the file ``shelf.db``."""
        return Store(self._folder / "shelf.db")

    def visitors(self) -> list[str]:
        """Return the visitors who have a file."""
        return sorted(path.stem for path in self._libraries.glob(f"*{SUFFIX}"))

    def path_of(self, visitor: str) -> Path:
        """Return the file of a visitor's library, which need not be there."""
        return self._libraries / f"{visitor}{SUFFIX}"

    def has(self, visitor: str) -> bool:
        """Return whether the file is there."""
        return self.path_of(visitor).exists()

    def made_at(self, visitor: str) -> float | None:
        """Return ``None``: of a file that was removed the library itself says so."""
        return None

    def make(self, visitor: str, most_visitors: int) -> None:
        """Copy the file of a new library."""
        with self._making:
            if len(self.visitors()) >= most_visitors:
                raise make_full_class_error(most_visitors)
            with suppress(OSError):  # opening it says what is wrong
                self._libraries.mkdir(parents=True, exist_ok=True, mode=0o700)
                create_whole(self.path_of(visitor), self._new_library)

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

    def open(self, visitor: str, limits: Limits) -> Workspace:
        """Open the file."""
        return Workspace(self.path_of(visitor), limits)

    def note_visit(self, visitor: str) -> None:
        """Touch the file: reading it changes nothing in it."""
        path = self.path_of(visitor)
        now = time.time()
        with suppress(FileNotFoundError):
            if now - path.stat().st_mtime > NOTED_EVERY_SECONDS:
                os.utime(path, (now, now))

    def delete(self, visitor: str) -> None:
        """Delete the file, and copies of it that an upgrade made. Whoever still has it open saves nothing more in
        it."""
        # The database first: its logs would else be taken for those of a new one.
        for file in sorted(self._libraries.glob(f"{visitor}.*")):
            file.unlink(missing_ok=True)

    def idle_visitors(self, seconds: float) -> list[str]:
        """Return the visitors whose files have not changed for so long."""
        return [
            visitor for visitor in self.visitors() if self._is_idle(visitor, seconds)
        ]

    def delete_idle(self, visitor: str, seconds: float) -> bool:
        """Delete the file if it has not changed for so long."""
        if not self._is_idle(visitor, seconds):
            return False
        with suppress(OSError):
            self.delete(visitor)
            return True
        return False

    def _is_idle(self, visitor: str, seconds: float) -> bool:
        with suppress(OSError):
            return _seconds_since_change(self.path_of(visitor)) > seconds
        return False


def _seconds_since_change(path: Path) -> float:
    """Return how long ago a library was changed, or its file touched. One that is written to has its newest changes in
    a file beside it."""
    log = path.with_name(f"{path.name}-wal")
    changes = [path.stat().st_mtime]
    with suppress(FileNotFoundError):
        changes.append(log.stat().st_mtime)
    return time.time() - max(changes)
