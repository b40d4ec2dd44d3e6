"""What every request of a run did with the log, as stretches of messages with the same code.

A request does the same with thousands of messages in a row, so a handful of stretches say what a row of a matrix
[requests x messages] would. They grow with the number of requests alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.context import Fate
from memviz.engine.generations import Generations
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.steps import STEPS, code_of

SUMMARIZED_STEPS = tuple(step.generation for step in STEPS if step.fate is Fate.SUMMARIZED)
Painted = tuple[int, int, int]
"""Messages ``[start, stop)`` and their code."""


class Stretches(NamedTuple):
    """One entry a stretch in each array, in the order of requests and of messages: the request (0-based), the log
    positions from ``starts`` up to ``stops``, and their code. What no stretch holds is not there yet."""

    requests: NDArray[np.int32]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]
    codes: NDArray[np.uint8]

    def picked(self, chosen: NDArray[np.bool_] | slice) -> Stretches:
        """Some of them."""
        return Stretches(self.requests[chosen], self.starts[chosen], self.stops[chosen], self.codes[chosen])

    def of(self, request: int) -> Stretches:
        """Those of one request."""
        first, stop = np.searchsorted(self.requests, (request, request + 1))
        return self.picked(slice(int(first), int(stop)))

    def within(self, positions: range) -> Stretches:
        """The parts of them that lie in ``positions``."""
        inside = self.picked((self.starts < positions.stop) & (self.stops > positions.start))
        return inside._replace(
            starts=np.maximum(inside.starts, positions.start), stops=np.minimum(inside.stops, positions.stop)
        )


def stretches(run: Run, generations: Generations) -> Stretches:
    """The stretches of all requests of ``run``."""
    by_version = _summarized(run, generations)
    columns = [array("i") for _ in range(4)]
    for number, record in enumerate(run.requests):
        for stretch in painted(_layers(run, record, by_version)):
            for column, value in zip(columns, (number, *stretch), strict=True):
                column.append(value)
    requests, starts, stops, codes = (np.array(column, dtype=np.int32) for column in columns)
    return Stretches(requests, starts, stops, codes.astype(np.uint8))


def _layers(run: Run, record: TurnRecord, by_version: dict[int, list[Painted]]) -> Iterator[Painted]:
    """What lies over what, as in :meth:`memviz.engine.run.Run.fates_at`."""
    parts, verbatim = record.parts, code_of(Fate.VERBATIM)
    yield 0, record.memory.length, code_of(Fate.DROPPED)
    for covered in run.space.summaries.covered(parts.summaries.start, parts.summaries.stop):
        yield covered.start, covered.stop, code_of(Fate.SUMMARIZED, 1)
    if len(parts.summaries) == 1:
        yield from by_version[parts.summaries.start]
    for position in parts.recalled:
        yield position, position + 1, code_of(Fate.RECALLED)
    for part in parts.history:
        yield part.start, part.stop, verbatim
    if parts.input:
        yield parts.input.start, parts.input.stop, verbatim
    yield parts.exchange.start, parts.exchange.stop, verbatim
    yield 0, run.space.system_stop, verbatim


def _summarized(run: Run, generations: Generations) -> dict[int, list[Painted]]:
    """What each version that was sent alone covers, by how often it was summarized. More than once: the rest of what
    it covers was summarized once."""
    versions = run.space.summaries.versions
    sent = {record.parts.summaries.start for record in run.requests if len(record.parts.summaries) == 1}
    found, with_gaps = {}, []
    for version in sent:
        steps = generations.stretches(version, SUMMARIZED_STEPS)
        if steps is None:
            with_gaps.append(version)
        else:
            found[version] = _covered(versions[version].covers, steps)
    length = max((versions[version].covers.stop for version in with_gaps), default=0)
    for version, row in generations.rows(with_gaps, range(length)):
        found[version] = _covered(versions[version].covers, _same_steps(row))
    return found


def _covered(covers: range, steps: Sequence[Painted]) -> list[Painted]:
    cut = ((max(start, covers.start), min(stop, covers.stop), step) for start, stop, step in steps if step > 1)
    return [(start, stop, code_of(Fate.SUMMARIZED, step)) for start, stop, step in cut if start < stop]


def _same_steps(row: NDArray[np.uint16]) -> list[Painted]:
    reached = np.searchsorted(SUMMARIZED_STEPS, row, "right")
    edges = np.flatnonzero(np.r_[True, reached[1:] != reached[:-1], True]).tolist()
    return [
        (start, stop, SUMMARIZED_STEPS[reached[start] - 1])
        for start, stop in pairwise(edges) if reached[start]
    ]  # fmt: skip


def painted(layers: Iterator[Painted]) -> Iterator[Painted]:
    """The stretches that are seen where each layer lies over those before it; stretches that touch have other codes."""
    drawn = [layer for layer in layers if layer[0] < layer[1]]
    edges = sorted({edge for start, stop, _ in drawn for edge in (start, stop)})
    places = {edge: place for place, edge in enumerate(edges)}
    codes = [0] * len(edges)
    for start, stop, code in drawn:
        first, last = places[start], places[stop]
        codes[first:last] = [code] * (last - first)
    begun, current = 0, 0
    for edge, code in zip(edges, codes, strict=True):
        if code != current:
            if current:
                yield begun, edge, current
            begun, current = edge, code
