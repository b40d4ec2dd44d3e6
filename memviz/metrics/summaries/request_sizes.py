"""How large the request was that a compaction changed first, without it and with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memviz.engine.assembly import assemble, count
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.memory import Memory
from memviz.strategies.base import Strategy


class RequestSizes(NamedTuple):
    """All tokens of one request, what the chat format adds and what was recalled included. Of several compactions
    before one request each begins with what the one before left, and the last ends with what was sent."""

    before_tokens: int
    after_tokens: int


def request_sizes(compaction: Compaction, run: Run | None = None) -> RequestSizes:
    """The first request that ``compaction`` changed without it and with it; while there is none, what would be sent
    next without a new message.

    ``run`` is its run, which knows which request that is, what was recalled into it and what tools did in it.
    """
    record = None if run is None else _records(run).get(id(compaction))
    turn = compaction.request_turn if run is None else run.request_turn(compaction)
    recalled: tuple[int, ...] = ()
    besides = 0
    if record is not None:
        length = record.memory.length
        recalled = record.recalled.indices if record.recalled else ()
        besides = record.total_tokens - _size(compaction.strategy, record.memory, recalled)  # what tools did, thoughts
    else:
        length = compaction.before.log.turn(turn).asked if turn else compaction.after.length
    # The log may have grown since, and a chat that was given another setting has memories over another space.
    space = (record.memory if record else compaction.after).space
    before, after = (
        _size(compaction.strategy, memory._replace(space=space).appended(length), recalled)
        for memory in (compaction.before, compaction.after)
    )
    return RequestSizes(before + besides, after + besides)


def _size(strategy: Strategy, memory: Memory, recalled: tuple[int, ...]) -> int:
    return sum(count(memory, assemble(memory, strategy.select(memory), recalled)).values())


def _records(run: Run) -> Mapping[int, TurnRecord]:
    """The request that each compaction changed first, by the identity of the compaction."""
    return run.once(_records, lambda: {id(one): record for record in run.turns for one in record.compactions})
