"""Sliding window."""

from __future__ import annotations

from typing import ClassVar

from memviz.memory import Memory
from memviz.pieces import Messages, Piece
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import whole_number


class Window(Strategy):
    """Sends the newest messages and forgets all older ones.

    Gains: simple, and bounded by a number of messages. Loses: whatever left the window is gone, long
    messages still make it dear, and a moving first message defeats prompt caching.

    A system message later in the conversation takes one place of the window and falls out of it like any other.
    """

    title: ClassVar[str] = "Sliding window"
    reference: ClassVar[str] = "LangChain ConversationBufferWindowMemory, counted in messages"
    order: ClassVar[int] = 2
    main_parameter: ClassVar[str] = "window_size"

    window_size: int = whole_number(
        10,
        "messages",
        "Messages sent, the input included. Larger remembers further back and costs more a turn.",
        (2, 40),
    )

    @property
    def limits(self) -> str:
        """The input counts too."""
        return "messages"

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The last ``window_size`` messages."""
        start = max(memory.history_start, memory.length - self.window_size)
        return (Messages(start, memory.length),)
