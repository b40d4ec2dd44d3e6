"""Sequences of records that are built on demand: the base of ``run.requests``, and ``run.turns``.

A long run keeps its requests as numbers (:class:`memviz.engine.requests.Requests`). Charts and metrics index, slice and
compare its records as if they were a tuple, and only the records that they touch are built.
"""

from collections.abc import Iterator, Sequence
from operator import eq
from typing import Any, overload

import numpy as np

from memviz.engine.joined_requests import Numbers
from memviz.engine.records import TurnRecord, of_one_turn


class RecordSequence(Sequence[TurnRecord]):
    """A sequence whose records are built on demand. It equals any sequence of equal records."""

    def _build_record(self, number: int) -> TurnRecord:
        """Return record ``number`` (0-based)."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> TurnRecord: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TurnRecord, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        rows = range(len(self))[index]  # raises IndexError as a tuple does
        if isinstance(rows, range):
            return tuple(map(self._build_record, rows))
        return self._build_record(rows)

    def __iter__(self) -> Iterator[TurnRecord]:
        return map(self._build_record, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} records>"


class TurnRecords(RecordSequence):
    """One record for each turn: that of its last request, whose ``requests`` are all of the turn."""

    def __init__(self, requests: RecordSequence, turns: Numbers) -> None:
        """``turns`` [requests] are the numbers of the turns that the requests belong to."""
        self._requests = requests
        first_rows = np.flatnonzero(np.diff(turns, prepend=-1))
        self._bounds = [*first_rows.tolist(), len(turns)]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def _build_record(self, number: int) -> TurnRecord:
        first, stop = self._bounds[number : number + 2]
        return of_one_turn(self._requests[first:stop])
