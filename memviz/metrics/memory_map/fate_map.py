"""What became of every message at every request: stretches of messages, counts a request, and the life of one message.

Nothing here is a matrix [requests x messages]: that of 50,000 messages would hold 1.2 billion cells.
"""

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
from memviz.engine.generations import Generations
from memviz.engine.run import Run
from memviz.metrics.memory_map.steps import STEPS, code_of
from memviz.metrics.memory_map.stretches import Stretches, stretches
from memviz.metrics.requests.request_axis import (
    Places,
    RequestAxis,
    calls_in_turns,
    calls_of,
    request_turns,
)
from memviz.text.wording import RequestPlace

MAX_MAPS_KEPT = 24
MAX_STRETCHES_KEPT = 4_000_000
"""Of all maps together: 13 bytes each. A page shows up to seven maps; a request takes about six stretches."""
LIST, NOTHING = -1, -2
"""In the place of a version: several are sent as a list, of which each entry was summarized once; none is sent."""
_FATE_OF_CODE = np.array([step.fate for step in STEPS])


@dataclass(frozen=True, eq=False)
class FateMap:
    """The fates of a run over a log of so many ``messages``. ``turns`` [requests] holds the turn of each request,
    ``stretches`` say what became of messages at each, ``versions`` [requests x notes] are the versions (0-based) that
    were sent alone, LIST for a list of them, and ``generations`` what is in each version."""

    messages: int
    turns: NDArray[np.int_]
    stretches: Stretches
    versions: NDArray[np.int_]
    generations: Generations

    @classmethod
    def of(cls, run: Run) -> FateMap:
        """The map of a run."""
        generations = Generations(run.space.summaries.versions)
        return cls(
            len(run.log),
            request_turns(run),
            stretches(run, generations),
            _versions(run),
            generations,
        )

    @cached_property
    def places(self) -> Places:
        """The place of each request on the axis of this run alone, from 1: its turn, as long as every turn has one
        request."""
        return RequestAxis.of([self.turns]).places(self.turns)

    @cached_property
    def calls(self) -> NDArray[np.int_]:
        """Which call of its turn each request is, from 1."""
        return calls_of(self.turns)

    def number_at(self, place: int) -> int:
        """The number (0-based) of the request at ``place``; of a place without one the next that has one."""
        return int(np.searchsorted(self.places, place))

    @cached_property
    def present(self) -> tuple[int, ...]:
        """The codes that occur, *not yet there* apart, in order."""
        return tuple(np.unique(self.stretches.codes).tolist())

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """How many messages had each fate at each request: an array [requests x fates]."""
        requests, starts, stops, codes = self.stretches
        cells = requests * len(Fate) + _FATE_OF_CODE[codes]
        counts = (
            np.bincount(cells, stops - starts, len(self.turns) * len(Fate))
            .astype(int)
            .reshape(-1, len(Fate))
        )
        counts[:, Fate.NOT_YET] = self.messages - counts.sum(axis=1)
        return counts

    def shares(self, request: int) -> FateShares:
        """What became of all messages so far, at request number ``request`` (0-based, or -1 for the last)."""
        number = range(len(self.turns))[request]
        counts = self.counts[number]
        return FateShares(
            messages=int(counts.sum() - counts[Fate.NOT_YET]),
            verbatim=int(counts[Fate.VERBATIM]),
            recalled=int(counts[Fate.RECALLED]),
            summarized=int(counts[Fate.SUMMARIZED]),
            dropped=int(counts[Fate.DROPPED]),
            mean_generation=self._mean_generation(number),
            cleared=int(counts[Fate.CLEARED]),
            shortened=int(counts[Fate.SHORTENED]),
        )

    def _mean_generation(self, request: int) -> float:
        summarized = self.counts[request, Fate.SUMMARIZED]
        sent = self.versions[request].tolist()
        alone, least = [version for version in sent if version >= 0], int(LIST in sent)
        if not summarized or not alone:
            return 1.0 if summarized else 0.0
        passed = np.maximum.reduce(
            [self.generations.row(version, self.messages) for version in alone]
        )
        sums = np.cumsum(np.r_[0, np.maximum(passed, least)], dtype=np.int64)
        _, starts, stops, codes = self.stretches.of(request)
        inside = _FATE_OF_CODE[codes] == Fate.SUMMARIZED
        return float((sums[stops[inside]] - sums[starts[inside]]).sum() / summarized)

    def life(self, position: int) -> tuple[Span, ...]:
        """What became of the message at log position ``position``, from the first request that could send it on."""
        there, _, _, codes = self.stretches.within(range(position, position + 1))
        if not len(there):
            return ()
        fates = _FATE_OF_CODE[codes]
        passed = np.array(
            [*self.generations.of(position), 0, 1]
        )  # the last two stand for NOTHING and for a LIST
        often = passed[self.versions[there]].max(axis=1)
        generations = np.where(fates == Fate.SUMMARIZED, often, 0)
        state = fates + len(Fate) * generations
        starts = np.flatnonzero(np.r_[True, state[1:] != state[:-1]])
        stops = np.r_[starts[1:], len(there)]
        firsts, lasts = there[starts].tolist(), there[stops - 1].tolist()
        turns, calls, places, of = (
            self.turns,
            self.calls,
            self.places,
            calls_in_turns(self.turns),
        )
        return tuple(
            Span(
                int(turns[first]),
                int(turns[last]),
                Fate(int(fates[start])),
                int(generations[start]),
                int(calls[first]),
                int(calls[last]),
                int(places[first]),
                int(places[last]),
                int(of[first]),
                int(of[last]),
            )
            for start, first, last in zip(starts, firsts, lasts, strict=True)
        )


