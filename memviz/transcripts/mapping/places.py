"""The lists in a file that may be its messages: from these a mapping is guessed, and among these one is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.transcripts.document import Document
from memviz.transcripts.file_kinds import SQLITE
from memviz.transcripts.mapping.paths import EACH, opened
from memviz.transcripts.mapping.rows import content_of

WHOLE_FILE = EACH
"""The path of rows that are all items of a file."""
LOOKED_AT = 200
"""Rows from which is guessed."""
MAX_LEVELS = 6
MAX_PLACES = 40
MAX_FIELDS = 80
MAX_TABLES = 40
MAX_NAME_CHARS = 100
"""Longest name of a list or table that a guess looks into: so its path fits into a mapping."""


class Rows(NamedTuple):
    """A place in a file where rows may lie, with the first of them."""

    conversations: str
    rows: str
    first: list[Any]
    table: str = ""

    @property
    def path(self) -> str:
        """The whole path."""
        return ".".join(filter(None, (self.conversations, self.rows)))


def places_of_rows(document: Document) -> list[Rows]:
    """Return the places in a file where rows may lie. Raises :class:`TranscriptError` for a file that is unreadable."""
    if document.data.startswith(SQLITE):
        tables = filter(_is_name, document.tables.columns)
        found = []
        for table in list(tables)[:MAX_TABLES]:
            rows = content_of(document, table)[:LOOKED_AT]
            if rows:
                found.append(Rows("", "*", rows, table))
        return found
    return list(_places(content_of(document), []))[:MAX_PLACES]


def _places(value: Any, names: list[str]) -> Iterator[Rows]:
    value = opened(value)
    if isinstance(value, list) and value:
        inner = [*names, "*"]
        first = value[:LOOKED_AT]
        if any(isinstance(item, dict) for item in first):
            yield _rows_at(inner, first)
        if len(names) < MAX_LEVELS:
            yield from _inside(first, inner)
    elif isinstance(value, dict) and len(names) < MAX_LEVELS:
        if not names:
            yield Rows("", ".", [value])
        for key, held in list(value.items())[:MAX_FIELDS]:
            if isinstance(held, list | dict) and _is_name(key):
                yield from _places(held, [*names, key])


def _is_name(key: str) -> bool:
    """Return whether a path can have a key as one of its names."""
    return len(key) <= MAX_NAME_CHARS and "." not in key and key != EACH


def _inside(items: Sequence[Any], names: list[str]) -> Iterator[Rows]:
    """Yield the lists inside the items of a list, each path once, with the rows of the first few items together."""
    seen: dict[str, list[Any]] = {}
    for item in items[:20]:
        for rows in _places(item, []) if isinstance(item, dict) else _lists(item):
            held = seen.setdefault(rows.path, [])
            held += rows.first[: LOOKED_AT - len(held)]
    for path, first in seen.items():
        if path != ".":
            yield _rows_at([*names, *path.split(".")], first)


def _lists(item: Any) -> Iterator[Rows]:
    if isinstance(item, list):
        yield from _places(item, [])


def _rows_at(names: list[str], first: list[Any]) -> Rows:
    """Return rows whose path is split before the last list: each item of the lists above is a conversation."""
    above = len(names) - 1
    while above > 0 and names[above - 1] != "*":
        above -= 1
    return Rows(".".join(names[:above]), ".".join(names[above:]), first)
