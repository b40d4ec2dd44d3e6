"""The check of the library, and what is done with conversations that cannot be read."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec

from sqlalchemy import ColumnElement, Table, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from memviz.core.storage_errors import StorageError, UnreadableConversationError
from memviz.core.translation import _
from memviz.storage import kept_values, library, runs
from memviz.storage.dialects import AsStored, RowOfConversation
from memviz.storage.entries import RAW_ENTRIES, UnreadableConversation, entry_of
from memviz.storage.kept_values import unpacked
from memviz.storage.library import now
from memviz.storage.tables import CONVERSATIONS, KEPT, MESSAGES, RECORDS, RUNS

P = ParamSpec("P")


def check(session: Session) -> list[str]:
    """The conversations, runs and cells that cannot be read, a sentence each; none where all is well. Deleted
    conversations, which can be restored, are read as well."""
    return [*_of_conversations(session), *_of_cells(session)]


def _of_conversations(session: Session) -> Iterator[str]:
    for stored in session.execute(RAW_ENTRIES).mappings().all():
        entry = entry_of(stored)
        if isinstance(entry, UnreadableConversation):
            yield _said(entry.error())
            continue
        problem = _problem(session, library.read, entry.id)
        if problem:
            yield problem
            continue
        for problem in filter(None, _of_runs(session, entry.id)):
            yield _(
                "Conversation '{title}' (id {id}): {problem}",
                title=entry.title,
                id=entry.id,
                problem=problem,
            )


def _of_runs(session: Session, conversation_id: str) -> Iterator[str]:
    run_ids = select(RUNS.c.id).where(RUNS.c.conversation_id == conversation_id)
    for id in session.scalars(run_ids).all():
        yield _problem(session, runs.read_run, (RUNS.c.id == id,))
    owned = KEPT.c.owner == conversation_id
    for free_run in kept_values.all_of(session, "free run", owned):
        yield _problem(
            session, kept_values.read_free_run, conversation_id, free_run.key
        )
    yield _problem(session, kept_values.expect_undamaged, conversation_id)


def _problem(
    session: Session,
    read: Callable[Concatenate[Session, P], object],
    *args: P.args,
    **kwargs: P.kwargs,
) -> str:
    """The sentence on what is damaged, empty where ``read`` reads it."""
    try:
        read(session, *args, **kwargs)
    except (StorageError, SQLAlchemyError, UnicodeDecodeError) as error:
        session.expunge_all()
        return _said(error)
    return ""


def _of_cells(session: Session) -> Iterator[str]:
    damaged, total = kept_values.count_damaged_cells(session)
    if damaged:
        yield _(
            "{damaged:,} of {total:,} kept cells of sweeps are damaged. They are measured again when asked for.",
            damaged=damaged,
            total=total,
        )


def _said(error: Exception) -> str:
    if isinstance(error, UnreadableConversationError):
        return error.sentence
    if isinstance(error, StorageError):
        return str(error)
    return _("It cannot be read ({error}).", error=getattr(error, "orig", error))


def put_away(session: Session, row: int | str) -> None:
    """Take the conversation that is known by ``row`` (see :class:`UnreadableConversation`) out of the library, whatever
    is in it."""
    this_row = update(CONVERSATIONS).where(RowOfConversation() == row)
    session.execute(this_row.values(deleted_at=now()))


def stored_rows(
    session: Session, conversation: int | str
) -> dict[str, list[dict[str, Any]]]:
    """All that is stored of a conversation (its row number, or its id), by table, as JSON: values as they are
    stored, so that what is sound in them can be taken out by hand. Packed ones are unpacked; other bytes are written in
    base64."""
    is_row = isinstance(conversation, int)
    known_by = RowOfConversation() if is_row else CONVERSATIONS.c.id
    own = _rows(session, CONVERSATIONS, known_by == conversation)
    if not own:
        raise StorageError(_("This conversation is no longer in the library."))
    # Asked for within the database: a damaged one may be no text.
    id = select(CONVERSATIONS.c.id).where(known_by == conversation).scalar_subquery()
    run_ids = select(RUNS.c.id).where(RUNS.c.conversation_id == id)
    return {
        "conversation": own,
        "message": _rows(session, MESSAGES, MESSAGES.c.conversation_id == id),
        "run": _rows(session, RUNS, RUNS.c.conversation_id == id),
        "record": _rows(session, RECORDS, RECORDS.c.run_id.in_(run_ids)),
        "kept": _rows(session, KEPT, KEPT.c.owner == id),
    }


def _rows(
    session: Session, table: Table, condition: ColumnElement[bool]
) -> list[dict[str, Any]]:
    """Rows as the database has them: nothing is converted, so that damage is no error."""
    columns = [AsStored(column).label(column.name) for column in table.columns]
    query = select(*columns).select_from(table).where(condition)
    rows = session.execute(query).mappings()
    return [_as_json(dict(row)) for row in rows]


def _as_json(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _value_as_json(value) for name, value in row.items()}


def _value_as_json(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    kept = unpacked(value)
    return {"base64": b64encode(value).decode()} if kept is None else kept
