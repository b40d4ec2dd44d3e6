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
"""Where a text stands: in a message of its own, or inside the system prompt, before or behind its words."""


class Messages(NamedTuple):
    """The messages of the log at positions ``[start, stop)``, whole or all in one form."""

    start: int
    stop: int
    form: Form | None = None

    @property
    def positions(self) -> range:
        """Their log positions."""
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
    """Earlier messages that are brought back whole, by their log positions in order. They are sent right before the
    input; with ``instead_of`` in their own place among the history, where they follow each other and the strategy would
    have sent them in that form."""

    positions: tuple[int, ...]
    instead_of: Form | None = None


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

NAMES: dict[type, str] = {
    Messages: "messages",
    Notes: "notes",
    Picked: "picked",
    Line: "line",
}


def messages(positions: range, form: Form | None = None) -> Messages:
    """The messages at ``positions``."""
    return Messages(positions.start, positions.stop, form)


def notes(
    versions: range, place: Place = "message", role: str = "system"
) -> tuple[Notes, ...]:
    """These versions as a piece; nothing where there are none."""
    return (Notes(versions.start, versions.stop, place, role),) if versions else ()


def joined(ranges: Iterable[range]) -> list[range]:
    """``ranges`` without empty ones, in order, those that touch made one."""
    found: list[range] = []
    for part in sorted((part for part in ranges if part), key=lambda part: part.start):
        if found and part.start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, part.stop))
        else:
            found.append(part)
    return found


def in_ranges(positions: Iterable[int]) -> list[range]:
    """Log positions as ranges."""
    found: list[range] = []
    for position in sorted(set(positions)):
        if found and found[-1].stop == position:
            found[-1] = range(found[-1].start, position + 1)
        else:
            found.append(range(position, position + 1))
    return found


def to_json(piece: Piece) -> list[Any]:
    """A piece as JSON: its name and its fields."""
    fields: list[Any] = list(piece)
    if isinstance(piece, Messages):
        fields = [
            piece.start,
            piece.stop,
            *([piece.form.to_dict()] if piece.form else []),
        ]
    elif isinstance(piece, Line):
        quotes = [[list(quote) for quote in piece.quotes]] if piece.quotes else []
        fields = [piece.message.to_dict(), piece.place, *quotes]
    elif isinstance(piece, Picked):
        fields = [
            list(piece.positions),
            *([piece.instead_of.to_dict()] if piece.instead_of else []),
        ]
    return [NAMES[type(piece)], *fields]


def from_json(value: list[Any]) -> Piece:
    """The piece that :func:`to_json` described. Raises ValueError for one that is unknown."""
    name, *fields = value
    if name == "messages":
        return Messages(
            fields[0], fields[1], form_from(fields[2]) if len(fields) > 2 else None
        )
    if name == "notes":
        return Notes(*fields)
    if name == "picked":
        return Picked(
            tuple(fields[0]), form_from(fields[1]) if len(fields) > 1 else None
        )
    if name == "line":
        quotes = (Quote(*quote) for found in fields[2:] for quote in found)
        return Line(Message.of(fields[0]), fields[1], tuple(quotes))
    raise ValueError(f"the piece {name!r} is unknown")
