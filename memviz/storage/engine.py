"""Open a database by its path or address: a file of SQLite, or one on a server of PostgreSQL."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from memviz.core.storage_errors import StorageError
from memviz.core.translation import _
from memviz.storage.database import Database
from memviz.storage.sqlite_file import MEMORY, SqliteFile

if TYPE_CHECKING:
    from memviz.storage.postgres_server import ServerConnections

SERVERS = ("postgresql", "postgres")


def is_on_server(path_or_url: str | Path) -> bool:
    """Return whether a path or an address names a database on a server: "postgresql+psycopg://user@host/db"."""
    scheme, separator, _rest = str(path_or_url).partition("://")
    return bool(separator) and scheme.partition("+")[0] in SERVERS


def database_path(path_or_url: str | Path) -> str:
    """The file that a path or an ``sqlite:///`` address names, or ``:memory:``."""
    given = str(path_or_url)
    if "://" in given:
        url = _url_of(given)
        if url.get_backend_name() != "sqlite":
            raise StorageError(
                _(
                    "{backend}:// is not a database that memviz can use. Give a file path, or "
                    "postgresql+psycopg://user@host/database.",
                    backend=given.split("://")[0],
                )
            )
        given = url.database or MEMORY
    return given if given == MEMORY else str(Path(given).expanduser())


def _url_of(given: str) -> URL:
    """Return the parts of an address. What is wrong with one is not quoted: a password may be in it."""
    try:
        return make_url(given)
    except (ArgumentError, ValueError):
        return URL.create("unknown")


def open_database(path_or_url: str | Path) -> Database:
    """Open the database that a path or an address names, at the newest version; a new one is made where there is none.

    Raises :class:`StorageError`; a database that cannot be used is left as it was.
    """
    if not is_on_server(path_or_url):
        return SqliteFile(database_path(path_or_url))
    return connect_to_server(path_or_url).open_library()


def connect_to_server(path_or_url: str | Path) -> "ServerConnections":
    """Return the way to the server that an address names, on which libraries can be opened.

    Raises :class:`StorageError` for an address that cannot be read, and where psycopg is not installed.
    """
    url = _url_of(str(path_or_url))
    if url.drivername == "unknown":
        raise StorageError(
            _(
                "The address of the database cannot be read. It has the form "
                "postgresql+psycopg://user:password@host:5432/database, with %40 for an @ in the password."
            )
        )
    try:
        from memviz.storage.postgres_server import ServerConnections
    except ModuleNotFoundError as error:
        if error.name != "psycopg":
            raise
        raise StorageError(
            _(
                "A database on a server of PostgreSQL needs the package psycopg: pip install 'memviz[postgres]'."
            )
        ) from None
    return ServerConnections(url)
