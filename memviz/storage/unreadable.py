"""Conversations that cannot be read: set aside, deleted, and written out as they are stored."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from sqlalchemy import Integer, Table, literal_column, select, type_coerce, update
from sqlalchemy.types import NullType
from sqlmodel import Session

from memviz.errors import StorageError
from memviz.storage.kept_values import unpacked
from memviz.storage.library import now
from memviz.storage.tables import CONVERSATIONS, KEPT, MESSAGES, RECORDS, RUNS

ROW = literal_column("conversation.rowid", Integer)


def put_away(session: Session, row: int) -> None:
    """Take the conversation in row number ``row`` of its table out of the library, whatever is in it."""
    session.execute(update(CONVERSATIONS).where(ROW.is_(row)).values(deleted_at=now()))


def stored_rows(
    session: Session, conversation: int | str
) -> dict[str, list[dict[str, Any]]]:
    """All that the file holds of a conversation (its row number, or its id), by table, as JSON: values as they are
    stored, so that what is sound in them can be taken out by hand. Packed ones are unpacked; other bytes are written in
    base64."""
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
    raw_id = type_coerce(id, NullType())
    runs = select(RUNS.c.id).where(RUNS.c.conversation_id == raw_id)
    of_it = {
        CONVERSATIONS: named,
        MESSAGES: MESSAGES.c.conversation_id == raw_id,
        RUNS: RUNS.c.conversation_id == raw_id,
        RECORDS: RECORDS.c.run_id.in_(runs),
        KEPT: KEPT.c.owner == raw_id,
    }
    return {table.name: _rows(session, table, row) for table, row in of_it.items()}


def _rows(session: Session, table: Table, condition: Any) -> list[dict[str, Any]]:
    columns = [_raw(table, column.name) for column in table.c]
    return [
        {name: _as_json(value) for name, value in found.items()}
        for found in session.execute(select(*columns).where(condition)).mappings()
    ]


def _raw(table: Table, name: str) -> Any:
    return type_coerce(table.c[name], NullType()).label(name)


def _as_json(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    kept = unpacked(value)
    return {"base64": b64encode(value).decode()} if kept is None else kept
