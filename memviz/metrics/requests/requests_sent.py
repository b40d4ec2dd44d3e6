"""Every request of a run, in the order in which it was sent: those that the replies came from, and before each the
calls in which the model recalled or thought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.conversation import Message
from memviz.engine.answering import THINKING_INSTRUCTION
from memviz.engine.assembly import Parts, assemble
from memviz.engine.calls import thoughts
from memviz.engine.outline import Outline
from memviz.engine.recall import resolve
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.tool_pairs import without_halves
from memviz.models.tools import RECALL_CONVERSATION
from memviz.strategies.base import Selection

Tokens = NDArray[np.int64]
Piece = range | Message
"""Messages of the log, by their positions, or one that stands in no log."""


class Request(NamedTuple):
    """One request: the tools offered, the versions (0-based) in its summary message, and in ``pieces`` all messages
    behind that one."""

    tools: tuple[str, ...]
    summaries: range
    pieces: Sequence[Piece]


class Sent(NamedTuple):
    """All requests of a run as arrays, one entry a request. All tokens are as counted.

    ``summary_starts`` and ``summary_stops`` are the versions (0-based) in the summary message, ``starts`` and ``stops``
    the log positions of all messages behind it. Nearly every request is one such range; those that are not have a
    start of -1 and stand in ``others`` by their number.
    """

    others: dict[int, Request]
    turns: Tokens
    input_tokens: Tokens
    output_tokens: Tokens
    summary_tokens: Tokens
    summary_starts: Tokens
    summary_stops: Tokens
    starts: Tokens
    stops: Tokens

    def requests(self, numbers: NDArray[np.intp]) -> list[Request]:
        """The requests of these numbers (0-based) in full."""
        bounds = np.stack([self.summary_starts, self.summary_stops, self.starts, self.stops], axis=1)[numbers].tolist()
        return [
            self.others[number] if start < 0 else Request((), range(first, last), (range(start, stop),))
            for number, (first, last, start, stop) in zip(numbers.tolist(), bounds, strict=True)
        ]


def requests_sent(run: Run | Outline, *, overhead: bool = True) -> Sent:
    """All requests of ``run``; with ``overhead=False`` content tokens only, without what the chat format adds."""
    return _outlined(run, overhead) if isinstance(run, Outline) else _recorded(run, overhead)


def _outlined(run: Outline, overhead: bool) -> Sent:
    tokens = {part: counted for part, counted in run.tokens.items() if overhead or part != "overhead"}
    return Sent(
        others={
            number: Request((), parts.summaries, _pieces(parts, parts.recalled, ()))
            for number, parts in run.others.items()
        },
        turns=run.turns,
        input_tokens=np.sum([*tokens.values()], axis=0),
        output_tokens=run.reply_tokens,
        summary_tokens=run.tokens["summary"],
        summary_starts=run.summary_starts,
        summary_stops=run.summary_stops,
        starts=run.starts,
        stops=run.stops,
    )


def _recorded(run: Run, overhead: bool) -> Sent:
    others: dict[int, Request] = {}
    flat: list[int] = []  # numbers alone: thousands of small objects would cost more than reading the records
    for record in run.turns:
        parts, tokens, bounds = record.parts, record.tokens, record.parts.one_range
        if bounds is None or record.calls:
            _add_others(run, record, overhead, flat, others)
            continue
        total = sum(tokens.values())
        flat += (
            record.turn, total if overhead else total - tokens["overhead"], record.reply_tokens, tokens["summary"],
            parts.summaries.start, parts.summaries.stop, *bounds,
        )  # fmt: skip
    columns = np.array(flat, dtype=np.int64).reshape(-1, len(Sent._fields) - 1)
    return Sent(others, *(np.ascontiguousarray(column) for column in columns.T))


def _add_others(run: Run, record: TurnRecord, overhead: bool, flat: list[int], others: dict[int, Request]) -> None:
    """The request of ``record``, piece by piece, and the calls before it."""
    parts, found = record.parts, list(_earlier_calls(run, record, overhead))
    tokens, output_tokens = record.total_tokens, record.reply_tokens
    if not overhead:
        tokens -= record.tokens["overhead"]
    if parts.exchange:  # what the model wrote there is the output of the calls that wrote it
        sums = run.space.sums.reply_totals
        output_tokens -= sums[parts.exchange.stop] - sums[parts.exchange.start]
    pieces = _pieces(parts, parts.recalled, (*thoughts(record.calls), parts.exchange))
    found.append((pieces, tokens, output_tokens))
    for pieces, input_tokens, written_tokens in found:
        others[len(flat) // (len(Sent._fields) - 1)] = Request(parts.tools, parts.summaries, pieces)
        versions = (parts.summaries.start, parts.summaries.stop)
        flat += (record.turn, input_tokens, written_tokens, record.tokens["summary"], *versions, -1, -1)


def _pieces(parts: Parts, recalled: Sequence[int], behind: Sequence[Piece]) -> Sequence[Piece]:
    pieces = (*parts.history, *(range(position, position + 1) for position in recalled), parts.input, *behind)
    return [piece for piece in pieces if isinstance(piece, Message) or piece]


def _earlier_calls(run: Run, record: TurnRecord, overhead: bool) -> Iterator[tuple[Sequence[Piece], int, int]]:
    """The calls before the reply, each with its input and output tokens. It saw what was recalled and said by then."""
    parts, space = record.parts, run.space
    said: tuple[Message, ...] = ()
    recalls, position = 0, parts.exchange.start
    for call in record.calls:
        instruction = (THINKING_INSTRUCTION,) if call.kind == "thinking" else ()
        behind = (*instruction, *said, range(parts.exchange.start, position))
        pieces = _pieces(parts, _recalled_by_then(run, record, recalls), behind)
        tokens = call.sent_tokens
        if not overhead:
            messages = sum(len(piece) if isinstance(piece, range) else 1 for piece in pieces)
            messages += bool(parts.summaries) + space.system_count
            tokens -= TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST
        yield pieces, tokens, call.reply_tokens
        exchanged: Sequence[Message] = call.messages
        if position < parts.exchange.stop and call.kind == "recall":
            exchanged = space.log[position : position + 1 + len(space.log[position].tool_calls)]
            position += len(exchanged)
        else:
            said += call.messages
        recalls += _granted(exchanged)


def _granted(exchanged: Sequence[Message]) -> int:
    """How many recalls a reply asked for and got; ``exchanged`` are the reply and what it was told."""
    if not exchanged:
        return 0
    calls = zip(exchanged[0].tool_calls, exchanged[1:], strict=False)
    return sum(
        call.name == RECALL_CONVERSATION.name and not result.content.startswith("Error:") for call, result in calls
    )


def _recalled_by_then(run: Run, record: TurnRecord, by_model: int) -> Sequence[int]:
    """Positions of the recalled messages when the model had made the first ``by_model`` of its recalls."""
    found, parts = record.recalled, record.parts
    if found is None or by_model == found.by_model:
        return parts.recalled
    asked = found.asked[: len(found.asked_by_user) + by_model]
    selection = Selection(parts.summaries, parts.history)
    length = record.memory.before_input
    bound = run.strategy_at(record.turn).recall_limit_messages
    fresh = assemble(record.memory, selection, resolve(run.log, length, asked, bound).indices).recalled
    if assemble(record.memory, selection, found.indices).recalled != parts.recalled:  # tool pairs are kept whole
        fresh = without_halves(run.log, parts.history, fresh)[1]
    return fresh
