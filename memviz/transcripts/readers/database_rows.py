"""Rows of a chat database: their cells as text or JSON, and the error for a database without any."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.core.translation import _
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import OTHER_FORMAT, Document
from memviz.transcripts.readers.json_access import object_at

Row = Mapping[str, Any]


def cell_text(value: object) -> str:
    """A cell as text, whatever SQLite keeps in it; empty for NULL."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def cell_json(value: object, builder: TranscriptBuilder) -> Any:
    """Parse the text of a cell as JSON. Raises :class:`TranscriptError` if it is something else."""
    return builder.parse_json(cell_text(value))


def cell_object(value: object, builder: TranscriptBuilder) -> Mapping[str, Any]:
    """Parse the text of a cell as a JSON object; empty if it is something else."""
    try:
        return object_at(cell_json(value, builder))
    except TranscriptError:
        return {}


def row_place(row: Row) -> str:
    """Return where a row with an id stands: "row 12"."""
    return f"row {cell_text(row.get('id'))[:60]}"


def grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """The rows of each value of a column, in the order in which the values first come."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(cell_text(row[column]), []).append(row)
    return groups


def tables_with(document: Document, columns: Iterable[str]) -> list[str]:
    """The tables of a database that have these columns; none for any other file."""
    return [
        name for name, there in document.columns.items() if set(columns).issubset(there)
    ]


def conversations_in(
    document: Document,
    tables: Sequence[str],
    columns: Sequence[str],
    order: Sequence[str],
    key: str,
    expected: str,
) -> list[tuple[str, list[Row]]]:
    """The rows of each conversation in these tables; the column ``key`` says to which one a row belongs.

    Raises :class:`TranscriptError` if there are no tables (``expected`` completes "there is no table ..."), or no rows.
    """
    database = document.tables
    if not tables:
        raise TranscriptError(
            _("there is no table {expected}.", expected=expected), remedy=OTHER_FORMAT
        )
    stored = [database.rows(table, columns, order) for table in tables]
    if not any(stored):
        raise no_rows(document, "messages")
    return [found for rows in stored for found in grouped(rows, key).items()]


def no_rows(document: Document, what: str) -> TranscriptError:
    """The error for a database whose tables of ``what`` are there, but empty."""
    if document.tables.in_write_ahead_mode:
        reason = _(
            "the database holds 0 {what}: it is in write-ahead mode, so they are still in the file of the same "
            "name that ends in '-wal', which was not copied with it.",
            what=what,
        )
        remedy = _(
            'Close the program that writes it, or run "PRAGMA wal_checkpoint(TRUNCATE)", and copy it again.'
        )
        return TranscriptError(reason, remedy=remedy)
    return TranscriptError(
        _("the database holds 0 {what}.", what=what),
        remedy=_("Choose the database that was written to."),
    )
