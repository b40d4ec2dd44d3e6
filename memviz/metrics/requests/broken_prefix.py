"""What a compaction costs the prompt cache: it changes the beginning of the next request, so that tokens which a
provider had cached are read once more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from memviz.core.memory import Memory
from memviz.engine.assembly import Parts, assemble
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.tool_pairs import in_pairs
from memviz.metrics.requests.requests_sent import Request
from memviz.metrics.requests.shared_prefix import SharedPrefix


def broken_cache_tokens(run: Run, *, overhead: bool = True) -> tuple[int, ...]:
    """For each compaction of ``run``, in order, the tokens of the cached prefix that it broke: those that the first
    request it changed would have begun with in common with the request before, had it not been for this compaction,
    minus those that it has in common with it. 0 where no request came before or after, and where nothing was lost.

    Of several compactions before one request each begins with what the one before left. The tokens were cached only if
    the cache was still warm, and only as far as the provider's rules go (:mod:`memviz.models.cache_rules`).
    ``overhead`` counts what the chat format adds to each message, too.
    """
    return run.once(
        (broken_cache_tokens, overhead), partial(_worked_out, run, overhead)
    )


def _worked_out(run: Run, overhead: bool) -> tuple[int, ...]:
    broken, prefix = [0] * len(run.compactions), SharedPrefix(run, overhead=overhead)
    for number, _ in run.requests.compactions():
        if number:
            before, record = run.requests[number - 1], run.requests[number]
            cached = Request.of(before.parts, before.thoughts)
            shared = [
                prefix.between(cached, request) for request in _without_and_with(record)
            ]
            for compaction, (without, left) in zip(
                record.compactions, pairwise(shared), strict=True
            ):
                broken[run.number_of(compaction)] = max(0, without - left)
    return tuple(broken)


def _without_and_with(record: TurnRecord) -> Iterator[Request]:
    """The request as it would have been without any of its compactions, then with the first one, the first two ..., and
    at last as it was sent."""
    yield from (
        _request(record, compaction, compaction.before)
        for compaction in record.compactions
    )
    yield Request.of(record.parts, record.thoughts)


def _request(record: TurnRecord, compaction: Compaction, memory: Memory) -> Request:
    """The request of ``record`` for another memory: with the same recalls and tools, and where orphaned halves of tool
    calls were left out of it, without those too."""
    own, log = record.memory, record.memory.log
    other = _parts(
        record,
        compaction,
        memory._replace(space=own.space, pins=own.pins).appended(own.length),
    )
    if record.parts != _parts(record, compaction, own):
        other = in_pairs(log, other, record.recalled.indices if record.recalled else ())
    return Request.of(other, record.thoughts)


def _parts(record: TurnRecord, compaction: Compaction, memory: Memory) -> Parts:
    recalled = record.recalled.indices if record.recalled else ()
    parts = assemble(memory, compaction.strategy.select(memory), recalled)
    return parts._replace(tools=record.parts.tools, exchange=record.parts.exchange)
