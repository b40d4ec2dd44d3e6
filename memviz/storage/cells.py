"""Finished cells of sweeps in the file, so that a sweep that was ended goes on where it was."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session

from memviz.errors import StorageError
from memviz.storage.library import now
from memviz.storage.tables import CELLS

KEYS_A_QUERY = 500
MAX_CELLS = 20_000
"""Cells kept; the oldest go first. A cell of a conversation with 3,000 turns takes about 20 KB."""


def find(session: Session, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Those of these cells of sweeps that were kept, as JSON, by key."""
    found: dict[str, dict[str, Any]] = {}
    for at in range(0, len(keys), KEYS_A_QUERY):
        query = select(CELLS.c.key, CELLS.c.cell).where(CELLS.c.key.in_(keys[at : at + KEYS_A_QUERY]))
        found |= {key: _unpacked(cell) for key, cell in session.execute(query)}
    return found


def keep(session: Session, key: str, cell: Mapping[str, Any]) -> None:
    """Keep a finished cell of a sweep; one that is there under this key stays as it is."""
    packed = zlib.compress(json.dumps(cell, separators=(",", ":")).encode(), 1)
    session.execute(insert(CELLS).values(key=key, kept_at=now(), cell=packed).on_conflict_do_nothing())


def prune(session: Session) -> None:
    """Let go of the oldest cells where there are very many."""
    newest = select(CELLS.c.key).order_by(CELLS.c.kept_at.desc()).limit(MAX_CELLS)
    session.execute(delete(CELLS).where(CELLS.c.key.not_in(newest)))


def _unpacked(cell: bytes) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(zlib.decompress(cell))
    except (zlib.error, ValueError) as error:
        raise StorageError(f"A kept cell of a sweep is damaged ({error}). Sweep again without it.") from error
    return value
