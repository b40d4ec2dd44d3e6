"""What became of every message at every request: one code a cell, counts a request, and the life of one message."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from memviz.context import Fate
from memviz.engine.run import Run

MAX_MAPS_KEPT = 24
"""Of 1,000 turns a map takes 8 MB; a page shows up to seven."""


class Step(NamedTuple):
    """A fate, and for summarized messages from how many summarizations on."""

    fate: Fate
    generation: int = 0


STEPS = (
    Step(Fate.NOT_YET), Step(Fate.DROPPED),
    Step(Fate.SUMMARIZED, 1), Step(Fate.SUMMARIZED, 2), Step(Fate.SUMMARIZED, 4), Step(Fate.SUMMARIZED, 8),
    Step(Fate.RECALLED), Step(Fate.VERBATIM),
)  # fmt: skip
"""What a cell of the map can be; a cell's code is its place here. A step of generations ends where the next begins:
once, 2-3, 4-7, 8 or more times summarized. The more of a message is sent, the higher its code."""
RECALLED_CODE = next(code for code, step in enumerate(STEPS) if step.fate is Fate.RECALLED)
_STEP_OF_FATE = np.array([next(c for c, step in enumerate(STEPS) if step.fate is fate) for fate in Fate], np.uint8)
_LEAST_GENERATIONS = np.array([step.generation for step in STEPS if step.generation > 1])

Codes = NDArray[np.uint8]


def code_of(fate: Fate, generation: int = 0) -> int:
    """The place in :data:`STEPS` of a fate."""
    return max(code for code, step in enumerate(STEPS) if step.fate is fate and step.generation <= generation)


@dataclass(frozen=True, eq=False)
class FateMap:
    """The fates of a run. ``turns`` [requests] holds the turn of each request; ``fates`` and ``generations``
    [requests x messages] are the run's own; ``codes`` [requests x messages] are places in :data:`STEPS`."""

    turns: NDArray[np.int_]
    fates: Codes
    generations: NDArray[np.uint16]

    @cached_property
    def codes(self) -> Codes:
        """What each cell is: an array [requests x messages]."""
        codes: Codes = _STEP_OF_FATE[self.fates]
        summarized = self.fates == Fate.SUMMARIZED
        codes[summarized] += np.searchsorted(_LEAST_GENERATIONS, self.generations[summarized], "right").astype(np.uint8)
        return codes

    @cached_property
    def present(self) -> tuple[int, ...]:
        """The codes that occur, *not yet there* apart, in order."""
        return tuple(int(code) for code in np.flatnonzero(np.bincount(self.codes.ravel(), minlength=1)) if code)

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """How many messages had each fate at each request: an array [requests x fates]."""
        return np.stack([(self.fates == fate).sum(axis=1) for fate in Fate], axis=1)

    def shares(self, request: int) -> FateShares:
        """What became of all messages so far, at request number ``request`` (0-based, or -1 for the last)."""
        counts = self.counts[request]
        generations = self.generations[request][self.fates[request] == Fate.SUMMARIZED]
        return FateShares(
            messages=int(counts.sum() - counts[Fate.NOT_YET]),
            verbatim=int(counts[Fate.VERBATIM]),
            recalled=int(counts[Fate.RECALLED]),
            summarized=int(counts[Fate.SUMMARIZED]),
            dropped=int(counts[Fate.DROPPED]),
            mean_generation=float(generations.mean()) if len(generations) else 0.0,
        )

    def life(self, position: int) -> tuple[Span, ...]:
        """What became of the message at log position ``position``, from the first request that could send it on."""
        there = np.flatnonzero(self.fates[:, position] != Fate.NOT_YET)
        if not len(there):
            return ()
        state = self.fates[there, position].astype(int) + len(Fate) * self.generations[there, position].astype(int)
        starts = np.flatnonzero(np.r_[True, state[1:] != state[:-1]])
        stops = np.r_[starts[1:], len(there)]
        return tuple(
            Span(int(self.turns[there[start]]), int(self.turns[there[stop - 1]]),
                 Fate(int(self.fates[there[start], position])), int(self.generations[there[start], position]))
            for start, stop in zip(starts, stops, strict=True)
        )  # fmt: skip


class FateShares(NamedTuple):
    """Messages of each fate at one request, the input included. ``mean_generation`` is over those summarized:
    how many summarizations their content has been through; 0 where there are none."""

    messages: int
    verbatim: int
    recalled: int
    summarized: int
    dropped: int
    mean_generation: float


class Span(NamedTuple):
    """Requests in a row at which a message had the same fate and generation; turns are 1-based, both included."""

    first_turn: int
    last_turn: int
    fate: Fate
    generation: int


_KEPT: OrderedDict[int, tuple[ReferenceType[Run], FateMap]] = OrderedDict()
_LOCK = Lock()


def fate_map(run: Run) -> FateMap:
    """The map of a run. Those of the runs asked for last are kept, so a page that is drawn again need not wait:
    a run never changes, except that a chat still going on adds messages to its log."""
    shape = (len(run.turns), len(run.log))
    with _LOCK:
        kept = _KEPT.get(id(run))
        if kept is not None and kept[0]() is run and kept[1].fates.shape == shape:
            _KEPT.move_to_end(id(run))
            return kept[1]
    made = FateMap(np.array([record.turn for record in run.turns], int), run.fates(), run.generations())
    with _LOCK:
        _KEPT[id(run)] = (ref(run), made)
        while len(_KEPT) > MAX_MAPS_KEPT:
            _KEPT.popitem(last=False)
    return made


def summary_versions(run: Run, request: int) -> NDArray[np.int_]:
    """The version of the summary that stands for each message at a request (0-based): an array [messages],
    0 where no summary that was sent does."""
    versions = np.zeros(len(run.log), int)
    for index in run.turns[request].parts.summaries:
        version = run.space.summaries.versions[index]
        versions[version.covers.start : version.covers.stop] = version.version
    return versions
