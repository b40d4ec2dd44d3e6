"""Is all that the file holds sound? SQLite's own checks, and every conversation, run and cell read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from memviz.core.errors import StorageError, UnreadableConversationError
from memviz.storage import cells, free_runs, library, runs, visitors_work
from memviz.storage.entries import RAW_ENTRIES, UnreadableConversation, entry_of
from memviz.storage.tables import CELLS, FREE_RUNS, RUNS

MAX_PROBLEMS_OF_SQLITE = 100


def check(session: Session) -> list[str]:
    """What is wrong with the file, a sentence each; none where all is well. Deleted conversations, which can be
    restored, are read as well."""
    return [*_of_sqlite(session), *_of_conversations(session), *_of_cells(session)]


def _of_sqlite(session: Session) -> Iterator[str]:
    connection = session.connection()
    for (finding,) in connection.exec_driver_sql(
        f"PRAGMA integrity_check({MAX_PROBLEMS_OF_SQLITE})"
    ):
        if finding != "ok":
            yield f"The file itself is damaged: {finding}."
    for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"Row {row} of the table {table} belongs to a {parent} that is not there."


def _of_conversations(session: Session) -> Iterator[str]:
    for stored in session.execute(RAW_ENTRIES).mappings().all():
        entry = entry_of(stored)
        if isinstance(entry, UnreadableConversation):
            yield _said(entry.error())
            continue
        try:
            library.read(session, entry.id)
        except (StorageError, SQLAlchemyError, UnicodeDecodeError) as error:
            yield _said(error)
            continue
        yield from _of_runs(session, entry.id, entry.title)


def _of_runs(session: Session, conversation_id: str, title: str) -> Iterator[str]:
    for table, read in ((RUNS, runs.read), (FREE_RUNS, free_runs.read)):
        for key in session.scalars(
            select(table.c.key).where(table.c.conversation_id == conversation_id)
        ).all():
            conditions = (
                table.c.conversation_id == conversation_id,
                table.c.key == key,
            )
            if problem := _problem(read, session, conditions):
                yield f"Conversation '{title}' (id {conversation_id}): {problem}"
    if problem := _problem(visitors_work.expect_undamaged, session, conversation_id):
        yield f"Conversation '{title}' (id {conversation_id}): {problem}"


def _problem(
    read: Callable[..., Any],
    session: Session,
    what: tuple[ColumnElement[bool], ...] | str,
) -> str:
    try:
        read(session, what)
    except (StorageError, SQLAlchemyError, UnicodeDecodeError) as error:
        session.expunge_all()
        return _said(error)
    return ""


def _of_cells(session: Session) -> Iterator[str]:
    keys = session.scalars(select(CELLS.c.key)).all()
    lost = len(keys) - len(cells.find(session, keys))
    if lost:
        yield f"{lost:,} of {len(keys):,} kept cells of sweeps are damaged. They are measured again when asked for."


def _said(error: Exception) -> str:
    if isinstance(error, UnreadableConversationError):
        return error.sentence
    return (
        str(error)
        if isinstance(error, StorageError)
        else f"It cannot be read ({getattr(error, 'orig', error)})."
    )
