"""Conversations in tables: a message in each row, or a question with its answer; their order and their times."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise, product
from typing import Any, Literal, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import Said, noop
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.csv_cells import unescape_formula
from memviz.transcripts.document import Document
from memviz.transcripts.readers.json_access import join_lines
from memviz.transcripts.readers.texts.dialogues import TextReader, text_mismatch_error
from memviz.transcripts.readers.texts.speakers import role_of
from memviz.transcripts.readers.texts.tables import Row, Table, find_table
from memviz.transcripts.times import meta_with_time, moment

Direction = Literal["forward", "backward", "mixed"]
_DATES = (
    "%Y/%m/%d", "%Y.%m.%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%d/%m/%y", "%m/%d/%y",
    "%d.%m.%y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%a, %d %b %Y", "%a %b %d %Y",
)  # fmt: skip
_CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
_FORMATS = (
    *_CLOCKS,
    *_DATES,
    *(
        f"{date}{gap}{clock}"
        for date, gap, clock in product(_DATES, (" ", ", "), _CLOCKS)
    ),
)
_ZONE = re.compile(r"( UTC| GMT| \+0000|Z)\Z")
BROKEN_CALLS = noop("tool calls that are not JSON were left out")
CELLS_BEYOND = noop("cells beyond the last column were left out")
FEWER_CELLS = noop("a row has fewer cells than the table has columns")
NO_HEAD = noop(
    "the first row is data, no names of columns: roles were read from the first column"
)
TOO_FEW_CELLS = noop("has too few cells")


def find_direction(times: Iterable[float | datetime]) -> Direction:
    """Return which way numbers or times run: 1, 3, 3 -> "forward"; 1, 3, 2 -> "mixed".

    They are "forward" where all are the same.
    """
    forward_steps = backward_steps = 0
    for time, following in pairwise(times):
        # All are numbers, or all are times.
        if following > time:  # type: ignore[operator]
            forward_steps += 1
        elif following != time:
            backward_steps += 1
    if forward_steps and backward_steps:
        return "mixed"
    return "backward" if backward_steps else "forward"


def find_written_direction(cells: Sequence[str]) -> Direction:
    """Return which way the times of these cells run, which are not written in ISO form.

    A date such as 5/8/23 can be read as two days. Where both readings do not run in the
    same direction, or no format fits, the direction is "mixed".
    """
    texts = [_ZONE.sub("", cell.strip()) for cell in cells]
    directions = set()
    for time_format in _FORMATS:
        # A format that does not fit fails at the first cell.
        with suppress(ValueError):
            times = [datetime.strptime(text, time_format) for text in texts]
            directions.add(find_direction(times))
    return directions.pop() if texts and len(directions) == 1 else "mixed"


PROMPTS = noop("the rows have {number} different system prompts; the first was taken")
BACKWARD = noop(
    "the rows come newest first, so they were read from the last to the first"
)
BY_TIME = noop("the rows were put in the order of their times")
NO_NUMBER = noop(
    "the column for the order is not a number everywhere, so the rows stay as they are"
)


class Record(NamedTuple):
    """The cells of a row by their meaning, and the line that the row starts on."""

    cells: dict[str, str]
    line: int


def sort_rows(rows: Sequence[Record], builder: TranscriptBuilder) -> list[Record]:
    """Return the rows in order. The first case that fits:

    1. No row has a cell for the order: oldest first, by their times.
    2. Some cell for the order is no number: as they stand in the file, with a note.
    3. Else by those numbers.
    """
    if not any("order" in row.cells for row in rows):
        return _sort_by_time(list(rows), builder)
    numbers = {row.line: read_number(row.cells.get("order", "")) for row in rows}
    unknown = [line for line, number in numbers.items() if number is None]
    for line in unknown:
        builder.note(NO_NUMBER, f"line {line}")
    if unknown:
        return list(rows)
    return _sort_stably(rows, lambda row: numbers[row.line] or 0)


def read_time(row: Record) -> str | float | None:
    """Return when the message of a row was said, as :func:`~memviz.transcripts.times.moment` takes it."""
    cell = row.cells.get("time", "").strip()
    return cell if moment(cell) else read_number(cell)


def read_number(cell: str) -> float | None:
    """Return the number in a cell; ``None`` for anything else, and for infinity."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _sort_by_time(rows: list[Record], builder: TranscriptBuilder) -> list[Record]:
    """Return the rows oldest first, and note if they were not.

    Where a time cannot be read, rows that surely come newest first are turned round,
    and all others stay as they are.
    """
    # To try all forms of dates takes milliseconds, and a file may hold thousands of short conversations.
    if len(rows) < 2 or not any(row.cells.get("time") for row in rows):
        return rows
    times = {row.line: moment(read_time(row)) for row in rows}
    known_times = [time for time in times.values() if time is not None]
    if len(known_times) < len(rows):
        if (
            find_written_direction([row.cells.get("time", "") for row in rows])
            != "backward"
        ):
            return rows
        builder.note(BACKWARD)
        return rows[::-1]
    runs = find_direction(known_times)
    if runs == "forward":
        return rows
    builder.note(BACKWARD if runs == "backward" else BY_TIME)
    return _sort_stably(rows, lambda row: times[row.line] or datetime.min)


