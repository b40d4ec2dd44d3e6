"""The last request of a turn, and what a request holds word for word."""

from __future__ import annotations

from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_table import recalled_ranges, verbatim_ranges


def record_of_turn(run: Run, turn: int) -> TurnRecord | None:
    """The record of the last request of a turn, or ``None`` if it made none."""
    return next((record for record in run.turns if record.turn == turn), None)


def sent_positions(record: TurnRecord) -> set[int]:
    """Log positions of the messages that the request holds word for word."""
    sent = (
        range(record.memory.history_start),
        *verbatim_ranges(record),
        *recalled_ranges(record),
    )
    return {position for part in sent for position in part}
