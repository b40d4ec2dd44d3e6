"""What one run sent and got, in tokens, as arrays that any price can be laid on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from memviz.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.assembly import Parts, assemble, whole
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.tool_pairs import in_pairs
from memviz.memory import Memory
from memviz.metrics.requests.shared_prefix import (
    Request,
    SharedPrefix,
    Tokens,
    requests_sent,
)
from memviz.pieces import Messages, Notes, Picked, Piece


@dataclass(frozen=True, eq=False)
class Traffic:
    """Tokens of one run, without prices.

    One entry a request of the chat model, in order, in ``turns`` (its turn), ``input_tokens``, ``shared_tokens`` (those
    at its start that the request before began with as well; 0 for the first) and ``output_tokens``. Input is as
    counted, and so are the replies; what a live model wrote while it recalled or thought is as billed where that is
    known.

    One entry a summarization that has tokens in ``summarizer_turns`` (the turn of the first request that it changed;
    the last turn where none came any more), ``summarizer_requests`` (the number of that request, from 0; -1 where none
    came any more) and the two arrays of its tokens: as billed where that is known, drafts that the user discarded
    included, failed calls not (as in ``metrics/token_use.py``).
    """

    turns: Tokens
    input_tokens: Tokens
    shared_tokens: Tokens
    output_tokens: Tokens
    summarizer_turns: Tokens
    summarizer_input_tokens: Tokens
    summarizer_output_tokens: Tokens
    summarizer_requests: Tokens

    @classmethod
    def nothing(cls) -> Traffic:
        """The traffic of a run without any request."""
        return cls(*(_array(()) for _ in fields(cls)))

    def to_dict(self) -> dict[str, list[int]]:
        """The arrays as lists, ready for JSON."""
        return {
            field.name: getattr(self, field.name).tolist() for field in fields(self)
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Traffic:
        """The traffic that :meth:`to_dict` described."""
        return cls(**{field.name: _array(value[field.name]) for field in fields(cls)})


def traffic(run: Run, *, overhead: bool = True) -> Traffic:
    """Everything that ``run`` sent and got. With ``overhead=False`` content tokens only, without what the
    chat format adds to each message and each request; what a provider billed stays as it was billed.

    How far two requests begin alike is told in :class:`memviz.metrics.requests.shared_prefix.SharedPrefix`.
    """
    sent = requests_sent(run, overhead=overhead)
    asked = [
        compaction
        for compaction in run.compactions
        if compaction.asked and compaction.error is None
    ]
    return Traffic(
        turns=sent.turns,
        input_tokens=sent.input_tokens,
        shared_tokens=SharedPrefix(run, overhead=overhead).tokens(sent),
        output_tokens=sent.output_tokens,
        summarizer_turns=_array(
            [run.request_turn(compaction) or compaction.turn for compaction in asked]
        ),
        summarizer_input_tokens=_array(
            [_prompt_tokens(compaction, overhead) for compaction in asked]
        ),
        summarizer_output_tokens=_array(
            [compaction.output_tokens for compaction in asked]
        ),
        summarizer_requests=_array(
            [_request_number(run, compaction) for compaction in asked]
        ),
    )


def _request_number(run: Run, compaction: Compaction) -> int:
    number_on_record = run.request_number(compaction)
    return -1 if number_on_record is None else number_on_record


def _array(values: Iterable[int]) -> Tokens:
    return np.array(list(values), dtype=np.int64)


def _prompt_tokens(compaction: Compaction, overhead: bool) -> int:
    if overhead:
        return compaction.prompt_tokens
    usages = [draft.usage for draft in compaction.discarded if draft.error is None]
    if compaction.calls > len(
        compaction.discarded
    ):  # the summary came from a call of its own
        usages.append(compaction.usage)
    # Drafts of one that the user skipped were asked for with the same messages as one that is used.
    sent = replace(
        compaction, kind="summarized", by_thinking=False, is_fixed=False
    ).request
    added = TOKENS_PER_MESSAGE * len(sent) + TOKENS_PER_REQUEST
    return compaction.prompt_tokens - added * usages.count(None)


def sends_everything(run: Run) -> bool:
    """Whether every request held all messages so far as they were said, and nothing else: what the full buffer
    does."""
    columns, first = run.columns, run.space.system_stop
    is_all = (columns.starts == first) & (columns.stops == columns.lengths)
    is_all &= columns.summary_starts == columns.summary_stops
    is_all[[*columns.others]] = True  # these are looked at one by one
    return bool(is_all.all()) and all(
        _holds_all(run, parts, int(columns.lengths[number]))
        for number, parts in columns.others.items()
    )


def _holds_all(run: Run, parts: Parts, length: int) -> bool:
    sent = [position for positions in whole(run.space, parts) for position in positions]
    sent += [position for piece in parts.pieces for position in _restored(piece)]
    said = range(run.space.system_stop, length)
    return sorted(sent) == [*said] and not any(map(_is_besides, parts.pieces))


def _restored(piece: Piece) -> Sequence[int]:
    """The messages that a piece sends whole in their own place and that would have been sent in a form."""
    return (
        piece.positions
        if isinstance(piece, Picked) and piece.instead_of is not None
        else ()
    )


def _is_besides(piece: Piece) -> bool:
    """Whether a piece sends anything that is no message in its place: notes that hold none do not."""
    is_empty = isinstance(piece, Notes) and piece.start == piece.stop
    return not (isinstance(piece, Messages) or is_empty or _restored(piece))


def sent_whole(run: Run, sent: Traffic) -> Traffic:
    """``sent``, the traffic of ``run``, with every message of every request as it was said. What was left out or
    replaced by a summary stays so."""
    requests, prefix = requests_sent(run), SharedPrefix(run)
    more, others = sent.input_tokens.copy(), {}
    for number, request in requests.others.items():
        others[number] = _whole(request)
        pairs = zip(others[number].items, request.items, strict=True)
        more[number] += sum(
            prefix.item_tokens(one) - prefix.item_tokens(other)
            for one, other in pairs
            if one != other
        )
    return replace(
        sent,
        input_tokens=more,
        shared_tokens=prefix.tokens(requests._replace(others=others)),
    )


def _whole(request: Request) -> Request:
    items = [
        item._replace(form=None) if isinstance(item, Messages) else item
        for item in request.items
    ]
    return request._replace(items=items)


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
