"""The tokens of the schemas of tools in one request: those that memviz offers, and what a system message saves."""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Notes, Picked, Piece
from memviz.core.tool_schemas import SAVED_BY_SYSTEM_MESSAGE, schema_tokens
from memviz.models.tools import TOOLS


def offered_tokens(space: MemorySpace, tools: tuple[str, ...]) -> int:
    """Tokens of the schemas of these tools, which memviz offers besides those of the conversation's own program."""
    schemas = tuple(TOOLS[name].text for name in tools)
    return schema_tokens(
        space.sums.counter, schemas, has_system_prompt=space.system_count > 0
    )


def saved_by_system_message(
    space: MemorySpace, sent: Iterable[Piece | Message], tools: tuple[str, ...]
) -> int:
    """Return the tokens that the schemas of tools cost less in a request than :attr:`MemorySpace.tool_tokens` and
    :func:`offered_tokens` say: where there is no system prompt, another system message takes them in. ``sent`` is all
    that the request sends, ``tools`` the names of those that memviz offers with it."""
    schemas = bool(space.tool_tokens) + bool(tools)
    if not schemas or space.system_count:
        return 0
    has_system_message = any(_is_of_system(space, one) for one in sent)
    return SAVED_BY_SYSTEM_MESSAGE * schemas * has_system_message


def _is_of_system(space: MemorySpace, sent: Piece | Message) -> bool:
    """Return whether a piece is a system message, has one among its messages, or stands in the system prompt."""
    if isinstance(sent, Notes):
        return sent.place != "message" or sent.role == "system"
    if isinstance(sent, Line):
        return sent.place != "message" or sent.message.role == "system"
    if isinstance(sent, Message):
        return sent.role == "system"
    if isinstance(sent, Picked):
        return any(space.log[position].role == "system" for position in sent.positions)
    later = space.log.later_system
    return bisect_left(later, sent.start) < bisect_left(later, sent.stop)


def saved_in_ranges(
    space: MemorySpace,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    has_system_summary: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Return :func:`saved_by_system_message` of requests that are one range of the log each, all at once."""
    has_system_message = has_system_summary
    if space.log.later_system:
        firsts, ends = np.searchsorted(space.log.later_system, [starts, stops])
        has_system_message = has_system_summary | (firsts < ends)
    can_save = space.tool_tokens > 0 and not space.system_count
    return SAVED_BY_SYSTEM_MESSAGE * can_save * has_system_message
