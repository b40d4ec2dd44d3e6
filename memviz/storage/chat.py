"""A live chat in the file: its messages and its run grow turn by turn, or are rewritten from some message on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, select
from sqlmodel import Session

from memviz.core.messages import Message
from memviz.engine.compaction import DECISIONS
from memviz.engine.run import Run
from memviz.engine.run_record import whole_setting_to_dict
from memviz.models.names import OFFLINE
from memviz.storage import library
from memviz.storage.library import (
    find_conversation,
    insert_rows,
    now,
    stored_message_rows,
)
from memviz.storage.runs import (
    RECORD_KINDS,
    add_run,
    chat_row,
    columns_that_grow,
    expect_messages,
    match_chat,
    record_rows,
    remove_messages,
)
from memviz.storage.tables import (
    MESSAGES,
    RECORDS,
    RUNS,
    ConversationRow,
    RecordRow,
    Row,
    RunRow,
    clean_row,
    count_unchanged,
    counts_of,
    is_unchanged,
    make_conflict_error,
    message_rows,
)
from memviz.transcripts.base import Transcript


def add(
    session: Session,
    transcript: Transcript,
    run: Run,
    *,
    summarizer: str = OFFLINE,
    id: str | None = None,
) -> str:
    """Make a chat a saved conversation: with it everything that was said so far, or nothing at all. The messages are
    those of ``run``, all else is the ``transcript``'s. Returns the conversation's id, a new one unless it is given."""
    conversation_id = library.add(session, replace(transcript, messages=()), id)
    save_turn(session, conversation_id, run, summarizer=summarizer)
    return conversation_id


def bring_back(
    session: Session,
    conversation_id: str,
    transcript: Transcript,
    run: Run,
    *,
    summarizer: str = OFFLINE,
) -> None:
    """Undo that a chat was deleted. One that is gone for good is written again under its id, with the messages of
    ``run`` and the title and system prompt of ``transcript``."""
    if session.get(ConversationRow, conversation_id) is not None:
        library.restore(session, conversation_id)
        return
    add(session, transcript, run, summarizer=summarizer, id=conversation_id)


def save_turn(
    session: Session, conversation_id: str, run: Run, *, summarizer: str = OFFLINE
) -> None:
    """Add what a chat has that is not stored yet: messages, requests, compactions, summaries.

    Saving again what is stored already changes nothing. After a change of strategy the run's records
    take the place of the stored ones. Raises :class:`StorageError` when the stored messages are not
    the beginning of the run's: another tab has written, or a turn was taken back, which is for
    :func:`rewrite`.
    """
    conversation = find_conversation(session, conversation_id)
    known = conversation.message_count
    expect_messages(session, conversation, run.log, known)
    stored = chat_row(session, conversation.id)
    new_records = None if stored is None else _new_records(session, stored, run)
    if stored is None or new_records is None:
        _expect_beginning(list(stored_message_rows(session, conversation.id)), run.log)
        _replace_run(session, conversation.id, run, summarizer)
    else:
        insert_rows(session, RECORDS, new_records)
        stored.sqlmodel_update(columns_that_grow(run, summarizer))
    _add_messages(session, conversation, run, known)


def rewrite(
    session: Session,
    conversation_id: str,
    run: Run,
    *,
    summarizer: str = OFFLINE,
    replaces: Sequence[Message] | None = None,
) -> None:
    """Make the stored chat what ``run`` is, after an undo or a retry; messages before the first that differs are not
    touched.

    Replays of messages that are no longer there are removed. ``replaces`` is the log as it was
    before the change: where more or something else is stored, another tab has written, and
    :class:`StorageError` is raised instead of losing that.
    """
    conversation = find_conversation(session, conversation_id)
    id = conversation.id
    stored = list(stored_message_rows(session, id))
    if replaces is not None:
        _expect_beginning(stored, replaces)
    kept = _common_length(stored, run.log)
    remove_messages(session, id, kept)
    _replace_run(session, id, run, summarizer)
    _add_messages(session, conversation, run, kept)


def _new_records(session: Session, stored: RunRow, run: Run) -> list[Row] | None:
    """The records of ``run`` that are not stored yet; ``None`` where the stored ones are not its beginning,
    as after a change of strategy. The last one stored of each kind tells."""
    if not is_unchanged(stored.setting, whole_setting_to_dict(run)):
        return None
    new_records: list[Row] = []
    for kind in RECORD_KINDS:
        last = _last_record(session, stored.id, kind)
        start = 0 if last is None else last.number
        made = record_rows(stored.id, run, kind, start)
        if last is not None and not (
            made and is_unchanged(last.value, made.pop(0)["value"])
        ):
            _expect_decisions(session, stored, run)
            return None
        new_records += made
    return new_records


def _expect_decisions(session: Session, stored: RunRow, run: Run) -> None:
    """Raise if the stored run has more of the user's decisions than ``run``: they were made in another tab."""
    of_run = RECORDS.c.run_id == stored.id, RECORDS.c.kind == "compaction"
    made = session.scalars(select(RECORDS.c.value).where(*of_run))
    decided = [
        one for one in made if one.get("kind") in DECISIONS or one.get("proposed")
    ]
    known = [one for one in run.compactions if one.is_decision or one.is_edited]
    if len(decided) > len(known):
        raise make_conflict_error()


def _last_record(session: Session, run_id: str, kind: str) -> RecordRow | None:
    of_kind = RECORDS.c.run_id == run_id, RECORDS.c.kind == kind
    newest_first = RECORDS.c.number.desc()
    query = select(RecordRow).where(*of_kind).order_by(newest_first).limit(1)
    return session.scalar(query)


def _replace_run(session: Session, id: str, run: Run, summarizer: str) -> None:
    session.execute(delete(RUNS).where(*match_chat(id)))
    add_run(session, id, run, "chat", summarizer)


def _add_messages(
    session: Session, conversation: ConversationRow, run: Run, known: int
) -> None:
    """Write the messages behind the first ``known`` ones, and what lists say of the conversation."""
    log = run.log
    new_rows = message_rows(conversation.id, log[known:], known)
    insert_rows(session, MESSAGES, new_rows)
    counts = counts_of(log)
    prompt = clean_row(system_prompt=run.system_prompt)
    conversation.sqlmodel_update(counts | prompt | {"updated_at": now()})


def _expect_beginning(
    stored: Sequence[Mapping[Any, Any]], log: Sequence[Message]
) -> None:
    """Raise unless the stored messages are the beginning of ``log``, every one of them."""
    if _common_length(stored, log) < len(stored):
        raise make_conflict_error()


def _common_length(stored: Sequence[Mapping[Any, Any]], log: Sequence[Message]) -> int:
    """The number of messages at the start of the stored ones and of ``log`` that are the same."""
    conversation_id = stored[0]["conversation_id"] if stored else ""
    return count_unchanged(stored, message_rows(conversation_id, log))
