"""The memory of one conversation under one strategy, as a small immutable value over the log.

A value is three numbers over two append-only sequences (the log and the summaries written so far),
so keeping the value of every turn costs next to nothing: that is what makes time travel free.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.pieces import Piece
from memviz.core.summaries import SummaryLog, SummaryVersion, copy_apart
from memviz.core.token_sums import TokenSums

SUMMARIZED = "summarized"
"""The mark behind the last message that is summarized, or left out for good: :attr:`Memory.cursor`."""


MemoryState = tuple[int, int, tuple[tuple[str, int], ...]]
"""All that a compaction may change: the number of the newest notes, :attr:`Memory.cursor` and the marks."""


@dataclass(eq=False, repr=False)
class LibraryRequests:
    """The requests that a real library said it would send, append-only: the pieces of its requests by the length
    that the log had and the state that the memory was in.

    A strategy that runs a library looks here, so that what it sends is a question of the memory alone, as with every
    other strategy, also for requests long past.
    """

    _lengths: list[int] = field(default_factory=list)
    _states: list[MemoryState] = field(default_factory=list)
    _pieces: list[tuple[Piece, ...]] = field(default_factory=list)

    def copy(self) -> LibraryRequests:
        """A copy of these requests, which does not grow with them."""
        return copy_apart(self)

    def append(self, memory: Memory, pieces: tuple[Piece, ...]) -> None:
        """Keep what is sent for a memory that is as long as all before or longer; one in the same state replaces it."""
        is_longer = not self._lengths or self._lengths[-1] < memory.length
        if is_longer or self._states[-1] != memory.state:
            self._lengths.append(memory.length)
            self._states.append(memory.state)
            self._pieces.append(pieces)
        self._pieces[-1] = pieces

    def at(self, memory: Memory) -> tuple[int, tuple[Piece, ...]]:
        """The newest request of a memory of at most this length with at most these summaries,
        as the length that the log had and the pieces; 0 and nothing where there is none."""
        number = bisect_right(self._lengths, memory.length)
        # The memory may be as it was before the library summarized or cleared, at the very same message.
        while number and self._came_later(number - 1, memory):
            number -= 1
        if not number:
            return 0, ()
        return self._lengths[number - 1], self._pieces[number - 1]

    def _came_later(self, number: int, memory: Memory) -> bool:
        summary_count, cursor, marks = self._states[number]
        return (
            summary_count > memory.summary_count
            or cursor > memory.cursor
            or marks > memory.marks
        )

    def __len__(self) -> int:
        return len(self._lengths)


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """The values that all memories of one run share."""

    log: Log
    sums: TokenSums
    summaries: SummaryLog
    system_prompt: Message | None = None
    """A prompt that was given beside the conversation. It stands before the system messages that the log begins with;
    together they are sent first with every request, whole."""
    prompt_tokens: int = 0
    """Content tokens of that prompt."""
    tool_tokens: int = 0
    """Tokens of the schemas of the tools that the conversation's own program offered, sent with every request too."""
    sent_by_library: LibraryRequests = field(default_factory=LibraryRequests)

    def apart(self) -> MemorySpace:
        """A copy with a list of summaries of its own: what is written there is not written here."""
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
        leading = tuple(self.log[: self.system_stop])
        if self.system_prompt is None:
            return leading
        return (self.system_prompt, *leading)

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
    which the last is the newest one in force."""

    space: MemorySpace
    length: int
    summary_count: int = 0
    cursor: int = 0
    """The position of the first message that is not summarized: at first that behind the leading system messages, which
    are never summarized."""
    marks: tuple[tuple[str, int], ...] = ()
    """Further positions that a strategy keeps, by name: everything before one has been dealt with so, such as
    cleared."""
    pins: tuple[int, ...] = ()
    """The positions of the messages that the user wants in every request, as far as they are there."""

    def mark(self, name: str) -> int:
        """The position of a mark; where history begins as long as it was not moved."""
        if name == SUMMARIZED:
            return self.cursor
        for mark_name, position in self.marks:
            if mark_name == name:
                return position
        return self.history_start

    def moved(self, name: str, position: int) -> Memory:
        """The memory with its mark ``name`` at ``position``, all else as it is."""
        if name == SUMMARIZED:
            return self._replace(cursor=position)
        marks = {**dict(self.marks), name: position}
        return self._replace(marks=tuple(sorted(marks.items())))

    def head(self, track: str) -> SummaryVersion | None:
        """The newest version of a track of notes."""
        return self.space.summaries.head(self.summary_count, track)

    @property
    def state(self) -> MemoryState:
        """All that a compaction may change."""
        return self.summary_count, self.cursor, self.marks

    def to_json(self) -> list[Any]:
        """The memory as JSON: ``[length, summary_count, cursor]``, and ``marks`` if there are any."""
        numbers = [self.length, self.summary_count, self.cursor]
        return [*numbers, dict(self.marks)] if self.marks else numbers

    @classmethod
    def from_json(cls, space: MemorySpace, value: Sequence[Any]) -> Memory:
        """The memory that :meth:`to_json` described, over ``space``."""
        length, summary_count, cursor = value[:3]
        marks = value[3] if len(value) > 3 and value[3] else {}
        return cls(space, length, summary_count, cursor, tuple(sorted(marks.items())))

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
        if not self.summary_count:
            return None
        return self.space.summaries.versions[self.summary_count - 1]

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
        """True if the turn of the last message waits for its reply: the user or a tool spoke
        last, or the assistant called a tool.

        While a log is still growing, this is all that can be known.
        """
        # Before the first user message there is no turn.
        if not self.turn:
            return False
        last = self.space.log[self.length - 1]
        return last.role != "assistant" or bool(last.tool_calls)

    @property
    def before_open_turn(self) -> int:
        """Number of messages before the open turn: all of them when no turn is open."""
        if self.is_turn_open:
            return self.space.log.turn_start(self.turn)
        return self.length

    @property
    def turn(self) -> int:
        """Number of the turn that the last message belongs to (0 before the first user message)."""
        return self.space.log.turn_number(self.length - 1) if self.length else 0

    def messages(self, positions: range) -> list[Message]:
        """The messages at ``positions``."""
        messages: list[Message] = self.space.log[positions.start : positions.stop]
        return messages

    def worth_summarizing(self, positions: range) -> list[Message]:
        """The messages at ``positions`` without the model's recalls, which would come back as memories;
        with them where there is nothing else."""
        messages = self.messages(positions)
        if not self.space.log.tools.callers:
            return messages
        spoken_messages = [
            message for message in messages if not message.is_recall_exchange
        ]
        return spoken_messages or messages

    def as_of(self, memory: Memory) -> Memory:
        """The memory as of the request that ``memory`` was made for: the log may have grown since, and a chat that was
        given another setting has memories over another space."""
        own_memory = self._replace(space=memory.space, pins=memory.pins)
        return own_memory.appended(memory.length)

    def appended(self, length: int) -> Memory:
        """The memory once the log has ``length`` messages, with nothing summarized since."""
        space, _, summary_count, cursor, marks, pins = self
        # The log of a live chat may still be empty when its memory is made, so its system messages are passed here.
        cursor = max(cursor, min(space.log.system_stop, length))
        return Memory(space, length, summary_count, cursor, marks, pins)