def _sort_stably(
    rows: Sequence[Record], key: Callable[[Record], float | datetime]
) -> list[Record]:
    """Return the rows by their keys. Rows with the same key keep their order.

    In a table that runs backward, rows with the same key may run backward as well: then
    the order counts in which user and assistant take turns.
    """
    in_file_order = sorted(rows, key=key)
    if find_direction([key(row) for row in rows]) != "backward":
        return in_file_order
    return min(list(rows)[::-1], in_file_order, key=_count_irregularities)


def _count_irregularities(rows: Sequence[Record]) -> tuple[int, bool]:
    """Return how often somebody speaks twice in a row, and whether somebody else than the user begins."""
    roles = [role_of(row.cells.get("role", "")) for row in rows]
    repeat_count = sum(role == following for role, following in pairwise(roles))
    return repeat_count, roles[:1] != ["user"]


EMPTY_CELL = noop("has an empty cell for the {role}")
OPEN_CELL = noop(
    "a quotation mark is never closed, so all that follows in the file was read as one cell"
)
MORE_CELLS = noop(
    "a row has more cells than the table has columns, so they were joined to the last"
)
EXPECTED = (
    'a table with columns such as "role" and "content", or "prompt" and "response",'
)


class CsvTable(TextReader):
    """A table with columns for role and content or for question and answer, in any order and letter case.

    Rows of ``instruction,input,output`` are conversations of their own, as in JSON lines: each is a task that knows
    nothing of the others.

    Without a head, the first cell of every row has to be a role.
    """

    name = "csv"
    title = noop("Table (CSV, TSV)")

    def conversations(self, document: Document) -> Sequence[TableConversation]:
        """One conversation for each id in a column for it, or for each row of a table of tasks; otherwise one."""
        table = find_table(document.plain_text)
        if table is None:
            raise text_mismatch_error(EXPECTED, document)
        if not table.has_head:
            document.notes.add(NO_HEAD)
        conversations: dict[str, TableConversation] = {}
        for row in table.data(document.plain_text):
            cells, notes = cells_by_meaning(row, table)
            id = cells.get("conversation", "").strip()
            if table.has_tasks:
                id = str(row.line)
            rows = conversations.setdefault(id, TableConversation(table, [], []))
            rows.rows.append(Record(cells, row.line))
            rows.notes.extend((what, row.line) for what in notes)
        return list(conversations.values())

    def read(self, piece: TableConversation, builder: TranscriptBuilder) -> Transcript:
        """The conversation that the rows are, in the order that a column for it gives."""
        for what, line in piece.notes:
            builder.note(what, f"line {line}")
        prompts = [row for row in piece.rows if is_prompt(row, piece.table)]
        spoken_rows = [row for row in piece.rows if not is_prompt(row, piece.table)]
        rows = sort_rows(spoken_rows, builder)
        fields = _known(rows, prompts, builder)
        for row in rows:
            if piece.table.asks:
                _add_pair(row, builder)
            elif "role" in row.cells and "content" in row.cells:
                _add_row(row, builder, piece.table.is_own)
            else:
                builder.leave_out(f"line {row.line}", TOO_FEW_CELLS)
        return builder.build(**fields)


