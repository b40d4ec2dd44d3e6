"""The size of the request that a compaction changed first, without it and with it, and of the summaries in a request. A
summary has one size everywhere: the tokens of its text. The heading that it is sent under belongs to the request, not
to it."""

from collections.abc import Mapping
from typing import NamedTuple

from memviz.core.memory import Memory
from memviz.core.pieces import Line, Notes
from memviz.engine.assembly import assemble, count
from memviz.engine.compaction import Compaction
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
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
    """Return the size of the first request that ``compaction`` changed without it and with it; while there is none,
    what would be sent next without a new message.

    ``run`` is its run, which knows which request that is, what was recalled into it and what tools did in it.
    """
    before, after, besides = request_parts(compaction, run)
    return RequestSizes(sum(before.values()) + besides, sum(after.values()) + besides)


def request_parts(compaction: Compaction, run: Run | None = None) -> RequestParts:
    """Return what :func:`request_sizes` adds up."""
    number = None if run is None else run.request_number(compaction)
    if run is not None and number is not None:
        return _parts_of_request(compaction, run, number)
    length = compaction.after.length
    turn = compaction.request_turn if run is None else run.request_turn(compaction)
    if turn:
        # As many messages as the log has at the request that is still to be asked.
        log = compaction.before.log
        request = log.request_from(compaction.after_message + 1)
        length = log.turn(turn).asked
        if request is not None and request.turn == turn:
            length = request.stop
    next_one = compaction.after._replace(pins=()).appended(length)
    before = _parts(compaction.strategy, _as_then(compaction.before, next_one), ())
    after = _parts(compaction.strategy, next_one, ())
    return RequestParts(before, after, 0)


def _parts_of_request(compaction: Compaction, run: Run, number: int) -> RequestParts:
    strategy = compaction.strategy
    memory = run.requests.memory_at(number)
    recalled = _recalled(run, number)
    before = _parts(strategy, memory_without(compaction, run, number), recalled)
    sent = _parts(strategy, memory, recalled)
    with_it = _as_then(compaction.after, memory)
    after = sent if with_it == memory else _parts(strategy, with_it, recalled)
    besides = int(run.columns.totals[number]) - sum(sent.values())
    return RequestParts(before, after, besides)


def sent_without(compaction: Compaction, run: Run, number: int) -> Parts:
    """Return what request ``number`` (0-based) of ``run`` would have sent without ``compaction``, which changed it
    first. The pieces stand for the memory of :func:`memory_without`."""
    memory = memory_without(compaction, run, number)
    return assemble(memory, compaction.strategy.select(memory), _recalled(run, number))


def memory_without(compaction: Compaction, run: Run, number: int) -> Memory:
    """Return the memory that it would have been made for."""
    return _as_then(compaction.before, run.requests.memory_at(number))


def _as_then(value: Memory, memory: Memory) -> Memory:
    """Return ``value`` as of the request that ``memory`` was made for: the log may have grown since, and a chat that
    was given another setting has memories over another space."""
    return value._replace(space=memory.space, pins=memory.pins).appended(memory.length)


def _recalled(run: Run, number: int) -> tuple[int, ...]:
    beside = run.requests.beside.get(number)
    return beside.recalled.indices if beside and beside.recalled else ()


def _parts(
    strategy: Strategy, memory: Memory, recalled: tuple[int, ...]
) -> Mapping[str, int]:
    return count(memory, assemble(memory, strategy.select(memory), recalled))


def sent_summary_tokens(record: TurnRecord) -> int:
    """Return the tokens of the texts of all versions that a request sends, or of the facts of them that it tells,
    without headings."""
    summaries = record.memory.space.summaries
    tokens = 0
    for piece in record.parts.pieces:
        if isinstance(piece, Notes):
            versions = summaries.in_block(piece.start, piece.stop)
            tokens += sum(version.tokens for version in versions)
        elif isinstance(piece, Line) and piece.quotes:
            _heading, _break, told = piece.message.content.partition("\n")
            tokens += summaries.counter.in_lines(told)
    return tokens
