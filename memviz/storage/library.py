"""Conversations in the file: add, list, search, read, delete for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Table, delete, func, insert, or_, select
from sqlmodel import Session

from memviz.conversation import Message, clean_text
from memviz.errors import StorageError
from memviz.storage import rows
from memviz.storage.tables import CONVERSATIONS, MESSAGES, ConversationRow
from memviz.transcripts.base import Probe, Transcript

ROWS_A_STATEMENT = 20_000
NEWEST_FIRST = (CONVERSATIONS.c.updated_at.desc(), CONVERSATIONS.c.created_at.desc(), CONVERSATIONS.c.id)


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """One conversation in a list. Times are in UTC."""

    id: str
    title: str
    description: str
    language: str
    format: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    turn_count: int
    held_at: datetime | None
    probe_count: int


def now() -> datetime:
    """The time that is written to rows."""
    return datetime.now(UTC)


def insert_rows(session: Session, table: Table, made: Sequence[rows.Row]) -> None:
    """Write many rows at once."""
    if made:
        session.execute(insert(table), made)


def found(session: Session, conversation_id: str, *, deleted: bool = False) -> ConversationRow:
    """The row of a conversation; a deleted one only where asked for. Raises :class:`StorageError`."""
    conversation_id = clean_text(conversation_id)
    stored = session.get(ConversationRow, conversation_id)
    if stored is None:
        raise StorageError(f"There is no conversation {conversation_id!r}. Choose one from the library.")
    if stored.deleted_at is not None and not deleted:
        raise StorageError(f"The conversation '{stored.title}' was deleted. Restore it in the library first.")
    return stored


def exists(session: Session, conversation_id: str) -> bool:
    """Whether there is such a conversation, and it was not deleted."""
    stored = session.get(ConversationRow, clean_text(conversation_id))
    return stored is not None and stored.deleted_at is None


def add(session: Session, transcript: Transcript, id: str | None) -> str:
    """Write a conversation and return its id. One with this ``id`` that is there already, deleted or
    not, is left as it is."""
    conversation_id, time = clean_text(id or str(uuid4())), now()
    if id is not None and session.get(ConversationRow, conversation_id) is not None:
        return conversation_id
    _write(session, {conversation_id: transcript}, time)
    return conversation_id


def add_all(session: Session, transcripts: Sequence[Transcript]) -> list[str]:
    """Write several conversations under new ids and return these. The first is the one changed last, so that a list
    shows them in the order given."""
    by_id = {str(uuid4()): transcript for transcript in transcripts}
    _write(session, by_id, now())
    return list(by_id)


def _write(session: Session, by_id: Mapping[str, Transcript], time: datetime) -> None:
    times = [time - timedelta(microseconds=number) for number in range(len(by_id))]
    insert_rows(
        session,
        CONVERSATIONS,
        [
            rows.conversation_row(transcript) | {"id": id, "created_at": at, "updated_at": at}
            for (id, transcript), at in zip(by_id.items(), times, strict=True)
        ],
    )
    messages = (row for id, transcript in by_id.items() for row in rows.message_rows(id, transcript.messages))
    while batch := list(islice(messages, ROWS_A_STATEMENT)):
        insert_rows(session, MESSAGES, batch)


def matching(search: str) -> list[ColumnElement[bool]]:
    """The conditions for conversations that are not deleted and hold ``search`` in title or messages.

    Upper and lower case are the same; no character has a special meaning.
    """
    there = CONVERSATIONS.c.deleted_at.is_(None)
    wanted = clean_text(search).casefold()
    if not wanted:
        return [there]
    said = select(MESSAGES.c.position).where(
        MESSAGES.c.conversation_id == CONVERSATIONS.c.id, _holds(MESSAGES.c.content, wanted)
    )
    return [there, or_(_holds(CONVERSATIONS.c.title, wanted), said.exists())]


def _holds(column: ColumnElement[str], wanted: str) -> ColumnElement[bool]:
    return func.holds_folded(column, wanted) == 1


def entries(
    session: Session, *conditions: ColumnElement[bool], limit: int = -1, offset: int = 0
) -> list[ConversationEntry]:
    """Conversations under ``conditions``, the one changed last first."""
    table = CONVERSATIONS.c
    counted = {"probe_count": func.json_array_length(table.probes)}
    columns = [counted[name] if name in counted else table[name] for name in ConversationEntry.__dataclass_fields__]
    query = select(*columns).where(*conditions).order_by(*NEWEST_FIRST).limit(limit).offset(offset)
    return [ConversationEntry(*values) for values in session.execute(query)]


def page(session: Session, search: str, limit: int, offset: int) -> tuple[list[ConversationEntry], int]:
    """A page of the conversations that match, and how many match in all; a search reads all messages only once."""
    if not search:
        return entries(session, *matching(search), limit=limit, offset=offset), count(session, search)
    ids = session.scalars(select(CONVERSATIONS.c.id).where(*matching(search)).order_by(*NEWEST_FIRST)).all()
    return entries(session, CONVERSATIONS.c.id.in_(ids[offset : offset + limit])), len(ids)


def count(session: Session, search: str) -> int:
    """How many conversations match."""
    query = select(func.count()).select_from(CONVERSATIONS).where(*matching(search))
    return int(session.execute(query).scalar_one())


def message_rows(session: Session, conversation_id: str, stop: int | None = None) -> Iterable[Mapping[Any, Any]]:
    """The rows of a conversation's messages up to position ``stop`` (excluded), in order."""
    table = MESSAGES.c
    query = select(MESSAGES).where(table.conversation_id == conversation_id).order_by(table.position)
    return session.execute(query if stop is None else query.where(table.position < stop)).mappings()


def messages(session: Session, conversation_id: str, stop: int | None = None) -> list[Message]:
    """The messages of a conversation up to position ``stop`` (excluded)."""
    return [rows.message(stored) for stored in message_rows(session, conversation_id, stop)]


def transcript(session: Session, conversation_id: str) -> Transcript:
    """A whole conversation."""
    stored = found(session, conversation_id)
    return rows.transcript(stored, messages(session, stored.id))


def change_probes(session: Session, conversation_id: str, probe: Probe, *, add: bool) -> None:
    """Add a probe, or take it away; one that is there, or is not, changes nothing."""
    stored = found(session, conversation_id)
    value = probe.to_dict()
    others = [other for other in stored.probes if other != value]
    stored.probes = [*others, value] if add else others  # a new list: a change inside one is not noticed


def purge(session: Session, older_than_days: float) -> int:
    """Remove for good what was deleted at least so long ago; return how many conversations."""
    limit = now() - timedelta(days=older_than_days)
    gone = session.execute(
        delete(CONVERSATIONS).where(CONVERSATIONS.c.deleted_at <= limit).returning(CONVERSATIONS.c.id)
    )
    return len(gone.all())
