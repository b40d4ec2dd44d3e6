"""The parts of a request: its pieces in order, and how those of many requests are kept as numbers."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import compress, count, islice, repeat
from operator import is_, is_not
from typing import NamedTuple

import numpy as np

from memviz.core.context import BlockKind
from memviz.core.pieces import Line, Messages, Notes, Picked, Piece, in_ranges

WIDTH = 3
"""The numbers of a piece."""


class Parts(NamedTuple):
    """One request: its ``pieces`` behind the system prompt in order, those of the input last; the log positions of the
    ``input`` (empty when the log ends with the assistant), the names of the tools offered, and the log positions of the
    recalls that the model made behind the input."""

    pieces: tuple[Piece, ...]
    input: range = range(0)
    tools: tuple[str, ...] = ()
    exchange: range = range(0)

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
            found = self.pieces[kinds.index(Notes)]
            if isinstance(found, Notes):
                return found.versions
        return range(0)

    @property
    def quoted(self) -> tuple[int, ...]:
        """The versions (0-based) of which facts were looked up, in order."""
        found = set[int]()
        for piece in self.pieces:
            if isinstance(piece, Line):
                found.update(quote.version for quote in piece.quotes)
        return tuple(sorted(found))

    @property
    def messages(self) -> tuple[Messages, ...]:
        """All messages of the log that are sent in their own place, those of the input last."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Messages))

    @property
    def asked(self) -> tuple[Messages, ...]:
        """Those of the input."""
        return tuple(one for one in self.messages if self._is_input(one))

    @property
    def history(self) -> tuple[range, ...]:
        """Log positions of the history, those of restored messages among them."""
        found: list[range] = []
        for piece in self.pieces:
            if isinstance(piece, Messages) and not self._is_input(piece):
                found.append(piece.positions)
            elif isinstance(piece, Picked) and piece.instead_of is not None:
                found.append(range(piece.positions[0], piece.positions[-1] + 1))
        return tuple(found)

    @property
    def recalled(self) -> tuple[int, ...]:
        """Log positions of all that is brought back, in order."""
        found: list[int] = []
        for piece in self.pieces:
            if isinstance(piece, Picked):
                found += piece.positions
        return tuple(sorted(found))

    @property
    def restored(self) -> tuple[int, ...]:
        """Those of them that stand in their own place, whole instead of in a form. All others stand before the
        input."""
        found: list[int] = []
        for piece in self.pieces:
            if isinstance(piece, Picked) and piece.instead_of is not None:
                found += piece.positions
        return tuple(found)

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
        """The request with these messages of the log instead, and nothing brought back. What stands between messages
        keeps its place as far as there is one: before the first message of the log that stood behind it."""
        left = [*history]
        found: list[Piece] = []
        for piece in without_recalled(self.pieces[: self._history_stop]):
            if isinstance(piece, Messages):
                while left and left[0].start < piece.stop:
                    found.append(left.pop(0))
            else:
                found.append(piece)
        positions = range(asked[0].start, asked[-1].stop) if asked else range(0)
        return self._replace(pieces=(*found, *left, *asked), input=positions)

    def with_recalled(self, recalled: Collection[int]) -> Parts:
        """The request with these messages, none of which it sends whole, brought back instead."""
        at = self._history_stop
        history = with_recalled(without_recalled(self.pieces[:at]), recalled)
        return self._replace(pieces=(*history, *self.pieces[at:]))

    @property
    def _history_stop(self) -> int:
        """The number of pieces that stand before those of the input."""
        at = len(self.pieces)
        while at and self._is_input(self.pieces[at - 1]):
            at -= 1
        return at

    def _is_input(self, piece: Piece) -> bool:
        return self.kind_of(piece) == "input"

    def kind_of(self, piece: Piece) -> BlockKind:
        """The kind of block that the messages of a piece stand in."""
        if isinstance(piece, Messages):
            is_asked = self.input and piece.start >= self.input.start
            return "input" if is_asked else "history"
        if isinstance(piece, Notes) or (isinstance(piece, Line) and piece.quotes):
            return "summary"
        return "recalled" if isinstance(piece, Picked) else "history"


class Shared(NamedTuple):
    """Pieces in a row that are the very same in two requests."""

    start: int = 0
    """The number of the first of them in the later request."""
    stop: int = 0
    skipped: int = 0
    """So many more pieces stand before them in the earlier request than in the later one; fewer where it is below 0."""


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


def with_recalled(
    history: Sequence[Piece], recalled: Collection[int]
) -> Iterator[Piece]:
    """The pieces of a ``history`` that brings nothing back, with the messages at these log positions. None of them may
    stand in it whole."""
    left = set(recalled)
    for piece in history:
        here = set[int]()
        if isinstance(piece, Messages) and piece.form is not None:
            here = left.intersection(piece.positions)
            yield from restored_in(piece, here)
            left -= here
        else:
            yield piece
    if left:
        yield Picked(tuple(sorted(left)))


