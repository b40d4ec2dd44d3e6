"""The tables. They live on a registry of their own, so importing this module again redefines nothing.

Rows are written by bulk inserts, which skip SQLModel's validation: what has to hold is said again
as constraints of the database.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Index, UniqueConstraint, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from memviz.core.messages import ROLES

ANY_JSON = JSON(none_as_null=True)


class Base(SQLModel, registry=registry()):
    """Base of all tables; ``Base.metadata`` is the whole schema."""


def not_negative(*columns: str) -> CheckConstraint:
    """A constraint that none of these numbers is below 0; an unknown (NULL) one is fine."""
    return CheckConstraint(
        " AND ".join(f"{column} >= 0" for column in columns), name="not_negative"
    )


def one_of(column: str, *values: str) -> CheckConstraint:
    """A constraint that a column holds one of these texts."""
    return CheckConstraint(
        f"{column} IN ({', '.join(map(repr, values))})", name=f"known_{column}"
    )


class ConversationRow(Base, table=True):
    """One conversation. ``deleted_at`` is set while it can still be restored; ``held_at`` is when it was held,
    where its file said so."""

    __tablename__ = "conversation"
    __table_args__ = (not_negative("message_count", "turn_count", "request_count"),)

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
    __table_args__ = (one_of("role", *sorted(ROLES)), not_negative("position"))

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
        one_of("kind", "chat", "replay"),
        not_negative("message_count", "request_count"),
        UniqueConstraint("conversation_id", "kind", "key"),
        Index(
            "one_chat_a_conversation",
            "conversation_id",
            unique=True,
            sqlite_where=text("kind = 'chat'"),
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
        one_of("kind", "request", "compaction", "summary"),
        not_negative("number"),
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
        not_negative("number", "message_count"),
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
