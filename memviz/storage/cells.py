"""Finished cells of sweeps in the file, so that a sweep that was ended goes on where it was."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select, type_coerce
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.types import NullType
from sqlmodel import Session

from memviz.storage.library import now
from memviz.storage.tables import CELLS

KEYS_A_QUERY = 500
MAX_CELLS = 20_000
"""Cells kept; the oldest go first. A cell of a conversation with 3,000 turns takes about 20 KB."""


def find(session: Session, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Those of these cells of sweeps that were kept, as JSON, by key. One that is damaged is not among them."""
    found: dict[str, dict[str, Any]] = {}
    for at in range(0, len(keys), KEYS_A_QUERY):
        query = select(CELLS.c.key, _AS_STORED).where(
            CELLS.c.key.in_(keys[at : at + KEYS_A_QUERY])
        )
        for key, stored in session.execute(query):
            if (cell := _unpacked(stored)) is not None:
                found[key] = cell
    return found


def keep(session: Session, key: str, cell: Mapping[str, Any]) -> None:
    """Keep a finished cell of a sweep; one that is there under this key stays as it is, unless it is damaged."""
    if find(session, [key]):
        return
    packed = zlib.compress(json.dumps(cell, separators=(",", ":")).encode(), 1)
    made = {"kept_at": now(), "cell": packed}
    session.execute(
        insert(CELLS)
        .values(key=key, **made)
        .on_conflict_do_update(index_elements=["key"], set_=made)
    )


def prune(session: Session) -> None:
    """Let go of the oldest cells where there are very many."""
    newest = select(CELLS.c.key).order_by(CELLS.c.kept_at.desc()).limit(MAX_CELLS)
    session.execute(delete(CELLS).where(CELLS.c.key.not_in(newest)))


_AS_STORED = type_coerce(CELLS.c.cell, NullType())


def _unpacked(stored: object) -> dict[str, Any] | None:
    """The cell, or ``None`` where it is damaged: then it is measured again."""
    try:
        cell = json.loads(zlib.decompress(stored))  # type: ignore[arg-type]  # anything may be stored there
    except (zlib.error, TypeError, ValueError, RecursionError):
        return None
    return cell if isinstance(cell, dict) else None
