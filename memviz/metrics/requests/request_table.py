"""The contents of all requests of a run: which messages of the log and which summaries each of them holds.

:class:`RequestContents` has them as arrays of ranges, so that :mod:`~memviz.metrics.retention.retention` looks facts up
in all requests at once. The functions at the end answer questions about single requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.conversation import Log
from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import in_ranges, joined
from memviz.core.summaries import SummaryLog
from memviz.engine.part_tokens import find_whole_ranges
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.other_words import OtherWords, find_reduced_recalls
from memviz.metrics.retention.probe_texts import Bools, Counts


class Layer(NamedTuple):
    """At most one range for each request: three arrays with the number of the request and its range.

    The first layer of a kind has the first range of every request, the second layer the second range of those that
    have two, and so on. So numpy works on all requests of a layer at once.
    """

    requests: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


Ranges = dict[int, list[range]]
"""The ranges of log positions of each request, sorted and without overlaps, by the number of the request."""


@dataclass(frozen=True, eq=False)
class RequestContents:
    """The contents of all requests of a run, one entry a request in each array."""

    turns: NDArray[np.int64]
    lengths: NDArray[np.int64]
    """The number of messages that the log had when each request was made."""
    notes: tuple[Layer, ...]
    """Ranges of versions of summaries (0-based)."""
    verbatim: tuple[Layer, ...]
    """Ranges of the log: history and input, as far as messages are sent whole."""
    recalled: tuple[Layer, ...] = ()
    """Ranges of the log: recalled messages."""
    recalled_whole: tuple[Layer, ...] = ()
    """Ranges of the log: recalled messages that are sent whole."""
    leading: tuple[Layer, ...] = ()
    """Ranges of the log: the system messages that it begins with."""
    others: tuple[Layer, ...] = ()
    """Ranges of ``words``: texts in messages."""
    inside: tuple[Layer, ...] = ()
    """Ranges of ``words``: texts inside the system prompt."""
    quoted: tuple[Layer, ...] = ()
    """Ranges of ``words``: facts that were looked up among the notes."""
    recalled_words: tuple[Layer, ...] = ()
    """Ranges of ``words``: what is left of recalled messages that are not sent whole."""
    words: Sequence[Message] = ()
    """The texts that are no messages of the log as they were said (see :class:`OtherWords`)."""
    opaque: tuple[Layer, ...] = ()
    """Ranges of the log: messages replaced by a block that only the provider can read."""

    def __len__(self) -> int:
        return len(self.turns)

    @classmethod
    def of(cls, run: Run, numbers: Sequence[int] | None = None) -> RequestContents:
        """Return the contents of the requests of ``run``, or of those of these ``numbers`` (0-based) alone."""
        columns = run.columns
        space = run.space
        rows = np.arange(len(run.requests)) if numbers is None else np.array(numbers)
        lengths = columns.lengths[rows]
        words = OtherWords(space)
        # Most requests are one range of the log, with its bounds in the columns of the run. The others have recalls,
        # messages in other forms or lines of the strategy: their start is -1, and they are read piece by piece.
        is_one_range = columns.starts[rows] >= 0
        parts_by_number: dict[int, Parts] = {}
        for number in np.flatnonzero(~is_one_range).tolist():
            parts = columns.others[int(rows[number])]
            lengths[number] = max(lengths[number], parts.exchange.stop)
            parts_by_number[number] = parts
        layers = _make_layers_of_others(space, parts_by_number, words)
        notes, verbatim, recalled, whole, others, inside, quoted, reduced = layers
        versions = (columns.summary_starts[rows], columns.summary_stops[rows])
        has_notes = is_one_range & (versions[1] > versions[0])
        history = (columns.starts[rows], columns.stops[rows])
        # Every request holds the system messages at the start of the log.
        first = np.zeros_like(lengths)
        stop = np.full_like(lengths, space.system_stop)
        return cls(
            turns=columns.turns[rows],
            lengths=lengths,
            notes=(*_make_layer(has_notes, *versions), *notes),
            verbatim=(*_make_layer(is_one_range, *history), *verbatim),
            recalled=recalled,
            recalled_whole=whole,
            leading=_make_layer(stop > first, first, stop),
            others=others,
            inside=inside,
            quoted=quoted,
            recalled_words=reduced,
            words=words.messages,
            opaque=tuple(_make_layers(_list_opaque(space, *versions))),
        )


def _make_layers_of_others(
    space: MemorySpace, parts_by_number: Mapping[int, Parts], words: OtherWords
) -> list[tuple[Layer, ...]]:
    """Return the layers of requests that are no single range, for each kind of :func:`_sort_ranges_by_kind`."""
    by_kind = [Ranges() for _ in range(8)]
    for number, parts in parts_by_number.items():
        own_ranges = _sort_ranges_by_kind(space, parts, words)
        for ranges, ranges_of_request in zip(by_kind, own_ranges, strict=True):
            ranges[number] = ranges_of_request
    return [tuple(_make_layers(ranges)) for ranges in by_kind]


def _sort_ranges_by_kind(
    space: MemorySpace, parts: Parts, words: OtherWords
) -> tuple[list[range], ...]:
    """Return the ranges of one request by their eight kinds.

    The first four are the notes, the history with the input, recalled messages, and recalled messages that are sent
    whole. The others are those of :class:`OtherRanges`.
    """
    return (
        [block.versions for block in parts.notes],
        _list_verbatim(space, parts),
        in_ranges(parts.recalled),
        list_whole_recalled_ranges(space.log, parts),
        *map(joined, words.of(parts)),
    )


def _list_opaque(
    space: MemorySpace, firsts: NDArray[np.int64], stops: NDArray[np.int64]
) -> Ranges:
    if not space.summaries.has_opaque:
        return {}
    bounds = zip(firsts.tolist(), stops.tolist(), strict=True)
    return {
        number: list(space.summaries.opaque(start, stop))
        for number, (start, stop) in enumerate(bounds)
    }


def _make_layer(
    has_range: Bools, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[Layer, ...]:
    """Return one layer with the ranges of the requests for which ``has_range`` is true; none where there is none."""
    numbers = np.flatnonzero(has_range)
    return (Layer(numbers, starts[numbers], stops[numbers]),) if len(numbers) else ()


def _make_layers(ranges: Ranges) -> Iterator[Layer]:
    """Yield the layers of ``ranges``: the first range of all requests, the second of those that have two, and so on."""
    depth = 0
    while numbers := [number for number in ranges if len(ranges[number]) > depth]:
        ranges_at_depth = [ranges[number][depth] for number in numbers]
        starts = [log_range.start for log_range in ranges_at_depth]
        stops = [log_range.stop for log_range in ranges_at_depth]
        yield Layer(np.array(numbers), np.array(starts), np.array(stops))
        depth += 1


def list_verbatim_ranges(record: TurnRecord) -> list[range]:
    """Return the ranges of messages that a request sends whole: history, input, and the exchange after the input."""
    return _list_verbatim(record.memory.space, record.parts)


def _list_verbatim(space: MemorySpace, parts: Parts) -> list[range]:
    if (bounds := parts.one_range) is not None:
        return [range(*bounds)]
    return joined((*find_whole_ranges(space, parts), parts.exchange))


def list_whole_recalled_ranges(log: Log, parts: Parts) -> list[range]:
    """Return the ranges of the recalled messages that are sent whole."""
    reduced = find_reduced_recalls(log, parts)
    return in_ranges(
        [position for position in parts.recalled if position not in reduced]
    )


def list_sent_ranges(record: TurnRecord) -> tuple[range, ...]:
    """Return the ranges of all messages that the request holds word for word; they may overlap."""
    leading = range(record.memory.history_start)
    recalled = in_ranges(record.parts.recalled)
    return (leading, *list_verbatim_ranges(record), *recalled)


def list_sent_positions(record: TurnRecord) -> set[int]:
    """Return the log positions of the messages that the request holds word for word."""
    return {position for part in list_sent_ranges(record) for position in part}


def find_record_of_turn(run: Run, turn: int) -> TurnRecord | None:
    """Return the record of the last request of a turn, or ``None`` if it made none."""
    return next((record for record in run.turns if record.turn == turn), None)


def list_left_messages(run: Run, requests: range) -> list[tuple[int, Fate]]:
    """Return the messages that left the requests between two points: their log positions, and what became of them.

    These are the messages that the request before ``requests`` (numbers from 0) held word for word, and the last one of
    ``requests`` does not. It holds a summary of them now, or less of their text, or nothing.
    """
    if not requests.start:
        return []
    before = run.requests[requests.start - 1]
    record = run.requests[requests[-1]]
    positions = sorted(list_sent_positions(before) - list_sent_positions(record))
    fates = run.fates_at(record)[positions]
    return list(zip(positions, map(Fate, fates.tolist()), strict=True))


def list_versions_in_block(summaries: SummaryLog, start: int, stop: int) -> list[int]:
    """Return the versions (0-based) of summaries whose texts are in a block of the versions ``start`` to ``stop``."""
    return [version.version - 1 for version in summaries.in_block(start, stop)]


def list_sent_versions(parts: Parts, summaries: SummaryLog) -> list[int]:
    """Return the versions (0-based) of all summaries that a request of these ``parts`` holds."""
    blocks = [list_versions_in_block(summaries, *notes[:2]) for notes in parts.notes]
    return [number for block in blocks for number in block]


def mark_held(ranges: Iterable[Layer], counts: Counts, count: int) -> Bools:
    """Return true where a request has a message in its ``ranges`` that holds a fact: [``count`` requests x facts].

    ``counts`` are running sums over the log: how many messages up to each one hold each fact.
    """
    is_held = np.zeros((count, counts.shape[1]), bool)
    for requests, starts, stops in ranges:
        is_held[requests] |= counts[stops] > counts[starts]
    return is_held


def mark_all_within(
    ranges: Sequence[Layer], positions: Sequence[Sequence[int]], count: int
) -> Bools:
    """Return true where all messages of a list lie in the ``ranges`` of a request: [``count`` requests x lists].

    ``positions`` are the lists, such as the evidence of each fact. An empty list counts as lying nowhere.
    """
    within = np.zeros((count, len(positions)), bool)
    within[:, [bool(group) for group in positions]] = True
    # The first position of all lists at once, then the second of those that have two, and so on.
    depth = 0
    while columns := [n for n, group in enumerate(positions) if len(group) > depth]:
        wanted = np.array([positions[n][depth] for n in columns])
        inside = np.zeros((count, len(columns)), bool)
        for requests, starts, stops in ranges:
            inside[requests] |= (starts[:, None] <= wanted) & (wanted < stops[:, None])
        within[:, columns] &= inside
        depth += 1
    return within


def mark_held_in_summaries(
    summaries: SummaryLog,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    version_holds: Bools,
) -> Bools:
    """Return true where a request is sent a summary that holds a fact: [requests x facts].

    Request n is sent the versions from ``starts[n]`` to ``stops[n]``, and ``version_holds`` [versions x facts] is true
    where a version holds a fact.
    """
    is_held = np.zeros((len(stops), version_holds.shape[1]), bool)
    sizes = stops - starts
    is_single = sizes == 1
    is_growing_list = (sizes > 1) & (starts == 0) & summaries.is_straight
    is_held[is_single] = version_holds[stops[is_single] - 1]
    if is_growing_list.any():
        # How many versions up to each one hold a fact: of a list that begins with the first, the last one is enough.
        holders = np.cumsum(version_holds, axis=0, dtype=np.int32)
        is_held[is_growing_list] = holders[stops[is_growing_list] - 1] > 0
    # A list with edited or undone entries is read entry by entry.
    for request in np.flatnonzero((sizes > 1) & ~is_growing_list).tolist():
        start = int(starts[request])
        stop = int(stops[request])
        versions = list_versions_in_block(summaries, start, stop)
        is_held[request] = version_holds[versions].any(axis=0)
    return is_held
