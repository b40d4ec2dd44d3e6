"""What changed between one request and the one before it."""

from __future__ import annotations

from memviz.context import Fate
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run


def record_of_turn(run: Run, turn: int, call: int | None = None) -> TurnRecord | None:
    """The record of call number ``call`` (from 1) of a turn, by default of its last one; ``None`` if it made no such
    request."""
    last = next((record for record in run.turns if record.turn == turn), None)
    if last is None or call is None:
        return last
    return next((record for record in last.requests if record.call == call), None)


def request_before(run: Run, record: TurnRecord) -> TurnRecord | None:
    """The request before one of the run's: the call before in the same turn, of the first call the last one of the turn
    before."""
    if record.call > 1:
        return record_of_turn(run, record.turn, record.call - 1)
    return record_of_turn(run, record.turn - 1)


def sent_positions(record: TurnRecord) -> set[int]:
    """Log positions of the messages that the request holds word for word."""
    leading = record.memory.history_start
    verbatim = (range(leading), *record.parts.history, record.parts.input, record.parts.exchange)
    return {*record.parts.recalled, *(p for part in verbatim for p in part)}


def left_the_window(run: Run, turn: int, call: int | None = None) -> list[tuple[int, Fate]]:
    """Messages that the request before held word for word and call number ``call`` of ``turn`` (by default its last
    one) does not: their log positions, and whether a summary stands for them now or nothing does."""
    record = record_of_turn(run, turn, call)
    before = None if record is None else request_before(run, record)
    if record is None or before is None:
        return []
    sent = record.parts.summaries
    covered = run.space.summaries.covered(sent.start, sent.stop)
    return [
        (position, Fate.SUMMARIZED if any(position in part for part in covered) else Fate.DROPPED)
        for position in sorted(sent_positions(before) - sent_positions(record))
    ]
