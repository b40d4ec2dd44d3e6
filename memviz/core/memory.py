"""The memory of one conversation under one strategy, as a small immutable value over the log.

A value is three numbers over two append-only sequences (the log and the summaries written so far),
so keeping the value of every turn costs next to nothing: that is what makes time travel free.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from memviz.core.conversation import Log
from memviz.core.counters import Counter, TokenSums
from memviz.core.messages import Message
from memviz.core.pieces import Piece

SUMMARY = "summary"
"""The track of notes that a strategy with one kind of notes writes."""
FACTS = "facts"
"""The track of a list of facts: a version keeps those of the version that it takes in as they were written and adds
those of its messages. One that is made of the same messages once more condenses the list."""
SUMMARIZED = "summarized"
"""The mark behind the last message that is summarized, or left out for good: :attr:`Memory.cursor`."""


T = TypeVar("T")


def copy_apart(value: T) -> T:
    """Return a copy of an object that grows, with lists, sets, dictionaries and arrays of its own."""
    other = copy(value)
    for name, item in vars(value).items():
        if isinstance(item, list | set | dict | array):
            setattr(other, name, copy(item))
    return other


@dataclass(frozen=True)
class SummaryVersion:
    """One summary that a summarizer wrote.

    ``version`` counts from 1. ``turn`` is that of the last message when it was written; the first request that it
    changed is that of ``Compaction.request_turn``, by which pages name it. ``covers`` is the range of log
    positions it stands for, ``added`` the part of it that was still verbatim before. ``replaces`` is the
    version it took in, ``None`` for the first one and for entries of an accumulating list. ``follows`` is
    the version that was the newest in force when it was written (0: none): usually the one before, but not
    after an undo. ``track`` names the kind of notes that it belongs to, where a strategy keeps several kinds, such as
    facts and a working-memory text: each has a newest version of its own.
    """

    version: int
    turn: int
    text: str
    covers: range
    added: range
    counter: Counter = field(repr=False, compare=False)
    replaces: int | None = None
    follows: int | None = None
    track: str = SUMMARY

    @cached_property
    def tokens(self) -> int:
        """Tokens of the bare text."""
        return self.counter.in_lines(self.text)


class SummarySource(NamedTuple):
    """The source of one summary: the messages, and the text of the previous summary that they join."""

    messages: Sequence[Message]
    previous: str | None = None


class SummaryWording(NamedTuple):
    """The wording of a strategy's summaries in a request: a ``heading`` above a list of them (empty where there is
    no list), and each one as an ``entry``."""

    heading: str
    entry: Callable[[SummaryVersion], str]


class SummaryLog:
    """All summary versions of a run, append-only, with the tokens of every block made of them.

    A block of versions ``[start, stop)`` (0-based) is the heading line, if any, and one entry a
    version, in the order of what they stand for. Versions that were undone are not in it, and of several
    versions of the same messages (an entry that was edited) only the newest. Entries are joined by line
    breaks, where token counts add up exactly, so a growing list is counted in O(1) a turn.

    Of a strategy that keeps several tracks of notes a block holds those of one track: that of its last version.

    In a chat whose strategy was changed each version keeps the wording of the strategy that it was written under;
    a block only ever holds versions of one strategy.
    """

    def __init__(self, counter: Counter, wording: SummaryWording) -> None:
        self.counter = counter
        self.wording = wording
        self.versions: list[SummaryVersion] = []
        self._wordings: list[SummaryWording] = []
        self._heading_units: list[int] = []
        self._entry_units: dict[int, int] = {}
        self._line_units: list[int] = [
            0
        ]  # running sums of the entries with their line breaks, as far as asked for
        self._covered: list[int] = [0]  # running sums of the number of messages covered
        self._starts: set[int] = set()  # first messages newly taken in
        self.is_straight = True
        """Whether nothing was edited or undone, so that every version counts."""

    def __len__(self) -> int:
        return len(self.versions)

    def append(
        self, version: SummaryVersion, wording: SummaryWording | None = None
    ) -> None:
        """Add the newest version, in the ``wording`` of another strategy if one is given."""
        wording = wording or self.wording
        index = len(self.versions)
        heading = wording.heading
        if self._wordings and self._wordings[-1].heading == heading:
            self._heading_units.append(self._heading_units[-1])
        else:
            self._heading_units.append(
                self.counter.units(heading + "\n") if heading else 0
            )
        self._wordings.append(wording)
        self.versions.append(version)
        self._covered.append(self._covered[-1] + len(version.covers))
        first = version.added.start
        follows_last = version.follows in (None, index)
        is_same_track = version.track == self.versions[0].track
        if not follows_last or not is_same_track or first in self._starts:
            self.is_straight = False
        self._starts.add(first)

    def _units_of_entry(self, index: int) -> int:
        """The units of an entry, counted when somebody first asks: a replay alone asks for few."""
        units = self._entry_units.get(index)
        if units is None:
            entry = self.entry(self.versions[index])
            units = self._entry_units[index] = self.counter.units_in_lines(entry)
        return units

    def heading(self, version: SummaryVersion) -> str:
        """The line above a list that ends with ``version``; empty where it is sent alone."""
        return self._wordings[version.version - 1].heading

    def entry(self, version: SummaryVersion) -> str:
        """``version`` as it reads in a request."""
        return self._wordings[version.version - 1].entry(version)

    def in_block(self, start: int, stop: int) -> list[SummaryVersion]:
        """The versions that a block of ``[start, stop)`` shows, in the order of what they stand for."""
        if self.is_straight:
            return self.versions[start:stop]
        newest: dict[int, SummaryVersion] = {}
        track = self.versions[stop - 1].track if stop > start else SUMMARY
        while stop > start:
            version = self.versions[stop - 1]
            if version.track == track:
                newest.setdefault(version.added.start, version)
            stop = stop - 1 if version.follows is None else version.follows
        return [newest[first] for first in sorted(newest)]

    def head(self, stop: int, track: str) -> SummaryVersion | None:
        """The newest version of ``track`` in force when the version before ``stop`` (0-based) was the newest of all."""
        while stop:
            version = self.versions[stop - 1]
            if version.track == track:
                return version
            stop = stop - 1 if version.follows is None else version.follows
        return None

    def text(self, start: int, stop: int) -> str:
        """The block of versions ``[start, stop)`` as it is sent."""
        block = self.in_block(start, stop)
        heading = self.heading(block[-1]) if block else ""
        lines = [self.entry(version) for version in block]
        return "\n".join([heading, *lines] if heading else lines)

    def tokens(self, start: int, stop: int) -> int:
        """Content tokens of the block of versions ``[start, stop)``; 0 for an empty block."""
        if start >= stop:
            return 0
        lines = 0
        last = stop - 1
        if not self.is_straight:
            *before, last = (
                version.version - 1 for version in self.in_block(start, stop)
            )
            sums = self._line_sums(max(before, default=-1) + 1)
            lines = sum(sums[index + 1] - sums[index] for index in before)
        elif stop - start > 1:  # one that is sent alone is no line
            sums = self._line_sums(stop - 1)
            lines = sums[stop - 1] - sums[start]
        return self.counter.tokens(
            self._heading_units[last] + lines + self._units_of_entry(last)
        )

    def _line_sums(self, count: int) -> Sequence[int]:
        """Running sums of the units of at least the first ``count`` entries with their line breaks."""
        for index in range(len(self._line_units) - 1, count):
            entry = self.entry(self.versions[index])
            line = self._units_of_entry(index) + self.counter.line_break_units(entry)
            self._line_units.append(self._line_units[-1] + line)
        return self._line_units

    def covered(self, start: int, stop: int) -> tuple[range, ...]:
        """Ranges of log positions that versions ``[start, stop)`` stand for together."""
        if start >= stop:
            return ()
        first = self.versions[start].covers
        last = self.versions[stop - 1].covers
        if (
            self.is_straight
            and last.stop - first.start == self._covered[stop] - self._covered[start]
        ):
            return (range(first.start, last.stop),)
        return tuple(version.covers for version in self.in_block(start, stop))

    def copy(self) -> SummaryLog:
        """The same versions in a log of its own, which does not grow with this one."""
        return copy_apart(self)

    def prefix(self, length: int) -> SummaryLog:
        """A new log of the first ``length`` versions."""
        log = SummaryLog(self.counter, self.wording)
        for version, wording in zip(
            self.versions[:length], self._wordings, strict=False
        ):
            log.append(version, wording)
        return log


class LibraryRequests:
    """The requests that a real library said it would send, append-only: the pieces of its requests by the length
    that the log had, the number of summaries that there were, and where what they stand for stopped.

    A strategy that runs a library looks here, so that what it sends is a question of the memory alone, as with every
    other strategy, also for requests long past.
    """

    def __init__(self) -> None:
        self._lengths: list[int] = []
        self._states: list[tuple[int, int]] = []  # summaries, and the cursor
        self._pieces: list[tuple[Piece, ...]] = []

    def copy(self) -> LibraryRequests:
        """The same in a list of its own, which does not grow with this one."""
        return copy_apart(self)

    def append(self, memory: Memory, pieces: tuple[Piece, ...]) -> None:
        """Keep what is sent for a memory that is longer than all before; one of the same length replaces them."""
        if self._lengths and self._lengths[-1] == memory.length:
            self._states[-1], self._pieces[-1] = (
                (memory.summary_count, memory.cursor),
                pieces,
            )
            return
        self._lengths.append(memory.length)
        self._states.append((memory.summary_count, memory.cursor))
        self._pieces.append(pieces)

    def at(self, memory: Memory) -> tuple[int, tuple[Piece, ...]]:
        """The newest that is known for a memory of at most this length with at most these summaries, and the length
        that the log had; nothing and 0 before."""
        number = bisect_right(self._lengths, memory.length)
        while number and self._came_later(number - 1, memory):
            number -= 1  # a memory as it was before the library summarized, at the very same message
        return (
            (self._lengths[number - 1], self._pieces[number - 1]) if number else (0, ())
        )

    def _came_later(self, number: int, memory: Memory) -> bool:
        summary_count, cursor = self._states[number]
        return summary_count > memory.summary_count or cursor > memory.cursor

    def __len__(self) -> int:
        return len(self._lengths)


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """The values that all memories of one run share.

    ``system_prompt`` was given beside the conversation and has ``prompt_tokens`` content tokens. It stands before the
    system messages that the log begins with; together they are sent first with every request, whole. The schemas of the
    tools that the conversation's own program offered have ``tool_tokens``, sent with every request too.
    """

    log: Log
    sums: TokenSums
    summaries: SummaryLog
    system_prompt: Message | None = None
    prompt_tokens: int = 0
    tool_tokens: int = 0
    sent_by_library: LibraryRequests = field(default_factory=LibraryRequests)

    def apart(self) -> MemorySpace:
        """The same with a list of summaries of its own: what is written there is not written here."""
        return replace(
            self,
            summaries=self.summaries.copy(),
            sent_by_library=self.sent_by_library.copy(),
        )

    @property
    def system_stop(self) -> int:
        """Log position behind the leading system messages: where history begins."""
        return self.log.system_stop

    @property
    def system_messages(self) -> tuple[Message, ...]:
        """The system prompt as it is sent: the one given, then those that lead the log."""
        given = () if self.system_prompt is None else (self.system_prompt,)
        return (*given, *self.log[: self.system_stop])

    @property
    def system_tokens(self) -> int:
        """Content tokens of the whole system prompt."""
        return self.prompt_tokens + self.sums.totals[self.system_stop]

    @property
    def system_count(self) -> int:
        """Number of messages of the whole system prompt."""
        return (self.system_prompt is not None) + self.system_stop


class Memory(NamedTuple):
    """All that a strategy may look at: the first ``length`` messages and the first ``summary_count`` summaries, of
    which the last is the newest one in force.

    ``cursor`` is the position of the first message that is not summarized: at first that behind the leading system
    messages, which are never summarized. ``marks`` are further positions that a strategy keeps, by name: everything
    before one has been dealt with so, such as cleared. ``pins`` are the positions of the messages that the user wants
    in every request, as far as they are there.
    """

    space: MemorySpace
    length: int
    summary_count: int = 0
    cursor: int = 0
    marks: tuple[tuple[str, int], ...] = ()
    pins: tuple[int, ...] = ()

    def mark(self, name: str) -> int:
        """The position of a mark; where history begins as long as it was not moved."""
        if name == SUMMARIZED:
            return self.cursor
        for known, position in self.marks:
            if known == name:
                return position
        return self.history_start

    def moved(self, name: str, position: int) -> Memory:
        """This memory with a mark at ``position``."""
        if name == SUMMARIZED:
            return self._replace(cursor=position)
        return self._replace(
            marks=tuple(sorted({**dict(self.marks), name: position}.items()))
        )

    def head(self, track: str) -> SummaryVersion | None:
        """The newest version of a track of notes."""
        return self.space.summaries.head(self.summary_count, track)

    @property
    def state(self) -> tuple[int, int, tuple[tuple[str, int], ...]]:
        """All that a compaction may change: the newest notes and the marks."""
        return self.summary_count, self.cursor, self.marks

    def to_json(self) -> list[Any]:
        """The value as JSON."""
        return [
            self.length,
            self.summary_count,
            self.cursor,
            *([dict(self.marks)] if self.marks else []),
        ]

    @classmethod
    def from_json(cls, space: MemorySpace, value: Sequence[Any]) -> Memory:
        """The memory that :meth:`to_json` described, over ``space``."""
        length, summary_count, cursor, *marks = value
        return cls(
            space,
            length,
            summary_count,
            cursor,
            tuple(sorted(marks[0].items())) if marks and marks[0] else (),
        )

    @property
    def log(self) -> Log:
        """The whole log; positions from ``length`` on do not exist yet for this value."""
        return self.space.log

    @property
    def sums(self) -> TokenSums:
        """Running token sums over the log."""
        return self.space.sums

    @property
    def history_start(self) -> int:
        """Position of the first message that may be history: behind the leading system messages."""
        return min(self.space.log.system_stop, self.length)

    @property
    def pending(self) -> int:
        """Number of messages not yet summarized."""
        return self.length - self.cursor

    @property
    def pending_tokens(self) -> int:
        """Content tokens of the messages not yet summarized."""
        totals = self.space.sums.totals
        return totals[self.length] - totals[self.cursor]

    @property
    def summary(self) -> SummaryVersion | None:
        """The newest summary."""
        return (
            self.space.summaries.versions[self.summary_count - 1]
            if self.summary_count
            else None
        )

    def notes_of(self, track: str) -> range:
        """The newest version of a track as a range of versions (0-based), empty when there is none."""
        newest = self.head(track)
        return range(newest.version - 1, newest.version) if newest else range(0)

    @property
    def newest_summary(self) -> range:
        """The newest summary as a range of versions (0-based), empty when there is none."""
        return range(max(0, self.summary_count - 1), self.summary_count)

    @property
    def all_summaries(self) -> range:
        """All summaries as a range of versions (0-based)."""
        return range(self.summary_count)

    @property
    def input(self) -> range:
        """Positions of the input: every message after the assistant's last one, but for system messages that follow
        that one directly. Empty where the assistant's is the last."""
        return range(self.before_input, self.length)

    @property
    def before_input(self) -> int:
        """Number of messages before the input: all of them when there is none."""
        return self.space.log.input_start(self.length)

    @property
    def is_turn_open(self) -> bool:
        """True if the turn of the last message waits for its reply: the user or a tool spoke last, or a tool is
        called. In a log that is not yet whole nobody knows more."""
        if not self.turn:
            return False  # nobody asked anything yet
        last = self.space.log[self.length - 1]
        return last.role != "assistant" or bool(last.tool_calls)

    @property
    def before_open_turn(self) -> int:
        """Number of messages before the turn that is open: all of them when none is."""
        return (
            self.space.log.turn_start(self.turn) if self.is_turn_open else self.length
        )

    @property
    def turn(self) -> int:
        """Number of the turn that the last message belongs to (0 before the first user message)."""
        return self.space.log.turn_number(self.length - 1) if self.length else 0

    def messages(self, positions: range) -> list[Message]:
        """The messages at ``positions``."""
        found: list[Message] = self.space.log[positions.start : positions.stop]
        return found

    def worth_summarizing(self, positions: range) -> list[Message]:
        """The messages at ``positions`` without the model's recalls, which would come back as memories;
        with them where there is nothing else."""
        found = self.messages(positions)
        if not self.space.log.tools.callers:
            return found
        return [message for message in found if not message.is_recall_exchange] or found

    def appended(self, length: int) -> Memory:
        """This memory once the log has ``length`` messages."""
        space, _, summary_count, cursor, marks, pins = self
        # The log of a live chat may still be empty when its memory is made, so its system messages are passed here.
        return Memory(
            space,
            length,
            summary_count,
            max(cursor, min(space.log.system_stop, length)),
            marks,
            pins,
        )
