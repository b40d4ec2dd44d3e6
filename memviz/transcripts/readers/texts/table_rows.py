"""The rows of a table as the messages of a conversation: their cells by meaning, their order and their times."""

from __future__ import annotations

import math
from typing import NamedTuple

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.readers.texts.table_cells import Row
from memviz.transcripts.readers.texts.table_columns import Table
from memviz.transcripts.times import moment


class Placed(NamedTuple):
    """The cells of a row by their meaning, and the line that the row starts on."""

    cells: dict[str, str]
    line: int


class Rows(NamedTuple):
    """One conversation: the table it is in, and its rows; ``findings`` are what is odd about them, with the line."""

    table: Table
    rows: list[Placed]
    notes: list[tuple[str, int]]


def by_meaning(row: Row, table: Table) -> tuple[dict[str, str], list[str]]:
    """The cells of a row by their meaning, and what is odd about them."""
    cells, notes = list(row.cells), []
    extra = cells[table.width :]
    if row.is_open:
        notes.append("a quotation mark is never closed, so all that follows in the file was read as one cell")
    if any(cell.strip() for cell in extra):
        if table.width - 1 in (
            table.columns.get("content"),
            table.columns.get("answer"),
        ):  # the text had a delimiter in it and no quotation marks
            cells[table.width - 1 :] = [table.dialect.delimiter.join(cells[table.width - 1 :])]
            notes.append("a row has more cells than the table has columns, so they were joined to the last")
        else:
            notes.append("cells beyond the last column were left out")
    if len(cells) < table.width:
        notes.append("a row has fewer cells than the table has columns")
    return {meaning: cells[at] for meaning, at in table.columns.items() if at < len(cells)}, notes


def in_order(piece: Rows, builder: TranscriptBuilder) -> list[Placed]:
    """The rows of a conversation in the order of their column for it, if each has a number there."""
    rows = piece.rows
    if "order" not in piece.table.columns:
        return rows
    numbers = {row.line: _number(row.cells.get("order", "")) for row in rows if not is_prompt(row, piece.table)}
    unknown = [line for line, number in numbers.items() if number is None]
    for line in unknown:
        builder.note("the column for the order is no number everywhere, so the rows stay as they are", f"line {line}")
    return rows if unknown else sorted(rows, key=lambda row: numbers.get(row.line) or 0)


def is_prompt(row: Placed, table: Table) -> bool:
    """Whether a row is the system prompt of a conversation that memviz saved: it has no position."""
    return table.is_own and not row.cells.get("order")


def time_of(row: Placed) -> str | float | None:
    """When the message of a row was said, as :func:`~memviz.transcripts.times.moment` takes it."""
    cell = row.cells.get("time", "").strip()
    return cell if moment(cell) else _number(cell)


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
