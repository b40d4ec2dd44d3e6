"""Conversations in tables: a message in each row, or a question with its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.csv_cells import unguarded
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.readers.texts.speakers import role_of
from memviz.transcripts.readers.texts.table_columns import Table, find_table
from memviz.transcripts.readers.texts.table_rows import Placed, Rows, by_meaning, in_order, is_prompt, time_of
from memviz.transcripts.readers.texts.text_kinds import text_kind
from memviz.transcripts.readers.texts.turns_of_text import text_mismatch
from memviz.transcripts.times import moment, with_time

EXPECTED = 'a table with columns such as "role" and "content", or "prompt" and "response",'


class CsvTable(Reader):
    """A table with columns for role and content or for question and answer, in any order and letter case."""

    name = "csv"
    title = "Table (CSV, TSV)"

    def recognise(self, document: Document) -> bool:
        """A text whose first row names such columns, or whose rows all start with a role."""
        return text_kind(document) == self.name

    def conversations(self, document: Document) -> Sequence[Rows]:
        """One conversation for each id in a column for it; otherwise one."""
        table = find_table(document.plain_text)
        if table is None:
            raise text_mismatch(EXPECTED, document)
        if not table.has_head:
            document.notes.add("the first row is data, no names of columns: roles were read from the first column")
        found: dict[str, Rows] = {}
        for row in table.data(document.plain_text):
            cells, notes = by_meaning(row, table)
            rows = found.setdefault(cells.get("conversation", "").strip(), Rows(table, [], []))
            rows.rows.append(Placed(cells, row.line))
            rows.notes.extend((what, row.line) for what in notes)
        return list(found.values())

    def read(self, piece: Rows, builder: TranscriptBuilder) -> Transcript:
        """The conversation that the rows are, in the order that a column for it gives."""
        for what, line in piece.notes:
            builder.note(what, f"line {line}")
        rows = in_order(piece, builder)
        known = _known(rows, piece.table, builder)
        for row in rows:
            if piece.table.asks:
                _take_pair(row, builder)
            elif "role" in row.cells and "content" in row.cells:
                _take(row, builder, piece.table.is_own)
            else:
                builder.leave_out(f"line {row.line}", "has too few cells")
        return builder.build(**known)


def _known(rows: list[Placed], table: Table, builder: TranscriptBuilder) -> dict[str, Any]:
    """What the table says about the conversation beside its messages. The rows of it are taken out."""
    known: dict[str, Any] = {"title": next((row.cells["title"] for row in rows if row.cells.get("title")), UNTITLED)}
    if rows:
        known["held_at"] = moment(time_of(rows[0]))
    prompts = list(dict.fromkeys(row.cells["system"] for row in rows if row.cells.get("system")))
    if len(prompts) > 1:
        builder.note(f"the rows have {len(prompts)} different system prompts; the first was taken")
    prompts += [unguarded(row.cells.get("content", "")) for row in rows if is_prompt(row, table)]
    rows[:] = [row for row in rows if not is_prompt(row, table)]
    return {**known, "system_prompt": prompts[0] if prompts else None}


def _take(row: Placed, builder: TranscriptBuilder, is_own: bool) -> None:
    item: dict[str, Any] = {"role": role_of(row.cells["role"]) or row.cells["role"].strip() or None}
    for key in ("content", "name", "tool_call_id"):
        cell = row.cells.get(key, "")
        if cell or key == "content":
            item[key] = unguarded(cell) if is_own else cell
    calls = row.cells.get("tool_calls", "").strip()
    if calls:
        item["tool_calls"] = _calls(calls, row, builder)
    builder.add_json({**item, "meta": with_time(time_of(row))}, f"line {row.line}")


def _calls(text: str, row: Placed, builder: TranscriptBuilder) -> Any:
    try:
        return JsonParser(builder.notes, builder.limits.depth).parse(text)
    except TranscriptError:
        builder.note("tool calls that are no JSON were left out", f"line {row.line}")
        return None


def _take_pair(row: Placed, builder: TranscriptBuilder) -> None:
    place, meta = f"line {row.line}", with_time(time_of(row)) or None
    question = "\n".join(row.cells[key] for key in ("question", "input") if row.cells.get(key))
    for role, text in (("user", question), ("assistant", row.cells.get("answer", ""))):
        if text.strip():
            builder.add_text(role, text, place, meta=meta)
        else:
            builder.leave_out(place, f"has an empty cell for the {role}")
