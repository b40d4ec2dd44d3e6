"""Rows of a chat database: their cells as text or JSON, and the error for a database without any."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import OTHER_FORMAT, Document, PlacedValue
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.readers.json_access import object_at

Row = Mapping[str, Any]
NO_JSON = noop("is not JSON")
NO_TABLE = Refusal(noop("there is no table {expected}."), OTHER_FORMAT)
NO_ROWS = Refusal(
    noop("the database holds 0 {what}."),
    noop("Choose the database that was written to."),
)
ROWS_NOT_COPIED = Refusal(
    noop(
        "the database holds 0 {what}: it is in write-ahead mode, so they are still in the file of the same "
        "name that ends in '-wal', which was not copied with it."
    ),
    noop(
        'Close the program that writes it, or run "PRAGMA wal_checkpoint(TRUNCATE)", and copy it again.'
    ),
)


def cell_text(value: object) -> str:
    """A cell as text, whatever SQLite keeps in it; empty for NULL."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def read_cell_json(value: object, builder: TranscriptBuilder) -> Any:
    """Parse the text of a cell as JSON. Raises :class:`TranscriptError` if it is something else."""
    return builder.parse_json(cell_text(value))


def parse_cell(
    value: object, place: str, builder: TranscriptBuilder
) -> list[PlacedValue]:
    """Return what the text of a cell is in JSON, with its place; nothing where it is something else, which is left
    out."""
    try:
        return [(read_cell_json(value, builder), place)]
    except TranscriptError:
        builder.leave_out(place, NO_JSON)
        return []


def read_cell_object(value: object, builder: TranscriptBuilder) -> Mapping[str, Any]:
    """Parse the text of a cell as a JSON object; empty if it is something else."""
    try:
        return object_at(read_cell_json(value, builder))
    except TranscriptError:
        return {}


def row_place(row: Row) -> str:
    """Return where a row with an id stands: "row 12"."""
    return f"row {cell_text(row.get('id'))[:60]}"


def group_rows(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """The rows of each value of a column, in the order in which the values first come."""
    groups = defaultdict(list)
    for row in rows:
        groups[cell_text(row[column])].append(row)
    return groups


def find_tables(document: Document, columns: Iterable[str]) -> list[str]:
    """The tables of a database that have these columns; none for any other file."""
    return [
        name
        for name, table_columns in document.columns.items()
        if set(columns).issubset(table_columns)
    ]


def group_conversations(
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
        raise NO_TABLE.error(expected=expected)
    stored = [database.rows(table, columns, order) for table in tables]
    if not any(stored):
        raise no_rows_error(document)
    return [group for rows in stored for group in group_rows(rows, key).items()]


def no_rows_error(document: Document) -> TranscriptError:
    """Return the error for a database whose tables of messages are there, but empty."""
    refusal = NO_ROWS
    if document.tables.in_write_ahead_mode:
        refusal = ROWS_NOT_COPIED
    return refusal.error(what="messages")
