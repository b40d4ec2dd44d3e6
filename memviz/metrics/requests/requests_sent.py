"""Every request of a run, in the order in which it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.conversation import Message
from memviz.core.pieces import Line, Messages, Notes, Picked, messages
from memviz.engine.assembly import Parts
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
        """The request of these parts; ``thoughts`` stand behind the input."""
        inside: list[Notes | Line] = []
        items: list[Item] = []
        for piece in parts.pieces:
            if isinstance(piece, Picked):
                items += (
                    Messages(position, position + 1) for position in piece.positions
                )
            elif isinstance(piece, Messages):
                items.append(piece)
            elif piece.place != "message":
                inside.append(piece)
            else:
                items.append(piece.message if isinstance(piece, Line) else piece)
        items += (*thoughts, messages(parts.exchange))
        return cls(
            parts.tools, tuple(inside), [item for item in items if _is_sent(item)]
        )


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
        """The requests of these numbers (0-based) in full."""
        bounds = np.stack(
            [self.summary_starts, self.summary_stops, self.starts, self.stops], axis=1
        )[numbers].tolist()
        return [
            self.others[number]
            if start < 0
            else self._one_range(first, last, start, stop)
            for number, (first, last, start, stop) in zip(
                numbers.tolist(), bounds, strict=True
            )
        ]

    def _one_range(self, first: int, last: int, start: int, stop: int) -> Request:
        notes = (Notes(first, last, "message", self.role),) if first < last else ()
        return Request((), (), (*notes, Messages(start, stop)))


def requests_sent(run: Run, *, overhead: bool = True) -> Sent:
    """All requests of ``run``; with ``overhead=False`` content tokens only, without what the chat format adds."""
    columns = run.columns
    others = {
        number: Request.of(parts, run.requests.thoughts_at(number))
        for number, parts in columns.others.items()
    }
    return Sent(
        others=others,
        role=columns.summary_role,
        turns=columns.turns,
        input_tokens=np.sum(
            [n for part, n in columns.tokens.items() if overhead or part != "overhead"],
            axis=0,
        ),
        output_tokens=columns.reply_tokens,
        summary_tokens=columns.tokens["summary"],
        summary_starts=columns.summary_starts,
        summary_stops=columns.summary_stops,
        starts=columns.starts,
        stops=columns.stops,
    )
