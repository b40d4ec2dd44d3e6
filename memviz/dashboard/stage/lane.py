"""What one request sends as the pieces of a lane, in order, whose tokens add up to the request's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.core.memory import Memory, MemorySpace
from memviz.core.pieces import Line, Messages, Notes, Picked
from memviz.engine.assembly import message_tokens, reduced
from memviz.engine.parts import Parts

Json = list[Any]
KINDS = {
    "s": "system",
    "n": "summary",
    "h": "history",
    "r": "recalled",
    "i": "input",
    "l": "line",
}
"""The kinds of pieces by their letters: parts of a request, and lines of the rule's own words."""
Sizes = NDArray[np.int64]


def message_sizes(space: MemorySpace, length: int) -> Sizes:
    """What each of the first ``length`` messages of the log takes of a request when it is sent whole: its content, its
    tool calls, its speaker's name, and what the chat format adds to a message."""
    arrays = space.sums.arrays
    totals = arrays.totals + arrays.call_totals + arrays.name_totals
    return np.diff(totals[: length + 1]) + TOKENS_PER_MESSAGE


def sent_sizes(memory: Memory, parts: Parts, whole: Sizes) -> Sizes:
    """The same for one request: smaller for messages that it sends in another form."""
    sizes, counter = whole[: memory.length].copy(), memory.space.sums.counter
    for piece in parts.messages:
        if piece.form is not None:
            for position in reduced(memory.space, piece):
                said = memory.log.sent(position, piece.form)
                sizes[position] = message_tokens(counter, said) + TOKENS_PER_MESSAGE
    return sizes


def lane(
    memory: Memory, parts: Parts, tokens: dict[str, int], sizes: Sizes, base: int
) -> list[Json]:
    """``[kind, start, stop, tokens]`` each: of messages the log positions, of a summary the versions (0-based).
    Messages before ``base`` are one piece with their tokens; the tokens of all others, which are drawn one by one,
    stand in ``sizes`` and are left out here. What is missing to the tokens of the request belongs to no message: the
    tools that were offered, and what the chat format adds."""
    return [*_pieces(memory, parts, tokens, base, sizes)]


def _pieces(
    memory: Memory, parts: Parts, tokens: dict[str, int], base: int, sizes: Sizes
) -> Iterator[Json]:
    space = memory.space
    inside = [piece for piece in parts.notes if piece.place != "message"]
    if tokens["system"]:
        messages = max(space.system_count, bool(inside))
        yield [
            "s",
            0,
            space.system_stop,
            tokens["system"] + TOKENS_PER_MESSAGE * messages,
        ]
    own = sum(
        space.summaries.tokens(one.start, one.stop)
        for one in parts.notes
        if one.place == "message"
    )
    asked = parts.input.start if parts.input else memory.length
    for piece in parts.pieces:
        if isinstance(piece, Messages):
            kind = "i" if piece.start >= asked else "h"
            yield from _messages(
                kind, max(piece.start, space.system_stop), piece.stop, base, sizes
            )
        elif isinstance(piece, Picked):
            for position in piece.positions:
                yield from _messages("r", position, position + 1, base, sizes)
        elif isinstance(piece, Notes) and piece.place == "message":
            text = space.summaries.tokens(piece.start, piece.stop)
            yield ["n", piece.start, piece.stop, text + TOKENS_PER_MESSAGE]
        elif isinstance(piece, Notes):
            yield [
                "n",
                piece.start,
                piece.stop,
                tokens["summary"] - own if piece is inside[0] else 0,
            ]
        elif isinstance(piece, Line) and piece.place == "message":
            yield [
                "l",
                0,
                0,
                space.sums.counter(piece.message.content) + TOKENS_PER_MESSAGE,
            ]


def _messages(
    kind: str, start: int, stop: int, base: int, sizes: Sizes
) -> Iterator[Json]:
    if start < base:
        yield [kind, start, min(stop, base), int(sizes[start : min(stop, base)].sum())]
    if max(start, base) < stop:
        yield [kind, max(start, base), stop]
