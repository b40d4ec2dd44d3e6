"""Runs in the file: written whole, found again, listed. How a chat's run grows is in ``chat.py``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import delete, func, select
from sqlmodel import Session

from memviz.conversation import Log, Message, clean_text
from memviz.counters import COUNTERS
from memviz.engine.run import Run
from memviz.errors import MemvizError, StorageError
from memviz.models.registry import OFFLINE
from memviz.storage import rows
from memviz.storage.engine import conversation_changed
from memviz.storage.library import found, insert_rows, messages, now
from memviz.storage.tables import MESSAGES, RUNS, TURNS, ConversationRow, RunRow

Kind = Literal["chat", "replay"]
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


def add_run(session: Session, conversation_id: str, run: Run, kind: Kind, summarizer: str, key: str) -> str:
    """Write a whole run and return its id."""
    expect_known_counter(run)
    run_id, time = str(uuid4()), now()
    made = rows.setting(run) | rows.row(
        id=run_id, conversation_id=conversation_id, kind=kind, key=key, summarizer=summarizer,
        message_count=len(run.log), created_at=time, updated_at=time, ahead=run.recalls_ahead(),
    )  # fmt: skip
    insert_rows(session, RUNS, [made])
    for table, build in rows.RECORDS.items():
        insert_rows(session, table, build(run_id, run, 0))
    return run_id


def expect_known_counter(run: Run) -> None:
    """Raise unless the run can be read again: a counter of one's own is not in the file."""
    if COUNTERS.get(run.counter.name) is not run.counter:
        raise StorageError(f"A run counted by '{run.counter.name}' cannot be stored: use one of {', '.join(COUNTERS)}.")


@contextmanager
def damage_told(what: str) -> Iterator[None]:
    """Say in a sentence that ``what`` is damaged, where building it from its records fails."""
    try:
        yield
    except MemvizError:
        raise
    except (LookupError, TypeError, ValueError) as error:
        raise StorageError(f"{what} is damaged ({error!r}). Run it again.") from error


def add_replay(session: Session, conversation_id: str, run: Run, key: str, summarizer: str = OFFLINE) -> str:
    """Keep a replay under ``key``; returns its id. A run that is there under this key stays as it is."""
    conversation = found(session, conversation_id)
    stored = _replay_row(session, conversation.id, key)
    if stored is not None:
        return stored.id
    expect_messages(session, conversation, run.log, len(run.log))
    run_id = add_run(session, conversation.id, run, "replay", summarizer, key)
    _prune_replays(session, conversation.id)
    return run_id


def _prune_replays(session: Session, conversation_id: str) -> None:
    """Keep the newest replays of a conversation. An older one is made again when it is asked for; those that
    somebody may have paid for are kept."""
    replays = (RUNS.c.conversation_id == conversation_id, RUNS.c.kind == "replay", RUNS.c.summarizer == OFFLINE)
    newest = select(RUNS.c.id).where(*replays).order_by(RUNS.c.created_at.desc(), RUNS.c.id).limit(MAX_REPLAYS)
    session.execute(delete(RUNS).where(*replays, RUNS.c.id.not_in(newest)))


def expect_messages(session: Session, conversation: ConversationRow, log: Sequence[Message], length: int) -> None:
    """Raise unless the first ``length`` messages of ``log`` are stored, judged by the last of them:
    logs only grow, so this tells nearly always, at the same cost for any length."""
    if length > min(len(log), conversation.message_count):
        raise conversation_changed()
    if not length:
        return
    at = (MESSAGES.c.conversation_id == conversation.id, MESSAGES.c.position == length - 1)
    stored = session.execute(select(MESSAGES).where(*at)).mappings().one()
    if not rows.same(stored, rows.message_rows(conversation.id, log[:length], length - 1)[0]):
        raise conversation_changed()


def chat_row(session: Session, conversation_id: str) -> RunRow | None:
    """The row of the conversation's chat."""
    at = (RUNS.c.conversation_id == conversation_id, RUNS.c.kind == "chat")
    return session.execute(select(RunRow).where(*at)).scalar_one_or_none()


def find_replay(session: Session, conversation_id: str, key: str, log: Log | None = None) -> Run | None:
    """The replay kept under ``key``. Give the conversation's ``log`` if there is one already: its token
    counts are then shared, and the messages are not read again."""
    stored = _replay_row(session, found(session, conversation_id).id, key)
    return _read(session, stored, log) if stored else None


def find_chat(session: Session, conversation_id: str, log: Log | None = None) -> Run | None:
    """The run of the conversation's chat; ``None`` for one that was only imported."""
    stored = chat_row(session, found(session, conversation_id).id)
    return _read(session, stored, log) if stored else None


def _replay_row(session: Session, conversation_id: str, key: str) -> RunRow | None:
    at = (RUNS.c.conversation_id == conversation_id, RUNS.c.kind == "replay", RUNS.c.key == clean_text(key))
    return session.execute(select(RunRow).where(*at)).scalar_one_or_none()


def _read(session: Session, stored: RunRow, log: Log | None) -> Run:
    """The run of a row, over the beginning of ``log`` or else of the stored messages."""
    with damage_told(f"The stored run of '{stored.strategy_id}'"):
        if log is None:
            log = Log(messages(session, stored.conversation_id, stored.message_count))
        elif len(log) != stored.message_count:
            log = log.prefix(stored.message_count)
        records = {
            table: session.execute(select(table).where(table.c.run_id == stored.id).order_by(*table.primary_key))
            .mappings()
            .all()
            for table in rows.RECORDS
        }
        return rows.run(stored, log, records)


def entries(session: Session, conversation_id: str) -> list[RunEntry]:
    """What lists show of all runs of a conversation, the oldest first."""
    counted = {"turn_count": func.count(TURNS.c.turn), "total_tokens": func.coalesce(func.sum(TURNS.c.total_tokens), 0)}
    columns = [counted[name] if name in counted else RUNS.c[name] for name in RunEntry.__dataclass_fields__]
    query = (
        select(*columns)
        .outerjoin_from(RUNS, TURNS)
        .where(RUNS.c.conversation_id == found(session, conversation_id).id)
        .group_by(RUNS.c.id)
        .order_by(RUNS.c.created_at, RUNS.c.id)
    )
    return [RunEntry(*values) for values in session.execute(query)]
