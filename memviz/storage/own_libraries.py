"""The libraries of visitors who have one each: a file of their own, so that nobody can ask for another's."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from memviz.storage.database_file import OWNER_ONLY
from memviz.storage.limits import Limits
from memviz.storage.workspace import Workspace

NOTED_EVERY_SECONDS = 3_600.0
SUFFIX = ".db"
OF_ONE_VISITOR = Limits(conversations=200, bytes=200_000_000)
"""The bundled conversations are among them."""


class OwnLibraries:
    """The libraries of one class, in a folder: ``<visitor>.db``, with what SQLite and memviz keep beside each."""

    def __init__(self, folder: Path, limits: Limits = OF_ONE_VISITOR) -> None:
        self._folder = folder.expanduser() / "libraries"
        self._limits = limits

    def path_of(self, visitor: str) -> Path:
        """Return the file of a visitor's library, which need not be there."""
        return self._folder / f"{visitor}{SUFFIX}"

    def open(self, visitor: str) -> Workspace:
        """Return the library of a visitor, a new one with the bundled conversations where there is none. Raises
        :class:`memviz.core.storage_errors.StorageError`."""
        path = self.path_of(visitor)
        with suppress(OSError):  # opening it says what is wrong
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            with os.fdopen(os.open(path, flags, OWNER_ONLY), "wb") as file:
                file.write(self._new_library)
        return Workspace(path, self._limits)

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
        """Delete a visitor's library, with copies of it and paid answers that were kept beside it."""
        for file in self._folder.glob(f"{visitor}.*"):
            if file.is_dir():
                rmtree(file, ignore_errors=True)
            else:
                file.unlink(missing_ok=True)

    def idle(self, seconds: float) -> Iterable[str]:
        """Yield the visitors whose libraries nobody has opened for so long."""
        limit = time.time() - seconds
        for path in self._folder.glob(f"*{SUFFIX}"):
            # One that is written to has its newest changes in a file beside it.
            files = [path, path.with_name(f"{path.name}-wal")]
            changes = [file.stat().st_mtime for file in files if file.exists()]
            if changes and max(changes) < limit:
                yield path.stem
