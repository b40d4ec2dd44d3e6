"""Runs in the file: written whole, found again, listed. How a chat's run grows is in ``chat.py``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from pydantic import ValidationError
from sqlalchemy import ColumnElement, delete, func, select
from sqlmodel import Session

from memviz.conversation import Log, Message, clean_text
from memviz.counters import COUNTERS
from memviz.engine.run import Run
from memviz.errors import (
    DamagedRunError,
    MemvizError,
    StorageError,
    UnreadableConversationError,
)
from memviz.models.registry import OFFLINE
from memviz.storage import rows
from memviz.storage.engine import conversation_changed
from memviz.storage.library import DAMAGE, found, insert_rows, messages, now
from memviz.storage.tables import MESSAGES, RUNS, TURNS, ConversationRow, RunRow

Kind = Literal["chat", "replay"]
Conditions = tuple[ColumnElement[bool], ...]
MAX_REPLAYS = 100
"""Replays with the offline summarizer that are kept of one conversation; a slider makes one a step."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run in a list. ``total_tokens`` is what all its requests sent. Times are in UTC."""

    id: str
    kind: Kind
    key: str
    strategy_id: str
    parameters: dict[str, Any]
    counter: str
    summarizer: str
    message_count: int
    created_at: datetime
    updated_at: datetime
    turn_count: int
    total_tokens: int


def add_run(
    session: Session,
    conversation_id: str,
    run: Run,
    kind: Kind,
    summarizer: str,
    key: str,
) -> str:
    """Write a whole run and return its id."""
    expect_known_counter(run)
    run_id, time = str(uuid4()), now()
    made = rows.setting(run) | rows.row(
        id=run_id,
        conversation_id=conversation_id,
        kind=kind,
        key=key,
        summarizer=summarizer,
        message_count=len(run.log),
        created_at=time,
        updated_at=time,
        ahead=run.recalls_ahead(),
    )
    insert_rows(session, RUNS, [made])
    for table, build in rows.RECORDS.items():
        insert_rows(session, table, build(run_id, run, 0))
    return run_id


def expect_known_counter(run: Run) -> None:
    """Raise unless the run can be read again: a counter of one's own is not in the file."""
    if COUNTERS.get(run.counter.name) is not run.counter:
        raise StorageError(
            f"A run counted by '{run.counter.name}' cannot be stored: use one of {', '.join(COUNTERS)}."
        )