def restored_in(piece: Messages, positions: Collection[int]) -> Iterator[Piece]:
    """The messages of one form, with those at ``positions`` whole."""
    at = piece.start
    for row in in_ranges(positions):
        if at < row.start:
            yield piece._replace(start=at, stop=row.start)
        yield Picked(tuple(row), piece.form)
        at = row.stop
    if at < piece.stop:
        yield piece._replace(start=at)


def without_recalled(history: Sequence[Piece]) -> list[Piece]:
    """The pieces of a history as they would be with nothing brought back: restored messages are in their forms, and
    what they parted is one piece again."""
    found: list[Piece] = []
    for piece in history:
        if isinstance(piece, Picked):
            if piece.instead_of is None:
                continue
            first = piece.positions[0]
            last = piece.positions[-1]
            piece = Messages(first, last + 1, piece.instead_of)
        before = found[-1] if found else None
        if (
            isinstance(piece, Messages)
            and isinstance(before, Messages)
            and before.stop == piece.start
            and before.form == piece.form
        ):
            found[-1] = before._replace(stop=piece.stop)
        else:
            found.append(piece)
    return found


class PartsTable(Mapping[int, Parts]):
    """Parts by the number (0-based) of their request; added in the order of these numbers.

    A piece is three numbers: where it starts and stops, and the place of the rest of it in a list of values, of which
    most requests share a few. That rest is a piece of the same kind at 0; of one without a range it is all of it.
    """

    def __init__(self) -> None:
        self._numbers = array("q")
        self._firsts = array("q", [0])
        self._inputs = array("q")
        self._pieces = array("q")
        self._values: list[Piece] = []
        self._places: dict[Hashable, int] = {}
        self._tools: dict[int, tuple[tuple[str, ...], range]] = {}
        self.newest = Parts(())
        """The parts that were added last."""

    def add(self, number: int, parts: Parts) -> None:
        """Keep the parts of the next such request."""
        # A strategy that picks hundreds of messages sends most of them again with the next request.
        start, stop, skipped = find_shared(parts.pieces, self.newest.pieces)
        self._pieces.extend(self._numbers_of(parts.pieces[:start]))
        if stop:
            first = self._firsts[-2] + WIDTH * skipped
            shared = self._pieces[first + WIDTH * start : first + WIDTH * stop]
            self._pieces.extend(shared)
        self._pieces.extend(self._numbers_of(parts.pieces[stop:]))
        self.newest = parts
        self._numbers.append(number)
        self._firsts.append(len(self._pieces))
        self._inputs.extend((parts.input.start, parts.input.stop))
        if parts.tools or parts.exchange:
            self._tools[number] = parts.tools, parts.exchange

    def _numbers_of(self, pieces: Sequence[Piece]) -> list[int]:
        numbers: list[int] = []
        form = None
        place_in_form = -1
        for piece in pieces:
            if isinstance(piece, Messages):
                start, stop, own_form = piece
                # Of hundreds of messages in a row nearly all are whole, or in one form.
                if place_in_form < 0 or own_form is not form:
                    form = own_form
                    place_in_form = self._place(Messages(0, 0, form))
                numbers += (start, stop, place_in_form)
            elif isinstance(piece, Notes):
                place = self._place(_at(piece, 0, 0))
                numbers += (piece.start, piece.stop, place)
            else:
                numbers += (0, 0, self._place(piece))
        return numbers

    def _place(self, value: Piece) -> int:
        place = self._places.setdefault(value, len(self._values))
        if place == len(self._values):
            self._values.append(value)
        return place

    def __getitem__(self, number: int) -> Parts:
        row = bisect_left(self._numbers, number)
        if row == len(self._numbers) or self._numbers[row] != number:
            raise KeyError(number)
        first, stop = self._firsts[row : row + 2]
        pieces = []
        for at in range(first, stop, WIDTH):
            start, end, place = self._pieces[at : at + WIDTH]
            pieces.append(_at(self._values[place], start, end))
        asked = range(*self._inputs[2 * row : 2 * row + 2])
        tools, exchange = self._tools.get(number, ((), range(0)))
        return Parts(tuple(pieces), asked, tools, exchange)

    def with_picked(self) -> list[int]:
        """The numbers of the requests that messages were brought back into. No parts are made for it."""
        is_picked = np.array(
            [isinstance(value, Picked) for value in self._values], bool
        )
        places = np.array(self._pieces, np.int64)[WIDTH - 1 :: WIDTH]
        picked = np.flatnonzero(is_picked[places])
        firsts = np.array(self._firsts, np.int64)
        rows = np.searchsorted(firsts, WIDTH * picked, side="right") - 1
        return [self._numbers[row] for row in np.unique(rows).tolist()]

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def _at(piece: Piece, start: int, stop: int) -> Piece:
    """The same piece with another range, if it has one."""
    if isinstance(piece, Messages):
        return Messages(start, stop, piece.form)
    if isinstance(piece, Notes):
        return Notes(start, stop, piece.place, piece.role)
    return piece
