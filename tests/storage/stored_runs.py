"""What a file holds of the runs of a conversation."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import select

from memviz.storage.store import Store
from memviz.storage.tables import RUNS, RunRow


class StoredRun(NamedTuple):
    """One run, without its records."""

    kind: str
    key: str
    strategy_id: str
    parameters: dict[str, Any]
    counter: str
    summarizer: str
    message_count: int
    request_count: int


def stored_runs(store: Store, conversation_id: str) -> list[StoredRun]:
    """Return the runs of a conversation, the oldest first."""
    query = (
        select(RunRow)
        .where(RUNS.c.conversation_id == conversation_id)
        .order_by(RUNS.c.created_at, RUNS.c.id)
    )
    with store._reading() as session:
        return [
            StoredRun(
                run.kind,
                run.key,
                run.strategy_id,
                run.setting["strategy"]["parameters"],
                run.setting["counter"],
                run.summarizer,
                run.message_count,
                run.request_count,
            )
            for run in session.scalars(query)
        ]


def keys_of_runs(store: Store, conversation_id: str) -> list[object]:
    """Return the keys of the runs of a conversation, damaged ones too."""
    query = select(RUNS.c.key).where(RUNS.c.conversation_id == conversation_id)
    with store._reading() as session:
        return list(session.scalars(query))
