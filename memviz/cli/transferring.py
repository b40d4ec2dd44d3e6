"""``memviz transfer``: a library, or those of a class, from files to PostgreSQL."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from memviz.cli.errors import OutputError
from memviz.cli.exchanging import open_library
from memviz.cli.options import Database
from memviz.cli.output import say
from memviz.core.text.wording import counted

Address = Annotated[
    str,
    Argument(
        metavar="ADDRESS",
        help="An empty database, such as postgresql+psycopg://user@host/memviz.",
    ),
]
OfClass = Annotated[
    Path | None,
    Option(
        "--class-folder",
        metavar="FOLDER",
        help="Transfer the libraries of the class in this folder, with what it shares and its key.",
    ),
]


def transfer_library(
    address: Address, db: Database = None, class_folder: OfClass = None
) -> None:
    """Copy a library in a file, or with --class-folder those of a class, to PostgreSQL, and leave the files there.

    End servers that use them first: what is saved meanwhile is not copied.

    \b
    Examples:
      memviz transfer postgresql+psycopg://memviz@127.0.0.1/memviz
      memviz transfer postgresql+psycopg://memviz@127.0.0.1/class --class-folder memviz-class
    """
    from memviz.storage.engine import is_on_server
    from memviz.storage.store import Store

    if not is_on_server(address):
        raise OutputError(
            "Give the address of a database: postgresql+psycopg://user@host/memviz. memviz backup writes files."
        )
    if class_folder is not None and db is not None:
        raise OutputError(
            "Give --db for one library, or --class-folder for those of a class."
        )
    if class_folder is not None:
        _transfer_class(class_folder, address)
        return
    with closing(open_library(db)) as library, closing(Store(address)) as target:
        library.copy_to(target)
        conversations = counted(target.count(), "conversation")
        say(f"Wrote {conversations} of {library.path} to {target.path}.")


def _transfer_class(folder: Path, address: str) -> None:
    from memviz.storage.library_places import LibraryFolder
    from memviz.storage.library_schemas import LibrarySchemas

    if not folder.expanduser().is_dir():
        raise OutputError(f"There is no folder {folder}.")
    if not (folder.expanduser() / "key").is_file():
        raise OutputError(
            f"{folder} is no folder of a class: it has no key, by which a class knows its visitors."
        )
    places = LibrarySchemas(address)
    libraries = places.take_over(LibraryFolder(folder))
    say(f"Wrote the libraries of {counted(libraries, 'visitor')} to {places.name}.")
