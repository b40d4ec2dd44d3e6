"""Head and tail."""

from bisect import bisect_left, bisect_right
from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Piece
from memviz.core.translation import noop
from memviz.strategies.base import Strategy
from memviz.strategies.families import WORD_FOR_WORD
from memviz.strategies.parameters import whole_number


class HeadAndTail(Strategy):
    """Sends the first and the newest messages, and says how many it skips between them.

    Gains: the task that a conversation opens with stays, and so does what was said last; the first messages are the
    same in every request, so a prompt cache keeps them.

    Loses: everything in the middle, for good, and each message has the same weight however long it is.

    Hurts when: decisions are made in the middle of the conversation, as in most that run long; or the conversation
    opens with small talk, which is then kept for ever.

    Used by:
    - AutoGen HeadAndTailChatCompletionContext: the first and the newest messages, with "Skipped N messages." between
      them (run with autogen-core 0.7.5)
    - AutoGen TokenLimitedChatCompletionContext: both ends stay and the middle goes, counted in tokens (read in
      autogen-core 0.7.5)
    - Strands SlidingWindowConversationManager with pin_first: chosen messages of the beginning and the newest ones (run
      with strands 1.62.0)

    As in AutoGen, all results in a row that tools gave count as one message. A call that ends the head is left out, and
    so are results that begin the tail; the number of messages skipped does not count these. Nothing is skipped, and
    nothing left out, as long as head and tail hold all. A system message later in the conversation counts like any
    other.

    Checked request by request against autogen-core 0.7.5 (HeadAndTailChatCompletionContext). Different here: the input
    is always sent, so a tail has as many messages as the input where that has more, and results of tools that have to
    be answered are sent also where they begin the tail.
    """

    title: ClassVar[str] = "Head and tail"
    reference: ClassVar[str] = (
        "AutoGen HeadAndTailChatCompletionContext (autogen-core 0.7.5)"
    )
    order: ClassVar[int] = 3
    family: ClassVar[str] = WORD_FOR_WORD
    main_parameter: ClassVar[str] = "tail_size"
    limits: ClassVar[str] = noop("messages, results of tools in a row as one")
    """Both ends count, the input too."""

    head_size: int = whole_number(
        2,
        "messages",
        "Messages from the beginning of the conversation. Larger keeps more of how it began and costs more a turn.",
        (1, 10),
    )
    tail_size: int = whole_number(
        8,
        "messages",
        "Newest messages, the input included. Larger remembers further back and costs more a turn.",
        (2, 40),
    )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The first ``head_size`` messages, how many are skipped, and the last ``tail_size``."""
        units = _Units(memory)
        asked = memory.input
        tail_size = self.tail_size
        if asked:
            input_size = units.total - units.before(asked.start)
            tail_size = max(tail_size, input_size)
        skipped = units.total - self.head_size - tail_size
        if skipped <= 0:
            return (Messages(memory.history_start, memory.length),)
        head_stop = units.start(self.head_size)
        tail_start = units.start(units.total - tail_size)
        if memory.log[head_stop - 1].tool_calls:
            head_stop -= 1
        if memory.log[tail_start].role == "tool" and tail_start not in asked:
            tail_start = units.start(units.total - tail_size + 1)
        line = Line(Message("user", f"Skipped {skipped} messages."))
        return (
            Messages(memory.history_start, head_stop),
            line,
            Messages(tail_start, memory.length),
        )


class _Units:
    """The messages of a memory's history, with tool results in a row joined to one unit, numbered from 0."""

    def __init__(self, memory: Memory) -> None:
        self._joined = memory.log.tools.joined
        self._first = memory.history_start
        self._length = memory.length
        self._joined_before_first = bisect_left(self._joined, self._first)
        self.total = self.before(self._length)

    def before(self, position: int) -> int:
        """Number of units that begin before this log position."""
        return (
            position
            - self._first
            - (bisect_left(self._joined, position) - self._joined_before_first)
        )

    def start(self, number: int) -> int:
        """Log position at which a unit begins; that behind the last message for ``total``."""
        positions = range(self._first, self._length + 1)
        return positions[bisect_right(positions, number, key=self.before) - 1]
