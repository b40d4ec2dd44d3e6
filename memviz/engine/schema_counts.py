"""Tokens of the schemas of tools in a request: of those that memviz offers, and those that a system message saves.

The schemas of the conversation's own program are counted in :attr:`memviz.core.memory.MemorySpace.tool_tokens`.
"""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Notes, Picked, Piece
from memviz.core.tool_schemas import SAVED_BY_SYSTEM_MESSAGE, count_schema_tokens
from memviz.models.tools import TOOLS


def count_offered_tokens(space: MemorySpace, tools: tuple[str, ...]) -> int:
    """Return the tokens of the schemas of these tools, which memviz offers, by name."""
    schemas = tuple(TOOLS[name].text for name in tools)
    return count_schema_tokens(
        space.sums.counter, schemas, has_system_prompt=space.system_count > 0
    )


def count_saved_tokens(
    space: MemorySpace, sent: Iterable[Piece | Message], tools: tuple[str, ...]
) -> int:
    """Return the tokens that schemas cost less because a system message of a request takes them in.

    Where there is a system prompt, :attr:`MemorySpace.tool_tokens` and :func:`count_offered_tokens` have counted that
    already, so nothing more is saved. ``sent`` is all that the request sends, ``tools`` are the names of those that
    memviz offers with it.
    """
    if space.system_count:
        return 0
    saved_tokens = 0
    if space.tool_tokens:
        saved_tokens += SAVED_BY_SYSTEM_MESSAGE
    if tools:
        saved_tokens += SAVED_BY_SYSTEM_MESSAGE
    if saved_tokens and any(_has_system_message(space, piece) for piece in sent):
        return saved_tokens
    return 0


def _has_system_message(space: MemorySpace, sent: Piece | Message) -> bool:
    """Return whether a piece is a system message, has one among its messages, or stands in the system prompt."""
    if isinstance(sent, Message):
        return sent.role == "system"
    if isinstance(sent, Notes):
        return sent.place != "message" or sent.role == "system"
    if isinstance(sent, Line):
        return sent.place != "message" or sent.message.role == "system"
    if isinstance(sent, Picked):
        return any(space.log[position].role == "system" for position in sent.positions)
    system_positions = space.log.later_system
    first = bisect_left(system_positions, sent.start)
    return first < bisect_left(system_positions, sent.stop)


def count_saved_tokens_in_ranges(
    space: MemorySpace,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    has_system_summary: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Return the numbers of :func:`count_saved_tokens` for many requests at once.

    Request ``i`` sends the messages ``[starts[i], stops[i])`` of the log and is offered no tools by memviz; the
    conversation's own program offers some, and there is no system prompt. ``has_system_summary[i]`` is true where it
    also sends a summary as a system message.
    """
    firsts, ends = np.searchsorted(space.log.later_system, [starts, stops])
    has_system_message = has_system_summary | (firsts < ends)
    return np.where(has_system_message, SAVED_BY_SYSTEM_MESSAGE, 0)
