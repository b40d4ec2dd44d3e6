"""The traffic of one run, in tokens: as arrays that any price can be laid on; the traffic if no message had
been cleared or shortened; and what compactions broke of the prompt cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from memviz.core.memory import Memory
from memviz.core.pieces import Line, Messages, Notes, Picked
from memviz.engine.assembly import assemble
from memviz.engine.columns import derive_tokens
from memviz.engine.compaction import Compaction
from memviz.engine.part_tokens import reduced_positions
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.tool_pairs import in_pairs
from memviz.metrics.requests.sent_requests import Request, Tokens, other_requests
from memviz.metrics.requests.shared_prefix import SharedPrefix
from memviz.metrics.requests.shared_ranges import shared_in_ranges


@dataclass(frozen=True, eq=False)
class Traffic:
    """Tokens of one run, without prices. The first four arrays have one entry a request of the chat model, in order;
    the others one a summarization that has tokens."""

    turns: Tokens
    """The turn of each request."""
    input_tokens: Tokens
    """As counted."""
    shared_tokens: Tokens
    """Tokens at the start of each request that the one before began with as well; 0 for the first."""
    output_tokens: Tokens
    """Replies as counted; what a live model wrote while it recalled or thought is as billed where that is known."""
    summarizer_turns: Tokens
    """The turn of the first request that each changed; the last turn where none came any more."""
    summarizer_input_tokens: Tokens
    """As billed where that is known, drafts that the user discarded included, failed calls not."""
    summarizer_output_tokens: Tokens
    summarizer_requests: Tokens
    """The number of the first request that each changed, from 0; -1 where none came any more."""
    by_chat_model: Tokens
    """1 of each that the chat model's provider wrote, as a block that nobody else can read; else 0."""

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
        """Return the traffic that :meth:`to_dict` described."""
        arrays = {field.name: _array(value[field.name]) for field in fields(cls)}
        return cls(**arrays)


def join_traffics(traffics: Sequence[Traffic]) -> Traffic:
    """Return the traffic of several runs, one behind the other. The requests that summarizations changed are numbered
    in each run on its own."""
    joined = {}
    for field in fields(Traffic):
        arrays = [getattr(traffic, field.name) for traffic in traffics]
        joined[field.name] = np.concatenate(arrays)
    return Traffic(**joined)


def answered_calls(run: Run) -> list[Compaction]:
    """Return the summarizations that a summarizer was asked for and answered."""
    return [one for one in run.compactions if one.asked and one.error is None]


def traffic(run: Run) -> Traffic:
    """Return everything that ``run`` sent and got.

    How far two requests begin alike is told in :class:`memviz.metrics.requests.shared_prefix.SharedPrefix`.
    """
    return run.once(traffic, lambda: _add_up([run])[0])


def add_up_traffic(runs: Sequence[Run]) -> None:
    """Work out :func:`traffic` of several runs at once, sooner than of each alone where they are short. Each run keeps
    its own."""
    derive_tokens([run.columns for run in runs])
    for run, sent in zip(runs, _add_up(runs), strict=True):
        _keep(run, sent)


def _keep(run: Run, sent: Traffic) -> None:
    run.once(traffic, lambda: sent)


def _add_up(runs: Sequence[Run]) -> list[Traffic]:
    shared, is_open = shared_in_ranges(runs)
    traffics = []
    start = 0
    for run in runs:
        rows = slice(start, start + len(run.requests))
        if is_open[rows].any():
            prefix = SharedPrefix(run)
            prefix.settle(shared[rows], is_open[rows], other_requests(run))
        traffics.append(_traffic_of(run, shared[rows]))
        start = rows.stop
    return traffics


def _traffic_of(run: Run, shared_tokens: Tokens) -> Traffic:
    columns = run.columns
    asked = answered_calls(run)
    turns = [run.request_turn(one) or one.turn for one in asked]
    numbers = [run.request_number(one) for one in asked]
    return Traffic(
        turns=columns.turns,
        input_tokens=columns.totals,
        shared_tokens=shared_tokens,
        output_tokens=columns.reply_tokens,
        summarizer_turns=_array(turns),
        summarizer_input_tokens=_array(one.prompt_tokens for one in asked),
        summarizer_output_tokens=_array(one.output_tokens for one in asked),
        summarizer_requests=_array(-1 if one is None else one for one in numbers),
        by_chat_model=_array(one.is_opaque for one in asked),
    )


