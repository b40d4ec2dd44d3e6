"""The tables, and their rows: conversations and messages to rows and back.

The tables live on a registry of their own, so importing this module again redefines
nothing. Rows are plain dictionaries of columns, written by bulk inserts, which skip
SQLModel's validation: what has to hold is said again as constraints of the database."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import (
    JSON,
    CheckConstraint,
    Dialect,
    Index,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from memviz.core.conversation import Log
from memviz.core.messages import ROLES, Message, ToolCall, clean_text
from memviz.core.storage_errors import ConversationChangedError
from memviz.core.translation import _, from_json, noop, to_json
from memviz.transcripts.base import Probe, RecordedEvent, Transcript


class JsonText(TypeDecorator[Any]):
    """JSON in a column of texts, as SQLite keeps it. PostgreSQL's own type refuses Infinity, which Python writes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Return what is written; nothing for ``None``."""
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Return what was written. Raises ValueError where it is damaged."""
        return None if value is None else json.loads(value)


ANY_JSON = JSON(none_as_null=True).with_variant(JsonText(), "postgresql")
Row = dict[str, Any]

PLAIN = ("title", "format", "language", "description", "system_prompt", "held_at")
"""Columns of a conversation that are fields of its transcript as they are."""
_TOOL_CALLS = TypeAdapter(tuple[ToolCall, ...])


CHANGED = noop(
    "The conversation was changed in another tab, so nothing was saved. Reload it and try again."
)


DAMAGE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What building a value from its stored form raises where that is damaged; MemvizErrors about it are ValueErrors."""


def make_conflict_error() -> ConversationChangedError:
    """The error for two tabs that write to one conversation."""
    return ConversationChangedError(_(CHANGED))


class Base(SQLModel, registry=registry()):
    """Base of all tables; ``Base.metadata`` is the whole schema."""


def forbid_negative(*columns: str) -> CheckConstraint:
    """A constraint that none of these numbers is below 0; an unknown (NULL) one is fine."""
    return CheckConstraint(
        " AND ".join(f"{column} >= 0" for column in columns), name="not_negative"
    )


def allow_texts(column: str, *values: str) -> CheckConstraint:
    """A constraint that a column holds one of these texts."""
    return CheckConstraint(
        f"{column} IN ({', '.join(map(repr, values))})", name=f"known_{column}"
    )


class ConversationRow(Base, table=True):
    """One conversation. ``deleted_at`` is set while it can still be restored; ``held_at`` is when it was held,
    where its file said so."""

    __tablename__ = "conversation"
    __table_args__ = (forbid_negative("message_count", "turn_count", "request_count"),)

    id: str = Field(primary_key=True)
    title: str
    created_at: datetime
    updated_at: datetime = Field(index=True)
    deleted_at: datetime | None = None
    format: str
    language: str
    description: str
    system_prompt: str | None = None
    probes: list[dict[str, Any]] = Field(sa_type=ANY_JSON)
    warnings: list[Any] = Field(sa_type=ANY_JSON)
    message_count: int = 0
    turn_count: int = 0
    request_count: int = Field(
        default=0, sa_column_kwargs={"server_default": text("0")}
    )
    held_at: datetime | None = None
    events: list[dict[str, Any]] | None = Field(default=None, sa_type=ANY_JSON)
    tools: list[str] | None = Field(default=None, sa_type=ANY_JSON)


class MessageRow(Base, table=True):
    """One message of a conversation; ``position`` is its 0-based log position."""

    __tablename__ = "message"
    __table_args__ = (allow_texts("role", *sorted(ROLES)), forbid_negative("position"))

    conversation_id: str = Field(
        foreign_key="conversation.id", ondelete="CASCADE", primary_key=True
    )
    position: int = Field(primary_key=True)
    role: str
    content: str
    name: str | None = None
    tool_calls: list[dict[str, str]] | None = Field(default=None, sa_type=ANY_JSON)
    tool_call_id: str | None = None
    meta: dict[str, Any] | None = Field(default=None, sa_type=ANY_JSON)


class RunRow(Base, table=True):
    """One run over the first ``message_count`` messages of a conversation; what happened in it are its records.

    ``key`` is the caller's hash of everything that the run depends on. ``setting`` is what it was made under, with the
    settings that a chat was held under before. ``ahead`` is what a chat has recalled and pinned for requests to come
    and whether it asks before it summarizes, with the drafts that wait.
    """

    __tablename__ = "run"
    __table_args__ = (
        allow_texts("kind", "chat", "replay"),
        forbid_negative("message_count", "request_count"),
        UniqueConstraint("conversation_id", "kind", "key"),
        Index(
            "one_chat_a_conversation",
            "conversation_id",
            unique=True,
            sqlite_where=text("kind = 'chat'"),
            postgresql_where=text("kind = 'chat'"),
        ),
    )

    id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    kind: str
    key: str = Field(index=True)
    strategy_id: str
    setting: dict[str, Any] = Field(sa_type=ANY_JSON)
    summarizer: str
    message_count: int
    request_count: int
    created_at: datetime
    updated_at: datetime
    ahead: dict[str, Any] | None = Field(default=None, sa_type=ANY_JSON)


