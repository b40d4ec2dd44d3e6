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
from memviz.engine.part_tokens import find_reduced_positions
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.tool_pairs import complete_tool_pairs
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
    """The tokens of each request, as counted."""
    shared_tokens: Tokens
    """Tokens at the start of each request that the one before began with as well; 0 for the first."""
    output_tokens: Tokens
    """Replies as counted; what a live model wrote while it recalled or thought is as billed where that is known."""
    summarizer_turns: Tokens
    """The turn of the first request that each changed; the last turn where none came any more."""
    summarizer_input_tokens: Tokens
    """The tokens of each prompt, as billed where that is known, drafts that the user discarded included, failed calls
    not."""
    summarizer_output_tokens: Tokens
    summarizer_requests: Tokens
    """The number of the first request that each changed, from 0; -1 where none came any more."""
    by_chat_model: Tokens
    """1 of each that the chat model's provider wrote, as a block that nobody else can read; else 0."""

    @classmethod
    def nothing(cls) -> Traffic:
        """The traffic of a run without any request."""
        return cls(*(_make_array(()) for _ in fields(cls)))

    def to_dict(self) -> dict[str, list[int]]:
        """The arrays as lists, ready for JSON."""
        return {
            field.name: getattr(self, field.name).tolist() for field in fields(self)
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Traffic:
        """Return the traffic that :meth:`to_dict` described."""
        arrays = {field.name: _make_array(value[field.name]) for field in fields(cls)}
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
    return [
        compaction
        for compaction in run.compactions
        if compaction.asked and compaction.error is None
    ]


def traffic(run: Run) -> Traffic:
    """Return everything that ``run`` sent and got.

    How far two requests begin alike is told in :class:`memviz.metrics.requests.shared_prefix.SharedPrefix`.
    """
    return run.once(traffic, lambda: _add_up([run])[0])


def add_up_traffic(runs: Sequence[Run]) -> None:
    """Work out :func:`traffic` of several runs at once, sooner than of each alone where they are short. Each run keeps
    its own."""
    derive_tokens([run.columns for run in runs])
    for run, run_traffic in zip(runs, _add_up(runs), strict=True):
        _keep_traffic(run, run_traffic)


def _keep_traffic(run: Run, run_traffic: Traffic) -> None:
    run.once(traffic, lambda: run_traffic)


def _add_up(runs: Sequence[Run]) -> list[Traffic]:
    # What the ranges of all runs do not settle is looked up run by run. A slice of an array shows the array itself, so
    # that what is settled stands in it.
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
    calls = answered_calls(run)
    turns = []
    requests = []
    for call in calls:
        turns.append(run.request_turn(call) or call.turn)
        number = run.request_number(call)
        requests.append(-1 if number is None else number)
    return Traffic(
        turns=columns.turns,
        input_tokens=columns.totals,
        shared_tokens=shared_tokens,
        output_tokens=columns.reply_tokens,
        summarizer_turns=_make_array(turns),
        summarizer_input_tokens=_make_array(call.prompt_tokens for call in calls),
        summarizer_output_tokens=_make_array(call.output_tokens for call in calls),
        summarizer_requests=_make_array(requests),
        by_chat_model=_make_array(call.is_opaque for call in calls),
    )


def _make_array(values: Iterable[int]) -> Tokens:
    return np.array(list(values), np.int64)


def sends_everything(run: Run) -> bool:
    """Return whether every request held all messages so far as they were said, and nothing else: what the full buffer
    does."""
    columns = run.columns
    first = run.space.system_stop
    is_all = (columns.starts == first) & (columns.stops == columns.lengths)
    is_all &= columns.summary_starts == columns.summary_stops
    # Requests that are not one range of the log are read piece by piece.
    for number, parts in columns.others.items():
        log_so_far = range(first, int(columns.lengths[number]))
        is_all[number] = _holds_just(run, parts, log_so_far)
    return bool(is_all.all())


def _holds_just(run: Run, parts: Parts, positions: range) -> bool:
    sent_positions: list[int] = []
    for piece in parts.pieces:
        # Notes that hold none send nothing.
        if isinstance(piece, Line) or (isinstance(piece, Notes) and piece.versions):
            return False
        if isinstance(piece, Messages) and find_reduced_positions(run.space, piece):
            return False
        if isinstance(piece, Messages | Picked):
            sent_positions += piece.positions
    return sent_positions == list(positions)


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
                more_tokens = prefix.item_tokens(whole_item) - prefix.item_tokens(item)
                input_tokens[number] += more_tokens
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
    for number, compactions in run.requests.compactions():
        if not number:
            continue
        before = run.requests[number - 1]
        record = run.requests[number]
        cached = Request.of(before.parts, before.thoughts)
        # Without any of its compactions, then with the first one, the first two ..., and at last as it was sent.
        requests = [
            _build_request_without(record, compaction) for compaction in compactions
        ]
        requests.append(Request.of(record.parts, record.thoughts))
        shared = [prefix.between(cached, request) for request in requests]
        losses = [max(0, before - after) for before, after in pairwise(shared)]
        for compaction, lost_tokens in zip(compactions, losses, strict=True):
            broken[run.number_of(compaction)] = lost_tokens
    return tuple(broken)


def _build_request_without(record: TurnRecord, compaction: Compaction) -> Request:
    """Return the request of ``record`` as it would have been before ``compaction``: with the same recalls and tools,
    and where orphaned halves of tool calls were left out of it, without those too."""
    memory = record.memory
    parts = _assemble_parts(record, compaction, compaction.before.as_of(memory))
    if record.parts != _assemble_parts(record, compaction, memory):
        parts = complete_tool_pairs(memory.log, parts, _recalled(record))
    return Request.of(parts, record.thoughts)


def _assemble_parts(
    record: TurnRecord, compaction: Compaction, memory: Memory
) -> Parts:
    parts = assemble(memory, compaction.strategy.select(memory), _recalled(record))
    return parts._replace(tools=record.parts.tools, exchange=record.parts.exchange)


def _recalled(record: TurnRecord) -> tuple[int, ...]:
    return record.recalled.indices if record.recalled else ()
