"""Describes one request as its parts: pieces of the log and of the notes, in the order of sending.

:func:`memviz.engine.assembly.assemble` makes :class:`Parts` of what a strategy selects. Messages and tokens are derived
from them when they are needed, so that thousands of requests take little memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count, groupby, islice, repeat
from operator import is_, is_not
from typing import NamedTuple

from memviz.core.context import BlockKind
from memviz.core.forms import Form
from memviz.core.pieces import Line, Messages, Notes, Picked, Piece, in_ranges

NO_FORMS: Mapping[int, Form | None] = {}


class Parts(NamedTuple):
    """The parts of one request."""

    pieces: tuple[Piece, ...]
    """Everything behind the system prompt, in order. The pieces of the input are the last."""
    input: range = range(0)
    """The log positions of the input; empty when the log ends with the assistant."""
    tools: tuple[str, ...] = ()
    """The names of the tools offered."""
    exchange: range = range(0)
    """The log positions of the recalls that the model made behind the input."""

    @property
    def notes(self) -> tuple[Notes, ...]:
        """The pieces that a model wrote."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Notes))

    @property
    def summaries(self) -> range:
        """The versions (0-based) that are sent; of several tracks those of the first."""
        # Hundreds of messages may stand before the notes, and this is asked at every request.
        kinds = [*map(type, self.pieces)]
        if Notes in kinds:
            first = self.pieces[kinds.index(Notes)]
            if isinstance(first, Notes):
                return first.versions
        return range(0)

    @property
    def quoted(self) -> tuple[int, ...]:
        """The versions (0-based) whose facts were looked up, in order."""
        versions = set[int]()
        for piece in self.pieces:
            if isinstance(piece, Line):
                versions.update(quote.version for quote in piece.quotes)
        return tuple(sorted(versions))

    @property
    def messages(self) -> tuple[Messages, ...]:
        """All messages of the log that are sent in their own place, those of the input last."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Messages))

    @property
    def asked(self) -> tuple[Messages, ...]:
        """The messages of the input."""
        return tuple(piece for piece in self.messages if self._is_input(piece))

    @property
    def history(self) -> tuple[range, ...]:
        """Log positions of the history, those of restored messages among them."""
        history: list[range] = []
        for piece in self.pieces:
            if isinstance(piece, Messages) and not self._is_input(piece):
                history.append(piece.positions)
            elif isinstance(piece, Picked) and piece.instead_of is not None:
                history.append(range(piece.positions[0], piece.positions[-1] + 1))
        return tuple(history)

    @property
    def recalled(self) -> tuple[int, ...]:
        """The log positions of all recalled messages, in order."""
        positions: list[int] = []
        for piece in self.pieces:
            if isinstance(piece, Picked):
                positions += piece.positions
        return tuple(sorted(positions))

    @property
    def restored(self) -> tuple[int, ...]:
        """The log positions of recalled messages that are whole in their own place, instead of in a form. All other
        recalled messages stand before the input."""
        positions: list[int] = []
        for piece in self.pieces:
            if isinstance(piece, Picked) and piece.instead_of is not None:
                positions += piece.positions
        return tuple(positions)

    @property
    def one_range(self) -> tuple[int, int] | None:
        """The start and the stop of history and input, if they are one range of whole messages behind at most one
        message of notes, and nothing else is sent."""
        if self.tools or self.exchange or not self.input:
            return None
        start = stop = -1
        for number, piece in enumerate(self.pieces):
            if isinstance(piece, Messages) and piece.form is None:
                if stop < 0:
                    start = piece.start
                elif stop != piece.start:
                    return None
                stop = piece.stop
            elif number or not isinstance(piece, Notes) or piece.place != "message":
                return None
        return start, stop

    def with_messages(
        self, history: Sequence[Messages], asked: Sequence[Messages]
    ) -> Parts:
        """Return the request with other messages of the log, and without recalled ones.

        Notes between messages keep their place: before the first message of the log that stood behind them.
        """
        history_left = [*history]
        pieces: list[Piece] = []
        for piece in remove_recalled(self.pieces[: self._history_stop]):
            if isinstance(piece, Messages):
                while history_left and history_left[0].start < piece.stop:
                    pieces.append(history_left.pop(0))
            else:
                pieces.append(piece)
        positions = range(asked[0].start, asked[-1].stop) if asked else range(0)
        return self._replace(pieces=(*pieces, *history_left, *asked), input=positions)

    def with_recalled(
        self, recalled: Collection[int], forms: Mapping[int, Form | None] = NO_FORMS
    ) -> Parts:
        """Return the request with the ``recalled`` messages instead of those that it recalls. It may send none of them
        whole already. ``forms`` has the form of each that is not sent whole, by log position."""
        history_stop = self._history_stop
        history = insert_recalled(
            remove_recalled(self.pieces[:history_stop]), recalled, forms
        )
        return self._replace(pieces=(*history, *self.pieces[history_stop:]))

    @property
    def _history_stop(self) -> int:
        """The number of pieces before those of the input."""
        stop = len(self.pieces)
        while stop and self._is_input(self.pieces[stop - 1]):
            stop -= 1
        return stop

    def _is_input(self, piece: Piece) -> bool:
        return self.kind_of(piece) == "input"

    def kind_of(self, piece: Piece) -> BlockKind:
        """Return the kind of block that a piece belongs to."""
        if isinstance(piece, Messages):
            is_asked = self.input and piece.start >= self.input.start
            return "input" if is_asked else "history"
        if isinstance(piece, Notes) or (isinstance(piece, Line) and piece.quotes):
            return "summary"
        return "recalled" if isinstance(piece, Picked) else "history"


class Shared(NamedTuple):
    """A row of pieces that two requests share as the same objects."""

    start: int = 0
    """The index of the first shared piece in the later request."""
    stop: int = 0
    skipped: int = 0
    """How many more pieces stand before them in the earlier request than in the later one; may be negative."""


def find_shared(later: Sequence[Piece], earlier: Sequence[Piece]) -> Shared:
    """Return the pieces of a ``later`` request that an ``earlier`` one sent in the same order, from the first or the
    second piece on. A strategy that keeps the newest hundreds drops the oldest of them, or cuts one anew."""
    for start, first in enumerate(later[:2]):
        same = map(is_, repeat(first, len(earlier)), earlier)
        place = next(compress(count(), same), -1)
        if place >= 0:
            others = map(
                is_not, islice(later, start, None), islice(earlier, place, None)
            )
            most = min(len(later) - start, len(earlier) - place)
            stop = start + next(compress(count(), others), most)
            return Shared(start, stop, place - start)
    return Shared()


def insert_recalled(
    history: Sequence[Piece],
    recalled: Collection[int],
    forms: Mapping[int, Form | None] = NO_FORMS,
) -> Iterator[Piece]:
    """Yield the pieces of a ``history`` without recalled messages, with the messages at the positions ``recalled``.

    None of them may be in it whole. Those that it reduces become whole in their place; those that it lacks stand behind
    it, each in its form of ``forms``.
    """
    positions_left = set(recalled)
    for piece in history:
        positions_here = set[int]()
        if isinstance(piece, Messages) and piece.form is not None:
            positions_here = positions_left.intersection(piece.positions)
            yield from restore_whole(piece, positions_here)
            positions_left -= positions_here
        else:
            yield piece
    for form, positions in groupby(sorted(positions_left), key=forms.get):
        yield Picked(tuple(positions), form=form)


def restore_whole(piece: Messages, positions: Collection[int]) -> Iterator[Piece]:
    """Yield the messages of a reduced ``piece`` in order, those at ``positions`` whole."""
    parts: list[Messages | Picked] = [*leave_out(piece, sorted(positions))]
    parts += [Picked(tuple(row), piece.form) for row in in_ranges(positions)]
    yield from sorted(parts, key=lambda part: part.positions[0])


def leave_out(piece: Messages, positions: Iterable[int]) -> Iterator[Messages]:
    """Yield the rest of a piece once the messages at ascending ``positions`` of it are left out: of messages 0 to 5
    without 3 these are 0 to 2, and 4 to 5."""
    start = piece.start
    for position in positions:
        if start < position:
            yield piece._replace(start=start, stop=position)
        start = position + 1
    if start < piece.stop:
        yield piece._replace(start=start)


def remove_recalled(history: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a history without recalled messages: restored ones are in their forms again, and the pieces
    that they split are joined."""
    pieces: list[Piece] = []
    for piece in history:
        if isinstance(piece, Picked):
            if piece.instead_of is None:
                continue
            first = piece.positions[0]
            last = piece.positions[-1]
            piece = Messages(first, last + 1, piece.instead_of)
        before = pieces[-1] if pieces else None
        if (
            isinstance(piece, Messages)
            and isinstance(before, Messages)
            and (before.stop, before.form) == (piece.start, piece.form)
        ):
            pieces[-1] = before._replace(stop=piece.stop)
        else:
            pieces.append(piece)
    return pieces
