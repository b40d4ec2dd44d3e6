"""Requests as sequences of pieces, which :class:`~memviz.metrics.requests.shared_prefix.SharedPrefix` compares.

Nearly every request is one range of messages after a summary; those are compared as arrays in
:mod:`~memviz.metrics.requests.shared_ranges`. Only the others are made into a :class:`Request`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Picked, messages
from memviz.engine.parts import Parts
from memviz.engine.run import Run

Tokens = NDArray[np.int64]
Item = Messages | Notes | Message
"""Messages of the log in one form, notes that a model wrote, or a message that is not in the log."""


class Request(NamedTuple):
    """A request as pieces, none of which is empty."""

    tools: tuple[str, ...]
    """The schemas of the tools that are offered."""
    inside: tuple[Notes | Line, ...]
    """The pieces that are put into the system prompt."""
    items: Sequence[Item]
    """The pieces after the system prompt, in order."""

    @classmethod
    def of(cls, parts: Parts, thoughts: Sequence[Message] = ()) -> Request:
        """Return the request of these parts; ``thoughts`` come after the input."""
        inside: list[Notes | Line] = []
        items: list[Item] = []
        for piece in parts.pieces:
            if isinstance(piece, Picked):
                items += (Messages(at, at + 1, piece.form) for at in piece.positions)
            elif isinstance(piece, Messages):
                items.append(piece)
            elif piece.place != "message":
                inside.append(piece)
            else:
                items.append(piece.message if isinstance(piece, Line) else piece)
        # After the input come the thoughts of the model, and the messages of its tool calls.
        items += (*thoughts, messages(parts.exchange))
        # Empty pieces are left out, because requests that only differ in these are the same.
        request_items = []
        for item in items:
            if isinstance(item, Message) or item.start < item.stop:
                request_items.append(item)
        return cls(parts.tools, tuple(inside), request_items)


def list_other_requests(run: Run) -> dict[int, Request]:
    """Return the requests of ``run`` that are not one range of messages after a summary, by number (0-based)."""
    requests = {}
    for number, parts in run.columns.others.items():
        requests[number] = Request.of(parts, run.requests.thoughts_at(number))
    return requests
