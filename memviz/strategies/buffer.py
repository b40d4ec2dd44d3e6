"""Full buffer."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece
from memviz.strategies.base import Strategy
from memviz.strategies.families import WORD_FOR_WORD


class Buffer(Strategy):
    """Sends the whole conversation with every request.

    Gains: nothing is ever forgotten. Each request begins with all of the one before, so a prompt cache reads nearly
    everything at its low price.

    Loses: every turn costs more than the one before, until the context window is full and the provider refuses.

    Hurts when: the conversation is long, tools return long results, or people pause longer than the prompt cache lives
    and all of it is paid for in full again.

    Used by:
    - LangChain ConversationBufferMemory: all messages, without a limit (read in langchain-classic 1.0.8)
    - AutoGen UnboundedChatCompletionContext: all messages, without a limit (read in autogen-core 0.7.5)

    A system message later in the conversation is history like any other message, as in the reference.
    """

    title: ClassVar[str] = "Full buffer"
    reference: ClassVar[str] = "LangChain ConversationBufferMemory"
    order: ClassVar[int] = 1
    family: ClassVar[str] = WORD_FOR_WORD

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Everything."""
        return (Messages(memory.history_start, memory.length),)
