"""A database on a server of PostgreSQL: how it is reached and writers take turns, and its errors in plain words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import psycopg
from psycopg.types.string import StrDumperUnknown, TextLoader
from sqlalchemy import (
    URL,
    Column,
    Connection,
    Integer,
    MetaData,
    ScalarSelect,
    Table,
    create_engine,
    event,
    func,
    inspect,
    literal,
    select,
    text,
)
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    NoSuchTableError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.schema import CreateSchema, DropSchema

from memviz.core.storage_errors import (
    ConversationChangedError,
    DatabaseAwayError,
    StorageError,
)
from memviz.core.translation import _, noop
from memviz.storage.database import Database, copy_rows, not_stored, not_writable
from memviz.storage.migrations import Catalogue, migrate
from memviz.storage.sqlite_file import SqliteFile
from memviz.storage.tables import CHANGED, Base

BUSY_SECONDS = 10
"""How long a write waits for another server that is writing."""
PATIENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""How long a server that says nothing is waited for: seconds, and the last one milliseconds. Whoever wants other values
writes them into the address: ?connect_timeout=3."""
SESSION = (
    f"SET lock_timeout = '{BUSY_SECONDS}s'; "
    "SET idle_in_transaction_session_timeout = '60s'"
)
"""The second is for a memviz that is cut off while it writes: others wait for it no longer."""
TAKE_TURN = "SELECT pg_advisory_xact_lock(hashtext('memviz ' || current_schema()))"
"""The lock of those that write to one library, held until their transaction ends. SQLite has one for a file."""
USE_SCHEMA = "SELECT set_config('search_path', '{schema}', true)"
"""Names of tables mean those of this schema and of no other, until the transaction ends."""
TAKE_TURN_IN_SCHEMA = (
    f"{USE_SCHEMA}, pg_advisory_xact_lock(hashtext('memviz {{schema}}'))"
)
_SCHEMA = re.compile(r"memviz_[0-9a-z_]{1,40}")
"""``memviz_visitor_3f9a02bc771ed05b3f9a02bc771ed05b``: nothing in it has to be quoted."""
_CLAIM_NUMBER = "hashtext('memviz claim ' || current_schema() || :name)"
CLAIM = text(f"SELECT pg_try_advisory_lock({_CLAIM_NUMBER})")
RELEASE = text(f"SELECT pg_advisory_unlock({_CLAIM_NUMBER})")
VERSIONS = Table("memviz", MetaData(), Column("version", Integer, primary_key=True))
MAX_REASON_CHARS = 300
AWAY = ("08", "57P", "25P03")
"""Beginnings of the codes of errors by which a connection ended."""
CHANGED_MEANWHILE = ("23505", "23503")
"""The codes of a row that is there already, and of one without the row that it belongs to."""
BYTES_A_ROW = 28
"""The bytes that PostgreSQL needs for a row besides its values."""
NUL = "\x00"
ESCAPE = "\ufdd1"


class ServerConnections:
    """The connections to the database at an address such as ``postgresql+psycopg://user@host/database``. All libraries
    of one server of memviz share them."""

    def __init__(self, url: URL) -> None:
        # Neither the password nor what follows the question mark, where one may be too.
        shown = URL.create(
            "postgresql", url.username, None, url.host, url.port, url.database
        )
        self.name = shown.render_as_string()
        patience = {
            name: value for name, value in PATIENCE.items() if name not in url.query
        }
        self.engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            hide_parameters=True,  # conversations do not belong into error texts
            pool_pre_ping=True,  # a server that was started again is no error
            connect_args=patience,
        )
        event.listen(self.engine, "connect", _set_up)
        event.listen(self.engine, "begin", _begin)

    def open_library(self, schema: str = "") -> PostgresServer:
        """Return the library in the first schema of the user's ``search_path``, or in the one of this name, which is
        made where there is none. Raises :class:`StorageError`."""
        return PostgresServer(self, schema)

    def schemas(self) -> list[str]:
        """Return the names of the schemas of the database. Raises :class:`StorageError`."""
        try:
            return inspect(self.engine).get_schema_names()
        except SQLAlchemyError as error:
            raise DatabaseAwayError(self.name, type(error).__name__) from error

    def drop_library(self, schema: str) -> None:
        """Delete a schema with everything in it; one that is not there is no error. Raises
        :class:`sqlalchemy.exc.SQLAlchemyError`."""
        with self.engine.begin() as connection:
            connection.execute(DropSchema(schema, cascade=True, if_exists=True))


