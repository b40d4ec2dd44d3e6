"""Requests of a run as pieces of the log.

Nearly every request is one range of messages behind a summary, so all of them together are
a few arrays (:class:`memviz.engine.columns.Columns`). The others stand beside these in full.
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
"""Messages of the log in one form, what a model wrote, or a message that stands in no log."""


class Request(NamedTuple):
    """One request, in pieces. None of them is empty."""

    tools: tuple[str, ...]
    """The schemas of the tools that are offered."""
    inside: tuple[Notes | Line, ...]
    """The pieces inside the system prompt, besides its own words."""
    items: Sequence[Item]
    """Everything behind the system prompt, in order."""

    @classmethod
    def of(cls, parts: Parts, thoughts: Sequence[Message] = ()) -> Request:
        """Return the request of these parts; ``thoughts`` stand behind the input."""
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
        # Behind the input stand what the model thought, and what was said while it used tools.
        items += (*thoughts, messages(parts.exchange))
        # Pieces that hold nothing send nothing, and two requests that differ in them alone are the same.
        request_items = []
        for item in items:
            if isinstance(item, Message) or item.start < item.stop:
                request_items.append(item)
        return cls(parts.tools, tuple(inside), request_items)


def list_other_requests(run: Run) -> dict[int, Request]:
    """Return the requests of ``run`` that are more than one range of messages behind a summary, by their number
    (0-based)."""
    requests = {}
    for number, parts in run.columns.others.items():
        requests[number] = Request.of(parts, run.requests.thoughts_at(number))
    return requests
