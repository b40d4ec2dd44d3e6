"""The order of the rows of a conversation: by a column for it, or by their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.readers.texts.speakers import role_of
from memviz.transcripts.readers.texts.table_times import direction, written_direction
from memviz.transcripts.times import moment

BACKWARD = "the rows come newest first, so they were read from the last to the first"
BY_TIME = "the rows were put in the order of their times"
NO_NUMBER = (
    "the column for the order is not a number everywhere, so the rows stay as they are"
)


class Record(NamedTuple):
    """The cells of a row by their meaning, and the line that the row starts on."""

    cells: dict[str, str]
    line: int


def in_order(rows: Sequence[Record], builder: TranscriptBuilder) -> list[Record]:
    """The rows in the order of their column for it, if each has a number there; else oldest first, by their times."""
    if not any("order" in row.cells for row in rows):
        return _by_time(list(rows), builder)
    numbers = {row.line: number_in(row.cells.get("order", "")) for row in rows}
    unknown = [line for line, number in numbers.items() if number is None]
    for line in unknown:
        builder.note(NO_NUMBER, f"line {line}")
    return list(rows) if unknown else _sorted(rows, lambda row: numbers[row.line] or 0)


def time_of(row: Record) -> str | float | None:
    """When the message of a row was said, as :func:`~memviz.transcripts.times.moment` takes it."""
    cell = row.cells.get("time", "").strip()
    return cell if moment(cell) else number_in(cell)


def number_in(cell: str) -> float | None:
    """The number that a cell is; ``None`` for anything else, and for numbers without end."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _by_time(rows: list[Record], builder: TranscriptBuilder) -> list[Record]:
    times = {row.line: moment(time_of(row)) for row in rows}
    known = [time for time in times.values() if time is not None]
    if len(known) < len(rows):
        if written_direction([row.cells.get("time", "") for row in rows]) != "backward":
            return rows
        builder.note(BACKWARD)
        return rows[::-1]
    runs = direction(known)
    if runs == "forward":
        return rows
    builder.note(BACKWARD if runs == "backward" else BY_TIME)
    return _sorted(rows, lambda row: times[row.line] or datetime.min)


def _sorted(
    rows: Sequence[Record], key: Callable[[Record], float | datetime]
) -> list[Record]:
    """The rows by their keys. Rows with the same key keep their order; in a table that is upside down, those of them
    may be so as well: then the order counts in which user and assistant take turns."""
    in_file_order = sorted(rows, key=key)
    if direction([key(row) for row in rows]) != "backward":
        return in_file_order
    return min(list(rows)[::-1], in_file_order, key=_irregularity)


def _irregularity(rows: Sequence[Record]) -> tuple[int, bool]:
    """How often somebody speaks twice in a row, and whether somebody else than the user begins."""
    roles = [role_of(row.cells.get("role", "")) for row in rows]
    return sum(one == next for one, next in pairwise(roles)), roles[:1] != ["user"]
