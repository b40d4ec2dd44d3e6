"""Finds the lists in a file that may be its messages.

``guess`` makes a mapping from the best of them. The ``interpreter`` asks whether a mapping reads only one of several
lists that are alike, such as conversations by their ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.transcripts.document import Document
from memviz.transcripts.file_kinds import SQLITE
from memviz.transcripts.mapping.opening import open_value
from memviz.transcripts.mapping.paths import EACH
from memviz.transcripts.mapping.rows import read_content

WHOLE_FILE = EACH
"""The path of the rows if they are all items of the file."""
LOOKED_AT = 200
"""The number of rows from which a mapping is guessed."""
MAX_LEVELS = 6
MAX_PLACES = 40
MAX_FIELDS = 80
MAX_TABLES = 40
MAX_NAME_CHARS = 100
"""Longest name of a list or table that a guess looks into: so its path fits into a mapping."""


class ListPlace(NamedTuple):
    """A list in a file, or alike lists together, whose items may be messages."""

    conversations: str
    rows: str
    first: list[Any]
    table: str = ""
    parts: tuple[str, ...] = ()
    """The paths of the alike lists that were joined; each of them is a place, too."""

    @property
    def path(self) -> str:
        """The whole path."""
        return ".".join(filter(None, (self.conversations, self.rows)))


def find_wider_place(path: str, document: Document) -> ListPlace | None:
    """Return the place that joins the list at ``path`` with others like it; ``None`` if there is none."""
    if document.data.startswith(SQLITE):
        return None
    return next((place for place in find_places(document) if path in place.parts), None)


def find_places(document: Document) -> list[ListPlace]:
    """Return the places in a file where rows may lie. Raises :class:`TranscriptError` for a file that is unreadable."""
    if document.data.startswith(SQLITE):
        tables = filter(_is_name, document.tables.columns)
        places = []
        for table in list(tables)[:MAX_TABLES]:
            rows = read_content(document, table)[:LOOKED_AT]
            if rows:
                places.append(ListPlace("", "*", rows, table))
        return places
    return list(_walk_places(read_content(document), []))[:MAX_PLACES]


def _walk_places(value: Any, names: list[str]) -> Iterator[ListPlace]:
    value = open_value(value)
    if isinstance(value, list) and value:
        inner = [*names, "*"]
        first = value[:LOOKED_AT]
        if any(isinstance(item, dict) for item in first):
            yield _make_place(inner, first)
        if len(names) < MAX_LEVELS:
            yield from _walk_items(first, inner)
    elif isinstance(value, dict) and len(names) < MAX_LEVELS:
        if not names:
            yield ListPlace("", ".", [value])
        inner_places: list[ListPlace] = []
        for key, field in list(value.items())[:MAX_FIELDS]:
            if isinstance(field, list | dict) and _is_name(key):
                inner_places += _walk_places(field, [*names, key])
        yield from _join_alike_places(inner_places, names)
        yield from inner_places


def _join_alike_places(
    places: Sequence[ListPlace], names: list[str]
) -> Iterator[ListPlace]:
    """Yield the places below an object that are alike under each of its keys, such as conversations by their ids."""
    alike: dict[str, list[ListPlace]] = {}
    parts = {part for place in places for part in place.parts}
    for place in places:
        if place.path in parts:
            continue
        below = place.path.split(".")[len(names) + 1 :]
        alike.setdefault(".".join(below), []).append(place)
    for path, siblings in alike.items():
        if len(siblings) > 1 and _are_alike(siblings):
            rows = [row for place in siblings for row in place.first][:LOOKED_AT]
            whole = _make_place([*names, EACH, *path.split(".")], rows)
            yield whole._replace(parts=tuple(place.path for place in siblings))


def _are_alike(places: Sequence[ListPlace]) -> bool:
    """Return whether the rows of all places have mostly the same names."""
    names = [_collect_names(place) for place in places]
    return all(
        2 * len(names[0] & other_names) >= len(names[0] | other_names)
        for other_names in names
    )


def _collect_names(place: ListPlace) -> set[str]:
    return {name for row in place.first[:20] if isinstance(row, dict) for name in row}


def _is_name(key: str) -> bool:
    """Return whether a path can have a key as one of its names."""
    has_marks = any(mark in key for mark in (".", "|", " + "))
    return len(key) <= MAX_NAME_CHARS and not has_marks and key != EACH


def _walk_items(items: Sequence[Any], names: list[str]) -> Iterator[ListPlace]:
    """Yield the lists inside the items of a list, each path once, with the rows of the first few items together."""
    rows_by_path: dict[str, ListPlace] = {}
    for item in items[:20]:
        for rows in _walk_places(item, []) if isinstance(item, dict | list) else ():
            earlier_rows = rows_by_path.setdefault(rows.path, rows._replace(first=[]))
            earlier_rows.first.extend(rows.first[: LOOKED_AT - len(earlier_rows.first)])
    above = ".".join(names)
    for path, rows in rows_by_path.items():
        if path != ".":
            rows_found = _make_place([*names, *path.split(".")], rows.first)
            parts = tuple(f"{above}.{part}" for part in rows.parts)
            yield rows_found._replace(parts=parts)


def _make_place(names: list[str], first: list[Any]) -> ListPlace:
    """Return rows whose path is split before the last list: each item of the lists above is a conversation."""
    lists_above = [index for index, name in enumerate(names[:-1], 1) if name == EACH]
    above = max(lists_above, default=0)
    return ListPlace(".".join(names[:above]), ".".join(names[above:]), first)
