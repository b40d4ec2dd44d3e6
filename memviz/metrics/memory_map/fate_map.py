"""The fate map of a run: what became of every message at every request.

It is made of stretches (:mod:`~memviz.metrics.memory_map.stretches`), not of a matrix [requests x messages], which
would hold 1.2 billion cells for 50,000 messages. ``fate_grid`` cuts out the part that a chart shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.text.wording import RequestPlace
from memviz.engine.generations import Generations
from memviz.engine.parts import Parts
from memviz.engine.run import Run
from memviz.metrics.memory_map.stretches import (
    STEPS,
    Stretches,
    build_stretches,
    encode_fate,
)
from memviz.metrics.requests.request_axis import (
    ByRequest,
    list_request_turns,
    make_ends_finder,
)

LIST = -1
"""Stands in place of a version where a list of versions is sent, each of which was summarized once."""
NOTHING = -2
"""Stands in place of a version where none is sent."""
_FATE_OF_CODE = np.array([step.fate for step in STEPS])


@dataclass(frozen=True, eq=False)
class FateMap(ByRequest):
    """The fates of all messages of a run, at each of its requests."""

    messages: int
    """The number of messages in the log."""
    turns: NDArray[np.int_]
    """[requests]: the turn of each request."""
    stretches: Stretches
    """The fates of the messages at each request."""
    versions: NDArray[np.int_]
    """[requests x notes]: the version (0-based) that was sent alone, LIST for a list of them, NOTHING for none."""
    generations: Generations
    """The number of summarizations that each message had been through in each version."""

    @classmethod
    def of(cls, run: Run) -> FateMap:
        """Return the map of a run."""
        generations = Generations(run.space.summaries.versions)
        fate_stretches = build_stretches(run, generations)
        versions = _list_versions(run)
        return cls(
            len(run.log), list_request_turns(run), fate_stretches, versions, generations
        )

    @cached_property
    def present(self) -> tuple[int, ...]:
        """The codes that occur, in order, except *not yet there*."""
        return tuple(np.unique(self.stretches.codes).tolist())

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """The number of messages that had each fate at each request: an array [requests x fates]."""
        requests, starts, stops, codes = self.stretches
        shape = (len(self.turns), len(Fate))
        # One cell for each request and fate, to which each stretch adds its length.
        cells = requests * len(Fate) + _FATE_OF_CODE[codes]
        counts = np.bincount(cells, stops - starts, shape[0] * shape[1])
        counts = counts.astype(int).reshape(shape)
        counts[:, Fate.NOT_YET] = self.messages - counts.sum(axis=1)
        return counts

    def shares(self, request: int) -> FateShares:
        """Return how many messages had each fate at request ``request`` (0-based, or -1 for the last)."""
        counts: list[int] = self.counts[request].tolist()
        return FateShares(
            messages=sum(counts) - counts[Fate.NOT_YET],
            verbatim=counts[Fate.VERBATIM],
            recalled=counts[Fate.RECALLED],
            summarized=counts[Fate.SUMMARIZED],
            dropped=counts[Fate.DROPPED],
            mean_generation=self._mean_generation(range(len(self.turns))[request]),
            cleared=counts[Fate.CLEARED],
            shortened=counts[Fate.SHORTENED],
        )

    def _mean_generation(self, request: int) -> float:
        summarized = self.counts[request, Fate.SUMMARIZED]
        versions = self.versions[request].tolist()
        alone = [version for version in versions if version >= 0]
        if not summarized:
            return 0.0
        if not alone:
            return 1.0
        rows = [self.generations.row(version, self.messages) for version in alone]
        # Of several notes that cover a message, the one counts that was written over most often.
        passes = np.maximum(np.max(rows, axis=0), int(LIST in versions))
        # Running sums give the sum over each stretch as one difference.
        sums = np.append(0, np.cumsum(passes, dtype=np.int64))
        _, starts, stops, codes = self.stretches.of(request)
        is_summarized = _FATE_OF_CODE[codes] == Fate.SUMMARIZED
        totals = sums[stops[is_summarized]] - sums[starts[is_summarized]]
        return float(totals.sum() / summarized)

    def life(self, position: int) -> tuple[Span, ...]:
        """Return the fates of the message at ``position``, from the first request on that could send it."""
        there, _, _, codes = self.stretches.within(range(position, position + 1))
        if not len(there):
            return ()
        fates = _FATE_OF_CODE[codes]
        # The last two stand for NOTHING and for a LIST, which as indices are -2 and -1.
        passes = np.array([*self.generations.of(position), 0, 1])
        often = passes[self.versions[there]].max(axis=1)
        generations = np.where(fates == Fate.SUMMARIZED, often, 0)
        states = np.stack([fates, generations], axis=1)
        # Requests in a row that treat the message alike are one span.
        is_changed = (states[1:] != states[:-1]).any(axis=1)
        starts = np.flatnonzero(np.append(True, is_changed))
        lasts = np.append(starts[1:], len(there)) - 1
        ends_of = make_ends_finder(self.turns)
        spans = []
        for start, ends in zip(
            starts.tolist(), ends_of(there[starts], there[lasts]), strict=True
        ):
            first, last, *calls = ends
            fate, generation = states[start].tolist()
            spans.append(Span(first, last, Fate(fate), generation, *calls))
        return tuple(spans)


class FateShares(NamedTuple):
    """The number of messages of each fate at one request, the input included."""

    messages: int
    verbatim: int
    recalled: int
    summarized: int
    dropped: int
    mean_generation: float
    """Summarizations that the content of a summarized message has been through, on average; 0 where there are none."""
    cleared: int = 0
    """Messages that are sent in their place as a placeholder or without arguments."""
    shortened: int = 0
    """Messages that are sent in their place with less in them than they have."""


class Span(NamedTuple):
    """Requests in a row at which a message had the same fate and the same number of summarizations."""

    first_turn: int
    """The turn (from 1) of the first request; ``last_turn`` is that of the last one."""
    last_turn: int
    fate: Fate
    generation: int
    first_call: int = 1
    """The call of its turn that the first request is, from 1."""
    last_call: int = 1
    first_place: int = 0
    """The place of the first request on the axis of requests (see :attr:`FateMap.places`)."""
    last_place: int = 0
    first_calls: int = 1
    """The number of calls that the turn of the first request took."""
    last_calls: int = 1

    @property
    def first(self) -> RequestPlace:
        """The first of the requests."""
        return self.first_turn, self.first_call, self.first_calls

    @property
    def last(self) -> RequestPlace:
        """The last of them."""
        return self.last_turn, self.last_call, self.last_calls


def build_fate_map(run: Run) -> FateMap:
    """Return the fate map of a run.

    It is kept with the run, so that a page that is drawn again does not wait for it. A chat that goes on adds messages
    to the log of its run; then the map is made again.
    """
    key = (build_fate_map, len(run.requests), len(run.log))
    return run.once(key, lambda: FateMap.of(run))


def _list_versions(run: Run) -> NDArray[np.int_]:
    """Return :attr:`FateMap.versions`, with at least one column."""
    columns = run.columns
    by_request = {}
    if run.space.summaries:
        by_request = {
            n: _list_sent_versions(parts) for n, parts in columns.others.items()
        }
    # As many columns as the request with the most notes needs.
    most = max([1, *map(len, by_request.values())])
    versions = np.full((len(columns.turns), most), NOTHING)
    firsts = columns.summary_starts
    stops = columns.summary_stops
    is_sent = (columns.starts >= 0) & (firsts < stops)
    sent_versions = np.where(stops - firsts == 1, firsts, LIST)
    versions[is_sent, 0] = sent_versions[is_sent]
    for number, own_versions in by_request.items():
        versions[number, : len(own_versions)] = own_versions
    return versions


def _list_sent_versions(parts: Parts) -> list[int]:
    """Return the version that each piece of notes sends alone, else :data:`LIST`."""
    alone = [notes.start if len(notes.versions) == 1 else LIST for notes in parts.notes]
    return [*alone, LIST] if parts.quoted else alone


def list_summary_versions(run: Run, request: int) -> NDArray[np.int_]:
    """Return for each message the version (from 1) of the summary that stands for it at request ``request`` (0-based).

    It is 0 for a message that no summary of the request covers. Of several kinds of notes, the last one counts.
    """
    versions = np.zeros(len(run.log), int)
    for notes in run.requests[request].parts.notes:
        for version in run.space.summaries.in_block(notes.start, notes.stop):
            versions[version.covers.start : version.covers.stop] = version.version
    for number in run.requests[request].parts.quoted:
        covers = run.space.summaries.versions[number].covers
        versions[covers.start : covers.stop] = number + 1
    return versions


def encode_pending_fates(run: Run) -> NDArray[np.uint8]:
    """Return the code of every message at the pending request of a run, which nobody has answered yet.

    Codes are places in :data:`memviz.metrics.memory_map.stretches.STEPS`; all are *not yet there* without a pending
    request. Charts show it, but no sum includes it.
    """
    record = run.pending
    if record is None:
        return np.zeros(len(run.log), np.uint8)
    generations = Generations(record.memory.space.summaries.versions)
    # Each entry of a list was summarized once.
    passes = np.ones(len(run.log), np.uint16)
    for notes in record.parts.notes:
        if len(notes.versions) == 1:
            passes = np.maximum(passes, generations.row(notes.start, len(run.log)))
    pairs = zip(run.fates_at(record).tolist(), passes.tolist(), strict=True)
    return np.array([encode_fate(Fate(fate), times) for fate, times in pairs], np.uint8)
