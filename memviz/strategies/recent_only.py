"""Recent turns."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.translation import noop
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import whole_number
from memviz.strategies.per_turn import PerTurnSummaries


class RecentOnly(PerTurnSummaries):
    """Sends the newest turns word for word, and one short summary of every turn so far.

    Gains: whole turns, never half of one, and a line about each older turn.

    Loses: the list of summaries grows with every turn, and so does the cost.

    Hurts when: there are many short turns: each takes a call of the summarizer, and its summary may be as long as what
    it stands for.

    Used by:
    - OpenAI's cookbook, its summarizing session: so many of the last turns word for word, and one summary of those
      before them once there are too many (documentation of the OpenAI cookbook)
    - Google ADK compaction: a summary every so many turns, the ranges overlapping (read in google-adk 2.13.0)

    A system message later in the conversation belongs to the turn that it stands in, and is summarized with it.
    """

    title: ClassVar[str] = "Recent turns"
    reference: ClassVar[str] = "The predecessor of summary-only memory"
    order: ClassVar[int] = 4
    family: ClassVar[str] = SUMMARIES
    main_parameter: ClassVar[str] = "recent_rounds"
    limits: ClassVar[str] = noop("completed turns sent word for word")
    """Their summaries do not count."""

    recent_rounds: int = whole_number(
        3,
        "turns",
        "Completed turns sent word for word. Larger remembers more detail and costs more a turn.",
        (1, 20),
    )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """All summaries, the last ``recent_rounds`` completed turns, and the turn that is open so far: its question,
        tool calls and results.

        A turn whose summary failed is sent word for word until it has one.
        """
        completed = memory.turn - memory.is_turn_open
        first = completed - self.recent_rounds + 1
        start = memory.log.turn_start(first) if first > 0 else memory.history_start
        if not self.enable_summarization:
            return (Messages(start, memory.length),)
        start = min(start, self.unsummarized_start(memory))
        return (*notes(memory.all_summaries), Messages(start, memory.length))
