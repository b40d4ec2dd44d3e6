"""The parts of many requests, kept as numbers."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np

from memviz.core.pieces import Messages, Notes, Picked, Piece
from memviz.engine.parts import Parts, find_shared

WIDTH = 3
"""The numbers of a piece."""


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
        """Return three numbers for each of these pieces, in a row."""
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
    """A copy of ``piece`` with another range, if it has one."""
    if isinstance(piece, Messages):
        return Messages(start, stop, piece.form)
    if isinstance(piece, Notes):
        return Notes(start, stop, piece.place, piece.role)
    return piece