class FateShares(NamedTuple):
    """Messages of each fate at one request, the input included. ``mean_generation`` is over those summarized:
    how many summarizations their content has been through; 0 where there are none. ``cleared`` and ``shortened`` are
    sent in their place with less in them than they have."""

    messages: int
    verbatim: int
    recalled: int
    summarized: int
    dropped: int
    mean_generation: float
    cleared: int = 0
    shortened: int = 0


class Span(NamedTuple):
    """Requests in a row at which a message had the same fate and generation: the turns of the first and of the last
    one, 1-based, which call of its turn each is, its place (see :attr:`FateMap.places`), and how many calls its turn
    took."""

    first_turn: int
    last_turn: int
    fate: Fate
    generation: int
    first_call: int = 1
    last_call: int = 1
    first_place: int = 0
    last_place: int = 0
    first_calls: int = 1
    last_calls: int = 1

    @property
    def first(self) -> RequestPlace:
        """The first of the requests."""
        return self.first_turn, self.first_call, self.first_calls

    @property
    def last(self) -> RequestPlace:
        """The last of them."""
        return self.last_turn, self.last_call, self.last_calls


_KEPT: OrderedDict[int, tuple[ReferenceType[Run], FateMap]] = OrderedDict()
_LOCK = Lock()


def fate_map(run: Run) -> FateMap:
    """The map of a run. Those of the runs asked for last are kept, so a page that is drawn again need not wait:
    a run never changes, except that a chat still going on adds messages to its log."""
    shape = (len(run.requests), len(run.log))
    with _LOCK:
        kept = _KEPT.get(id(run))
        if (
            kept is not None
            and kept[0]() is run
            and (len(kept[1].turns), kept[1].messages) == shape
        ):
            _KEPT.move_to_end(id(run))
            return kept[1]
    made = FateMap.of(run)
    with _LOCK:
        for key in [key for key, (of, _) in _KEPT.items() if of() is None]:
            del _KEPT[key]
        _KEPT[id(run)] = (ref(run), made)
        while len(_KEPT) > MAX_MAPS_KEPT or (
            len(_KEPT) > 1 and _stretches_kept() > MAX_STRETCHES_KEPT
        ):
            _KEPT.popitem(last=False)
    return made


def _stretches_kept() -> int:
    return sum(len(kept.stretches.requests) for _, kept in _KEPT.values())


def _versions(run: Run) -> NDArray[np.int_]:
    """What each request sent of what a model wrote: [requests x notes], at least one column."""
    columns = run.columns
    others = (
        {number: parts.notes for number, parts in columns.others.items()}
        if run.space.summaries
        else {}
    )
    versions = np.full(
        (len(columns.turns), max([1, *map(len, others.values())])), NOTHING
    )
    firsts, stops = columns.summary_starts, columns.summary_stops
    is_sent = (columns.starts >= 0) & (firsts < stops)
    versions[is_sent, 0] = np.where(stops - firsts == 1, firsts, LIST)[is_sent]
    for number, notes in others.items():
        versions[number, : len(notes)] = [
            one.start if one.stop - one.start == 1 else LIST for one in notes
        ]
    return versions


def summary_versions(run: Run, request: int) -> NDArray[np.int_]:
    """The version of the summary that stands for each message at request number ``request`` (0-based): [messages],
    0 where no summary that was sent does. Of several kinds of notes it is the one that stands last in the request."""
    versions = np.zeros(len(run.log), int)
    for sent in run.requests[request].parts.notes:
        for version in run.space.summaries.in_block(sent.start, sent.stop):
            versions[version.covers.start : version.covers.stop] = version.version
    return versions


def pending_codes(run: Run) -> NDArray[np.uint8]:
    """The codes of :data:`memviz.metrics.memory_map.steps.STEPS` of all messages, *not yet there* without a pending
    request."""
    record = run.pending
    if record is None:
        return np.zeros(len(run.log), np.uint8)
    generations = Generations(record.memory.space.summaries.versions)
    passed = np.ones(
        len(run.log), np.uint16
    )  # entries of a list: each was summarized once
    for sent in record.parts.notes:
        if sent.stop - sent.start == 1:
            passed = np.maximum(passed, generations.row(sent.start, len(run.log)))
    fates = run.fates_at(record)
    pairs = zip(fates.tolist(), passed.tolist(), strict=True)
    return np.array([code_of(Fate(fate), times) for fate, times in pairs], np.uint8)
