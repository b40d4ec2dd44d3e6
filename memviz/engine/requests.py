"""All requests of a run: numbers in columns, and records as views of a row, made when somebody asks.

A request of a long conversation is a score of numbers: which messages, which summary, how many tokens. Kept as numbers
they take 150 bytes, and whoever draws or adds up thousands of them takes a whole column at once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from struct import Struct
from typing import Any, NamedTuple, overload

import numpy as np

from memviz.core.context import (
    ALL_PARTS,
    ORPHANED_TOOL_MESSAGE,
    OVER_BUDGET,
    TOKEN_PARTS,
)
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Notes, Picked, Piece
from memviz.core.summaries import copy_apart
from memviz.core.turns import Request
from memviz.engine.assembly import NOTHING_SHARED, assemble
from memviz.engine.calls import ReplyFacts
from memviz.engine.columns import PARTS, WIDTH, Columns, Made
from memviz.engine.compaction import Compaction
from memviz.engine.part_tokens import tokens_by_part
from memviz.engine.parts import Parts, Shared, find_shared
from memviz.engine.recall import Recalled
from memviz.engine.records import RequestKind, TurnRecord, of_one_turn
from memviz.engine.tool_pairs import orphaned_results
from memviz.strategies.base import Strategy

_AS_BYTES = Struct(f"{WIDTH}q").pack
MANY_PIECES = 32
KEPT_RECORDS = 4096
"""The most requests of a run whose records are kept once they were made."""


class Beside(NamedTuple):
    """The rest of few requests besides their numbers: those of live chats, and those with recalls."""

    flags: tuple[str, ...] = ()
    recalled: Recalled | None = None
    facts: ReplyFacts | None = None
    kind: RequestKind = "answer"
    thoughts: tuple[Message, ...] = ()


class Records(Sequence[TurnRecord]):
    """Records that are made when somebody asks for one. Equal to any sequence of equal records."""

    def _record(self, number: int) -> TurnRecord:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> TurnRecord: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TurnRecord, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        rows = range(len(self))[index]  # raises IndexError as a tuple does
        if isinstance(rows, range):
            return tuple(map(self._record, rows))
        return self._record(rows)

    def __iter__(self) -> Iterator[TurnRecord]:
        return map(self._record, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} records>"


class Requests(Records):
    """The records of all requests of a run, in order.

    Nearly every request is one range of whole messages, history and input, behind at most one message of notes, and is
    kept as numbers alone. What another one sends stands in ``others`` by its number (0-based).
    """

    def __init__(self) -> None:
        self.numbers = array("q")
        self.counted = array("q")
        """Tokens of the parts of those that were counted when they were added, and which these are."""
        self.counted_rows = array("q")
        self.others: dict[int, Parts] = {}
        self._pieces: dict[Piece, Piece] = {}
        """Every piece of ``others``, once."""
        self._newest = Parts(())
        """The parts that were added last to ``others``."""
        self.beside: dict[int, Beside] = {}
        """What requests have besides their numbers, by their numbers (0-based): those that have anything."""
        self.compactions_by_number: dict[int, tuple[Compaction, ...]] = {}
        self.made: list[Made] = []
        self._marks: list[tuple[int, tuple[tuple[str, int], ...]]] = [(0, ())]
        self._built: dict[int, TurnRecord] = {}
        self.summary_role = ""
        """The role of the notes' message in all requests that are kept as numbers alone."""

    @classmethod
    def of(cls, records: Iterable[TurnRecord]) -> Requests:
        """The requests of these ``records``."""
        if isinstance(records, Requests):
            return records
        requests = cls()
        for record in records:
            requests.append(record)
        return requests

    def __len__(self) -> int:
        return len(self.numbers) // WIDTH

    def snapshot(self) -> Requests:
        """A copy of the requests, which does not grow with them."""
        return copy_apart(self)

    def append_selected(
        self,
        asked: Request,
        memory: Memory,
        strategy: Strategy,
        reply_tokens: int,
        compactions: tuple[Compaction, ...],
    ) -> None:
        """Add the request that a replay was ``asked`` for. ``strategy`` says what it sends; its tokens are counted when
        somebody asks for them."""
        # Runs once a request of every setting of a sweep. Nearly all select one range up to the end, behind at most one
        # summary message: history and input, with nothing to be put right between them.
        pieces = strategy.select(memory)
        input_start = memory.before_input
        bounds = self._plain_bounds(pieces, memory.length, input_start)
        if bounds is None:
            settled = NOTHING_SHARED
            if self.made and self.made[-1].space is memory.space:
                settled = self._shared_with_newest(pieces)
            bounds = self._bounds_of(assemble(memory, pieces, settled=settled))
        if compactions:
            self.compactions_by_number[len(self)] = compactions
        turn, call, _, _ = asked
        self._add(memory, strategy, (turn, call), bounds, input_start, reply_tokens)

    def append(self, record: TurnRecord) -> None:
        """Add a record as it is."""
        number = len(self)
        parts = record.parts
        memory = record.memory
        bounds = self._bounds_of(parts, has_thoughts=bool(record.thoughts))
        beside = Beside(
            record.flags, record.recalled, record.facts, record.kind, record.thoughts
        )
        if beside != _NOTHING_BESIDE:
            self.beside[number] = beside
        if record.compactions:
            self.compactions_by_number[number] = record.compactions
        self.counted_rows.append(number)
        self.counted.extend([record.tokens.get(part, 0) for part in ALL_PARTS])
        input_start = parts.input.start if parts.input else memory.length
        name = (record.turn, record.call)
        reply_tokens = record.reply_tokens
        self._add(memory, record.strategy, name, bounds, input_start, reply_tokens)
        if number < KEPT_RECORDS:
            self._built[number] = record

    def _plain_bounds(
        self, pieces: Sequence[Piece], length: int, input_start: int
    ) -> tuple[int, int, int, int] | None:
        """Versions and messages of what a strategy selects, where that is one range up to the end."""
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
        if len(pieces) > 2 or not isinstance(notes, Notes) or not self._is_plain(notes):
            return None
        return notes[0], notes[1], start, length

    def _bounds_of(
        self, parts: Parts, *, has_thoughts: bool = False
    ) -> tuple[int, int, int, int]:
        """Versions and messages of a whole request. One that is more than one range behind one
        message of notes is kept among ``others``, and has -1 in place of the messages."""
        bounds = None if has_thoughts else parts.one_range
        if bounds is None or not all(map(self._is_plain, parts.notes)):
            self._add_apart(parts)
            bounds = -1, -1
        summaries = parts.summaries
        return summaries.start, summaries.stop, *bounds

    def _add_apart(self, parts: Parts) -> None:
        """Keep the parts of the next request, which is more than one range. A strategy that picks hundreds of messages
        sends most of them again with the next request: each such piece is kept once."""
        pieces = parts.pieces
        start, stop, _ = self._shared_with_newest(pieces)
        kept_pieces = (
            *self._keep_once(pieces[:start]),
            *pieces[start:stop],
            *self._keep_once(pieces[stop:]),
        )
        self._newest = parts
        self.others[len(self)] = parts._replace(pieces=kept_pieces)

    def _shared_with_newest(self, pieces: Sequence[Piece]) -> Shared:
        """The pieces that the request added last sent as well. Few are sooner gone through than compared."""
        if len(pieces) < MANY_PIECES:
            return NOTHING_SHARED
        return find_shared(pieces, self._newest.pieces)

    def _keep_once(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces, each as the equal one that was kept first."""
        return [self._pieces.setdefault(piece, piece) for piece in pieces]

    def _is_plain(self, notes: Notes) -> bool:
        _, _, place, role = notes
        self.summary_role = self.summary_role or role
        return place == "message" and role == self.summary_role

    def _add(
        self,
        memory: Memory,
        strategy: Strategy | None,
        name: tuple[int, int],
        bounds: tuple[int, int, int, int],
        input_start: int,
        reply_tokens: int,
    ) -> None:
        space, length, summary_count, cursor, marks, _ = memory
        newest = self.made[-1] if self.made else None
        if newest is None or newest[1] is not space or newest[2] is not strategy:
            self.made.append(Made(len(self), space, strategy))
        last_marks = self._marks[-1][1]
        if marks is not last_marks and (marks or last_marks):
            self._marks.append((len(self), marks))
        numbers = *name, length, summary_count, cursor, *bounds, input_start
        # Twice as fast as extend.
        self.numbers.frombytes(_AS_BYTES(*numbers, reply_tokens))

    def _record(self, number: int) -> TurnRecord:
        record = self._built.get(number)
        if record is None:
            record = self._view(number)
            if len(self) <= KEPT_RECORDS:
                self._built[number] = record
        return record

    def _view(self, number: int) -> TurnRecord:
        turn, call, *_, reply_tokens = self._row(number)
        beside = self.beside.get(number, _NOTHING_BESIDE)
        strategy = self.made_at(number).strategy
        memory = self.memory_at(number)
        parts = self.parts_at(number)
        counted = self._counted_at(number)
        flags = beside.flags
        if counted is not None:
            tokens = _as_parts(counted)
        else:
            tokens = tokens_by_part(memory, parts)
            flags = flags_of(strategy, tokens, memory, parts)
        return TurnRecord(
            turn=turn,
            memory=memory,
            parts=parts,
            tokens=tokens,
            reply_tokens=reply_tokens,
            compactions=self.compactions_by_number.get(number, ()),
            call=call,
            strategy=strategy,
            **beside._replace(flags=flags)._asdict(),
        )

    def _row(self, number: int) -> array[int]:
        return self.numbers[number * WIDTH : (number + 1) * WIDTH]

    def _counted_at(self, number: int) -> array[int] | None:
        """The tokens of each part of one request, if they were counted when it was added."""
        row = bisect_left(self.counted_rows, number)
        if row == len(self.counted_rows) or self.counted_rows[row] != number:
            return None
        return self.counted[row * PARTS : (row + 1) * PARTS]

    def memory_at(self, number: int) -> Memory:
        """The memory that one request was made for. Sooner than its record, for which tokens may have to be counted."""
        record = self._built.get(number)
        if record is not None:
            return record.memory
        length, summary_count, cursor = self._row(number)[2:5]
        index = bisect_right(self._marks, number, key=lambda entry: entry[0]) - 1
        space = self.made_at(number).space
        return Memory(space, length, summary_count, cursor, self._marks[index][1])

    def parts_at(self, number: int) -> Parts:
        """The parts of one request. Sooner than its record, for which tokens may have to be counted."""
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
        """The messages that were sent behind the input of one request and stand in no log."""
        return self.beside.get(number, _NOTHING_BESIDE).thoughts

    def made_at(self, number: int) -> Made:
        """The surroundings of the request of this number (0-based)."""
        index = bisect_right(self.made, number, key=lambda made: made.first) - 1
        return self.made[index]

    def compactions(self) -> Iterator[tuple[int, tuple[Compaction, ...]]]:
        """The compactions that changed a request first, with its number (0-based)."""
        return iter(self.compactions_by_number.items())

    def with_recalls(self) -> list[int]:
        """The numbers (0-based) of the requests that messages were brought back into."""
        others = self.others.items()
        return [number for number, parts in others if Picked in map(type, parts.pieces)]

    def turn_at(self, number: int) -> int:
        """The turn of one request."""
        return self.numbers[range(len(self))[number] * WIDTH]

    @property
    def columns(self) -> Columns:
        """All numbers, as arrays. Made again only after a request was added."""
        columns: Columns | None = self.__dict__.get("_columns")
        if columns is None or len(columns.turns) != len(self):
            columns = Columns(self)
            self.__dict__["_columns"] = columns
        return columns


_NOTHING_BESIDE = Beside()


class Turns(Records):
    """The record of the last request of every turn, which knows all of its turn; made when somebody asks."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        turns = requests.columns.turns
        first_rows = np.flatnonzero(np.diff(turns, prepend=-1))
        self._bounds = [*first_rows.tolist(), len(turns)]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def _record(self, number: int) -> TurnRecord:
        first, stop = self._bounds[number : number + 2]
        return of_one_turn(self._requests[first:stop])


def flags_of(
    strategy: Strategy | None, tokens: dict[str, int], memory: Memory, parts: Parts
) -> tuple[str, ...]:
    """The flags of a request: that it is larger than the strategy's own budget, or has a tool's result without
    its call."""
    flags: list[str] = []
    if strategy is not None and strategy.budget_tokens is not None:
        if strategy.counted_tokens(tokens) > strategy.budget_tokens:
            flags.append(OVER_BUDGET)
    if memory.log.tools.results:
        if orphaned_results(memory.log, parts, memory.space.summaries):
            flags.append(ORPHANED_TOOL_MESSAGE)
    return tuple(flags)


def _as_parts(counted: Sequence[int]) -> dict[str, int]:
    """The tokens of each part, without those of parts that are not in use."""
    tokens = dict(zip(ALL_PARTS, counted, strict=True))
    return {
        part: count for part, count in tokens.items() if count or part in TOKEN_PARTS
    }