class PostgresServer(Database):
    """A library on a server: in the first schema of the user's ``search_path``, or in the one that ``schema`` names.
    The schema and its tables are made where there are none."""

    def __init__(self, connections: ServerConnections, schema: str = "") -> None:
        super().__init__()
        if schema and not _SCHEMA.fullmatch(schema):
            raise ValueError(f"{schema!r} is no name of a schema")
        # Whose library it is knows the address of the server from nobody.
        self.name = schema or connections.name
        self._engine = connections.engine
        self._schema = schema
        self._claims_held: Connection | None = None
        """The connection that has the claims of this process: where it ends, they do."""
        self._asking = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self.reading = self._engine.execution_options(
            isolation_level="REPEATABLE READ",
            postgresql_readonly=True,
            begin=USE_SCHEMA.format(schema=schema) if schema else None,
        )
        take_turn = TAKE_TURN_IN_SCHEMA.format(schema=schema) if schema else TAKE_TURN
        self.writing = self._engine.execution_options(
            isolation_level="READ COMMITTED", begin=take_turn
        )
        try:
            with self.writing.begin() as connection:
                self._expect_unicode(connection)
                if schema:
                    connection.execute(CreateSchema(schema, if_not_exists=True))
                migrate(connection, self.name, catalogue=ServerCatalogue())
        except StorageError:
            self.close()
            raise
        except SQLAlchemyError as error:
            self.close()
            raise self.error_in_words(error) from error

    def _expect_unicode(self, connection: Connection) -> None:
        encoding = connection.scalar(text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise StorageError(
                _(
                    "{path} keeps texts as {encoding}, which has no room for those of all languages. Make a database "
                    "with: createdb -E UTF8 -T template0.",
                    path=self.name,
                    encoding=encoding,
                )
            )

    def commit_mark(self) -> Hashable | None:
        """Return which transactions have ended, those of other databases of the server included: "743:745:743"."""
        try:
            with self._asking.connect() as connection:
                return connection.scalar(select(func.pg_current_snapshot()))
        except SQLAlchemyError:
            return None  # reading says what is wrong

    def try_claim(self, name: str) -> bool:
        """Return whether nobody else has this claim, on this server or another one. The library of a visitor, which is
        seldom used by two servers at once, has claims on this one alone."""
        if not super().try_claim(name):
            return False
        if self._schema or self._is_free_elsewhere(name):
            return True
        super().release_claim(name)
        return False

    def release_claim(self, name: str) -> None:
        """Give up a claim, here and for other servers."""
        with self._claiming, suppress(SQLAlchemyError):
            if self._claims_held is not None:
                self._claims_held.execute(RELEASE, {"name": name})
        super().release_claim(name)

    def _is_free_elsewhere(self, name: str) -> bool:
        with self._claiming:
            # Where the server was started again, the connection has ended: a new one asks.
            for _connection in range(2):
                with suppress(SQLAlchemyError):
                    return self._ask_for_claim(name)
                self._claims_held = None
        return True  # what it was claimed for says what is wrong

    def _ask_for_claim(self, name: str) -> bool:
        if self._claims_held is None:
            self._claims_held = self._asking.connect()
        return bool(self._claims_held.scalar(CLAIM, {"name": name}))

    def back_up(self, target: Path, *, overwrite: bool) -> None:
        """Write all rows to a new file of SQLite, as they are at one moment."""
        try:
            folder = TemporaryDirectory(prefix=".memviz-", dir=target.parent)
        except OSError as error:
            raise not_writable(str(target), error.strerror or str(error)) from error
        with (
            folder as name,
            closing(SqliteFile(str(Path(name) / "copy.db"))) as copy,
        ):
            try:
                with self.reading.begin() as server, copy.writing.begin() as file:
                    copy_rows(server, file)
            except SQLAlchemyError as error:
                is_of_server = isinstance(error.__cause__, psycopg.Error)
                database = self if is_of_server else copy
                raise database.error_in_words(error) from error
            copy.back_up(target, overwrite=overwrite)

    def faults(self, connection: Connection) -> Iterator[str]:
        """Yield the tables that have lost a constraint or an index. What the rows hold between them the server has
        checked when they were written."""
        for table in Base.metadata.sorted_tables:
            count = connection.scalar(_COUNT_RULES, {"table": table.name}) or 0
            expected_count = len(table.constraints) + len(table.indexes)
            if count < expected_count:
                yield _(
                    "The table {table} has {there} of its {made} constraints and indexes.",
                    table=table.name,
                    there=count,
                    made=expected_count,
                )

    def used_bytes(self, connection: Connection) -> int:
        """Return the bytes of the rows as they are stored. The tables themselves become no smaller when rows are
        deleted: their place is kept for others."""
        row = connection.execute(select(*map(_bytes_of, Base.metadata.sorted_tables)))
        return sum(row.one())

    def error_in_words(
        self, error: SQLAlchemyError | UnicodeDecodeError
    ) -> StorageError:
        """Return the error in plain words: the fault of the server, its address, and the remedy."""
        if not isinstance(error, DBAPIError):
            return not_stored(self.name, error)
        # The lines behind the first are hints and details.
        reason = str(error.orig).strip().partition("\n")[0][:MAX_REASON_CHARS]
        if isinstance(error, DataError):
            return not_stored(self.name, error)
        code = getattr(error.orig, "sqlstate", None) or ""
        if code in CHANGED_MEANWHILE:
            return ConversationChangedError(_(CHANGED))
        if error.connection_invalidated or _is_connection_error(error, code):
            return DatabaseAwayError(self.name, reason)
        sentence = _SENTENCES.get(code, _OTHERWISE)
        return StorageError(
            _(
                sentence,
                path=self.name,
                seconds=BUSY_SECONDS,
                reason=reason,
                cause=reason,
            )
        )

    def close(self) -> None:
        """Let go of all connections, unless other libraries share them."""
        if self._claims_held is not None:
            self._claims_held.close()
        if not self._schema:
            self._engine.dispose()


class ServerCatalogue(Catalogue):
    """The version in a table of its own, ``memviz``."""

    def version(self, connection: Connection) -> int | None:
        """Return the version, ``None`` where nothing says that this is memviz's."""
        if not inspect(connection).has_table(VERSIONS.name):
            return None
        return connection.scalar(select(VERSIONS.c.version))

    def is_free(self, connection: Connection) -> bool:
        """Return whether no table has a name that memviz's will have. Others may be there: of extensions, of another
        program."""
        has_table = inspect(connection).has_table
        return not any(map(has_table, Base.metadata.tables))

    def mark(self, connection: Connection, version: int) -> None:
        """Say that this is memviz's, and of which version."""
        VERSIONS.create(connection, checkfirst=True)
        connection.execute(VERSIONS.delete())
        connection.execute(VERSIONS.insert().values(version=version))

    def columns(self, connection: Connection, table: str) -> set[str]:
        """Return the names of a table's columns, none where it is not there."""
        with suppress(NoSuchTableError):
            return {column["name"] for column in inspect(connection).get_columns(table)}
        return set()


def _bytes_of(table: Table) -> ScalarSelect[int]:
    """Return the query for the bytes of all rows of a table. A value that is stored packed, or apart from its row,
    counts as it is stored."""
    sizes = [func.coalesce(func.pg_column_size(column), 0) for column in table.columns]
    row_bytes = sum(sizes, start=literal(BYTES_A_ROW))
    total_bytes = func.coalesce(func.sum(row_bytes), 0)
    return select(total_bytes).scalar_subquery()


def _is_connection_error(error: DBAPIError, code: str) -> bool:
    """Return whether an error is of the way to the server: it has the code of one, or none at all."""
    return isinstance(error, OperationalError) and (not code or code.startswith(AWAY))


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get("begin")
    if statement is not None:
        connection.exec_driver_sql(statement)


def _set_up(connection: psycopg.Connection[Any], _record: object) -> None:
    connection.adapters.register_dumper(str, _TextDumper)
    for type_name in ("text", "varchar"):
        connection.adapters.register_loader(type_name, _TextLoader)
    connection.execute(SESSION)
    connection.commit()


class _TextDumper(StrDumperUnknown):
    """Writes texts. PostgreSQL refuses the character NUL in them, which stands here and there in a log: it is written
    as two others, of which the first, that Unicode leaves to programs, is doubled in its way."""

    def dump(self, obj: str) -> Any:
        if NUL in obj or ESCAPE in obj:
            obj = obj.replace(ESCAPE, ESCAPE + "1").replace(NUL, ESCAPE + "0")
        return super().dump(obj)


class _TextLoader(TextLoader):
    """Reads what :class:`_TextDumper` wrote."""

    def load(self, data: Any) -> Any:
        loaded = cast(str, super().load(data))  # bytes in no encoding but SQL_ASCII
        if ESCAPE in loaded:
            loaded = loaded.replace(ESCAPE + "0", NUL).replace(ESCAPE + "1", ESCAPE)
        return loaded


_COUNT_RULES = text(
    """
    SELECT (
        SELECT count(*) FROM pg_constraint
        WHERE conrelid = to_regclass(:table) AND convalidated AND contype IN ('p', 'u', 'f', 'c')
    ) + (
        SELECT count(*) FROM pg_index
        WHERE indrelid = to_regclass(:table) AND indisvalid AND NOT EXISTS (
            SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid
        )
    )
    """
)
"""The constraints of a table that hold, and its other indexes."""
_SENTENCES = {
    "55P03": noop(
        "{path} is busy: another program has been writing to it for {seconds} seconds. Try again."
    ),
    "53100": noop(
        "There is no room left for {path}, so nothing was saved. Free some space and try again."
    ),
    "42501": noop(
        "{path} does not let memviz write ({reason}). Its user needs the right to create tables in the schema."
    ),
    "25006": noop(
        "{path} takes nothing to save ({reason}). Give the address of the server that others copy from."
    ),
}
"""By the code of PostgreSQL: lock not available, disk full, insufficient privilege, a transaction that only reads."""
_OTHERWISE = noop(
    "{path} could not be read or written ({cause}). Nothing was saved; try again."
)
