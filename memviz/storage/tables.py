"""The tables. They live on a registry of their own, so importing this module again redefines nothing.

Rows are written by bulk inserts, which skip SQLModel's validation: what has to hold is said again
as constraints of the database.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Index, UniqueConstraint, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from memviz.conversation import ROLES

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
    __table_args__ = (not_negative("message_count", "turn_count"),)

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
    warnings: list[str] = Field(sa_type=ANY_JSON)
    message_count: int = 0
    turn_count: int = 0
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
    """One run over the first ``message_count`` messages of a conversation, with its setting.

    ``key`` is the caller's hash of everything that the run depends on. ``ahead`` is what a chat has recalled
    and pinned for requests to come and whether it asks before it summarizes, with the drafts that wait;
    ``earlier_settings`` are those that it was held under before this one.
    """

    __tablename__ = "run"
    __table_args__ = (
        one_of("kind", "chat", "replay"),
        not_negative("message_count", "system_tokens"),
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
    parameters: dict[str, Any] = Field(sa_type=ANY_JSON)
    counter: str
    summarizer: str
    system_prompt: str | None = None
    system_tokens: int = 0
    message_count: int = 0
    created_at: datetime
    updated_at: datetime
    ahead: dict[str, Any] | None = Field(default=None, sa_type=ANY_JSON)
    earlier_settings: list[dict[str, Any]] | None = Field(
        default=None, sa_type=ANY_JSON
    )


class FreeRunRow(Base, table=True):
    """One free run, or as much of it as was made: a model's own replies to the users' messages among the
    first ``message_count`` of a conversation. ``record`` is all of it, its own messages included."""

    __tablename__ = "free_run"
    __table_args__ = (not_negative("message_count"),)

    conversation_id: str = Field(
        foreign_key="conversation.id", ondelete="CASCADE", primary_key=True
    )
    key: str = Field(primary_key=True)
    message_count: int
    updated_at: datetime
    record: dict[str, Any] = Field(sa_type=ANY_JSON)


class WordingRow(Base, table=True):
    """A visitor's own wording of a summary in a replay: it takes the place of ``version`` in the replay of ``key``."""

    __tablename__ = "wording"
    __table_args__ = (not_negative("version"),)

    conversation_id: str = Field(
        foreign_key="conversation.id", ondelete="CASCADE", primary_key=True
    )
    key: str = Field(primary_key=True)
    version: int = Field(primary_key=True)
    text: str


class JudgedAnswerRow(Base, table=True):
    """What a model answered to question number ``probe`` under setting number ``run``, and what the judge said of it.
    ``key`` is the caller's hash of who was asked what. ``settled``: 0 the question failed, 1 there is a reply, 2 there
    is a verdict as well."""

    __tablename__ = "judged_answer"
    __table_args__ = (not_negative("probe", "run", "settled"),)

    conversation_id: str = Field(
        foreign_key="conversation.id", ondelete="CASCADE", primary_key=True
    )
    key: str = Field(primary_key=True)
    probe: int = Field(primary_key=True)
    run: int = Field(primary_key=True)
    settled: int
    answer: dict[str, Any] = Field(sa_type=ANY_JSON)


class CellRow(Base, table=True):
    """One finished cell of a sweep. ``key`` is a hash of all that it depends on, the conversation's messages
    included, so it is found again whatever the conversation is called; ``cell`` is all of it, as packed JSON."""

    __tablename__ = "cell"

    key: str = Field(primary_key=True)
    kept_at: datetime = Field(index=True)
    cell: bytes


class RecordingRow(Base, table=True):
    """A recording that was opened: its ``content`` is the file, packed. ``id`` is its name."""

    __tablename__ = "recording"

    id: str = Field(primary_key=True)
    opened_at: datetime
    content: bytes


class LessonRow(Base, table=True):
    """A lesson that was written here or uploaded: its ``text`` is the YAML file. It stands in links by its ``id``."""

    __tablename__ = "lesson"

    id: str = Field(primary_key=True)
    saved_at: datetime
    text: str


class TurnRow(Base, table=True):
    """One turn: ``record`` has all its requests, the columns repeat what lists and totals ask for: the sums over them,
    and all their flags."""

    __tablename__ = "turn"
    __table_args__ = (not_negative("turn", "total_tokens", "reply_tokens"),)

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    turn: int = Field(primary_key=True)
    total_tokens: int
    reply_tokens: int
    flags: str
    record: dict[str, Any] = Field(sa_type=ANY_JSON)


class CompactionRow(Base, table=True):
    """One summarization, done or failed: ``record`` is all of it; ``number`` counts from 0 within its run."""

    __tablename__ = "compaction"
    __table_args__ = (
        not_negative(
            "number",
            "turn",
            "after_message",
            "tokens_before",
            "tokens_after",
            "seconds",
            "cost_usd",
        ),
    )

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    number: int = Field(primary_key=True)
    turn: int
    after_message: int
    reason: str
    error: str | None = None
    tokens_before: int
    tokens_after: int
    seconds: float
    cost_usd: float | None = None
    record: dict[str, Any] = Field(sa_type=ANY_JSON)


class SummaryRow(Base, table=True):
    """One summary version. ``covers`` and ``added`` are ranges of log positions, the stop excluded. ``track`` is the
    kind of notes, empty for a summary."""

    __tablename__ = "summary"
    __table_args__ = (
        not_negative("turn", "tokens", "covers_start", "added_start"),
        CheckConstraint(
            "version >= 1 AND replaces >= 1 AND replaces < version",
            name="versions_in_order",
        ),
        CheckConstraint(
            "covers_start <= covers_stop AND added_start <= added_stop",
            name="ranges_in_order",
        ),
    )

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    version: int = Field(primary_key=True)
    turn: int
    text: str
    tokens: int
    covers_start: int
    covers_stop: int
    added_start: int
    added_stop: int
    replaces: int | None = None
    track: str | None = None


CONVERSATIONS, MESSAGES, RUNS = (
    Base.metadata.tables[name] for name in ("conversation", "message", "run")
)
WORDINGS, JUDGED_ANSWERS = (
    Base.metadata.tables[name] for name in ("wording", "judged_answer")
)
FREE_RUNS, CELLS = Base.metadata.tables["free_run"], Base.metadata.tables["cell"]
RECORDINGS, LESSONS = Base.metadata.tables["recording"], Base.metadata.tables["lesson"]
TURNS, COMPACTIONS, SUMMARIES = (
    Base.metadata.tables[name] for name in ("turn", "compaction", "summary")
)
