"""Keeps all requests of a run as one table of numbers, and builds a :class:`TurnRecord` where one is asked for.

A replay, a live chat and the reader of stored runs add requests here; metrics and charts read ``run.requests``. Nearly
every request is described by some twenty numbers: which messages, which summaries, how many tokens. In a table they
take 150 bytes, and metrics add up whole columns (``requests.columns``) without building any record.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import NamedTuple

from memviz.core.context import (
    ALL_PARTS,
    TOKEN_PARTS,
)
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Notes, Picked, Piece
from memviz.core.summaries import copy_apart
from memviz.core.turns import Request
from memviz.engine.assembly import NOTHING_SHARED, assemble
from memviz.engine.calls import ReplyFacts
from memviz.engine.columns import PARTS, WIDTH, Columns, Segment
from memviz.engine.compaction import Compaction
from memviz.engine.joined_requests import Numbers
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.parts import Parts, Shared, find_shared
from memviz.engine.recall import Recalled
from memviz.engine.record_sequences import RecordSequence
from memviz.engine.records import RequestKind, TurnRecord, find_flags
from memviz.strategies.base import Strategy

_AS_BYTES = Struct(f"{WIDTH}q").pack
MANY_PIECES = 32
KEPT_RECORDS = 4096
"""The most requests of a run whose records are kept once they were made."""


class RequestExtras(NamedTuple):
    """The fields of a record that are no numbers. Only requests of live chats and those with recalls have any."""

    flags: tuple[str, ...] = ()
    recalled: Recalled | None = None
    facts: ReplyFacts | None = None
    kind: RequestKind = "answer"
    thoughts: tuple[Message, ...] = ()


class Requests(RecordSequence):
    """The records of all requests of a run, in order.

    Nearly every request sends one range of whole messages behind at most one message of notes, and is kept as numbers
    alone. The parts of any other request are in ``others`` by its number (0-based).
    """

    def __init__(self) -> None:
        self.numbers = array("q")
        self.counted = array("q")
        """The tokens of each part, for the requests that were counted when they were added."""
        self.counted_rows = array("q")
        """The numbers (0-based) of these requests, in order."""
        self.others: dict[int, Parts] = {}
        self._pieces: dict[Piece, Piece] = {}
        """Every piece of ``others``, once."""
        self._newest = Parts(())
        """The parts that were added last to ``others``."""
        self.extras: dict[int, RequestExtras] = {}
        """The extras of the requests that have any, by request number (0-based)."""
        self.compactions_by_number: dict[int, tuple[Compaction, ...]] = {}
        self.segments: list[Segment] = []
        self._marks: list[tuple[int, tuple[tuple[str, int], ...]]] = [(0, ())]
        self._built: dict[int, TurnRecord] = {}
        self.summary_role = ""
        """The role of the notes' message in all requests that are kept as numbers alone."""

    @classmethod
    def of(cls, records: Iterable[TurnRecord]) -> Requests:
        """Return the requests of these ``records``; ``records`` itself if it is a :class:`Requests`."""
        if isinstance(records, Requests):
            return records
        requests = cls()
        for record in records:
            requests.append(record)
        return requests

    @classmethod
    def from_table(
        cls,
        rows: Numbers,
        token_counts: Numbers,
        segment: Segment,
        summary_role: str,
        compactions_by_number: dict[int, tuple[Compaction, ...]],
    ) -> Requests:
        """Return requests that are numbers alone, all of one ``segment``.

        ``rows`` [requests x ROW] and ``token_counts`` [requests x ALL_PARTS] hold the numbers of each request, and
        ``summary_role`` is the role of their notes' messages.
        """
        requests = cls()
        requests.numbers.frombytes(rows.tobytes())
        requests.counted.frombytes(token_counts.tobytes())
        requests.counted_rows.extend(range(len(rows)))
        requests.segments.append(segment)
        requests.summary_role = summary_role
        requests.compactions_by_number = compactions_by_number
        return requests

    def __len__(self) -> int:
        return len(self.numbers) // WIDTH

    def snapshot(self) -> Requests:
        """Return a copy that does not grow when requests are added to this one."""
        return copy_apart(self)

    def append_selected(
        self,
        asked: Request,
        memory: Memory,
        strategy: Strategy,
        reply_tokens: int,
        compactions: tuple[Compaction, ...],
    ) -> None:
        """Add the request that a replay was ``asked`` for, with the pieces that ``strategy`` selects from ``memory``.

        Its tokens are counted when they are first read.
        """
        # A sweep calls this once for each request of each setting, so the common case is fast: one range of messages up
        # to the end, behind at most one summary message, needs no assembly.
        pieces = strategy.select(memory)
        input_start = memory.before_input
        bounds = self._find_plain_bounds(pieces, memory.length, input_start)
        if bounds is None:
            settled = NOTHING_SHARED
            # Pieces of another space are numbered by another log.
            if self.segments and self.segments[-1].space is memory.space:
                settled = self._find_shared_with_newest(pieces)
            bounds = self._find_bounds(assemble(memory, pieces, settled=settled))
        if compactions:
            self.compactions_by_number[len(self)] = compactions
        turn, call, _, _ = asked
        self._add_row(memory, strategy, (turn, call), bounds, input_start, reply_tokens)

    def append(self, record: TurnRecord) -> None:
        """Add a record as it is."""
        number = len(self)
        parts = record.parts
        memory = record.memory
        bounds = self._find_bounds(parts, has_thoughts=bool(record.thoughts))
        extras = RequestExtras(
            record.flags, record.recalled, record.facts, record.kind, record.thoughts
        )
        if extras != _NO_EXTRAS:
            self.extras[number] = extras
        if record.compactions:
            self.compactions_by_number[number] = record.compactions
        self.counted_rows.append(number)
        self.counted.extend([record.tokens.get(part, 0) for part in ALL_PARTS])
        input_start = parts.input.start if parts.input else memory.length
        name = (record.turn, record.call)
        reply_tokens = record.reply_tokens
        self._add_row(memory, record.strategy, name, bounds, input_start, reply_tokens)
        if number < KEPT_RECORDS:
            self._built[number] = record

    def _find_plain_bounds(
        self, pieces: Sequence[Piece], length: int, input_start: int
    ) -> tuple[int, int, int, int] | None:
        """Return the summary versions and the messages that the ``pieces`` of a strategy send, as four numbers.

        ``None`` where they are more than one range of messages up to the end behind one message of notes.
        """
        last_piece = pieces[-1] if pieces else None
        if not isinstance(last_piece, Messages):
            return None
        start, stop, form = last_piece
        if form is not None or not start < stop == length:
            return None
        start = start if start < input_start else input_start
        if len(pieces) == 1:
            return 0, 0, start, length
        notes = pieces[0]
        if (
            len(pieces) > 2
            or not isinstance(notes, Notes)
            or not self._is_plain_message(notes)
        ):
            return None
        return notes[0], notes[1], start, length

    def _find_bounds(
        self, parts: Parts, *, has_thoughts: bool = False
    ) -> tuple[int, int, int, int]:
        """Return the summary versions and the messages of a whole request, as four numbers.

        A request that is more than one range of messages behind one message of notes is kept in ``others``, and has -1
        in place of the messages.
        """
        bounds = None if has_thoughts else parts.one_range
        if bounds is None or not all(map(self._is_plain_message, parts.notes)):
            self._keep_parts(parts)
            bounds = -1, -1
        summaries = parts.summaries
        return summaries.start, summaries.stop, *bounds

    def _keep_parts(self, parts: Parts) -> None:
        """Keep the parts of the next request in ``others``, each different piece once.

        A strategy that picks hundreds of messages sends most of them again with the next request.
        """
        pieces = parts.pieces
        start, stop, _ = self._find_shared_with_newest(pieces)
        kept_pieces = (
            *self._keep_once(pieces[:start]),
            *pieces[start:stop],
            *self._keep_once(pieces[stop:]),
        )
        self._newest = parts
        self.others[len(self)] = parts._replace(pieces=kept_pieces)

    def _find_shared_with_newest(self, pieces: Sequence[Piece]) -> Shared:
        """Return which pieces the last request in ``others`` sent as well. Few pieces are not compared."""
        if len(pieces) < MANY_PIECES:
            return NOTHING_SHARED
        return find_shared(pieces, self._newest.pieces)

    def _keep_once(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces, each as the equal one that was kept first."""
        return [self._pieces.setdefault(piece, piece) for piece in pieces]

    def _is_plain_message(self, notes: Notes) -> bool:
        _, _, place, role = notes
        # The first notes of a run decide the role of all that are kept as numbers.
        self.summary_role = self.summary_role or role
        return place == "message" and role == self.summary_role

    def _add_row(
        self,
        memory: Memory,
        strategy: Strategy | None,
        name: tuple[int, int],
        bounds: tuple[int, int, int, int],
        input_start: int,
        reply_tokens: int,
    ) -> None:
        space, length, summary_count, cursor, marks, _ = memory
        newest = self.segments[-1] if self.segments else None
        if newest is None or newest[1] is not space or newest[2] is not strategy:
            self.segments.append(Segment(len(self), space, strategy))
        last_marks = self._marks[-1][1]
        if marks is not last_marks and (marks or last_marks):
            self._marks.append((len(self), marks))
        numbers = *name, length, summary_count, cursor, *bounds, input_start
        # Twice as fast as extend.
        self.numbers.frombytes(_AS_BYTES(*numbers, reply_tokens))

    def _build_record(self, number: int) -> TurnRecord:
        record = self._built.get(number)
        if record is None:
            record = self._read_record(number)
            if len(self) <= KEPT_RECORDS:
                self._built[number] = record
        return record

    def _read_record(self, number: int) -> TurnRecord:
        turn, call, *_, reply_tokens = self._row(number)
        extras = self.extras.get(number, _NO_EXTRAS)
        strategy = self.segment_at(number).strategy
        memory = self.memory_at(number)
        parts = self.parts_at(number)
        counted = self._read_counted(number)
        flags = extras.flags
        if counted is not None:
            tokens = _name_counts(counted)
        else:
            tokens = count_tokens_by_part(memory, parts)
            flags = find_flags(strategy, tokens, memory, parts)
        return TurnRecord(
            turn=turn,
            memory=memory,
            parts=parts,
            tokens=tokens,
            reply_tokens=reply_tokens,
            compactions=self.compactions_by_number.get(number, ()),
            call=call,
            strategy=strategy,
            **extras._replace(flags=flags)._asdict(),
        )

    def _row(self, number: int) -> array[int]:
        return self.numbers[number * WIDTH : (number + 1) * WIDTH]

    def _read_counted(self, number: int) -> array[int] | None:
        """Return the tokens of each part of one request, if they were counted when it was added."""
        row = bisect_left(self.counted_rows, number)
        if row == len(self.counted_rows) or self.counted_rows[row] != number:
            return None
        return self.counted[row * PARTS : (row + 1) * PARTS]

    def memory_at(self, number: int) -> Memory:
        """Return the memory that one request was made from. Faster than its record, which may have to count tokens."""
        record = self._built.get(number)
        if record is not None:
            return record.memory
        length, summary_count, cursor = self._row(number)[2:5]
        index = bisect_right(self._marks, number, key=lambda entry: entry[0]) - 1
        space = self.segment_at(number).space
        return Memory(space, length, summary_count, cursor, self._marks[index][1])

    def parts_at(self, number: int) -> Parts:
        """Return the parts of one request. Faster than its record, which may have to count tokens."""
        parts = self.others.get(number)
        if parts is not None:
            return parts
        first, last, start, stop, input_start = self._row(number)[5:10]
        pieces: list[Piece] = []
        if first < last:
            pieces.append(Notes(first, last, "message", self.summary_role))
        if start < input_start:
            pieces.append(Messages(start, input_start))
        if input_start < stop:
            pieces.append(Messages(input_start, stop))
        return Parts(tuple(pieces), range(input_start, stop))

    def thoughts_at(self, number: int) -> tuple[Message, ...]:
        """Return the messages that were sent behind the input of one request and are in no log."""
        return self.extras.get(number, _NO_EXTRAS).thoughts

    def segment_at(self, number: int) -> Segment:
        """Return the segment that holds request ``number`` (0-based)."""
        index = (
            bisect_right(self.segments, number, key=lambda segment: segment.first) - 1
        )
        return self.segments[index]

    def compactions(self) -> Iterator[tuple[int, tuple[Compaction, ...]]]:
        """Yield request numbers (0-based), each with the compactions whose result the request was first to send."""
        return iter(self.compactions_by_number.items())

    def numbers_with_recalls(self) -> list[int]:
        """The numbers (0-based) of the requests that recalled messages are part of."""
        others = self.others.items()
        return [number for number, parts in others if Picked in map(type, parts.pieces)]

    def turn_at(self, number: int) -> int:
        """Return the turn of one request."""
        return self.numbers[range(len(self))[number] * WIDTH]

    @property
    def columns(self) -> Columns:
        """All numbers, as arrays. They are built again only after a request was added."""
        columns: Columns | None = self.__dict__.get("_columns")
        if columns is None or len(columns.turns) != len(self):
            columns = Columns(self)
            self.__dict__["_columns"] = columns
        return columns


_NO_EXTRAS = RequestExtras()


def _name_counts(counted: Sequence[int]) -> dict[str, int]:
    """Return the counts by part, as :attr:`TurnRecord.tokens` has them: optional parts only where they have tokens."""
    tokens = dict(zip(ALL_PARTS, counted, strict=True))
    return {
        part: count for part, count in tokens.items() if count or part in TOKEN_PARTS
    }
