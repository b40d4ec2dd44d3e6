"""Rows of a chat database: their cells as text or JSON, and the error for a database without any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document
from memviz.transcripts.json_text import JsonParser

Row = Mapping[str, Any]


def cell_text(value: object) -> str:
    """A cell as text, whatever SQLite keeps in it; empty for NULL."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def cell_json(value: object, builder: TranscriptBuilder) -> Any:
    """Parse the text of a cell as JSON. Raises :class:`TranscriptError` if it is something else."""
    return JsonParser(builder.notes, builder.limits.depth).parse(cell_text(value))


def cell_object(value: object, builder: TranscriptBuilder) -> Mapping[str, Any]:
    """Parse the text of a cell as a JSON object; empty if it is something else."""
    try:
        found = cell_json(value, builder)
    except TranscriptError:
        return {}
    return found if isinstance(found, dict) else {}


def row_place(row: Row) -> str:
    """Where a row with an id stands: "row 12"."""
    return f"row {cell_text(row.get('id'))[:60]}"


def grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """The rows of each value of a column, in the order in which the values first come."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(cell_text(row[column]), []).append(row)
    return groups


def no_rows(document: Document, what: str) -> TranscriptError:
    """The error for a database whose tables of ``what`` are there, but empty."""
    if document.tables.in_write_ahead_mode:
        reason = (
            f"the database holds 0 {what}: it is in write-ahead mode, so they are still in the file of the same name "
            "that ends in '-wal', which was not copied with it."
        )
        remedy = 'Close the program that writes it, or run "PRAGMA wal_checkpoint(TRUNCATE)", and copy it again.'
        return TranscriptError(reason, remedy=remedy)
    return TranscriptError(f"the database holds 0 {what}.", remedy="Choose the database that was written to.")
