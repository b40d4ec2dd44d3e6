"""Where requests stand side by side: the horizontal axis of every chart that goes by request.

Where each turn took one call of the model, that is the turn. In a conversation with tools every call has a place of its
own, and a turn as many places as the run with the most calls in it needs, so that the runs of a chart, which may have
taken different numbers of calls, still stand turn over turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import RequestPlace, request_name
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run

Turns = Sequence[int] | NDArray[np.int64]
Places = NDArray[np.int64]


def calls_of(turns: Turns) -> NDArray[np.int64]:
    """For the turn of every request of a run, in order: the number of the call in it, from 1."""
    numbers = np.asarray(turns, dtype=np.int64)
    return np.asarray(
        np.arange(len(numbers)) - np.searchsorted(numbers, numbers) + 1, dtype=np.int64
    )


def calls_in_turns(turns: Turns) -> NDArray[np.int64]:
    """For the turn of every request of a run, in order: how many calls that turn took."""
    numbers = np.asarray(turns, dtype=np.int64)
    counts = np.searchsorted(numbers, numbers, side="right") - np.searchsorted(
        numbers, numbers
    )
    return np.asarray(counts, dtype=np.int64)


def request_names(turns: Turns) -> list[str]:
    """For the turn of every request of a run, in order: the request as people name it."""
    columns = (
        np.asarray(turns, dtype=np.int64),
        calls_of(turns),
        calls_in_turns(turns),
    )
    return [
        request_name(*row)
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]


def request_turns(run: Run) -> NDArray[np.int64]:
    """The turn of every request of a run."""
    turns: NDArray[np.int64] = run.columns.turns
    return turns


def numbers_of_turn(run: Run, turn: int) -> range:
    """The numbers (0-based) of the requests of a turn."""
    turns = run.columns.turns
    return range(
        int(np.searchsorted(turns, turn)),
        int(np.searchsorted(turns, turn, side="right")),
    )


def name_of(run: Run, record: TurnRecord) -> str:
    """One of the requests of ``run`` as people name it. The record alone knows how many calls its turn took by the log,
    and a chat of an earlier version has not all of them on record."""
    return request_name(
        record.turn,
        record.call,
        max(record.call, len(numbers_of_turn(run, record.turn))),
    )


def axis_of(runs: Iterable[Run]) -> RequestAxis:
    """The axis that all requests of these runs stand on."""
    return RequestAxis.of(request_turns(run) for run in runs)


@dataclass(frozen=True, eq=False)
class RequestAxis:
    """``lasts`` [turns + 1] is the place of the last call of each turn (entry 0 stands for no turn and is 0)."""

    lasts: Places

    @classmethod
    def of(cls, runs: Iterable[Turns]) -> RequestAxis:
        """The axis for these runs, each given as the turn of every one of its requests, in order."""
        counts = [
            np.bincount(np.asarray(turns, dtype=np.int64))
            for turns in runs
            if len(turns)
        ]
        calls = np.ones(
            max((len(count) for count in counts), default=1), dtype=np.int64
        )
        for count in counts:
            calls[: len(count)] = np.maximum(calls[: len(count)], count)
        calls[0] = 0
        return cls(np.cumsum(calls))

    @property
    def is_by_turn(self) -> bool:
        """Whether a place is a turn."""
        return int(self.lasts[-1]) == len(self.lasts) - 1

    @property
    def title(self) -> str:
        """What the axis shows."""
        return (
            "Turn" if self.is_by_turn else "Turn (each step is one call of the model)"
        )

    def places(self, turns: Turns) -> Places:
        """The place of every request of one run, given the turn of each: the calls of a turn end at its last place."""
        numbers = np.asarray(turns, dtype=np.int64)
        if self.is_by_turn or not len(numbers):
            return numbers
        behind = (
            np.searchsorted(numbers, numbers, side="right")
            - 1
            - np.arange(len(numbers))
        )
        return np.asarray(self.lasts[numbers] - behind, dtype=np.int64)

    def last(self, turn: int) -> int:
        """The place of a turn's last call; of a turn that is not there yet, as if each took one call."""
        known = min(turn, len(self.lasts) - 1)
        return int(self.lasts[known]) + turn - known

    def turn_at(self, place: float) -> int:
        """The turn that has this place: the first or the last one where the place is beyond."""
        found = int(np.searchsorted(self.lasts, np.ceil(place)))
        return min(max(1, found), max(1, len(self.lasts) - 1))

    def request_at(self, place: int) -> RequestPlace:
        """The request that has this place, if its turn took as many calls as there is room for."""
        turn = self.turn_at(place)
        first = self.last(turn - 1) + 1
        return turn, place - first + 1, self.last(turn) - first + 1

    def place_of(self, request: RequestPlace) -> int:
        """Where a request stands."""
        turn, call, calls = request
        return self.last(turn) - calls + call

    def ticks(
        self, most: int = 12, shown: range | None = None
    ) -> tuple[list[int], list[str]] | None:
        """Places and labels of at most so many turns, each at its last call; ``None`` where the numbers of the places
        say it themselves. ``shown`` are the places that are looked at, by default all."""
        if self.is_by_turn:
            return None
        places = range(1, int(self.lasts[-1]) + 1) if shown is None else shown
        first, stop = np.searchsorted(self.lasts, [places.start, places.stop]).tolist()
        step = next(
            size
            for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9)
            if (stop - first) / size <= most
        )
        turns = range(-(-max(1, first) // step) * step, stop, step)
        return [int(self.lasts[turn]) for turn in turns], [
            f"{turn:,}" for turn in turns
        ]
