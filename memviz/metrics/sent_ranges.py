"""What the requests of a run held, as ranges of the log and numbers of summaries, for all requests at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.probe_texts import Bools, Counts

Ranges = list[list[range]]
"""For each request its ranges of log positions, sorted, without overlaps."""


class Layer(NamedTuple):
    """The n-th range of every request that has so many: the requests, and where their range starts and stops."""

    requests: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


def log_length(record: TurnRecord) -> int:
    """Number of messages that the log had when the last call of the turn was made."""
    exchange = record.parts.exchange
    return max(record.memory.length, exchange.stop if exchange else 0)


def verbatim_ranges(record: TurnRecord) -> list[range]:
    """History, input, and what was said behind the input."""
    parts = record.parts
    question = () if parts.input is None else (range(parts.input, parts.input + 1),)
    return _joined((*parts.history, *question, parts.exchange))


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


def held_in(ranges: Ranges, counts: Counts) -> Bools:
    """Whether any message in the ranges of each request counts: [requests x columns of ``counts``], which are
    running sums over the log."""
    held = np.zeros((len(ranges), counts.shape[1]), dtype=bool)
    for requests, starts, stops in layers(ranges):
        held[requests] |= counts[stops] > counts[starts]
    return held


def all_within(ranges: Ranges, positions: Sequence[Sequence[int]]) -> Bools:
    """Whether all messages of each list of ``positions`` lie in the ranges of each request: [requests x
    lists]. An empty list lies nowhere."""
    within = np.zeros((len(ranges), len(positions)), dtype=bool)
    columns = [n for n, listed in enumerate(positions) if listed]
    within[:, columns] = True
    found = list(layers(ranges))
    depth = 0
    while columns:
        within[:, columns] &= _within(found, np.array([positions[n][depth] for n in columns]), len(ranges))
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


def versions_sent(run: Run, sent: range) -> list[int]:
    """The versions (0-based) whose text a request holds that was sent the range ``sent`` of versions."""
    return [version.version - 1 for version in run.space.summaries.in_block(sent.start, sent.stop)]


def held_in_summaries(run: Run, sent: Sequence[range], held: Bools) -> Bools:
    """Whether any version sent with each request holds what each column of ``held`` [versions x columns] asks for.

    A list from the first version on is a running number of holders, so a growing list costs as much as a
    single summary; one with edited or undone entries is looked at entry by entry.
    """
    out = np.zeros((len(sent), held.shape[1]), dtype=bool)
    stops = np.array([part.stop for part in sent], dtype=np.int64)
    sizes = np.array([len(part) for part in sent], dtype=np.int64)
    single, lists = sizes == 1, (sizes > 1) & (sizes == stops) & run.space.summaries.is_straight
    out[single] = held[stops[single] - 1]
    if lists.any():
        holders = np.cumsum(held, axis=0, dtype=np.int32)
        out[lists] = holders[stops[lists] - 1] > 0
    for request in np.flatnonzero((sizes > 1) & ~lists).tolist():
        out[request] = held[versions_sent(run, sent[request])].any(axis=0)
    return out