def _known(
    rows: list[Record], saved_prompts: list[Record], builder: TranscriptBuilder
) -> dict[str, Any]:
    """Return what the table says about the conversation beside its messages."""
    titles = filter(None, (row.cells.get("title") for row in rows))
    system_texts = filter(None, (row.cells.get("system") for row in rows))
    prompts = list(dict.fromkeys(system_texts))
    if len(prompts) > 1:
        builder.note(Said(PROMPTS, number=len(prompts)))
    prompts += [unescape_formula(row.cells.get("content", "")) for row in saved_prompts]
    return {
        "title": next(titles, UNTITLED),
        "held_at": moment(read_time(rows[0])) if rows else None,
        "system_prompt": prompts[0] if prompts else None,
    }


def _add_row(row: Record, builder: TranscriptBuilder, is_own: bool) -> None:
    role = row.cells["role"]
    item = {"role": role_of(role) or role.strip() or None}
    for key in ("content", "name", "tool_call_id"):
        cell = row.cells.get(key, "")
        if cell or key == "content":
            item[key] = unescape_formula(cell) if is_own else cell
    calls = row.cells.get("tool_calls", "").strip()
    if calls:
        item["tool_calls"] = _read_calls(calls, row, builder)
    builder.add_json(
        {**item, "meta": meta_with_time(read_time(row))}, f"line {row.line}"
    )


def _read_calls(text: str, row: Record, builder: TranscriptBuilder) -> Any:
    try:
        return builder.parse_json(text)
    except TranscriptError:
        builder.note(BROKEN_CALLS, f"line {row.line}")
        return None


def _add_pair(row: Record, builder: TranscriptBuilder) -> None:
    place = f"line {row.line}"
    meta = meta_with_time(read_time(row))
    question_texts = [row.cells.get("question", ""), row.cells.get("input", "")]
    text_of_role = {
        "user": join_lines(question_texts),
        "assistant": row.cells.get("answer", ""),
    }
    for role, text in text_of_role.items():
        if text.strip():
            builder.add_text(role, text, place, meta=meta)
        else:
            builder.leave_out(place, Said(EMPTY_CELL, role=role))


class TableConversation(NamedTuple):
    """One conversation: the table it is in, and its rows; ``findings`` are what is odd about them, with the line."""

    table: Table
    rows: list[Record]
    notes: list[tuple[str, int]]


def cells_by_meaning(row: Row, table: Table) -> tuple[dict[str, str], list[str]]:
    """The cells of a row by their meaning, and what is odd about them."""
    cells = list(row.cells)
    columns = table.columns
    last = table.width - 1
    notes = []
    if row.is_open:
        notes.append(OPEN_CELL)
    if any(cell.strip() for cell in cells[table.width :]):
        if last in (columns.get("content"), columns.get("answer")):
            # The text had a delimiter in it and no quotation marks.
            cells[last:] = [table.dialect.delimiter.join(cells[last:])]
            notes.append(MORE_CELLS)
        else:
            notes.append(CELLS_BEYOND)
    if len(cells) < table.width:
        notes.append(FEWER_CELLS)
    cell_of_meaning = {
        name: cells[index] for name, index in columns.items() if index < len(cells)
    }
    return cell_of_meaning, notes


def is_prompt(row: Record, table: Table) -> bool:
    """Return whether a row is the system prompt of a conversation that memviz saved: it has no position."""
    return table.is_own and not row.cells.get("order")
