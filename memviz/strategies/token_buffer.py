"""Token buffer."""

from __future__ import annotations

from typing import ClassVar

from memviz.memory import Memory
from memviz.pieces import Messages, Piece
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import whole_number


class TokenBuffer(Strategy):
    """Sends as many of the newest messages as fit into a token budget.

    Gains: the cost of a turn is bounded whatever the messages' length. Loses: older messages are
    gone, and one long answer pushes out many short ones.

    A system message later in the conversation counts and goes like any other: both references cut from the front,
    whoever said it.
    """

    title: ClassVar[str] = "Token buffer"
    reference: ClassVar[str] = "LangChain ConversationTokenBufferMemory, LlamaIndex ChatMemoryBuffer"
    order: ClassVar[int] = 3
    main_parameter: ClassVar[str] = "max_tokens"

    max_tokens: int = whole_number(
        2000, "tokens", "Limit for messages, the input included. Larger remembers further back and costs more a turn.",
        (250, 8000),
    )  # fmt: skip

    @property
    def limits(self) -> str:
        """The input counts too."""
        return "messages"

    @property
    def budget_tokens(self) -> int:
        """``max_tokens``."""
        return self.max_tokens

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The longest suffix of the log within the budget."""
        start = memory.sums.suffix_start(memory.length, self.max_tokens, memory.history_start)
        return (Messages(start, memory.length),)
