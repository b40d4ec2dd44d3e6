"""Conversations that cannot be read: set aside, deleted, and written out as they are stored."""

from base64 import b64encode
from typing import Any

from sqlalchemy import Integer, literal_column, update
from sqlmodel import Session

from memviz.core.errors import StorageError
from memviz.core.translation import _
from memviz.storage.kept_values import unpacked
from memviz.storage.library import now
from memviz.storage.tables import CONVERSATIONS

ROW = literal_column("conversation.rowid", Integer)
OWNED = {
    "message": "conversation_id = ?",
    "run": "conversation_id = ?",
    "record": "run_id IN (SELECT id FROM run WHERE conversation_id = ?)",
    "kept": "owner = ?",
}
"""Tables with rows that belong to a conversation, and which ones do."""


def put_away(session: Session, row: int) -> None:
    """Take the conversation in row number ``row`` of its table out of the library, whatever is in it."""
    session.execute(update(CONVERSATIONS).where(ROW.is_(row)).values(deleted_at=now()))


def stored_rows(
    session: Session, conversation: int | str
) -> dict[str, list[dict[str, Any]]]:
    """All that the file holds of a conversation (its row number, or its id), by table, as JSON: values as they are
    stored, so that what is sound in them can be taken out by hand. Packed ones are unpacked; other bytes are written in
    base64."""
    column = "rowid" if isinstance(conversation, int) else "id"
    own = _rows(session, "conversation", f"{column} = ?", conversation)
    if not own:
        raise StorageError(_("This conversation is no longer in the library."))
    found = {"conversation": own}
    for table, is_owned in OWNED.items():
        found[table] = _rows(session, table, is_owned, own[0]["id"])
    return {table: list(map(_as_json, rows)) for table, rows in found.items()}


def _rows(
    session: Session, table: str, condition: str, value: object
) -> list[dict[str, Any]]:
    """Rows as SQLite has them: nothing is converted, so that damage is no error."""
    query = f"SELECT * FROM {table} WHERE {condition}"  # noqa: S608 - both are written above
    found = session.connection().exec_driver_sql(query, (value,))
    return [dict(row) for row in found.mappings()]


def _as_json(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _value_as_json(value) for name, value in row.items()}


def _value_as_json(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    kept = unpacked(value)
    return {"base64": b64encode(value).decode()} if kept is None else kept
