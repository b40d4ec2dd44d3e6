"""Files of rows that each hold one whole conversation: JSON lines, a list, or a single row that is an object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import HEAD_ITEMS, Document, mismatch
from memviz.transcripts.json_text import kind_of

Row = tuple[Any, str]
"""The JSON value of one conversation with its place in the file, which is empty for a file that is one object."""


def rows(document: Document, expected: str) -> list[Row]:
    """The rows of a document. Raises :class:`TranscriptError`, that ``expected`` was expected, where it has none."""
    if document.object:
        return [(document.object, "")]
    if not document.items:
        raise mismatch(expected, document)
    return list(zip(document.items, document.places, strict=True))


def most_rows(document: Document, is_row: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether more than half of the first rows are such, so that no two kinds of rows can claim the same file."""
    head = document.items[:HEAD_ITEMS] or [document.object]
    return 2 * sum(isinstance(row, dict) and is_row(row) for row in head) > len(head)


def row_object(row: object, place: str) -> dict[str, Any]:
    """The row, which has to be an object. Raises :class:`TranscriptError` for anything else."""
    if not isinstance(row, dict):
        reason = f"it is {kind_of(row)}, not an object."
        raise TranscriptError(reason, place=place, remedy="Correct this row, or remove it.")
    return row


def inside(place: str, part: str) -> str:
    """The place of a part of a row: "line 4, index 2"."""
    return f"{place}, {part}" if place else part


def take_messages(items: object, place: str, builder: TranscriptBuilder, part: str = "") -> None:
    """Take a list of messages in the shape of the OpenAI chat API that stands in a row, in its ``part`` if that has
    to be said. Raises :class:`TranscriptError` for what is no list."""
    if not isinstance(items, list):
        reason = f"the messages are {kind_of(items)}, not a list."
        raise TranscriptError(reason, place=inside(place, part) if part else place, remedy="Correct it, or remove it.")
    for index, item in enumerate(items):
        builder.add_json(item, inside(place, f"{part} index {index}".lstrip()))


def text_of(source: Mapping[str, Any], key: str) -> str:
    """A value that is text; empty for any other."""
    value = source.get(key)
    return value if isinstance(value, str) else ""
