"""A library that nobody has used yet, as a copy of the first one that this process wrote."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from memviz.storage.limits import Limits
from memviz.storage.sqlite_file import MEMORY
from memviz.storage.workspace import DATABASE_VARIABLE, Workspace

_CREATE_WORKSPACE = Workspace.__init__


@cache
def _new_library() -> bytes:
    """The file of a library that nobody has used yet."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memviz.db"
        library = Workspace.__new__(Workspace)
        _CREATE_WORKSPACE(library, file)
        library.store.close()
        return file.read_bytes()


def create_copy(
    self: Workspace,
    database: str | Path | None = None,
    limits: Limits | None = None,
) -> None:
    """Open the library as ``Workspace`` does. A new one holds the bundled conversations: to write them takes a third of
    what it takes to show a page, and as long as some commands take, so it is a copy."""
    path = Path(database or os.environ[DATABASE_VARIABLE])
    if str(path) != MEMORY and path.parent.is_dir() and not path.exists():
        path.write_bytes(_new_library())
    _CREATE_WORKSPACE(self, database, limits)
