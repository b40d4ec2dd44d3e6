"""Words that requests send and that no message of the log holds so: what is left of messages that are sent in another
form, and lines of the strategy's own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from typing import NamedTuple

from memviz.core.conversation import Message
from memviz.core.counters import FormSums
from memviz.core.forms import Form
from memviz.core.memory import MemorySpace
from memviz.core.pieces import Line, Messages
from memviz.engine.assembly import Parts, reduced, sums_of


class OtherRanges(NamedTuple):
    """What one request sends of them, as ranges of places in :attr:`OtherWords.messages`: in messages, and inside the
    system prompt."""

    in_messages: list[range]
    in_system: list[range]


class OtherWords:
    """The messages, each once however many requests send it, in the order in which requests were asked about."""

    def __init__(self, space: MemorySpace) -> None:
        self._space = space
        self._places: dict[Hashable, int] = {}
        self._first: dict[Form, int] = {}
        self.messages: list[Message] = []

    def of(self, parts: Parts) -> OtherRanges:
        """What a request sends of them."""
        found = OtherRanges([], [])
        for piece in parts.pieces:
            if isinstance(piece, Messages) and piece.form is not None:
                found.in_messages.append(self._changed(piece, piece.form))
            elif isinstance(piece, Line):
                place = self._place(
                    (piece.message.content, piece.message.tool_calls), piece.message
                )
                (
                    found.in_messages if piece.place == "message" else found.in_system
                ).append(place)
        return found

    def _changed(self, piece: Messages, form: Form) -> range:
        """The places of the messages that the form changes."""
        log, sums = self._space.log, None
        if piece.stop - piece.start > 1:  # of a form for one message no sums are kept
            sums = sums_of(self._space, form)
        if not isinstance(sums, FormSums):
            changed = reduced(self._space, piece)
            return (
                self._place((form, piece.start), log.sent(piece.start, form))
                if changed
                else range(0)
            )
        if (
            form not in self._first
        ):  # all that the form changes at once: then the messages of a range stand together
            self._first[form] = len(self.messages)
            self.messages += (log.sent(position, form) for position in sums.changed)
        first = self._first[form]
        return range(
            first + bisect_left(sums.changed, piece.start),
            first + bisect_left(sums.changed, piece.stop),
        )

    def _place(self, key: Hashable, message: Message) -> range:
        if key not in self._places:
            self._places[key] = len(self.messages)
            self.messages.append(message)
        return range(self._places[key], self._places[key] + 1)
