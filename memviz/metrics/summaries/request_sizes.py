"""How large the request was that a compaction changed first, without it and with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memviz.engine.assembly import assemble, count
from memviz.engine.compaction import Compaction
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
    number = None if run is None else run.request_number(compaction)
    if run is not None and number is not None:
        return _parts_of_request(compaction, run, number)
    turn = compaction.request_turn if run is None else run.request_turn(compaction)
    length = _length(compaction, turn) if turn else compaction.after.length
    before, after = (
        _parts(compaction.strategy, memory._replace(space=compaction.after.space, pins=()).appended(length), ())
        for memory in (compaction.before, compaction.after)
    )
    return RequestParts(before, after, 0)


def _parts_of_request(compaction: Compaction, run: Run, number: int) -> RequestParts:
    memory, beside = run.requests.memory_at(number), run.requests.beside.get(number)
    recalled = beside.recalled.indices if beside and beside.recalled else ()
    sent = _parts(compaction.strategy, memory, recalled)
    # The log may have grown since, and a chat that was given another setting has memories over another space.
    without, with_it = (
        value._replace(space=memory.space, pins=memory.pins).appended(memory.length)
        for value in (compaction.before, compaction.after)
    )
    before = _parts(compaction.strategy, without, recalled)
    after = sent if with_it == memory else _parts(compaction.strategy, with_it, recalled)
    return RequestParts(before, after, int(run.columns.totals[number]) - sum(sent.values()))


def _length(compaction: Compaction, turn: int) -> int:
    """Number of messages that the log has at the request of ``turn`` that is still to be asked."""
    log = compaction.before.log
    request = log.request_from(compaction.after_message + 1)
    return request.stop if request is not None and request.turn == turn else log.turn(turn).asked


def _parts(strategy: Strategy, memory: Memory, recalled: tuple[int, ...]) -> Mapping[str, int]:
    return count(memory, assemble(memory, strategy.select(memory), recalled))
