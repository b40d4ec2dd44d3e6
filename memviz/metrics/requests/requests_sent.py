"""Every request of a run, in the order in which it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.conversation import Message
from memviz.engine.assembly import Parts
from memviz.engine.outline import Outline
from memviz.engine.run import Run

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
        others={number: Request((), parts.summaries, _pieces(parts)) for number, parts in run.others.items()},
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
    for number, record in enumerate(run.requests):
        parts, tokens = record.parts, record.tokens
        bounds = None if record.thoughts else parts.one_range
        if bounds is None:
            pieces = _pieces(parts, (*record.thoughts, parts.exchange))
            others[number], bounds = Request(parts.tools, parts.summaries, pieces), (-1, -1)
        total = sum(tokens.values())
        flat += (
            record.turn, total if overhead else total - tokens["overhead"], record.reply_tokens, tokens["summary"],
            parts.summaries.start, parts.summaries.stop, *bounds,
        )  # fmt: skip
    columns = np.array(flat, dtype=np.int64).reshape(-1, len(Sent._fields) - 1)
    return Sent(others, *(np.ascontiguousarray(column) for column in columns.T))


def _pieces(parts: Parts, behind: Sequence[Piece] = ()) -> Sequence[Piece]:
    pieces = (*parts.history, *(range(position, position + 1) for position in parts.recalled), parts.input, *behind)
    return [piece for piece in pieces if isinstance(piece, Message) or piece]
