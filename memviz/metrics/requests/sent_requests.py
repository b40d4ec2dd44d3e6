"""Every request of a run in the order in which it was sent, as pieces of the log.

Nearly every request is one range of messages behind a summary, so all of them together are
a few arrays. The others stand beside these in full.
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
    """One request: the tools offered, what stands ``inside`` the system prompt besides its own words, and in ``items``
    everything behind it, in order. None is empty."""

    tools: tuple[str, ...]
    inside: tuple[Notes | Line, ...]
    items: Sequence[Item]

    @classmethod
    def of(cls, parts: Parts, thoughts: Sequence[Message] = ()) -> Request:
        """Return the request of these parts; ``thoughts`` stand behind the input."""
        inside: list[Notes | Line] = []
        items: list[Item] = []
        for piece in parts.pieces:
            if isinstance(piece, Picked):
                items += (Messages(at, at + 1) for at in piece.positions)
            elif isinstance(piece, Messages):
                items.append(piece)
            elif piece.place != "message":
                inside.append(piece)
            else:
                items.append(piece.message if isinstance(piece, Line) else piece)
        items += (*thoughts, messages(parts.exchange))
        sent = [item for item in items if _is_sent(item)]
        return cls(parts.tools, tuple(inside), sent)


def _is_sent(item: Item) -> bool:
    return isinstance(item, Message) or item.start < item.stop


class Sent(NamedTuple):
    """All requests of a run as arrays, one entry a request. All tokens are as counted.

    ``summary_starts`` and ``summary_stops`` are the versions (0-based) in the summary message, whose role is ``role``,
    ``starts`` and ``stops`` the log positions of all messages behind it. Nearly every request is one such range; those
    that are not have a start of -1 and stand in ``others`` by their number.
    """

    others: dict[int, Request]
    role: str
    turns: Tokens
    input_tokens: Tokens
    output_tokens: Tokens
    summary_tokens: Tokens
    summary_starts: Tokens
    summary_stops: Tokens
    starts: Tokens
    stops: Tokens

    def requests(self, numbers: NDArray[np.intp]) -> list[Request]:
        """Return the requests of these numbers (0-based) in full."""
        bounds = (self.summary_starts, self.summary_stops, self.starts, self.stops)
        rows = np.stack([numbers, *(bound[numbers] for bound in bounds)], axis=1)
        found = []
        for number, first, last, start, stop in rows.tolist():
            if start < 0:
                found.append(self.others[number])
                continue
            items: list[Item] = [Messages(start, stop)]
            if first < last:
                items.insert(0, Notes(first, last, "message", self.role))
            found.append(Request((), (), items))
        return found


def requests_sent(run: Run) -> Sent:
    """Return all requests of ``run``."""
    columns = run.columns
    others = {}
    for number, parts in columns.others.items():
        others[number] = Request.of(parts, run.requests.thoughts_at(number))
    return Sent(
        others=others,
        role=columns.summary_role,
        turns=columns.turns,
        input_tokens=columns.totals,
        output_tokens=columns.reply_tokens,
        summary_tokens=columns.tokens["summary"],
        summary_starts=columns.summary_starts,
        summary_stops=columns.summary_stops,
        starts=columns.starts,
        stops=columns.stops,
    )
