"""Running summary."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.translation import noop
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import summary_length, whole_number


class Summary(Strategy):
    """Keeps the newest messages and folds older ones into one running summary.

    Gains: a bounded number of messages, and a trace of everything older.

    Loses: each summarization costs a model call, and details fade a little more every time the summary is summarized
    again.

    Hurts when: numbers, names and paths matter: they are what summaries lose first; or messages are long, since only
    their number counts.

    Used by:
    - LangChain ConversationSummaryMemory: folds every exchange into the summary at once and keeps no message (read in
      langchain-classic 1.0.8)
    - Agent Framework SummarizationStrategy: past 4 + 2 messages, all but the newest become an assistant's message;
      where the summarizer fails, nothing changes (run with agent-framework 1.23.0)
    - Strands SummarizingConversationManager: on overflow, or at 70 % of the window, the oldest 30 % of the messages; at
      least 10 stay (run with strands 1.62.0)

    A system message later in the conversation counts as one message and is folded into the summary like any other.
    """

    title: ClassVar[str] = "Running summary"
    reference: ClassVar[str] = (
        "Summary memory with a message buffer: summarizes past 2 x buffer_size messages"
    )
    order: ClassVar[int] = 5
    family: ClassVar[str] = SUMMARIES
    main_parameter: ClassVar[str] = "buffer_size"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    limits: ClassVar[str] = noop("messages not yet summarized")
    """The summary does not count."""

    buffer_size: int = whole_number(
        4,
        "messages",
        "Messages that stay word for word after a summarization, which comes when there are more than twice as "
        "many, the summary not counted. Larger keeps more word for word, costs more a turn and summarizes less often.",
        (1, 20),
    )
    summary_words: int = summary_length()

    def fill(self, memory: Memory) -> Fill:
        """Messages of 2 x ``buffer_size``. The summary is none of them."""
        return Fill(
            memory.length - memory.cursor, 2 * self.buffer_size, "messages", self.limits
        )

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Past 2 x ``buffer_size`` messages, summarize all but the last ``buffer_size``."""
        fill = self.fill(memory)
        if not fill.is_over:
            return ()
        keep_from = memory.length - self.buffer_size
        reason = f"{fill.held} messages > 2 x {self.buffer_size}"
        return (Write.up_to(memory, keep_from, reason),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The summary, if any, and all messages not yet summarized."""
        return (*notes(memory.newest_summary), Messages(memory.cursor, memory.length))
