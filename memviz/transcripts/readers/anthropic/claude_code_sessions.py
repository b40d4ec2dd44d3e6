"""Which rows of a Claude Code file are one session, and which title is its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memviz.transcripts.readers.anthropic.claude_code_rows import (
    ROLES,
    is_conversation,
    is_side,
)
from memviz.transcripts.readers.json_access import text_at


class Row(NamedTuple):
    """One row with its place in the file and its id, made up where it has none."""

    place: str
    id: str
    value: dict[str, Any]


def rows_by_session(rows: Iterable[tuple[str, dict[str, Any]]]) -> list[list[Row]]:
    """The rows of each session that has messages. Sessions that continue each other are one; what names no session
    belongs to the one before it."""
    placed, seen = list[Row](), set[str]()
    for number, (place, value) in enumerate(rows):
        id = value["uuid"] if isinstance(value.get("uuid"), str) else f"#{number}"
        if id not in seen:  # a session that is resumed may repeat rows
            placed.append(Row(place, id, value if value.get("type") else _typed(value)))
            seen.add(id)
    titles = [row for row in placed if row.value.get("type") == "summary"]
    sessions: dict[str, list[Row]] = {}
    for row, name in zip(placed, _session_names(placed), strict=True):
        if row.value.get("type") != "summary":
            sessions.setdefault(name, []).append(row)
    found = [
        rows
        for rows in sessions.values()
        if any(is_conversation(row.value) for row in rows)
    ]
    return [
        [*_titles_of(rows, titles, is_only=len(found) == 1), *rows] for rows in found
    ]


def _typed(value: dict[str, Any]) -> dict[str, Any]:
    """A row without a type with that of its message, if it has one."""
    role = text_at(value, "message", "role")
    return {**value, "type": role} if role in ROLES else value


def _titles_of(rows: Sequence[Row], titles: Sequence[Row], is_only: bool) -> list[Row]:
    """The titles that name a row of a session as its last; one that names no row is of the only session there is.

    Claude Code writes titles that it makes late into the file of whatever session is open, so one that names a row
    that is not in the file is of another session.
    """
    ids = {row.id for row in rows}

    def is_own(title: Row) -> bool:
        leaf = text_at(title.value, "leafUuid")
        return leaf in ids if leaf else is_only

    return [title for title in titles if is_own(title)]


def _session_names(rows: Sequence[Row]) -> list[str]:
    only_subagents = all(
        is_side(row.value) for row in rows if is_conversation(row.value)
    )
    names, current = list[str](), ""
    for row in rows:
        own = row.value.get("sessionId", row.value.get("session_id"))
        if isinstance(own, str) and own and (only_subagents or not is_side(row.value)):
            current = own
        names.append(current)
    name_of = dict(zip((row.id for row in rows), names, strict=True))
    first = next((name for name in names if name), "")
    same_as: dict[str, str] = {"": first} if first else {}

    def root(name: str) -> str:
        while name in same_as:
            name = same_as[name]
        return name

    for row, name in zip(rows, names, strict=True):
        before = text_at(row.value, "parentUuid") or text_at(
            row.value, "logicalParentUuid"
        )
        one, other = root(name), root(name_of.get(before, name))
        if one != other:
            same_as[one] = other
    return [root(name) for name in names]