class RecordRow(Base, table=True):
    """One request, compaction or summary of a run, as :meth:`memviz.Run.to_dict` has it; ``number`` counts each kind
    from 0."""

    __tablename__ = "record"
    __table_args__ = (
        allow_texts("kind", "request", "compaction", "summary"),
        forbid_negative("number"),
    )

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    kind: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    value: dict[str, Any] = Field(sa_type=ANY_JSON)


class KeptRow(Base, table=True):
    """A value that is kept under a key: see :mod:`memviz.storage.kept_values` for the kinds.

    ``owner`` is the id of the conversation that it goes with, empty where it goes with none, and ``number`` tells
    several under one key apart. One of the first ``message_count`` messages of a conversation goes when they change.
    """

    __tablename__ = "kept"
    __table_args__ = (
        forbid_negative("number", "message_count"),
        Index("ix_kept_kept_at", "kind", "kept_at"),
    )

    kind: str = Field(primary_key=True)
    owner: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    message_count: int | None = None
    kept_at: datetime
    value: bytes
    """Packed JSON."""


CONVERSATIONS, MESSAGES, RUNS, RECORDS, KEPT = (
    Base.metadata.tables[name]
    for name in ("conversation", "message", "run", "record", "kept")
)


def clean_row(**columns: Any) -> Row:
    """Return a row whose texts databases accept: without lone surrogates.

    Those inside JSON columns are escaped when the JSON is written.
    """
    row: Row = {}
    for name, value in columns.items():
        row[name] = clean_text(value) if isinstance(value, str) else value
    return row


def is_unchanged(stored: object, made: Row) -> bool:
    """Return whether a stored row or JSON value is what would be written now.

    They are compared as JSON, where a tuple is the list that it is read back as.
    """
    return json.dumps(stored, default=dict) == json.dumps(made, default=repr)


def count_unchanged(stored: Sequence[object], made: Sequence[Row]) -> int:
    """Return how many of the first stored rows are those that would be written now."""
    for count, (stored_row, row) in enumerate(zip(stored, made, strict=False)):
        if not is_unchanged(stored_row, row):
            return count
    return min(len(stored), len(made))


def counts_of(log: Log) -> Row:
    """Return the columns that count the messages of a conversation."""
    return {
        "message_count": len(log),
        "turn_count": log.turn_count,
        "request_count": log.request_count,
    }


def conversation_row(transcript: Transcript) -> Row:
    """Return the columns of a conversation that come from its transcript."""
    plain = {name: getattr(transcript, name) for name in PLAIN}
    counts = counts_of(Log(transcript.messages))
    probes = [probe.to_dict() for probe in transcript.probes]
    events = [event.to_dict() for event in transcript.events]
    return clean_row(
        **plain,
        **counts,
        warnings=list(map(to_json, transcript.warnings)),
        tools=list(transcript.tools),
        probes=probes,
        events=events,
    )


def transcript_of(stored: ConversationRow, messages: Iterable[Message]) -> Transcript:
    """Return the transcript of a stored conversation with these messages."""
    plain = {name: getattr(stored, name) for name in PLAIN}
    stored_events = stored.events or ()
    return Transcript(
        tuple(messages),
        **plain,
        probes=tuple(map(Probe.from_dict, stored.probes)),
        events=tuple(map(RecordedEvent.from_dict, stored_events)),
        warnings=tuple(map(from_json, stored.warnings)),
        tools=tuple(stored.tools or ()),
    )


def message_rows(
    conversation_id: str, messages: Iterable[Message], start: int = 0
) -> list[Row]:
    """Return the rows of messages, the first of which has the position ``start``."""
    rows: list[Row] = []
    for position, message in enumerate(messages, start):
        calls = [asdict(call) for call in message.tool_calls]
        row = clean_row(
            conversation_id=conversation_id,
            position=position,
            role=message.role,
            content=message.content,
            name=message.name,
            tool_calls=calls or None,
            tool_call_id=message.tool_call_id,
            meta=None if message.meta is None else dict(message.meta),
        )
        rows.append(row)
    return rows


def message_of(stored: Mapping[Any, Any]) -> Message:
    """Return the message of a stored row. Raises ValueError if the row is damaged."""
    stored_calls = stored["tool_calls"]
    # Most messages have none, and nothing has to be checked of them.
    calls = _TOOL_CALLS.validate_python(stored_calls) if stored_calls else ()
    return Message(
        role=stored["role"],
        content=stored["content"],
        name=stored["name"],
        tool_calls=calls,
        tool_call_id=stored["tool_call_id"],
        meta=stored["meta"],
    )
