"""Conversations that cannot be read: set aside, deleted, and written out as they are stored."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from sqlalchemy import Integer, Table, literal_column, select, type_coerce, update
from sqlalchemy.types import NullType
from sqlmodel import Session

from memviz.core.errors import StorageError
from memviz.storage.library import now
from memviz.storage.tables import (
    COMPACTIONS,
    CONVERSATIONS,
    FREE_RUNS,
    JUDGED_ANSWERS,
    MESSAGES,
    RUNS,
    SUMMARIES,
    TURNS,
    WORDINGS,
)

ROW = literal_column("conversation.rowid", Integer)


def put_away(session: Session, row: int) -> None:
    """Take the conversation in row number ``row`` of its table out of the library, whatever is in it."""
    session.execute(update(CONVERSATIONS).where(ROW.is_(row)).values(deleted_at=now()))


def stored_rows(
    session: Session, conversation: int | str
) -> dict[str, list[dict[str, Any]]]:
    """All that the file holds of a conversation (its row number, or its id), by table, as JSON: values as they are
    stored, so that what is sound in them can be taken out by hand. Bytes are written in base64."""
    named = (
        ROW.is_(conversation)
        if isinstance(conversation, int)
        else CONVERSATIONS.c.id == conversation
    )
    id = session.execute(
        select(_raw(CONVERSATIONS, "id")).where(named)
    ).scalar_one_or_none()
    if id is None:
        raise StorageError("This conversation is no longer in the library.")
    runs = select(RUNS.c.id).where(
        RUNS.c.conversation_id == type_coerce(id, NullType())
    )
    found = {"conversation": _rows(session, CONVERSATIONS, named)}
    for table in (MESSAGES, RUNS, FREE_RUNS, WORDINGS, JUDGED_ANSWERS):
        found[table.name] = _rows(
            session, table, table.c.conversation_id == type_coerce(id, NullType())
        )
    for table in (TURNS, COMPACTIONS, SUMMARIES):
        found[table.name] = _rows(session, table, table.c.run_id.in_(runs))
    return found


def _rows(session: Session, table: Table, condition: Any) -> list[dict[str, Any]]:
    columns = [_raw(table, column.name) for column in table.c]
    return [
        {name: _as_json(value) for name, value in found.items()}
        for found in session.execute(select(*columns).where(condition)).mappings()
    ]


def _raw(table: Table, name: str) -> Any:
    return type_coerce(table.c[name], NullType()).label(name)


def _as_json(value: Any) -> Any:
    return {"base64": b64encode(value).decode()} if isinstance(value, bytes) else value
