"""What changed between one request and the one before it."""

from __future__ import annotations

from memviz.context import Fate
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run


def record_of_turn(run: Run, turn: int) -> TurnRecord | None:
    """The record of a turn, or ``None`` if it made no request."""
    return next((record for record in run.turns if record.turn == turn), None)


def sent_positions(record: TurnRecord) -> set[int]:
    """Log positions of the messages that the request holds word for word."""
    leading = record.memory.history_start
    verbatim = (range(leading), *record.parts.history, record.parts.input)
    return {*record.parts.recalled, *(p for part in verbatim for p in part)}


def left_the_window(run: Run, turn: int) -> list[tuple[int, Fate]]:
    """Messages that the request before held word for word and this one does not: their log
    positions, and whether a summary stands for them now or nothing does."""
    record, before = record_of_turn(run, turn), record_of_turn(run, turn - 1)
    if record is None or before is None:
        return []
    sent = record.parts.summaries
    covered = run.space.summaries.covered(sent.start, sent.stop)
    return [
        (position, Fate.SUMMARIZED if any(position in part for part in covered) else Fate.DROPPED)
        for position in sorted(sent_positions(before) - sent_positions(record))
    ]
