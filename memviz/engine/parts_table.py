"""The requests that are more than one range of messages, as numbers: a piece takes 32 bytes."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from memviz.core.pieces import Line, Messages, Notes, Picked, Piece
from memviz.engine.assembly import Parts

KINDS = (Messages, Notes, Picked, Line)
_PICKED = KINDS.index(Picked)


class PartsTable(Mapping[int, Parts]):
    """Parts by the number (0-based) of their request; added in the order of these numbers.

    A piece is four numbers: its kind, where it starts and stops, and the place of what else it has in a list of values,
    of which most requests share a few: the form of messages, the place and role of notes.
    """

    def __init__(self) -> None:
        self._numbers, self._firsts = array("q"), array("q", [0])
        self._inputs, self._pieces = array("q"), array("q")
        self._values: list[Any] = [None]
        self._places: dict[Hashable, int] = {None: 0}
        self._tools: dict[int, tuple[tuple[str, ...], range]] = {}

    def add(self, number: int, parts: Parts) -> None:
        """Keep the parts of the next such request."""
        for piece in parts.pieces:
            self._pieces.extend(self._as_numbers(piece))
        self._numbers.append(number)
        self._firsts.append(len(self._pieces))
        self._inputs.extend((parts.input.start, parts.input.stop))
        if parts.tools or parts.exchange:
            self._tools[number] = parts.tools, parts.exchange

    def _as_numbers(self, piece: Piece) -> tuple[int, int, int, int]:
        if isinstance(piece, Messages):
            return 0, piece.start, piece.stop, self._place(piece.form)
        if isinstance(piece, Notes):
            return 1, piece.start, piece.stop, self._place(piece[2:])
        return (
            KINDS.index(type(piece)),
            0,
            0,
            self._place(tuple(piece) if isinstance(piece, Picked) else piece),
        )

    def _place(self, value: Hashable) -> int:
        place = self._places.get(value)
        if place is None:
            place = self._places[value] = len(self._values)
            self._values.append(value)
        return place

    def _piece(self, kind: int, start: int, stop: int, place: int) -> Piece:
        value = self._values[place]
        if kind == 0:
            return Messages(start, stop, value)
        if kind == 1:
            return Notes(start, stop, *value)
        return Picked(*value) if kind == 2 else value  # a line is kept as it is

    def __getitem__(self, number: int) -> Parts:
        row = bisect_left(self._numbers, number)
        if row == len(self._numbers) or self._numbers[row] != number:
            raise KeyError(number)
        flat = self._pieces[self._firsts[row] : self._firsts[row + 1]]
        pieces = tuple(self._piece(*flat[at : at + 4]) for at in range(0, len(flat), 4))
        tools, exchange = self._tools.get(number, ((), range(0)))
        return Parts(
            pieces, range(*self._inputs[2 * row : 2 * row + 2]), tools, exchange
        )

    def with_picked(self) -> list[int]:
        """The numbers of the requests that messages were brought back into. No parts are made for it."""
        pieces = np.array(self._pieces, np.int64).reshape(-1, 4)
        picked = [
            at
            for at in np.flatnonzero(pieces[:, 0] == _PICKED).tolist()
            if self._values[pieces[at, 3]]
        ]
        rows = (
            np.searchsorted(
                np.array(self._firsts, np.int64),
                4 * np.array(picked, np.int64),
                side="right",
            )
            - 1
        )
        return [self._numbers[row] for row in np.unique(rows).tolist()]

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def snapshot(self) -> PartsTable:
        """The same parts as a value of their own, which does not grow with this one."""
        other = PartsTable()
        for name, value in vars(self).items():
            setattr(other, name, value[:] if isinstance(value, array) else value.copy())
        return other
