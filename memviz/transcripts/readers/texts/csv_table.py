"""Conversations in tables: a message in each row, or a question with its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.csv_cells import unguarded
from memviz.transcripts.document import Document
from memviz.transcripts.readers.texts.speakers import role_of
from memviz.transcripts.readers.texts.table_cells import Row
from memviz.transcripts.readers.texts.table_columns import Table, find_table
from memviz.transcripts.readers.texts.table_order import Record, in_order, time_of
from memviz.transcripts.readers.texts.text_kinds import TextReader
from memviz.transcripts.readers.texts.turns_of_text import text_mismatch
from memviz.transcripts.times import moment, with_time

EXPECTED = (
    'a table with columns such as "role" and "content", or "prompt" and "response",'
)


class CsvTable(TextReader):
    """A table with columns for role and content or for question and answer, in any order and letter case.

    Without a head, the first cell of every row has to be a role.
    """

    name = "csv"
    title = "Table (CSV, TSV)"

    def conversations(self, document: Document) -> Sequence[TableConversation]:
        """One conversation for each id in a column for it; otherwise one."""
        table = find_table(document.plain_text)
        if table is None:
            raise text_mismatch(EXPECTED, document)
        if not table.has_head:
            document.notes.add(
                "the first row is data, no names of columns: roles were read from the first column"
            )
        found: dict[str, TableConversation] = {}
        for row in table.data(document.plain_text):
            cells, notes = by_meaning(row, table)
            rows = found.setdefault(
                cells.get("conversation", "").strip(), TableConversation(table, [], [])
            )
            rows.rows.append(Record(cells, row.line))
            rows.notes.extend((what, row.line) for what in notes)
        return list(found.values())

    def read(self, piece: TableConversation, builder: TranscriptBuilder) -> Transcript:
        """The conversation that the rows are, in the order that a column for it gives."""
        for what, line in piece.notes:
            builder.note(what, f"line {line}")
        prompts = [row for row in piece.rows if is_prompt(row, piece.table)]
        rows = in_order(
            [row for row in piece.rows if not is_prompt(row, piece.table)], builder
        )
        known = _known(rows, prompts, builder)
        for row in rows:
            if piece.table.asks:
                _add_pair(row, builder)
            elif "role" in row.cells and "content" in row.cells:
                _add_row(row, builder, piece.table.is_own)
            else:
                builder.leave_out(f"line {row.line}", "has too few cells")
        return builder.build(**known)


def _known(
    rows: list[Record], saved_prompts: list[Record], builder: TranscriptBuilder
) -> dict[str, Any]:
    """What the table says about the conversation beside its messages."""
    known: dict[str, Any] = {
        "title": next(
            (row.cells["title"] for row in rows if row.cells.get("title")), UNTITLED
        )
    }
    if rows:
        known["held_at"] = moment(time_of(rows[0]))
    prompts = list(
        dict.fromkeys(row.cells["system"] for row in rows if row.cells.get("system"))
    )
    if len(prompts) > 1:
        builder.note(
            f"the rows have {len(prompts)} different system prompts; the first was taken"
        )
    prompts += [unguarded(row.cells.get("content", "")) for row in saved_prompts]
    return {**known, "system_prompt": prompts[0] if prompts else None}


def _add_row(row: Record, builder: TranscriptBuilder, is_own: bool) -> None:
    item: dict[str, Any] = {
        "role": role_of(row.cells["role"]) or row.cells["role"].strip() or None
    }
    for key in ("content", "name", "tool_call_id"):
        cell = row.cells.get(key, "")
        if cell or key == "content":
            item[key] = unguarded(cell) if is_own else cell
    calls = row.cells.get("tool_calls", "").strip()
    if calls:
        item["tool_calls"] = _calls(calls, row, builder)
    builder.add_json({**item, "meta": with_time(time_of(row))}, f"line {row.line}")


def _calls(text: str, row: Record, builder: TranscriptBuilder) -> Any:
    try:
        return builder.parse_json(text)
    except TranscriptError:
        builder.note("tool calls that are not JSON were left out", f"line {row.line}")
        return None


def _add_pair(row: Record, builder: TranscriptBuilder) -> None:
    place, meta = f"line {row.line}", with_time(time_of(row)) or None
    question = "\n".join(
        row.cells[key] for key in ("question", "input") if row.cells.get(key)
    )
    for role, text in (("user", question), ("assistant", row.cells.get("answer", ""))):
        if text.strip():
            builder.add_text(role, text, place, meta=meta)
        else:
            builder.leave_out(place, f"has an empty cell for the {role}")


class TableConversation(NamedTuple):
    """One conversation: the table it is in, and its rows; ``findings`` are what is odd about them, with the line."""

    table: Table
    rows: list[Record]
    notes: list[tuple[str, int]]


def by_meaning(row: Row, table: Table) -> tuple[dict[str, str], list[str]]:
    """The cells of a row by their meaning, and what is odd about them."""
    cells, notes = list(row.cells), []
    extra = cells[table.width :]
    if row.is_open:
        notes.append(
            "a quotation mark is never closed, so all that follows in the file was read as one cell"
        )
    if any(cell.strip() for cell in extra):
        if table.width - 1 in (
            table.columns.get("content"),
            table.columns.get("answer"),
        ):  # the text had a delimiter in it and no quotation marks
            cells[table.width - 1 :] = [
                table.dialect.delimiter.join(cells[table.width - 1 :])
            ]
            notes.append(
                "a row has more cells than the table has columns, so they were joined to the last"
            )
        else:
            notes.append("cells beyond the last column were left out")
    if len(cells) < table.width:
        notes.append("a row has fewer cells than the table has columns")
    return {
        meaning: cells[at] for meaning, at in table.columns.items() if at < len(cells)
    }, notes


def is_prompt(row: Record, table: Table) -> bool:
    """Whether a row is the system prompt of a conversation that memviz saved: it has no position."""
    return table.is_own and not row.cells.get("order")
