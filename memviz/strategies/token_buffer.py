"""Token buffer."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece
from memviz.core.translation import noop
from memviz.strategies.base import Strategy
from memviz.strategies.families import WORD_FOR_WORD
from memviz.strategies.parameters import whole_number


class TokenBuffer(Strategy):
    """Sends as many of the newest messages as fit into a token budget.

    Gains: the cost of a turn is bounded however long messages are.

    Loses: older messages are gone, and one long answer pushes out many short ones.

    Hurts when: answers or tool results are nearly as long as the budget, so that one of them empties the memory; or a
    prompt cache would pay: as with the sliding window, the first message moves with every turn.

    Used by:
    - LangChain ConversationTokenBufferMemory: drops from the front until 2,000 tokens are left (read in
      langchain-classic 1.0.8)
    - LlamaIndex ChatMemoryBuffer: 3,000 tokens, or three quarters of the model's window (read in llama-index-core
      0.14.25)
    - AutoGen TokenLimitedChatCompletionContext: drops the message in the middle until the rest fits, so both ends stay
      (read in autogen-core 0.7.5)
    - Agent Framework truncation: above a high mark, cuts down to a low one, and may keep the first question (run with
      agent-framework 1.23.0)

    A system message later in the conversation counts and goes like any other: both references cut from the front,
    whoever said it.
    """

    title: ClassVar[str] = "Token buffer"
    reference: ClassVar[str] = (
        "LangChain ConversationTokenBufferMemory, LlamaIndex ChatMemoryBuffer"
    )
    order: ClassVar[int] = 3
    family: ClassVar[str] = WORD_FOR_WORD
    main_parameter: ClassVar[str] = "max_tokens"
    limits: ClassVar[str] = noop("messages")
    """The input counts too."""

    max_tokens: int = whole_number(
        2000,
        "tokens",
        "Limit for messages, the input included. Larger remembers further back and costs more a turn.",
        (250, 8000),
    )

    @property
    def budget_tokens(self) -> int:
        """``max_tokens``."""
        return self.max_tokens

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The longest suffix of the log within the budget."""
        start = memory.sums.suffix_start(
            memory.length, self.max_tokens, memory.history_start
        )
        return (Messages(start, memory.length),)
