"""Write, find and read stored runs, for :class:`memviz.storage.store.Store`.

A run is one row with its setting, and one row for each of its records: requests, compactions and summaries. Replays
are written whole here; the run of a chat grows turn by turn in ``chat.py``.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal
from uuid import uuid4

from pydantic_core import from_json
from sqlalchemy import ColumnElement, delete, select
from sqlmodel import Session

from memviz.core.conversation import Log
from memviz.core.counters import COUNTERS
from memviz.core.errors import MemvizError
from memviz.core.messages import Message, clean_text
from memviz.core.process_memory import uncollected
from memviz.core.storage_errors import (
    DamagedRunError,
    StorageError,
    UnreadableConversationError,
)
from memviz.core.text.wording import COMMA, counted
from memviz.core.translation import _
from memviz.engine.run import Run
from memviz.engine.run_record import (
    RecordKind,
    ahead_to_dict,
    records_to_dicts,
    whole_setting_to_dict,
)
from memviz.engine.stored import DamagedRecordError
from memviz.models.names import OFFLINE
from memviz.storage.dialects import AsStored
from memviz.storage.library import find_conversation, insert_rows, messages, now
from memviz.storage.tables import (
    DAMAGE,
    KEPT,
    MESSAGES,
    RECORDS,
    RUNS,
    ConversationRow,
    Row,
    RunRow,
    clean_row,
    is_unchanged,
    make_conflict_error,
    message_rows,
)

Kind = Literal["chat", "replay"]
Conditions = tuple[ColumnElement[bool], ...]
MAX_REPLAYS = 100
"""Replays with the offline summarizer that are kept of one conversation; a slider makes one a step."""
RECORD_KINDS: tuple[RecordKind, ...] = ("request", "compaction", "summary")


def add_run(
    session: Session,
    conversation_id: str,
    run: Run,
    kind: Kind,
    summarizer: str,
    key: str = "",
) -> None:
    """Write a whole run."""
    expect_known_counter(run)
    run_id = str(uuid4())
    made = clean_row(
        id=run_id,
        conversation_id=conversation_id,
        kind=kind,
        created_at=now(),
        key=key,
        strategy_id=run.strategy.id,
        setting=whole_setting_to_dict(run),
        **columns_that_grow(run, summarizer),
    )
    insert_rows(session, RUNS, [made])
    for record_kind in RECORD_KINDS:
        insert_rows(session, RECORDS, record_rows(run_id, run, record_kind))


def columns_that_grow(run: Run, summarizer: str) -> Row:
    """Return the columns that change with every turn of a chat."""
    return clean_row(
        summarizer=summarizer,
        message_count=len(run.log),
        request_count=len(run.requests),
        ahead=ahead_to_dict(run),
        updated_at=now(),
    )


def record_rows(run_id: str, run: Run, kind: RecordKind, start: int = 0) -> list[Row]:
    """Return the rows of the records of one kind from number ``start`` (0-based) on."""
    values = records_to_dicts(run, kind, start)
    return [
        {"run_id": run_id, "kind": kind, "number": number, "value": value}
        for number, value in enumerate(values, start)
    ]


def expect_known_counter(run: Run) -> None:
    """Raise unless the run can be read again: a counter of one's own is not in the file."""
    if COUNTERS.get(run.counter.name) is not run.counter:
        raise StorageError(
            _(
                "A run counted by '{counter}' cannot be stored: use one of {known}.",
                counter=run.counter.name,
                known=_(COMMA).join(COUNTERS),
            )
        )


@contextmanager
def report_damage(what: str) -> Iterator[None]:
    """Say in a sentence that ``what`` is damaged, where building it from its records fails."""
    try:
        yield
    except UnreadableConversationError:
        raise
    except (MemvizError, *DAMAGE) as error:
        raise DamagedRunError(what, _reason(error)) from error


def _reason(error: Exception) -> str:
    is_told = isinstance(error, (MemvizError, DamagedRecordError))
    return str(error) if is_told else repr(error)


def add_replay(
    session: Session,
    conversation_id: str,
    run: Run,
    key: str,
    summarizer: str = OFFLINE,
) -> None:
    """Keep a replay under ``key``. A run that is there under this key stays as it is, unless it is damaged."""
    conversation = find_conversation(session, conversation_id)
    replay = *match_replays(conversation.id), RUNS.c.key == clean_text(key)
    with suppress(DamagedRunError):
        if read_run(session, replay) is not None:
            return
    expect_messages(session, conversation, run.log, len(run.log))
    session.execute(delete(RUNS).where(*replay))
    add_run(session, conversation.id, run, "replay", summarizer, key)
    _prune_replays(session, conversation.id)


def _prune_replays(session: Session, conversation_id: str) -> None:
    """Keep the newest replays of a conversation. An older one is made again when it is asked for; those that
    somebody may have paid for are kept."""
    replays = *match_replays(conversation_id), RUNS.c.summarizer == OFFLINE
    newest_first = RUNS.c.created_at.desc(), RUNS.c.id
    newest = select(RUNS.c.id).where(*replays).order_by(*newest_first)
    older = RUNS.c.id.not_in(newest.limit(MAX_REPLAYS))
    session.execute(delete(RUNS).where(*replays, older))


