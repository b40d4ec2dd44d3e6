"""The contents of the requests of a run, as ranges of the log and numbers of summaries, for all requests at once; and
requests that a provider refuses: a tool's result without the call that it answers, or a call without its result."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.conversation import Log
from memviz.core.forms import Form, Superseded
from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Picked, in_ranges, joined
from memviz.core.summaries import SummaryLog
from memviz.core.token_sums import FormSums
from memviz.engine.part_tokens import find_reduced_positions, find_whole_ranges, sums_of
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.retention.probe_texts import Bools, Counts


class OtherRanges(NamedTuple):
    """The parts of :class:`OtherWords` that one request sends, as ranges of places in :attr:`OtherWords.messages`: in
    messages, inside the system prompt, and facts that were looked up among its notes."""

    in_messages: list[range]
    in_system: list[range]
    in_notes: list[range]
    in_recalled: list[range]


@dataclass(eq=False, repr=False)
class OtherWords:
    """Words that requests send and that no message of the log holds so: what is left of messages that are sent in
    another form, and lines of the strategy's own. Each stands here once however many requests send it, in the order in
    which requests were asked about."""

    space: MemorySpace
    messages: list[Message] = field(default_factory=list)
    _places: dict[Hashable, int] = field(default_factory=dict)
    _first: dict[Form, int] = field(default_factory=dict)
    _superseded: dict[Messages, list[range]] = field(default_factory=dict)

    def of(self, parts: Parts) -> OtherRanges:
        """Return the ranges of these words that a request sends."""
        ranges = OtherRanges([], [], [], [])
        for piece in parts.pieces:
            if isinstance(piece, Messages) and isinstance(piece.form, Superseded):
                ranges.in_messages.extend(self._place_superseded(piece))
            elif isinstance(piece, Messages) and piece.form is not None:
                ranges.in_messages.append(self._place_changed(piece, piece.form))
            # A line of the strategy's own stands in the log nowhere.
            elif isinstance(piece, Line):
                message = piece.message
                place = self._place_message(
                    (message.content, message.tool_calls), message
                )
                if piece.quotes:
                    ranges.in_notes.append(place)
                elif piece.place == "message":
                    ranges.in_messages.append(place)
                else:
                    ranges.in_system.append(place)
        for message in reduced_recalls(self.space.log, parts).values():
            place = self._place_message((message.content, message.tool_calls), message)
            ranges.in_recalled.append(place)
        return ranges

    def _place_changed(self, piece: Messages, form: Form) -> range:
        """Return the places of the messages that the form changes."""
        log = self.space.log
        # Of a form for one message no sums are kept.
        if piece.stop - piece.start == 1:
            if not find_reduced_positions(self.space, piece):
                return range(0)
            return self._place_message((form, piece.start), log.sent(piece.start, form))
        sums = sums_of(self.space, form)
        if not isinstance(sums, FormSums):
            return range(0)
        # All that the form changes at once: then the messages of a range stand together.
        if form not in self._first:
            self._first[form] = len(self.messages)
            self.messages += (log.sent(position, form) for position in sums.changed)
        first = self._first[form]
        start = bisect_left(sums.changed, piece.start)
        return range(first + start, first + bisect_left(sums.changed, piece.stop))

    def _place_superseded(self, piece: Messages) -> list[range]:
        """Return the places of the messages that a piece changes, where older reads have a form of their own. Nearly
        all say the same few words, and many requests have the same piece."""
        if piece not in self._superseded:
            log = self.space.log
            by_text: dict[Hashable, Message] = {}
            for position in find_reduced_positions(self.space, piece):
                message = log.sent(position, piece.form)
                by_text[message.content, message.tool_calls] = message
            places = [
                self._place_message(key, message) for key, message in by_text.items()
            ]
            self._superseded[piece] = places
        return self._superseded[piece]

    def _place_message(self, key: Hashable, message: Message) -> range:
        place = self._places.setdefault(key, len(self.messages))
        if place == len(self.messages):
            self.messages.append(message)
        return range(place, place + 1)


def reduced_recalls(log: Log, parts: Parts) -> dict[int, Message]:
    """Return what is left of the recalled messages that a request sends with less in them, by their log positions: of
    one with a call that nobody answered the text."""
    left: dict[int, Message] = {}
    for piece in parts.pieces:
        if not isinstance(piece, Picked) or piece.form is None:
            continue
        for position in piece.positions:
            message = log.sent(position, piece.form)
            if message is not log[position]:
                left[position] = message
    return left


class Layer(NamedTuple):
    """The n-th range of every request that has so many: the requests, and where their range starts and stops.

    A request has at most one range in a layer, so numpy counts all requests of a layer at once.
    """

    requests: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


Ranges = dict[int, list[range]]
"""By the number of a request its ranges of log positions, sorted, without overlaps."""


@dataclass(frozen=True, eq=False)
class RequestContents:
    """The contents of all requests of a run, one entry a request in each array."""

    turns: NDArray[np.int64]
    lengths: NDArray[np.int64]
    """The number of messages that the log had when each was made."""
    notes: tuple[Layer, ...]
    """The versions (0-based) sent."""
    verbatim: tuple[Layer, ...]
    """Ranges of the log: history and input, as far as it is sent whole."""
    recalled: tuple[Layer, ...] = ()
    """Ranges of the log."""
    recalled_whole: tuple[Layer, ...] = ()
    """Ranges of the log: those that are sent with all that is in them."""
    leading: tuple[Layer, ...] = ()
    """The range of the system messages that the log begins with."""
    others: tuple[Layer, ...] = ()
    """Ranges of ``words`` that are sent in messages."""
    inside: tuple[Layer, ...] = ()
    """Ranges of ``words`` that are sent inside the system prompt."""
    quoted: tuple[Layer, ...] = ()
    """Ranges of ``words`` that are facts which were looked up among the notes."""
    recalled_words: tuple[Layer, ...] = ()
    """Ranges of ``words`` that are recalled messages with less in them."""
    words: Sequence[Message] = ()
    """See :class:`OtherWords`."""
    opaque: tuple[Layer, ...] = ()
    """Ranges of the log that a block stands for which only the provider can read."""

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
        # Most requests are one range of the log, whose bounds stand in the columns. The others, whose start is -1
        # there, hold recalls, messages in other forms or lines, and are read piece by piece.
        is_one_range = columns.starts[rows] >= 0
        parts_by_number: dict[int, Parts] = {}
        for number in np.flatnonzero(~is_one_range).tolist():
            parts = columns.others[int(rows[number])]
            lengths[number] = max(lengths[number], parts.exchange.stop)
            parts_by_number[number] = parts
        layers = _layers_of_others(space, parts_by_number, words)
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


def _layers_of_others(
    space: MemorySpace, parts_by_number: Mapping[int, Parts], words: OtherWords
) -> list[tuple[Layer, ...]]:
    """Return the layers of requests that are more than one range of the log: of the eight kinds of ranges, in the order
    of :func:`_ranges_by_kind`."""
    by_kind = [Ranges() for _ in range(8)]
    for number, parts in parts_by_number.items():
        own_ranges = _ranges_by_kind(space, parts, words)
        for ranges, ranges_of_request in zip(by_kind, own_ranges, strict=True):
            ranges[number] = ranges_of_request
    return [tuple(_make_layers(ranges)) for ranges in by_kind]


def _ranges_by_kind(
    space: MemorySpace, parts: Parts, words: OtherWords
) -> tuple[list[range], ...]:
    """Return the ranges of one request: of its notes, of history and input, of what was recalled, and of that as far as
    it is sent whole; and of other words in messages, inside the system prompt, among the notes and in recalled
    messages."""
    return (
        [block.versions for block in parts.notes],
        _list_verbatim(space, parts),
        in_ranges(parts.recalled),
        whole_recalled_ranges(space.log, parts),
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
    """Return the ranges of the requests that have one, which ``has_range`` marks; nothing where there are none."""
    numbers = np.flatnonzero(has_range)
    return (Layer(numbers, starts[numbers], stops[numbers]),) if len(numbers) else ()


def _make_layers(ranges: Ranges) -> Iterator[Layer]:
    """Yield the first ranges of all requests, then the second ones of those that have two, and so on: most requests
    have one range only, so few arrays hold all."""
    depth = 0
    while numbers := [number for number in ranges if len(ranges[number]) > depth]:
        ranges_at_depth = [ranges[number][depth] for number in numbers]
        starts = [log_range.start for log_range in ranges_at_depth]
        stops = [log_range.stop for log_range in ranges_at_depth]
        yield Layer(np.array(numbers), np.array(starts), np.array(stops))
        depth += 1


def verbatim_ranges(record: TurnRecord) -> list[range]:
    """Return history and input, as far as it is sent whole, and what was said behind the input."""
    return _list_verbatim(record.memory.space, record.parts)


def _list_verbatim(space: MemorySpace, parts: Parts) -> list[range]:
    if (bounds := parts.one_range) is not None:
        return [range(*bounds)]
    return joined((*find_whole_ranges(space, parts), parts.exchange))


def whole_recalled_ranges(log: Log, parts: Parts) -> list[range]:
    """Return the recalled messages that are sent with all that is in them."""
    reduced = reduced_recalls(log, parts)
    return in_ranges(
        [position for position in parts.recalled if position not in reduced]
    )


def sent_ranges(record: TurnRecord) -> tuple[range, ...]:
    """Return all that the request holds word for word; ranges may overlap."""
    leading = range(record.memory.history_start)
    recalled = in_ranges(record.parts.recalled)
    return (leading, *verbatim_ranges(record), *recalled)


def sent_positions(record: TurnRecord) -> set[int]:
    """Return the log positions of the messages that the request holds word for word."""
    return {position for part in sent_ranges(record) for position in part}


def record_of_turn(run: Run, turn: int) -> TurnRecord | None:
    """Return the record of the last request of a turn, or ``None`` if it made none."""
    return next((record for record in run.turns if record.turn == turn), None)


def left_since(run: Run, requests: range) -> list[tuple[int, Fate]]:
    """Return the messages that the request before ``requests`` (0-based numbers) held word for word and the last of
    these does not: their log positions, and what became of them: a summary stands for them now, or nothing does, or
    they are sent with less in them. The request before may be an earlier call of the same turn."""
    if not requests.start:
        return []
    before = run.requests[requests.start - 1]
    record = run.requests[requests[-1]]
    positions = sorted(sent_positions(before) - sent_positions(record))
    fates = run.fates_at(record)[positions]
    return list(zip(positions, map(Fate, fates.tolist()), strict=True))


def versions_sent(summaries: SummaryLog, start: int, stop: int) -> list[int]:
    """Return the versions (0-based) whose text a request holds that was sent the versions from ``start`` to
    ``stop``."""
    return [version.version - 1 for version in summaries.in_block(start, stop)]


def versions_of(parts: Parts, summaries: SummaryLog) -> list[int]:
    """Return the versions (0-based) whose text a request holds, wherever they stand in it."""
    blocks = [versions_sent(summaries, *notes[:2]) for notes in parts.notes]
    return [number for block in blocks for number in block]


def held_in(ranges: Iterable[Layer], counts: Counts, count: int) -> Bools:
    """Return whether any message in the ranges of each of ``count`` requests counts: [requests x columns of
    ``counts``], which are running sums over the log."""
    is_held = np.zeros((count, counts.shape[1]), bool)
    for requests, starts, stops in ranges:
        is_held[requests] |= counts[stops] > counts[starts]
    return is_held


def all_within(
    ranges: Sequence[Layer], positions: Sequence[Sequence[int]], count: int
) -> Bools:
    """Return whether all messages of each list of ``positions`` lie in the ranges of each of ``count`` requests:
    [requests x lists]. An empty list lies nowhere."""
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


def held_in_summaries(
    summaries: SummaryLog,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    version_holds: Bools,
) -> Bools:
    """Return whether any version sent with each request holds what a column asks for: [requests x columns].

    ``version_holds`` [versions x columns] says it of each version.

    A list from the first version on is a running number of holders, so a growing list costs as much as a
    single summary; one with edited or undone entries is looked at entry by entry.
    """
    out = np.zeros((len(stops), version_holds.shape[1]), bool)
    sizes = stops - starts
    single = sizes == 1
    lists = (sizes > 1) & (starts == 0) & summaries.is_straight
    out[single] = version_holds[stops[single] - 1]
    if lists.any():
        # The number of versions up to each that hold it, so that a list needs its last one alone.
        holders = np.cumsum(version_holds, axis=0, dtype=np.int32)
        out[lists] = holders[stops[lists] - 1] > 0
    for request in np.flatnonzero((sizes > 1) & ~lists).tolist():
        versions = versions_sent(summaries, int(starts[request]), int(stops[request]))
        out[request] = version_holds[versions].any(axis=0)
    return out