def _array(values: Iterable[int]) -> Tokens:
    return np.array(list(values), np.int64)


def sends_everything(run: Run) -> bool:
    """Return whether every request held all messages so far as they were said, and nothing else: what the full buffer
    does."""
    columns = run.columns
    first = run.space.system_stop
    is_all = (columns.starts == first) & (columns.stops == columns.lengths)
    is_all &= columns.summary_starts == columns.summary_stops
    for number, parts in columns.others.items():
        said = range(first, int(columns.lengths[number]))
        is_all[number] = _holds_just(run, parts, said)
    return bool(is_all.all())


def _holds_just(run: Run, parts: Parts, said: range) -> bool:
    sent: list[int] = []
    for piece in parts.pieces:
        # Notes that hold none send nothing.
        if isinstance(piece, Line) or (isinstance(piece, Notes) and piece.versions):
            return False
        if isinstance(piece, Messages) and reduced_positions(run.space, piece):
            return False
        if isinstance(piece, Messages | Picked):
            sent += piece.positions
    return sent == list(said)


def sent_whole(run: Run, sent: Traffic) -> Traffic:
    """Return ``sent``, the traffic of ``run``, with every message of every request as it was said. What was left out
    or replaced by a summary stays so."""
    prefix = SharedPrefix(run)
    input_tokens = sent.input_tokens.copy()
    others = {}
    for number, request in other_requests(run).items():
        items = []
        for item in request.items:
            whole_item = item
            if isinstance(item, Messages) and item.form is not None:
                whole_item = item._replace(form=None)
                more = prefix.item_tokens(whole_item) - prefix.item_tokens(item)
                input_tokens[number] += more
            items.append(whole_item)
        others[number] = request._replace(items=items)
    shared_tokens = prefix.tokens(others)
    return replace(sent, input_tokens=input_tokens, shared_tokens=shared_tokens)


def broken_cache_tokens(run: Run) -> tuple[int, ...]:
    """Return for each compaction of ``run``, in order, the tokens of the cached prefix that it broke: those that the
    first request it changed would have begun with in common with the request before, had it not been for this
    compaction, minus those that it has in common with it. 0 where no request came before or after, and where nothing
    was lost.

    Of several compactions before one request each begins with what the one before left. The tokens were cached only if
    the cache was still warm, and only as far as the provider's rules go (:mod:`memviz.models.cache_rules`).
    """
    return run.once(broken_cache_tokens, lambda: _measure_breaks(run))


def _measure_breaks(run: Run) -> tuple[int, ...]:
    broken = [0] * len(run.compactions)
    prefix = SharedPrefix(run)
    for number, made in run.requests.compactions():
        if not number:
            continue
        before = run.requests[number - 1]
        record = run.requests[number]
        cached = Request.of(before.parts, before.thoughts)
        # Without any of its compactions, then with the first one, the first two ..., and at last as it was sent.
        requests = [_request_without(record, one) for one in made]
        requests.append(Request.of(record.parts, record.thoughts))
        shared = [prefix.between(cached, request) for request in requests]
        for compaction, (without, left) in zip(made, pairwise(shared), strict=True):
            broken[run.number_of(compaction)] = max(0, without - left)
    return tuple(broken)


def _request_without(record: TurnRecord, compaction: Compaction) -> Request:
    """Return the request of ``record`` as it would have been before ``compaction``: with the same recalls and tools,
    and where orphaned halves of tool calls were left out of it, without those too."""
    own = record.memory
    parts = _parts_for(record, compaction, compaction.before.as_of(own))
    if record.parts != _parts_for(record, compaction, own):
        parts = in_pairs(own.log, parts, _recalled(record))
    return Request.of(parts, record.thoughts)


def _parts_for(record: TurnRecord, compaction: Compaction, memory: Memory) -> Parts:
    parts = assemble(memory, compaction.strategy.select(memory), _recalled(record))
    return parts._replace(tools=record.parts.tools, exchange=record.parts.exchange)


def _recalled(record: TurnRecord) -> tuple[int, ...]:
    return record.recalled.indices if record.recalled else ()
