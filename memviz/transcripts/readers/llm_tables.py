"""The tables that the older and the newer versions of the log of llm have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.blocks import Part, file_label, make_result
from memviz.transcripts.readers.database_rows import cell_text
from memviz.transcripts.readers.json_access import join_lines
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import meta_with_time

MODEL_COLUMNS = ("model", "resolved_model", "datetime_utc")


def read_table(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str] = ()
) -> list[dict[str, str]]:
    """Return the rows of a table with every cell as text, an empty one for NULL."""
    rows = []
    for row in tables.rows(table, columns, order):
        rows.append({column: cell_text(cell) for column, cell in row.items()})
    return rows


def attachment_labels(tables: Tables) -> dict[str, str]:
    """Return a stand-in for every attachment by its id, such as ``[image]`` or ``[file: plan.pdf]``; the bytes are not
    read."""
    labels = {}
    for row in read_table(tables, "attachments", ("id", "type", "path", "url")):
        label = file_label(row["type"])
        path = row["path"] or row["url"].split("?")[0]
        name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        labels[row["id"]] = stand_in(label, name if label == "file" else None)
    return labels


def fragment_texts(tables: Tables) -> dict[str, str]:
    """Return the text of every fragment by its id."""
    rows = read_table(tables, "fragments", ("id", "content"))
    return {row["id"]: row["content"] for row in rows}


def reply_meta(row: Mapping[str, str]) -> dict[str, str]:
    """Return the ``meta`` of a reply: the time at which the model was asked, and its name."""
    model = row["resolved_model"] or row["model"]
    return meta_with_time(row["datetime_utc"], model=model)


def result_with_attachments(
    fields: Mapping[str, Any], id: object, name: object, attachments: Iterable[str]
) -> Part:
    """Return the result of a tool: its output, or else the exception that it raised, and its attachments."""
    output = cell_text(fields.get("output"))
    exception = cell_text(fields.get("exception"))
    text = join_lines([output or exception, *attachments])
    # It stands in the text already where there is no output.
    extra_exception = exception if output and exception else None
    return make_result(cell_text(id), text, name, exception=extra_exception)
