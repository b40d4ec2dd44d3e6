"""Pieces: what a strategy sends behind the system prompt, as a list in the order of the request.

Pieces name positions of the log and numbers of versions and hold no text of the conversation. From them alone follow
the exact messages, their tokens, what a cache can reuse, and what became of each message: nothing asks a strategy what
it meant.
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from memviz.core.forms import Form, form_from
from memviz.core.messages import Message

Place = Literal["message", "before system", "behind system"]
"""The place of a text: in a message of its own, or inside the system prompt, before or behind its words."""


class Messages(NamedTuple):
    """The messages of the log at positions ``[start, stop)``, whole or all in one form."""

    start: int
    stop: int
    form: Form | None = None

    @property
    def positions(self) -> range:
        """The log positions of the messages."""
        return range(self.start, self.stop)


class Notes(NamedTuple):
    """Notes that a model wrote: the summary versions ``[start, stop)`` (0-based), as one text."""

    start: int
    stop: int
    place: Place = "message"
    role: str = "system"

    @property
    def versions(self) -> range:
        """The versions."""
        return range(self.start, self.stop)


class Picked(NamedTuple):
    """Earlier messages that are brought back, by their log positions in order. They are sent right before the
    input; with ``instead_of`` in their own place among the history, where they follow each other and the strategy would
    have sent them in that form."""

    positions: tuple[int, ...]
    instead_of: Form | None = None
    form: Form | None = None
    """The form in which they are sent, where not whole: without calls that have no result."""


class Quote(NamedTuple):
    """A fact that was looked up among the notes: its ``number`` (from 1) in the order in which facts were noted, the
    version (0-based) that wrote it, and its score."""

    number: int
    version: int
    score: float


class Line(NamedTuple):
    """Words of the strategy's own, which stand in no log, such as "Skipped 12 messages."; or facts that were looked up
    among its notes: ``quotes``, one a line behind the first line."""

    message: Message
    place: Place = "message"
    quotes: tuple[Quote, ...] = ()


Piece = Messages | Notes | Picked | Line

KIND_NAMES: dict[type, str] = {
    Messages: "messages",
    Notes: "notes",
    Picked: "picked",
    Line: "line",
}


def messages(positions: range, form: Form | None = None) -> Messages:
    """The messages at ``positions``."""
    return Messages(positions.start, positions.stop, form)


def messages_at(positions: Iterable[int]) -> list[Messages]:
    """The messages at log positions that all differ, in order: 3, 1, 2 and 7 are the messages 1 to 3 and the message
    7."""
    pieces: list[Messages] = []
    start = stop = -1
    for position in sorted(positions):
        if position != stop:
            if start >= 0:
                pieces.append(Messages(start, stop))
            start = position
        stop = position + 1
    if start >= 0:
        pieces.append(Messages(start, stop))
    return pieces


def notes(
    versions: range, place: Place = "message", role: str = "system"
) -> tuple[Notes, ...]:
    """The piece of these ``versions``, or nothing where there are none."""
    if not versions:
        return ()
    return (Notes(versions.start, versions.stop, place, role),)


def joined(ranges: Iterable[range]) -> list[range]:
    """``ranges`` without empty ones, in order, those that touch or overlap made one:
    ``0-3, 5-7, 3-4`` becomes ``0-4, 5-7``."""
    joined_ranges: list[range] = []
    filled = [part for part in ranges if part]
    for part in sorted(filled, key=lambda part: part.start):
        last = joined_ranges[-1] if joined_ranges else None
        if last is not None and part.start <= last.stop:
            joined_ranges[-1] = range(last.start, max(last.stop, part.stop))
        else:
            joined_ranges.append(part)
    return joined_ranges


def in_ranges(positions: Iterable[int]) -> list[range]:
    """Log positions as ranges: 1, 2, 3, 7 are ``1-4`` and ``7-8``."""
    ranges: list[range] = []
    for position in sorted(set(positions)):
        if ranges and ranges[-1].stop == position:
            ranges[-1] = range(ranges[-1].start, position + 1)
        else:
            ranges.append(range(position, position + 1))
    return ranges


def to_json(piece: Piece) -> list[Any]:
    """A piece as JSON, its name and its fields: ``["messages", 3, 9]``. Forms and quotes are
    left out where there are none."""
    name = KIND_NAMES[type(piece)]
    fields: list[Any]
    if isinstance(piece, Notes):
        return [name, *piece]
    if isinstance(piece, Line):
        fields = [name, piece.message.to_dict(), piece.place]
        if piece.quotes:
            fields.append([list(quote) for quote in piece.quotes])
        return fields
    if isinstance(piece, Messages):
        forms = [piece.form]
        fields = [name, piece.start, piece.stop]
    else:
        forms = [piece.instead_of, piece.form]
        fields = [name, list(piece.positions)]
    while forms and forms[-1] is None:
        forms.pop()
    fields += [form.to_dict() if form is not None else None for form in forms]
    return fields


def from_json(value: list[Any]) -> Piece:
    """The piece that :func:`to_json` described. Raises ValueError for one that is unknown."""
    name, *fields = value
    if name == "notes":
        return Notes(*fields)
    if name == "messages":
        start, stop, *form = fields
        return Messages(start, stop, form_from(form[0]) if form else None)
    if name == "picked":
        positions, *values = fields
        forms = [None if value is None else form_from(value) for value in values]
        return Picked(tuple(positions), *forms)
    if name == "line":
        message, place, *quotes = fields
        quoted = [Quote(*quote) for quote in quotes[0]] if quotes else []
        return Line(Message.of(message), place, tuple(quoted))
    raise ValueError(f"the piece {name!r} is unknown")
