"""The SQL that SQLite and PostgreSQL say in words of their own; all other queries read the same for both."""

from typing import Any

from sqlalchemy import Boolean, DateTime, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType


class AsStored(FunctionElement[Any]):
    """The value of a column as the database has it: nothing is converted, so a damaged one is no error. Times and JSON
    are texts: "2026-11-30 14:05:00.5", "[1, 2]"."""

    type = NullType()
    inherit_cache = True


class RowOfConversation(FunctionElement[Any]):
    """The mark of a conversation that tells it from others, whatever is damaged in it: in a file the number of its row,
    17. On a server its id, which the database itself keeps sound."""

    type = NullType()
    inherit_cache = True


class IsDate(FunctionElement[bool]):
    """True where a column holds a date, false where it holds nothing, or what is none."""

    type = Boolean()
    inherit_cache = True


class HoldsFolded(FunctionElement[bool]):
    """True where a text holds another one, which is folded already, whatever its upper and lower case: "Hauptstraße"
    holds "strasse"."""

    type = Boolean()
    inherit_cache = True


@compiles(AsStored, "sqlite")
def _column_itself(element: AsStored, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(AsStored, "postgresql")
def _column_as_text(element: AsStored, compiler: SQLCompiler, **options: Any) -> str:
    (column,) = element.clauses
    sql = compiler.process(column, **options)
    # SQLModel's type of times stands on SQLAlchemy's.
    is_time = isinstance(getattr(column.type, "impl", column.type), DateTime)
    return f"CAST({sql} AS TEXT)" if is_time else sql


@compiles(RowOfConversation, "sqlite")
def _row_number(
    _element: RowOfConversation, _compiler: SQLCompiler, **_options: Any
) -> str:
    return "conversation.rowid"


@compiles(RowOfConversation, "postgresql")
def _id(_element: RowOfConversation, _compiler: SQLCompiler, **_options: Any) -> str:
    return "conversation.id"


@compiles(IsDate, "sqlite")
def _date_or_text(element: IsDate, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    return f"(typeof({column}) = 'text' AND julianday({column}) IS NOT NULL)"


@compiles(IsDate, "postgresql")
def _date_or_nothing(element: IsDate, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    return f"({column} IS NOT NULL)"


@compiles(HoldsFolded, "sqlite")
def _by_own_function(
    element: HoldsFolded, compiler: SQLCompiler, **options: Any
) -> str:
    text, wanted = (compiler.process(part, **options) for part in element.clauses)
    return f"holds_folded(CAST({text} AS BLOB), {wanted})"


@compiles(HoldsFolded, "postgresql")
def _by_unicode(element: HoldsFolded, compiler: SQLCompiler, **options: Any) -> str:
    # The database's own rules may know ASCII only. In capitals, for "ß" and "ς" have one form there.
    text, wanted = (compiler.process(part, **options) for part in element.clauses)
    capitals = 'upper({} COLLATE "und-x-icu")'.format
    return f"(strpos({capitals(text)}, {capitals(wanted)}) > 0)"


_INSERTS: dict[str, Any] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def upserts(table: Table, changed: tuple[str, ...]) -> dict[str, Any]:
    """The statements that insert a row, or where one of its key is there, write the ``changed`` columns of it: by the
    name of the dialect."""
    statements = {}
    for dialect, insert in _INSERTS.items():
        statement = insert(table)
        values = {name: statement.excluded[name] for name in changed}
        statements[dialect] = statement.on_conflict_do_update(
            index_elements=table.primary_key, set_=values
        )
    return statements
