"""Is a kept replay what would be made now? Earlier versions of memviz made some otherwise."""

from __future__ import annotations

from bisect import bisect_left

from memviz.engine.records import TurnRecord
from memviz.engine.run import Run


def is_out_of_date(replay: Run) -> bool:
    """Whether an earlier version made this replay otherwise than it would be made now: it recorded a turn with several
    calls of the model as one request, took leading system messages as history, or did not count the names of those who
    speak."""
    if not replay.space.leads_apart or len(replay.requests) != replay.log.request_count:
        return True
    named = _named(replay)
    first = next((record for record in replay.requests if _sends_any(record, named)), None) if named else None
    return first is not None and "names" not in first.tokens


def _named(run: Run) -> list[int]:
    """Positions of the messages whose speaker has a name that counts."""
    names = {message.name for message in run.log if message.name}
    counted = {name for name in names if run.counter(name)}
    return [position for position, message in enumerate(run.log) if message.name in counted]


def _sends_any(record: TurnRecord, positions: list[int]) -> bool:
    """Whether the request holds any of these messages."""
    parts = record.parts
    sent = (range(record.memory.space.system_stop), *parts.history, parts.input)
    return any(bisect_left(positions, part.start) < bisect_left(positions, part.stop) for part in sent)
