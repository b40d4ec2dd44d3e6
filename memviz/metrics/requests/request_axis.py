"""The places of requests side by side: the horizontal axis of every chart that goes by request.

Where each turn took one call of the model, that is the turn. In a conversation with tools every call has a place of its
own, and a turn as many places as the run with the most calls in it needs, so that the runs of a chart, which may have
taken different numbers of calls, still stand turn over turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.division import ceil_div
from memviz.core.text.wording import RequestPlace
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run

Turns = Sequence[int] | NDArray[np.int64]
Places = NDArray[np.int64]
Numbers = NDArray[np.signedinteger[Any]]
"""Numbers of requests (0-based), in integers of any width."""
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9)
"""Turns from one tick to the next."""


def count_calls_so_far(turns: Turns) -> NDArray[np.int64]:
    """Return for the turn of every request of a run, in order, the number of the call in it, from 1.

    The turns 1, 2, 2, 3 give 1, 1, 2, 1.
    """
    # Turns are in order, so searchsorted gives the first request of the same turn.
    numbers = np.asarray(turns, np.int64)
    return np.arange(1, len(numbers) + 1) - np.searchsorted(numbers, numbers)


def count_calls_in_turns(turns: Turns) -> NDArray[np.int64]:
    """Return for the turn of every request of a run, in order, how many calls that turn took.

    The turns 1, 2, 2, 3 give 1, 2, 2, 1.
    """
    numbers = np.asarray(turns, np.int64)
    stops = np.searchsorted(numbers, numbers, side="right")
    return stops - np.searchsorted(numbers, numbers)


def find_place_at(turns: NDArray[np.int64], number: int) -> RequestPlace:
    """Return the place in the conversation of request ``number`` (0-based) of a run, given the turn of each."""
    turn = int(turns[number])
    start, stop = np.searchsorted(turns, [turn, turn + 1]).tolist()
    return turn, number - start + 1, stop - start


def list_request_turns(run: Run) -> NDArray[np.int64]:
    """Return the turn of every request of a run."""
    return run.columns.turns


def find_numbers_of_turn(run: Run, turn: int) -> range:
    """Return the numbers (0-based) of the requests of a turn."""
    start, stop = run.columns.turns.searchsorted([turn, turn + 1]).tolist()
    return range(start, stop)


def find_request_place(run: Run, record: TurnRecord) -> RequestPlace:
    """Return the place of a request of ``run``: its turn, its call, and the number of calls of that turn."""
    # A chat of an earlier version may have fewer requests on record than calls in its log.
    calls = max(record.call, len(find_numbers_of_turn(run, record.turn)))
    return record.turn, record.call, calls


def make_axis(runs: Iterable[Run]) -> RequestAxis:
    """Return the axis that all requests of these runs stand on."""
    return RequestAxis.of(list_request_turns(run) for run in runs)


def make_ends_finder(turns: Turns) -> Callable[[Numbers, Numbers], list[list[int]]]:
    """Return a function that describes the ends of many spans of requests of one run.

    It takes the numbers (0-based) of the first and of the last request of each span, and returns a list for each span:
    the turns of both ends, the call of its turn that each is, the place of each (see :meth:`RequestAxis.places`), and
    the number of calls of each turn. ``turns`` has the turn of each request of the run.

    With the turns 1, 2, 2, 3, the span from request 1 to 3 has the ends [2, 3, 1, 1, 2, 4, 2, 1].
    """
    places = RequestAxis.of([turns]).places(turns)
    columns = np.stack(
        [turns, count_calls_so_far(turns), places, count_calls_in_turns(turns)]
    )

    def ends_of(firsts: Numbers, lasts: Numbers) -> list[list[int]]:
        # [columns, first or last, spans]
        ends = np.stack([columns[:, firsts], columns[:, lasts]], axis=1)
        numbers: list[list[int]] = ends.reshape(2 * len(columns), -1).T.tolist()
        return numbers

    return ends_of


@dataclass(frozen=True, eq=False)
class RequestAxis:
    """``lasts`` [turns + 1] is the place of the last call of each turn (entry 0 stands for no turn and is 0)."""

    lasts: Places

    @classmethod
    def of(cls, runs: Iterable[Turns]) -> RequestAxis:
        """Return the axis for these runs, each given as the turn of every one of its requests, in order."""
        # The calls of each turn in the run that took the most, one at least.
        counts = [np.bincount(np.asarray(turns, np.int64)) for turns in runs]
        calls = np.ones(max(map(len, counts), default=1) or 1, np.int64)
        for count in counts:
            np.maximum(calls[: len(count)], count, out=calls[: len(count)])
        calls[0] = 0
        return cls(np.cumsum(calls))

    @property
    def is_by_turn(self) -> bool:
        """True where a place is a turn."""
        return int(self.lasts[-1]) == len(self.lasts) - 1

    def places(self, turns: Turns) -> Places:
        """Return the place of every request of one run, given the turn of each: the calls of a turn end at its last
        place."""
        numbers = np.asarray(turns, np.int64)
        if self.is_by_turn or not len(numbers):
            return numbers
        return (
            self.lasts[numbers]
            - count_calls_in_turns(numbers)
            + count_calls_so_far(numbers)
        )

    def last(self, turn: int) -> int:
        """Return the place of a turn's last call; of a turn that is not there yet, as if each took one call."""
        last_known_turn = min(turn, len(self.lasts) - 1)
        return int(self.lasts[last_known_turn]) + turn - last_known_turn

    def turn_at(self, place: float) -> int:
        """Return the turn that has this place: the first or the last one where the place is beyond."""
        turn = int(np.searchsorted(self.lasts, np.ceil(place)))
        return min(max(1, turn), max(1, len(self.lasts) - 1))

    def request_at(self, place: int) -> RequestPlace:
        """Return the request that has this place, if its turn took as many calls as there is room for."""
        turn = self.turn_at(place)
        first = self.last(turn - 1) + 1
        return turn, place - first + 1, self.last(turn) - first + 1

    def place_of(self, request: RequestPlace) -> int:
        """Return the place of a request."""
        turn, call, calls = request
        return self.last(turn) - calls + call

    def ticks(
        self, most: int = 12, shown: range | None = None
    ) -> tuple[list[int], list[str]] | None:
        """Return the places and labels of at most ``most`` turns, each at its last call.

        ``None`` where every turn is one request, so that places are turns. ``shown`` are the
        places that are looked at, by default all.
        """
        if self.is_by_turn:
            return None
        places = range(1, int(self.lasts[-1]) + 1) if shown is None else shown
        first, stop = np.searchsorted(self.lasts, [places.start, places.stop]).tolist()
        # Round numbers of turns are easiest to read: the smallest step that gives few enough.
        step = next(size for size in _STEPS if (stop - first) / size <= most)
        first_round_turn = ceil_div(max(1, first), step) * step
        turns = range(first_round_turn, stop, step)
        return self.lasts[turns].tolist(), [f"{turn:,}" for turn in turns]


class ByRequest:
    """Values of one run that have an entry a request."""

    turns: NDArray[np.int64]
    """The turn of each request."""

    @cached_property
    def calls(self) -> NDArray[np.int64]:
        """The number of the call in its turn that each request is, from 1."""
        return count_calls_so_far(self.turns)

    @property
    def has_calls(self) -> bool:
        """True where any turn took more than one request."""
        return bool((self.calls > 1).any())

    @cached_property
    def places(self) -> Places:
        """The place of each request on the axis of this run alone, from 1: its turn, as long as every turn has one
        request."""
        return RequestAxis.of([self.turns]).places(self.turns)

    def number_at(self, place: int) -> int:
        """Return the number (0-based) of the request at ``place``; of a place without one the next that has one."""
        return int(np.searchsorted(self.places, place))
