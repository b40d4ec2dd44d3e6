"""Words that requests send and that no message of the log holds so: what is left of messages that are sent in another
form, and lines of the strategy's own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.context import Fate
from memviz.conversation import Message
from memviz.counters import FormSums
from memviz.engine.assembly import Parts, reduced, sums_of, whole
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.forms import Form
from memviz.memory import MemorySpace, SummaryLog
from memviz.metrics.retention.probe_texts import Bools, Counts
from memviz.pieces import Line, Messages, in_ranges, joined


class OtherRanges(NamedTuple):
    """What one request sends of them, as ranges of places in :attr:`OtherWords.messages`: in messages, and inside the
    system prompt."""

    in_messages: list[range]
    in_system: list[range]


class OtherWords:
    """The messages, each once however many requests send it, in the order in which requests were asked about."""

    def __init__(self, space: MemorySpace) -> None:
        self._space = space
        self._places: dict[Hashable, int] = {}
        self._first: dict[Form, int] = {}
        self.messages: list[Message] = []

    def of(self, parts: Parts) -> OtherRanges:
        """What a request sends of them."""
        found = OtherRanges([], [])
        for piece in parts.pieces:
            if isinstance(piece, Messages) and piece.form is not None:
                found.in_messages.append(self._changed(piece, piece.form))
            elif isinstance(piece, Line):
                place = self._place(
                    (piece.message.content, piece.message.tool_calls), piece.message
                )
                (
                    found.in_messages if piece.place == "message" else found.in_system
                ).append(place)
        return found

    def _changed(self, piece: Messages, form: Form) -> range:
        """The places of the messages that the form changes."""
        log, sums = self._space.log, None
        if piece.stop - piece.start > 1:  # of a form for one message no sums are kept
            sums = sums_of(self._space, form)
        if not isinstance(sums, FormSums):
            changed = reduced(self._space, piece)
            return (
                self._place((form, piece.start), log.sent(piece.start, form))
                if changed
                else range(0)
            )
        if (
            form not in self._first
        ):  # all that the form changes at once: then the messages of a range stand together
            self._first[form] = len(self.messages)
            self.messages += (log.sent(position, form) for position in sums.changed)
        first = self._first[form]
        return range(
            first + bisect_left(sums.changed, piece.start),
            first + bisect_left(sums.changed, piece.stop),
        )

    def _place(self, key: Hashable, message: Message) -> range:
        if key not in self._places:
            self._places[key] = len(self.messages)
            self.messages.append(message)
        return range(self._places[key], self._places[key] + 1)


Ranges = list[list[range]]
"""For each request its ranges of log positions, sorted, without overlaps."""


class Layer(NamedTuple):
    """The n-th range of every request that has so many: the requests, and where their range starts and stops."""

    requests: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RequestContents:
    """What all requests of a run held, one entry a request in each array.

    ``turns`` are their turns, ``lengths`` the number of messages that the log had when each was made, ``notes`` the
    versions (0-based) sent. ``verbatim`` (history and input, as far as it is sent whole) and ``recalled`` are their
    ranges of the log, ``leading`` that of the system messages which the log begins with. What is sent besides in
    messages (``others``) and inside the system prompt (``inside``) are ranges of ``words``: what is left of messages
    that are sent in another form, and lines of the strategy's own.
    """

    turns: NDArray[np.int64]
    lengths: NDArray[np.int64]
    notes: tuple[Layer, ...]
    verbatim: tuple[Layer, ...]
    recalled: tuple[Layer, ...] = ()
    leading: tuple[Layer, ...] = ()
    others: tuple[Layer, ...] = ()
    inside: tuple[Layer, ...] = ()
    words: Sequence[Message] = ()

    def __len__(self) -> int:
        return len(self.turns)

    @classmethod
    def of(cls, run: Run) -> RequestContents:
        """The requests of ``run``."""
        columns = run.columns
        one_range = columns.starts >= 0
        plain = np.flatnonzero(one_range)
        noted = np.flatnonzero(
            one_range & (columns.summary_stops > columns.summary_starts)
        )
        notes = Layer(
            noted, columns.summary_starts[noted], columns.summary_stops[noted]
        )
        return _with_others(
            run,
            (notes,) if len(noted) else (),
            Layer(plain, columns.starts[plain], columns.stops[plain]),
        )


def _with_others(run: Run, notes: tuple[Layer, ...], plain: Layer) -> RequestContents:
    """What all requests held: those of one range, and all others."""
    columns = run.columns
    words, lengths, numbers = (
        OtherWords(run.space),
        columns.lengths.copy(),
        [*columns.others],
    )
    held: tuple[Ranges, ...] = ([], [], [], [], [])
    for number, parts in columns.others.items():
        lengths[number] = max(lengths[number], parts.exchange.stop)
        one_range = parts.one_range is not None
        in_messages, in_system = ([], []) if one_range else words.of(parts)
        found = (
            [sent.versions for sent in parts.notes],
            _verbatim(run.space, parts),
            in_ranges(parts.recalled),
            joined(in_messages),
            joined(in_system),
        )
        for ranges, one in zip(held, found, strict=True):
            ranges.append(one)
    more_notes, verbatim, recalled, others, inside = (
        tuple(_numbered(layer, numbers) for layer in layers(ranges)) for ranges in held
    )
    return RequestContents(
        columns.turns,
        lengths,
        (*notes, *more_notes),
        (*((plain,) if len(plain.requests) else ()), *verbatim),
        recalled,
        _leading(run, len(columns.turns)),
        others,
        inside,
        words.messages,
    )


def _numbered(layer: Layer, numbers: list[int]) -> Layer:
    """The layer of requests of which only those of these ``numbers`` were listed."""
    return layer._replace(requests=np.array(numbers, np.int64)[layer.requests])


def _leading(run: Run, count: int) -> tuple[Layer, ...]:
    """The leading system messages, which every request begins with."""
    stop = run.space.system_stop
    return (
        (
            Layer(
                np.arange(count),
                np.zeros(count, np.int64),
                np.full(count, stop, np.int64),
            ),
        )
        if stop
        else ()
    )


def verbatim_ranges(record: TurnRecord) -> list[range]:
    """History and input, as far as it is sent whole, and what was said behind the input."""
    return _verbatim(record.memory.space, record.parts)


def _verbatim(space: MemorySpace, parts: Parts) -> list[range]:
    if (bounds := parts.one_range) is not None:
        return [range(*bounds)]
    return joined((*whole(space, parts), parts.exchange))


def recalled_ranges(record: TurnRecord) -> list[range]:
    """The recalled messages."""
    return in_ranges(record.parts.recalled)


def versions_of(parts: Parts, summaries: SummaryLog) -> list[int]:
    """The versions (0-based) whose text a request holds, wherever they stand in it."""
    return [
        number
        for sent in parts.notes
        for number in versions_sent(summaries, sent.start, sent.stop)
    ]


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


def all_within(
    ranges: Sequence[Layer], positions: Sequence[Sequence[int]], count: int
) -> Bools:
    """Whether all messages of each list of ``positions`` lie in the ranges of each of ``count`` requests: [requests x
    lists]. An empty list lies nowhere."""
    within = np.zeros((count, len(positions)), dtype=bool)
    columns = [n for n, listed in enumerate(positions) if listed]
    within[:, columns] = True
    depth = 0
    while columns:
        within[:, columns] &= _within(
            ranges, np.array([positions[n][depth] for n in columns]), count
        )
        depth += 1
        columns = [n for n in columns if len(positions[n]) > depth]
    return within


def _within(
    found: Sequence[Layer], positions: NDArray[np.int64], requests: int
) -> Bools:
    inside = np.zeros((requests, len(positions)), dtype=bool)
    for layer in found:
        inside[layer.requests] |= (layer.starts[:, None] <= positions) & (
            positions < layer.stops[:, None]
        )
    return inside


def versions_sent(summaries: SummaryLog, start: int, stop: int) -> list[int]:
    """The versions (0-based) whose text a request holds that was sent the versions from ``start`` to ``stop``."""
    return [version.version - 1 for version in summaries.in_block(start, stop)]


def held_in_summaries(
    summaries: SummaryLog,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    held: Bools,
) -> Bools:
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
        out[request] = held[
            versions_sent(summaries, int(starts[request]), int(stops[request]))
        ].any(axis=0)
    return out


def record_of_turn(run: Run, turn: int) -> TurnRecord | None:
    """The record of the last request of a turn, or ``None`` if it made none."""
    return next((record for record in run.turns if record.turn == turn), None)


def sent_positions(record: TurnRecord) -> set[int]:
    """Log positions of the messages that the request holds word for word."""
    sent = (
        range(record.memory.history_start),
        *verbatim_ranges(record),
        *recalled_ranges(record),
    )
    return {position for part in sent for position in part}


def left_since(run: Run, requests: range) -> list[tuple[int, Fate]]:
    """Messages that the request before ``requests`` (0-based numbers) held word for word and the last of these does
    not: their log positions, and what became of them: a summary stands for them now, or nothing does, or they are sent
    with less in them. The request before may be an earlier call of the same turn."""
    if not requests.start:
        return []
    before, record = run.requests[requests.start - 1], run.requests[requests[-1]]
    fates = run.fates_at(record)
    left = sorted(sent_positions(before) - sent_positions(record))
    return [(position, Fate(int(fates[position]))) for position in left]