@contextmanager
def damage_told(what: str) -> Iterator[None]:
    """Say in a sentence that ``what`` is damaged, where building it from its records fails."""
    try:
        yield
    except UnreadableConversationError:
        raise
    except (MemvizError, *DAMAGE) as error:
        raise DamagedRunError(what, _reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(
            include_url=False, include_context=False, include_input=False
        )[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error) if isinstance(error, MemvizError) else repr(error)


def add_replay(
    session: Session,
    conversation_id: str,
    run: Run,
    key: str,
    summarizer: str = OFFLINE,
) -> str:
    """Keep a replay under ``key``; returns its id. A run that is there under this key stays as it is."""
    conversation = found(session, conversation_id)
    kept = _kept_replay(session, conversation.id, key)
    if kept is not None:
        return kept
    expect_messages(session, conversation, run.log, len(run.log))
    run_id = add_run(session, conversation.id, run, "replay", summarizer, key)
    _prune_replays(session, conversation.id)
    return run_id


def _kept_replay(session: Session, conversation_id: str, key: str) -> str | None:
    """The id of the replay under ``key``; one that is damaged is removed, to make room for one that is not."""
    id: str | None = session.execute(
        select(RUNS.c.id).where(*_replay(conversation_id, key))
    ).scalar_one_or_none()
    if id is None:
        return None
    with suppress(DamagedRunError):
        find_replay(session, conversation_id, key)
        return id
    session.expunge_all()
    session.execute(delete(RUNS).where(RUNS.c.id == id))
    return None


def _prune_replays(session: Session, conversation_id: str) -> None:
    """Keep the newest replays of a conversation. An older one is made again when it is asked for; those that
    somebody may have paid for are kept."""
    replays = (
        RUNS.c.conversation_id == conversation_id,
        RUNS.c.kind == "replay",
        RUNS.c.summarizer == OFFLINE,
    )
    newest = (
        select(RUNS.c.id)
        .where(*replays)
        .order_by(RUNS.c.created_at.desc(), RUNS.c.id)
        .limit(MAX_REPLAYS)
    )
    session.execute(delete(RUNS).where(*replays, RUNS.c.id.not_in(newest)))


def expect_messages(
    session: Session, conversation: ConversationRow, log: Sequence[Message], length: int
) -> None:
    """Raise unless the first ``length`` messages of ``log`` are stored, judged by the last of them:
    logs only grow, so this tells nearly always, at the same cost for any length."""
    if length > min(len(log), conversation.message_count):
        raise conversation_changed()
    if not length:
        return
    at = (
        MESSAGES.c.conversation_id == conversation.id,
        MESSAGES.c.position == length - 1,
    )
    stored = session.execute(select(MESSAGES).where(*at)).mappings().one()
    if not rows.same(
        stored, rows.message_rows(conversation.id, log[:length], length - 1)[0]
    ):
        raise conversation_changed()


def chat_row(session: Session, conversation_id: str) -> RunRow | None:
    """The row of the conversation's chat."""
    return session.execute(
        select(RunRow).where(*_chat(conversation_id))
    ).scalar_one_or_none()


def find_replay(
    session: Session, conversation_id: str, key: str, log: Log | None = None
) -> Run | None:
    """The replay kept under ``key``. Give the conversation's ``log`` if there is one already: its token
    counts are then shared, and the messages are not read again. Raises :class:`DamagedRunError`."""
    return read(session, _replay(found(session, conversation_id).id, key), log)


def find_chat(
    session: Session, conversation_id: str, log: Log | None = None
) -> Run | None:
    """The run of the conversation's chat; ``None`` for one that was only imported. Raises :class:`DamagedRunError`."""
    return read(session, _chat(found(session, conversation_id).id), log)


def _chat(conversation_id: str) -> Conditions:
    return RUNS.c.conversation_id == conversation_id, RUNS.c.kind == "chat"


def _replay(conversation_id: str, key: str) -> Conditions:
    return (
        RUNS.c.conversation_id == conversation_id,
        RUNS.c.kind == "replay",
        RUNS.c.key == clean_text(key),
    )


def read(
    session: Session, conditions: Conditions, log: Log | None = None
) -> Run | None:
    """The run of the row that meets ``conditions``, over the beginning of ``log`` or else of the stored messages.
    Raises :class:`DamagedRunError`."""
    named = session.execute(
        select(RUNS.c.strategy_id).where(*conditions)
    ).scalar_one_or_none()
    with damage_told(f"The stored run of '{named}'"):
        stored = session.execute(select(RunRow).where(*conditions)).scalar_one_or_none()
        if stored is None:
            return None
        if log is None:
            log = Log(messages(session, stored.conversation_id, stored.message_count))
        if len(log) < stored.message_count:
            raise ValueError(
                f"it is over {stored.message_count} messages, and there are {len(log)}"
            )
        if len(log) > stored.message_count:
            log = log.prefix(stored.message_count)
        records = {
            table: session.execute(
                select(table)
                .where(table.c.run_id == stored.id)
                .order_by(*table.primary_key)
            )
            .mappings()
            .all()
            for table in rows.RECORDS
        }
        return rows.run(stored, log, records)


def entries(session: Session, conversation_id: str) -> list[RunEntry]:
    """What lists show of all runs of a conversation, the oldest first. Raises :class:`DamagedRunError`."""
    counted = {
        "turn_count": func.count(TURNS.c.turn),
        "total_tokens": func.coalesce(func.sum(TURNS.c.total_tokens), 0),
    }
    columns = [
        counted[name] if name in counted else RUNS.c[name]
        for name in RunEntry.__dataclass_fields__
    ]
    query = (
        select(*columns)
        .outerjoin_from(RUNS, TURNS)
        .where(RUNS.c.conversation_id == found(session, conversation_id).id)
        .group_by(RUNS.c.id)
        .order_by(RUNS.c.created_at, RUNS.c.id)
    )
    with damage_told("A stored run"):
        return [RunEntry(*values) for values in session.execute(query)]
