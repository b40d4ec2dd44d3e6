"""Recordings that were opened, kept as the files they came as."""

from __future__ import annotations

import zlib

from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session

from memviz.storage.library import now
from memviz.storage.tables import RECORDINGS


def names(session: Session) -> list[str]:
    """The names of all, the newest first."""
    return list(
        session.execute(
            select(RECORDINGS.c.id).order_by(RECORDINGS.c.opened_at.desc())
        ).scalars()
    )


def content(session: Session, name: str) -> bytes | None:
    """The file of this name; ``None`` if there is none, or it is damaged."""
    packed = session.execute(
        select(RECORDINGS.c.content).where(RECORDINGS.c.id == name)
    ).scalar()
    try:
        return None if packed is None else zlib.decompress(packed)
    except zlib.error:
        return None


def keep(session: Session, name: str, content: bytes) -> None:
    """Keep a file under a name, in place of the one that had it."""
    made = {"opened_at": now(), "content": zlib.compress(content)}
    session.execute(
        insert(RECORDINGS)
        .values(id=name, **made)
        .on_conflict_do_update(index_elements=["id"], set_=made)
    )


def remove(session: Session, name: str) -> None:
    """Forget the file of this name."""
    session.execute(delete(RECORDINGS).where(RECORDINGS.c.id == name))
