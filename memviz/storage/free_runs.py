"""Free runs in the file. A model's own replies belong to no stored conversation, so each is kept whole."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session

from memviz.conversation import Log, clean_text
from memviz.engine.run import Run
from memviz.storage.library import found, now
from memviz.storage.run_shapes import expect_sound
from memviz.storage.runs import Conditions, damage_told, expect_known_counter
from memviz.storage.tables import FREE_RUNS


def save(
    session: Session, conversation_id: str, run: Run, key: str, message_count: int
) -> None:
    """Keep a free run over the first ``message_count`` messages, as far as it has come, in place of what
    was kept under ``key``."""
    expect_known_counter(run)
    made = {
        "conversation_id": found(session, conversation_id).id,
        "key": clean_text(key),
        "message_count": message_count,
        "updated_at": now(),
        "record": run.to_dict(),
    }
    session.execute(
        insert(FREE_RUNS)
        .values(made)
        .on_conflict_do_update(index_elements=["conversation_id", "key"], set_=made)
    )


def find(session: Session, conversation_id: str, key: str) -> Run | None:
    """The free run kept under ``key``, whole or not."""
    return read(
        session,
        (
            FREE_RUNS.c.conversation_id == found(session, conversation_id).id,
            FREE_RUNS.c.key == clean_text(key),
        ),
    )


def read(session: Session, conditions: Conditions) -> Run | None:
    """The free run of the row that meets ``conditions``. Raises :class:`DamagedRunError`."""
    with damage_told("A stored free run"):
        record = session.execute(
            select(FREE_RUNS.c.record).where(*conditions)
        ).scalar_one_or_none()
        if record is None:
            return None
        log = Log(record["messages"])
        expect_sound(record, log)
        return Run.from_record(record, log)
