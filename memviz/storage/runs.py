"""Runs in the file: written whole, found again, listed. How a chat's run grows is in ``chat.py``.

A run is a row with its setting, and a row for each request, compaction and summary: its records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from pydantic import ValidationError
from sqlalchemy import ColumnElement, delete, select
from sqlmodel import Session

from memviz.conversation import Log, Message, clean_text
from memviz.counters import COUNTERS
from memviz.engine.run import RecordKind, Run
from memviz.errors import (
    DamagedRunError,
    MemvizError,
    StorageError,
    UnreadableConversationError,
)
from memviz.models.registry import OFFLINE
from memviz.storage import rows
from memviz.storage.library import (
    DAMAGE,
    conversation_changed,
    found,
    insert_rows,
    messages,
    now,
)
from memviz.storage.run_shapes import expect_sound
from memviz.storage.tables import MESSAGES, RECORDS, RUNS, ConversationRow, RunRow
from memviz.text.wording import counted

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


RECORD_KINDS: tuple[RecordKind, ...] = ("request", "compaction", "summary")


def setting_of(run: Run) -> dict[str, Any]:
    """What a run was made under, as JSON, with the settings that a chat was held under before."""
    return run.setting_to_dict() | run.earlier_settings_to_dict()


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
    made = rows.row(
        id=str(uuid4()),
        conversation_id=conversation_id,
        kind=kind,
        created_at=now(),
        strategy_id=run.strategy.id,
        setting=setting_of(run),
        **columns_that_grow(run, summarizer, key),
    )
    insert_rows(session, RUNS, [made])
    for record_kind in RECORD_KINDS:
        insert_rows(session, RECORDS, record_rows(made["id"], run, record_kind))
    return str(made["id"])


def columns_that_grow(run: Run, summarizer: str, key: str) -> rows.Row:
    """The columns that are others after every turn of a chat."""
    return rows.row(
        key=key,
        summarizer=summarizer,
        message_count=len(run.log),
        turn_count=len(run.turns),
        total_tokens=int(run.columns.totals.sum()),
        ahead=run.recalls_ahead(),
        updated_at=now(),
    )


def record_rows(
    run_id: str, run: Run, kind: RecordKind, start: int = 0
) -> list[rows.Row]:
    """The records of one kind from number ``start`` (0-based) on."""
    return [
        {"run_id": run_id, "kind": kind, "number": number, "value": value}
        for number, value in enumerate(run.records_to_dicts(kind, start), start)
    ]


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
        return _run_of(stored, log, _records(session, stored.id))


def _records(session: Session, run_id: str) -> dict[str, list[Any]]:
    """The values of the records of each kind, in order."""
    query = (
        select(RECORDS.c.kind, RECORDS.c.number, RECORDS.c.value)
        .where(RECORDS.c.run_id == run_id)
        .order_by(RECORDS.c.kind, RECORDS.c.number)
    )
    values: dict[str, list[Any]] = {kind: [] for kind in RECORD_KINDS}
    for kind, number, value in session.execute(query):
        if kind == "compaction" and number != len(values[kind]):
            raise ValueError("a summarization is missing")
        values[kind].append(value)
    return values


def _run_of(stored: RunRow, log: Log, values: Mapping[str, Sequence[Any]]) -> Run:
    record = {
        **stored.setting,
        **(stored.ahead or {}),
        "summaries": values["summary"],
        "compactions": values["compaction"],
        "requests": values["request"],
    }
    expect_sound(record, log)
    run = Run.from_record(record, log)
    _expect_all_requests(stored, run)
    return run


def _expect_all_requests(stored: RunRow, run: Run) -> None:
    log, turns, requests = run.log, len(run.turns), len(run.requests)
    is_replay = stored.kind == "replay"
    # A turn that nobody answered has no request; of a chat the last one may have none yet.
    answered = log.turn_count - 1
    if is_replay:
        answered = sum(bool(log.requests_of(turn)) for turn in log.turns())
    # A memory for somebody else's chat loop has no requests at all: they are made elsewhere.
    if turns < answered and (is_replay or turns):
        raise ValueError(f"of {counted(log.turn_count, 'turn')} it has {turns}")
    if is_replay and requests != log.request_count:
        asked = counted(log.request_count, "request")
        raise ValueError(f"of {asked} it has {requests}")


def entries(session: Session, conversation_id: str) -> list[RunEntry]:
    """What lists show of all runs of a conversation, the oldest first. Raises :class:`DamagedRunError`."""
    query = (
        select(RunRow)
        .where(RUNS.c.conversation_id == found(session, conversation_id).id)
        .order_by(RUNS.c.created_at, RUNS.c.id)
    )
    with damage_told("A stored run"):
        return [_entry_of(stored) for stored in session.scalars(query)]


def _entry_of(stored: RunRow) -> RunEntry:
    values = {
        name: getattr(stored, name)
        for name in RunEntry.__dataclass_fields__
        if name in RUNS.c
    }
    return RunEntry(
        **values,
        parameters=stored.setting["strategy"]["parameters"],
        counter=stored.setting["counter"],
    )
