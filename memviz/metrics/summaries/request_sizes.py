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


class RequestParts(NamedTuple):
    """The tokens of each part of one request without a compaction and with it. What tools did in it and the model
    thought is ``besides``, in no part: the strategy does not choose it."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    besides: int


def request_sizes(compaction: Compaction, run: Run | None = None) -> RequestSizes:
    """The first request that ``compaction`` changed without it and with it; while there is none, what would be sent
    next without a new message.

    ``run`` is its run, which knows which request that is, what was recalled into it and what tools did in it.
    """
    before, after, besides = request_parts(compaction, run)
    return RequestSizes(sum(before.values()) + besides, sum(after.values()) + besides)


def request_parts(compaction: Compaction, run: Run | None = None) -> RequestParts:
    """What :func:`request_sizes` adds up."""
    record = None if run is None else _records(run).get(id(compaction))
    turn = compaction.request_turn if run is None else run.request_turn(compaction)
    recalled: tuple[int, ...] = ()
    besides = 0
    if record is not None:
        length = record.memory.length
        recalled = record.recalled.indices if record.recalled else ()
        sent = _parts(compaction.strategy, record.memory, recalled)
        besides = record.total_tokens - sum(sent.values())
    else:
        length = _length(compaction, turn) if turn else compaction.after.length
    # The log may have grown since, and a chat that was given another setting has memories over another space.
    space = (record.memory if record else compaction.after).space
    before, after = (
        _parts(compaction.strategy, memory._replace(space=space).appended(length), recalled)
        for memory in (compaction.before, compaction.after)
    )
    return RequestParts(before, after, besides)


def _length(compaction: Compaction, turn: int) -> int:
    """Number of messages that the log has at the request of ``turn`` that is still to be asked."""
    log = compaction.before.log
    request = log.request_from(compaction.after_message + 1)
    return request.stop if request is not None and request.turn == turn else log.turn(turn).asked


def _parts(strategy: Strategy, memory: Memory, recalled: tuple[int, ...]) -> Mapping[str, int]:
    return count(memory, assemble(memory, strategy.select(memory), recalled))


def _records(run: Run) -> Mapping[int, TurnRecord]:
    """The request that each compaction changed first, by the identity of the compaction."""
    return run.once(_records, lambda: {id(one): record for record in run.requests for one in record.compactions})
