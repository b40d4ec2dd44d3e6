"""The traffic of a run: the tokens of its requests and summaries, as arrays that any price can be applied to.

Prices (:mod:`~memviz.metrics.cost.cost`) and sweeps are based on it. It is also counted as it would be without clearing
or shortening messages, and for each compaction how much of the prompt cache it made useless.
"""

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
from memviz.metrics.requests.sent_requests import Request, Tokens, list_other_requests
from memviz.metrics.requests.shared_prefix import SharedPrefix
from memviz.metrics.requests.shared_ranges import count_shared_in_ranges


@dataclass(frozen=True, eq=False)
class Traffic:
    """The tokens of a run, without prices.

    The first four arrays have an entry for each request of the chat model, in order; the others have one for each call
    of the summarizer that gave a summary.
    """

    turns: Tokens
    """The turn of each request."""
    input_tokens: Tokens
    """The counted tokens of each request."""
    shared_tokens: Tokens
    """The tokens that each request begins with in common with the one before; 0 for the first."""
    output_tokens: Tokens
    """The tokens of each reply. What a live model wrote while it recalled or thought is as billed, where known."""
    summarizer_turns: Tokens
    """The turn of the first request that each summary changed, or the last turn if no request followed."""
    summarizer_input_tokens: Tokens
    """The tokens of each prompt, as billed where known, with those of drafts that the user discarded."""
    summarizer_output_tokens: Tokens
    """The tokens of each summary."""
    summarizer_requests: Tokens
    """The number (from 0) of the first request that each summary changed; -1 if no request followed."""
    by_chat_model: Tokens
    """1 for a summary that is a block of the chat model's provider, which nobody else can read; else 0."""

    @classmethod
    def nothing(cls) -> Traffic:
        """Return the traffic of a run without any request."""
        return cls(*(_make_array(()) for _ in fields(cls)))

    def to_dict(self) -> dict[str, list[int]]:
        """Return the arrays as lists, ready for JSON."""
        return {
            field.name: getattr(self, field.name).tolist() for field in fields(self)
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Traffic:
        """Return the traffic that :meth:`to_dict` described."""
        arrays = {field.name: _make_array(value[field.name]) for field in fields(cls)}
        return cls(**arrays)


def join_traffics(traffics: Sequence[Traffic]) -> Traffic:
    """Return the traffic of several runs as one. ``summarizer_requests`` still are numbers within each run."""
    joined = {}
    for field in fields(Traffic):
        arrays = [getattr(traffic, field.name) for traffic in traffics]
        joined[field.name] = np.concatenate(arrays)
    return Traffic(**joined)


def list_answered_calls(run: Run) -> list[Compaction]:
    """Return the summarizations for which a summarizer was asked and gave an answer."""
    return [
        compaction
        for compaction in run.compactions
        if compaction.asked and compaction.error is None
    ]


def count_traffic(run: Run) -> Traffic:
    """Return the traffic of ``run``.

    :class:`memviz.metrics.requests.shared_prefix.SharedPrefix` says how the tokens shared by two requests are counted.
    """
    return run.once(count_traffic, lambda: _add_up([run])[0])


def add_up_traffic(runs: Sequence[Run]) -> None:
    """Count the traffic of several runs at once, which is faster where they are short.

    Each run keeps its traffic, so that :func:`count_traffic` returns it.
    """
    derive_tokens([run.columns for run in runs])
    for run, run_traffic in zip(runs, _add_up(runs), strict=True):
        _keep_traffic(run, run_traffic)


def _keep_traffic(run: Run, run_traffic: Traffic) -> None:
    run.once(count_traffic, lambda: run_traffic)


def _add_up(runs: Sequence[Run]) -> list[Traffic]:
    # First by the ranges of all runs at once. Requests that these leave open are compared run by run: ``settle`` writes
    # into a slice, which is a view of ``shared``.
    shared, is_open = count_shared_in_ranges(runs)
    traffics = []
    start = 0
    for run in runs:
        rows = slice(start, start + len(run.requests))
        if is_open[rows].any():
            prefix = SharedPrefix(run)
            prefix.settle(shared[rows], is_open[rows], list_other_requests(run))
        traffics.append(_make_traffic(run, shared[rows]))
        start = rows.stop
    return traffics


def _make_traffic(run: Run, shared_tokens: Tokens) -> Traffic:
    columns = run.columns
    calls = list_answered_calls(run)
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
    """Return whether every request held all messages so far, as they were said, and nothing else, as the full buffer
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


def expand_traffic(run: Run, sent: Traffic) -> Traffic:
    """Return the traffic that ``run`` would have had without clearing and shortening messages.

    ``sent`` is its real traffic. Messages that were left out or summarized stay so.
    """
    prefix = SharedPrefix(run)
    input_tokens = sent.input_tokens.copy()
    others = {}
    for number, request in list_other_requests(run).items():
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


def count_broken_cache_tokens(run: Run) -> tuple[int, ...]:
    """Return for each compaction of ``run``, in order, how many tokens of the prompt cache it made useless.

    The first request that a compaction changed shares some tokens with the request before. The result is how many more
    it would share without the compaction; 0 where no request came before or after. Of several compactions before one
    request, each is compared with the one before.

    Whether these tokens really were in the cache depends on the pause and on the rules of the provider
    (:mod:`memviz.models.cache_rules`).
    """
    return run.once(count_broken_cache_tokens, lambda: _measure_breaks(run))


def _measure_breaks(run: Run) -> tuple[int, ...]:
    broken = [0] * len(run.compactions)
    prefix = SharedPrefix(run)
    for number, compactions in run.requests.compactions():
        if not number:
            continue
        before = run.requests[number - 1]
        record = run.requests[number]
        cached = Request.of(before.parts, before.thoughts)
        # The request before each of its compactions, and at last as it was sent.
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
    """Return the request of ``record`` as it would have been before ``compaction``, with the same recalls and tools.

    If orphaned halves of tool calls were left out of the request, they are left out here too.
    """
    memory = record.memory
    parts = _assemble_parts(record, compaction, compaction.before.as_of(memory))
    if record.parts != _assemble_parts(record, compaction, memory):
        parts = complete_tool_pairs(memory.log, parts, _list_recalled(record))
    return Request.of(parts, record.thoughts)


def _assemble_parts(
    record: TurnRecord, compaction: Compaction, memory: Memory
) -> Parts:
    parts = assemble(memory, compaction.strategy.select(memory), _list_recalled(record))
    return parts._replace(tools=record.parts.tools, exchange=record.parts.exchange)


def _list_recalled(record: TurnRecord) -> tuple[int, ...]:
    return record.recalled.indices if record.recalled else ()
