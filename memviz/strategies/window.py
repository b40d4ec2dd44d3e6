"""Sliding window."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece
from memviz.core.translation import noop
from memviz.strategies.base import Strategy
from memviz.strategies.families import WORD_FOR_WORD
from memviz.strategies.parameters import whole_number


class Window(Strategy):
    """Sends the newest messages and forgets all older ones.

    Gains: simple, and bounded by a number of messages.

    Loses: whatever left the window is gone, and long messages still make it dear.

    Hurts when: the first messages hold the task or a rule that has to stand; or a prompt cache would pay: the first
    message moves with every turn, so nothing is found in it again.

    Used by:
    - LangChain ConversationBufferWindowMemory: the newest 5 pairs of messages (read in langchain-classic 1.0.8)
    - AutoGen BufferedChatCompletionContext: the newest messages, less a tool's result that would stand first (read in
      autogen-core 0.7.5)
    - Strands SlidingWindowConversationManager: 40 messages; on overflow the text of the oldest tool result is cut
      first, and chosen messages can be pinned to the beginning (run with strands 1.62.0)
    - Agent Framework sliding window: the newest groups, a call with its results being one, and the system prompt (run
      with agent-framework 1.23.0)

    A system message later in the conversation takes one place of the window and falls out of it like any other.
    """

    title: ClassVar[str] = "Sliding window"
    reference: ClassVar[str] = (
        "LangChain ConversationBufferWindowMemory, counted in messages"
    )
    order: ClassVar[int] = 2
    family: ClassVar[str] = WORD_FOR_WORD
    main_parameter: ClassVar[str] = "window_size"
    limits: ClassVar[str] = noop("messages")
    """The input counts too."""

    window_size: int = whole_number(
        10,
        "messages",
        "Messages sent, the input included. Larger remembers further back and costs more a turn.",
        (2, 40),
    )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The last ``window_size`` messages."""
        start = max(memory.history_start, memory.length - self.window_size)
        return (Messages(start, memory.length),)
