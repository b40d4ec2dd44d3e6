"""How large the request was that a compaction changed first, without it and with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memviz.engine.assembly import Parts, assemble, count
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
    number = None if run is None else run.request_number(compaction)
    if run is not None and number is not None:
        return _parts_of_request(compaction, run, number)
    turn = compaction.request_turn if run is None else run.request_turn(compaction)
    length = _length(compaction, turn) if turn else compaction.after.length
    before, after = (
        _parts(
            compaction.strategy,
            memory._replace(space=compaction.after.space, pins=()).appended(length),
            (),
        )
        for memory in (compaction.before, compaction.after)
    )
    return RequestParts(before, after, 0)


def _parts_of_request(compaction: Compaction, run: Run, number: int) -> RequestParts:
    memory = run.requests.memory_at(number)
    sent = _parts(compaction.strategy, memory, _recalled(run, number))
    with_it = _as_then(compaction.after, memory)
    before = count(
        memory_without(compaction, run, number), sent_without(compaction, run, number)
    )
    after = (
        sent
        if with_it == memory
        else _parts(compaction.strategy, with_it, _recalled(run, number))
    )
    return RequestParts(
        before, after, int(run.columns.totals[number]) - sum(sent.values())
    )


def sent_without(compaction: Compaction, run: Run, number: int) -> Parts:
    """What request ``number`` (0-based) of ``run`` would have sent without ``compaction``, which changed it first. The
    pieces stand for the memory of :func:`memory_without`."""
    memory = memory_without(compaction, run, number)
    return assemble(memory, compaction.strategy.select(memory), _recalled(run, number))


def memory_without(compaction: Compaction, run: Run, number: int) -> Memory:
    """The memory that it would have been made for."""
    return _as_then(compaction.before, run.requests.memory_at(number))


def _as_then(value: Memory, memory: Memory) -> Memory:
    """``value`` as of the request that ``memory`` was made for: the log may have grown since, and a chat that was given
    another setting has memories over another space."""
    return value._replace(space=memory.space, pins=memory.pins).appended(memory.length)


def _recalled(run: Run, number: int) -> tuple[int, ...]:
    beside = run.requests.beside.get(number)
    return beside.recalled.indices if beside and beside.recalled else ()


def _length(compaction: Compaction, turn: int) -> int:
    """Number of messages that the log has at the request of ``turn`` that is still to be asked."""
    log = compaction.before.log
    request = log.request_from(compaction.after_message + 1)
    return (
        request.stop
        if request is not None and request.turn == turn
        else log.turn(turn).asked
    )


def _parts(
    strategy: Strategy, memory: Memory, recalled: tuple[int, ...]
) -> Mapping[str, int]:
    return count(memory, assemble(memory, strategy.select(memory), recalled))


def sent_summary_tokens(record: TurnRecord) -> int:
    """Return the tokens of the texts of all versions that a request sends, without headings."""
    summaries = record.memory.space.summaries
    blocks = [
        summaries.in_block(piece.start, piece.stop) for piece in record.parts.notes
    ]
    return sum(version.tokens for block in blocks for version in block)
