"""Full buffer."""

from __future__ import annotations

from typing import ClassVar

from memviz.memory import Memory
from memviz.pieces import Messages, Piece
from memviz.strategies.base import Strategy


class Buffer(Strategy):
    """Sends the whole conversation with every request.

    Gains: nothing is ever forgotten, and the prefix stays cacheable. Loses: every turn costs more
    than the one before, until the context window is full.

    A system message later in the conversation is history like any other message, as in the reference.
    """

    title: ClassVar[str] = "Full buffer"
    reference: ClassVar[str] = "LangChain ConversationBufferMemory"
    order: ClassVar[int] = 1

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Everything."""
        return (Messages(memory.history_start, memory.length),)
