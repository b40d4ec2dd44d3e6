"""What both generations of llm's logs share: attachments, fragments, and when a model was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.database_rows import Row, cell_text
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import with_time

SHOWN_FAMILIES = ("image", "audio", "video")


def attachment_labels(tables: Tables) -> dict[str, str]:
    """A stand-in for every attachment by its id; the bytes are not read."""
    rows = tables.rows("attachments", ("id", "type", "path", "url"))
    return {cell_text(row["id"]): _label(row) for row in rows}


def fragment_texts(tables: Tables) -> dict[str, str]:
    """The text of every fragment by its id."""
    return {
        cell_text(row["id"]): cell_text(row["content"])
        for row in tables.rows("fragments", ("id", "content"))
    }


def links(
    tables: Tables, table: str, owner: str, column: str, texts: Mapping[str, str]
) -> dict[str, list[str]]:
    """What the rows of a linking table join to each owner, in order: the ``texts`` of the ids in ``column``."""
    joined: dict[str, list[str]] = {}
    for row in tables.rows(table, (owner, column, "order"), (owner, "order")):
        text = texts.get(cell_text(row[column]))
        if text is not None:
            joined.setdefault(cell_text(row[owner]), []).append(text)
    return joined


def asked(row: Row) -> dict[str, Any]:
    """The ``meta`` of a reply: when the model was asked, and which one it was."""
    model = cell_text(row["resolved_model"]) or cell_text(row["model"])
    return {**with_time(row["datetime_utc"]), **({"model": model} if model else {})}


def prompt_text(fragments: Iterable[str], prompt: object) -> str:
    """A prompt as llm sends it: its fragments, then what was typed."""
    return "\n".join([*fragments, *([cell_text(prompt)] if prompt else [])])


def system_text(fragments: Iterable[str], system: object) -> str:
    """A system prompt as llm sends it: its fragments, then what was typed."""
    pieces = (piece.strip() for piece in [*fragments, cell_text(system)])
    return "\n\n".join(piece for piece in pieces if piece)


def _label(row: Row) -> str:
    family = cell_text(row["type"]).split("/")[0]
    if family in SHOWN_FAMILIES:
        return stand_in(family)
    where = cell_text(row["path"]) or cell_text(row["url"]).split("?")[0]
    return stand_in("file", where.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])
