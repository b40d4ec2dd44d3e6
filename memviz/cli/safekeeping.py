"""``memviz backup`` and ``memviz check``: a copy of the library, and whether all of it can be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from memviz.cli.errors import FAILED, OutputError
from memviz.cli.options import Database
from memviz.cli.output import complain, say
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.storage.store import Store

Target = Annotated[Path, Argument(metavar="FILE", help="The file to write.")]
Force = Annotated[bool, Option("--force", help="Overwrite FILE if it is there.")]


def back_up_library(file: Target, force: Force = False, db: Database = None) -> None:
    """Copy the library to a file, also while the dashboard is running.

    The copy is whole, is readable by its owner alone, and can be opened with --db like any library.

    \b
    Examples:
      memviz backup ~/memviz-monday.db
      memviz backup copy.db --db ~/chats.db --force
    """
    store = _open(db)
    try:
        if file.exists() and os.path.samefile(file, store.path):
            raise OutputError(
                f"{file} is the library itself. Choose another file for the copy."
            )
        store.back_up(file, overwrite=force)
        say(
            f"Wrote {counted(store.count(), 'conversation')} of {store.path} to {file}."
        )
    finally:
        store.close()


def check_library(db: Database = None) -> None:
    """Check that the library is sound: SQLite's own checks, and every conversation and run read once.

    Problems are named, one a line, and the exit code is 1.

    \b
    Examples:
      memviz check
      memviz check --db ~/memviz-monday.db
    """
    store = _open(db)
    try:
        problems = store.check()
        for problem in problems:
            say(problem)
        if problems:
            complain(f"{counted(len(problems), 'problem')} in {store.path}.")
            raise Exit(FAILED)
        say(
            f"{store.path} is sound: {counted(store.count(), 'conversation')}, all of them readable."
        )
    finally:
        store.close()


def _open(database: str | None) -> Store:
    """The library, which has to be there: an empty one is not worth a copy."""
    from memviz.core.errors import StorageError
    from memviz.storage.engine import database_path
    from memviz.storage.store import Store
    from memviz.storage.workspace import DEFAULT_DATABASE

    path = database_path(database or DEFAULT_DATABASE)
    if not Path(path).exists():
        raise StorageError(
            f"There is no file {path}. Name the library's file with --db."
        )
    return Store(path)
