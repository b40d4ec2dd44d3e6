"""The texts that requests send but that are no messages of the log as they were said.

:class:`OtherWords` collects them for :class:`~memviz.metrics.requests.request_table.RequestContents`, so that facts are
looked up in them as well as in the messages of the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.forms import Form, Superseded
from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Picked
from memviz.core.token_sums import FormSums
from memviz.engine.part_tokens import find_reduced_positions, sums_of
from memviz.engine.parts import Parts


class OtherRanges(NamedTuple):
    """The parts of :class:`OtherWords` that one request sends, as ranges of places in :attr:`OtherWords.messages`."""

    in_messages: list[range]
    in_system: list[range]
    """Those inside the system prompt."""
    in_notes: list[range]
    """Those that are facts looked up among the notes."""
    in_recalled: list[range]
    """Those that are left of recalled messages."""


@dataclass(eq=False, repr=False)
class OtherWords:
    """The texts that requests send but that are no messages of the log as they were said.

    These are messages in another form, such as shortened ones, and lines that the strategy writes itself. Many requests
    send the same text, so each text is kept once in :attr:`messages`, and requests refer to its place there.
    """

    space: MemorySpace
    messages: list[Message] = field(default_factory=list)
    _places: dict[Hashable, int] = field(default_factory=dict)
    _first: dict[Form, int] = field(default_factory=dict)
    _superseded: dict[Messages, list[range]] = field(default_factory=dict)

    def of(self, parts: Parts) -> OtherRanges:
        """Return the texts that a request of these ``parts`` sends, and keep those that are new."""
        ranges = OtherRanges([], [], [], [])
        for piece in parts.pieces:
            if isinstance(piece, Messages) and isinstance(piece.form, Superseded):
                ranges.in_messages.extend(self._place_superseded(piece))
            elif isinstance(piece, Messages) and piece.form is not None:
                ranges.in_messages.append(self._place_changed(piece, piece.form))
            # A line that the strategy writes is never in the log.
            elif isinstance(piece, Line):
                message = piece.message
                place = self._place_message(
                    (message.content, message.tool_calls), message
                )
                if piece.quotes:
                    ranges.in_notes.append(place)
                elif piece.place == "message":
                    ranges.in_messages.append(place)
                else:
                    ranges.in_system.append(place)
        for message in find_reduced_recalls(self.space.log, parts).values():
            place = self._place_message((message.content, message.tool_calls), message)
            ranges.in_recalled.append(place)
        return ranges

    def _place_changed(self, piece: Messages, form: Form) -> range:
        """Return the places of the messages of ``piece`` that ``form`` changes."""
        log = self.space.log
        # There are no cached sums for a form of a single message.
        if piece.stop - piece.start == 1:
            if not find_reduced_positions(self.space, piece):
                return range(0)
            return self._place_message((form, piece.start), log.sent(piece.start, form))
        sums = sums_of(self.space, form)
        if not isinstance(sums, FormSums):
            return range(0)
        # All messages that the form changes are added at once, so that those of any range lie next to each other.
        if form not in self._first:
            self._first[form] = len(self.messages)
            self.messages += (log.sent(position, form) for position in sums.changed)
        first = self._first[form]
        start = bisect_left(sums.changed, piece.start)
        return range(first + start, first + bisect_left(sums.changed, piece.stop))

    def _place_superseded(self, piece: Messages) -> list[range]:
        """Return the places of the messages of ``piece`` that are changed because a newer read superseded them.

        Nearly all of them read the same, and many requests have the same piece, so the result is kept.
        """
        if piece not in self._superseded:
            log = self.space.log
            by_text: dict[Hashable, Message] = {}
            for position in find_reduced_positions(self.space, piece):
                message = log.sent(position, piece.form)
                by_text[message.content, message.tool_calls] = message
            places = [
                self._place_message(key, message) for key, message in by_text.items()
            ]
            self._superseded[piece] = places
        return self._superseded[piece]

    def _place_message(self, key: Hashable, message: Message) -> range:
        place = self._places.setdefault(key, len(self.messages))
        if place == len(self.messages):
            self.messages.append(message)
        return range(place, place + 1)


def find_reduced_recalls(log: Log, parts: Parts) -> dict[int, Message]:
    """Return by log position the recalled messages that a request sends with less in them, as they are sent.

    Of a message with an unanswered tool call, for example, only the text is left.
    """
    left: dict[int, Message] = {}
    for piece in parts.pieces:
        if not isinstance(piece, Picked) or piece.form is None:
            continue
        for position in piece.positions:
            message = log.sent(position, piece.form)
            if message is not log[position]:
                left[position] = message
    return left
