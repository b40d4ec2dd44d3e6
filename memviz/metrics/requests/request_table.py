"""What the requests of a run held, as ranges of the log and numbers of summaries, for all requests at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.engine.assembly import Parts
from memviz.engine.outline import Outline
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.memory import SummaryLog
from memviz.metrics.retention.probe_texts import Bools, Counts

Ranges = list[list[range]]
"""For each request its ranges of log positions, sorted, without overlaps."""


class Layer(NamedTuple):
    """The n-th range of every request that has so many: the requests, and where their range starts and stops."""

    requests: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Requests:
    """What all requests of a run held, one entry a request in each array.

    ``turns`` are their turns, ``lengths`` the number of messages that the log had when each was made,
    ``summary_starts`` and ``summary_stops`` the versions (0-based) sent. ``verbatim`` (history and input) and
    ``recalled`` are their ranges of the log, ``leading`` that of the system messages which the log begins with.
    """

    turns: NDArray[np.int64]
    lengths: NDArray[np.int64]
    summary_starts: NDArray[np.int64]
    summary_stops: NDArray[np.int64]
    verbatim: tuple[Layer, ...]
    recalled: tuple[Layer, ...] = ()
    leading: tuple[Layer, ...] = ()

    def __len__(self) -> int:
        return len(self.turns)

    @classmethod
    def of(cls, run: Run | Outline) -> Requests:
        """The requests of ``run``."""
        return _outlined(run) if isinstance(run, Outline) else _recorded(run)


def _recorded(run: Run) -> Requests:
    records = run.requests
    numbers = [
        (record.turn, record.log_length, record.parts.summaries.start, record.parts.summaries.stop)
        for record in records
    ]
    turns, lengths, first, last = np.array(numbers, dtype=np.int64).reshape(-1, 4).T
    verbatim, recalled = map(verbatim_ranges, records), map(recalled_ranges, records)
    return Requests(
        turns, lengths, first, last, tuple(layers([*verbatim])), tuple(layers([*recalled])), _leading(run, len(turns))
    )


def _outlined(run: Outline) -> Requests:
    whole = np.flatnonzero(run.starts >= 0)
    others: Ranges = [[] for _ in run.turns]
    for number, parts in run.others.items():
        others[number] = _verbatim(parts)
    verbatim = (Layer(whole, run.starts[whole], run.stops[whole]), *layers(others))
    leading = _leading(run, len(run.turns))
    return Requests(run.turns, run.lengths, run.summary_starts, run.summary_stops, verbatim, (), leading)


def _leading(run: Run | Outline, count: int) -> tuple[Layer, ...]:
    """The leading system messages, which every request begins with."""
    stop = run.space.system_stop
    return (Layer(np.arange(count), np.zeros(count, np.int64), np.full(count, stop, np.int64)),) if stop else ()


def verbatim_ranges(record: TurnRecord) -> list[range]:
    """History, input, and what was said behind the input."""
    return _verbatim(record.parts)


def _verbatim(parts: Parts) -> list[range]:
    if (bounds := parts.one_range) is not None:
        return [range(*bounds)]
    return _joined((*parts.history, parts.input, parts.exchange))


def recalled_ranges(record: TurnRecord) -> list[range]:
    """The recalled messages."""
    return _joined(range(position, position + 1) for position in record.parts.recalled)


def layers(ranges: Ranges) -> Iterator[Layer]:
    """The ranges of all requests as a few arrays: most requests have one range only."""
    requests = [number for number, found in enumerate(ranges) if found]
    depth = 0
    while requests:
        picked = [ranges[number][depth] for number in requests]
        yield Layer(
            np.array(requests, dtype=np.int64),
            np.array([part.start for part in picked], dtype=np.int64),
            np.array([part.stop for part in picked], dtype=np.int64),
        )
        depth += 1
        requests = [number for number in requests if len(ranges[number]) > depth]


def held_in(ranges: Iterable[Layer], counts: Counts, count: int) -> Bools:
    """Whether any message in the ranges of each of ``count`` requests counts: [requests x columns of ``counts``],
    which are running sums over the log."""
    held = np.zeros((count, counts.shape[1]), dtype=bool)
    for requests, starts, stops in ranges:
        held[requests] |= counts[stops] > counts[starts]
    return held


def all_within(ranges: Sequence[Layer], positions: Sequence[Sequence[int]], count: int) -> Bools:
    """Whether all messages of each list of ``positions`` lie in the ranges of each of ``count`` requests: [requests x
    lists]. An empty list lies nowhere."""
    within = np.zeros((count, len(positions)), dtype=bool)
    columns = [n for n, listed in enumerate(positions) if listed]
    within[:, columns] = True
    depth = 0
    while columns:
        within[:, columns] &= _within(ranges, np.array([positions[n][depth] for n in columns]), count)
        depth += 1
        columns = [n for n in columns if len(positions[n]) > depth]
    return within


def _within(found: Sequence[Layer], positions: NDArray[np.int64], requests: int) -> Bools:
    inside = np.zeros((requests, len(positions)), dtype=bool)
    for layer in found:
        inside[layer.requests] |= (layer.starts[:, None] <= positions) & (positions < layer.stops[:, None])
    return inside


def _joined(ranges: Iterable[range]) -> list[range]:
    """``ranges`` without empty ones, sorted, those that touch made one."""
    joined: list[range] = []
    for part in sorted((part for part in ranges if part), key=lambda part: part.start):
        if joined and part.start <= joined[-1].stop:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, part.stop))
        else:
            joined.append(part)
    return joined


def versions_sent(summaries: SummaryLog, start: int, stop: int) -> list[int]:
    """The versions (0-based) whose text a request holds that was sent the versions from ``start`` to ``stop``."""
    return [version.version - 1 for version in summaries.in_block(start, stop)]


def held_in_summaries(summaries: SummaryLog, starts: NDArray[np.int64], stops: NDArray[np.int64], held: Bools) -> Bools:
    """Whether any version sent with each request holds what each column of ``held`` [versions x columns] asks for.

    A list from the first version on is a running number of holders, so a growing list costs as much as a
    single summary; one with edited or undone entries is looked at entry by entry.
    """
    out = np.zeros((len(stops), held.shape[1]), dtype=bool)
    sizes = stops - starts
    single, lists = sizes == 1, (sizes > 1) & (starts == 0) & summaries.is_straight
    out[single] = held[stops[single] - 1]
    if lists.any():
        holders = np.cumsum(held, axis=0, dtype=np.int32)
        out[lists] = holders[stops[lists] - 1] > 0
    for request in np.flatnonzero((sizes > 1) & ~lists).tolist():
        out[request] = held[versions_sent(summaries, int(starts[request]), int(stops[request]))].any(axis=0)
    return out