def expect_messages(
    session: Session, conversation: ConversationRow, log: Sequence[Message], length: int
) -> None:
    """Raise unless the first ``length`` messages of ``log`` are stored, judged by the last of them:
    logs only grow, so this tells nearly always, at the same cost for any length."""
    if length > min(len(log), conversation.message_count):
        raise make_conflict_error()
    if not length:
        return
    last = select(MESSAGES).where(
        MESSAGES.c.conversation_id == conversation.id,
        MESSAGES.c.position == length - 1,
    )
    stored = session.execute(last).mappings().one()
    (expected,) = message_rows(conversation.id, log[length - 1 : length], length - 1)
    if not is_unchanged(stored, expected):
        raise make_conflict_error()


def chat_row(session: Session, conversation_id: str) -> RunRow | None:
    """Return the row of the run of the conversation's chat, ``None`` where it has none."""
    return session.scalar(select(RunRow).where(*match_chat(conversation_id)))


def find_replay(
    session: Session, conversation_id: str, key: str, log: Log | None = None
) -> Run | None:
    """Return the replay kept under ``key``, ``None`` where none is. Give the conversation's ``log`` if there is one
    already: its token counts are then shared, and the messages are not read again. Raises :class:`DamagedRunError`."""
    replays = match_replays(find_conversation(session, conversation_id).id)
    return read_run(session, (*replays, RUNS.c.key == clean_text(key)), log)


def find_chat(
    session: Session, conversation_id: str, log: Log | None = None
) -> Run | None:
    """Return the run of the conversation's chat; ``None`` for one that was only imported. Raises
    :class:`DamagedRunError`."""
    return read_run(
        session, match_chat(find_conversation(session, conversation_id).id), log
    )


def match_chat(conversation_id: str) -> Conditions:
    """The conditions for the run of the conversation's chat."""
    return RUNS.c.conversation_id == conversation_id, RUNS.c.kind == "chat"


def match_replays(conversation_id: str) -> Conditions:
    """The conditions for the conversation's replays."""
    return RUNS.c.conversation_id == conversation_id, RUNS.c.kind == "replay"


def remove_messages(session: Session, conversation_id: str, position: int) -> None:
    """Remove the messages of a conversation from ``position`` on, with the replays, free runs and other values that
    were kept over them."""
    said = MESSAGES.c.conversation_id == conversation_id
    session.execute(delete(MESSAGES).where(said, MESSAGES.c.position >= position))
    replays = match_replays(conversation_id)
    session.execute(delete(RUNS).where(*replays, RUNS.c.message_count > position))
    kept = KEPT.c.owner == conversation_id
    session.execute(delete(KEPT).where(kept, KEPT.c.message_count > position))


def read_run(
    session: Session, conditions: Conditions, log: Log | None = None
) -> Run | None:
    """Return the run of the row that meets ``conditions``, over the beginning of ``log`` or else of the stored
    messages; ``None`` where there is no such row. Raises :class:`DamagedRunError`."""
    strategy_id = session.scalar(select(RUNS.c.strategy_id).where(*conditions))
    with report_damage(_("The stored run of '{strategy}'", strategy=strategy_id)):
        stored = session.scalar(select(RunRow).where(*conditions))
        if stored is None:
            return None
        beginning = _read_run_messages(session, stored, log)
        with uncollected():
            return Run.from_record(_record(session, stored), beginning)


def _read_run_messages(session: Session, stored: RunRow, log: Log | None) -> Log:
    """Return the messages that a stored run is over: the beginning of ``log``, or else of those that are stored."""
    length = stored.message_count
    if log is None:
        log = Log(messages(session, stored.conversation_id, length))
    if len(log) < length:
        raise ValueError(
            _(
                "it is over {messages}, and there are {there:,}",
                messages=counted(length, "message"),
                there=len(log),
            )
        )
    return log.prefix(length) if len(log) > length else log


def _record(session: Session, stored: RunRow) -> dict[str, Any]:
    """Return a stored run as :func:`memviz.engine.run_record.to_record` has it."""
    records: dict[RecordKind, list[Any]] = {kind: [] for kind in RECORD_KINDS}
    value_as_stored = AsStored(RECORDS.c.value)
    query = select(RECORDS.c.kind, RECORDS.c.number, value_as_stored)
    of_run = query.where(RECORDS.c.run_id == stored.id)
    in_order = of_run.order_by(RECORDS.c.kind, RECORDS.c.number)
    for kind, number, value in session.execute(in_order):
        if kind == "compaction" and number != len(records[kind]):
            raise ValueError(_("a summarization is missing"))
        records[kind].append(_parse_json(value))
    there = len(records["request"])
    if there != stored.request_count:
        made = counted(stored.request_count, "request")
        raise ValueError(_("of {made} it has {there:,}", made=made, there=there))
    return {
        **stored.setting,
        **(stored.ahead or {}),
        "requests": records["request"],
        "compactions": records["compaction"],
        "summaries": records["summary"],
    }


def _parse_json(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError where it is damaged."""
    try:
        return from_json(text)
    except ValueError:
        # Half a surrogate pair, which some texts of models have, is read by Python's own, slower parser alone.
        return json.loads(text)
