"""Lessons that were written here or uploaded, kept as the YAML text that they are."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session

from memviz.storage.library import now
from memviz.storage.tables import LESSONS


def texts(session: Session) -> dict[str, str]:
    """The text of every lesson by its id, the newest first."""
    rows = session.execute(
        select(LESSONS.c.id, LESSONS.c.text).order_by(
            LESSONS.c.saved_at.desc(), LESSONS.c.id
        )
    )
    return dict(tuple(row) for row in rows)


def text(session: Session, id: str) -> str | None:
    """The text of the lesson of this id; ``None`` if there is none."""
    found: str | None = session.execute(
        select(LESSONS.c.text).where(LESSONS.c.id == id)
    ).scalar()
    return found


def keep(session: Session, id: str, text: str) -> None:
    """Keep a lesson under its id, in place of the one that had it."""
    made = {"saved_at": now(), "text": text}
    session.execute(
        insert(LESSONS)
        .values(id=id, **made)
        .on_conflict_do_update(index_elements=["id"], set_=made)
    )


def remove(session: Session, id: str) -> None:
    """Forget the lesson of this id."""
    session.execute(delete(LESSONS).where(LESSONS.c.id == id))
