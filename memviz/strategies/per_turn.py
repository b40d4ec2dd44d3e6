"""The common part of strategies with one summary a turn: the accumulated list."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.core.text.wording import plural
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Headroom
from memviz.strategies.parameters import summary_length, switch

TURN_INSTRUCTION = (
    "Write a summary of this one turn of a conversation in two or three sentences. Keep names, "
    "numbers, dates and decisions. Answer with the summary alone."
)


class PerTurn(Strategy):
    """Has notes made of each completed turn, and keeps them all.

    Turn 0 (messages before the first user message) is no turn that a user took, and gets none.
    """

    trigger: ClassVar[Trigger] = Trigger.TURN
    tried_at_first: ClassVar[bool] = (
        False  # a call of the summarizer for every turn: the dearest to try
    )

    def write_for_turn(
        self, memory: Memory, track: str = SUMMARY
    ) -> tuple[Effect, ...]:
        """Return the notes to make of the oldest completed turn that has none yet."""
        start = self.unsummarized_start(memory)
        if start >= memory.length:
            return ()
        number = memory.log.turn_number(start)
        stop = (
            memory.length
            if number == memory.turn
            else memory.log.turn_start(number + 1)
        )
        count = stop - start
        reason = f"turn {number} is complete: {count:,} {plural('message', count)}"
        return (Write(range(start, stop), stop, reason, track=track),)

    def unsummarized_start(self, memory: Memory) -> int:
        """Position of the first message of which notes should be made and are not."""
        first = memory.log.turn_start(1) if memory.log.turn_count else memory.length
        return max(memory.cursor, first)

    def headroom(self, memory: Memory) -> Headroom | None:
        """One turn, always: the one that is complete next."""
        return Headroom(1, "turns") if self.writes_notes else None


class PerTurnSummaries(PerTurn):
    """Makes one summary of each completed turn and keeps them all, as a growing list."""

    summary_heading: ClassVar[str] = "=== ACCUMULATED MEMORY SUMMARIES ==="

    enable_summarization: bool = switch(
        True, "Make a summary of each completed turn and send all of them."
    )
    summary_words: int = summary_length()

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Summarize the oldest completed turn that has no summary yet."""
        return self.write_for_turn(memory) if self.enable_summarization else ()

    @property
    def writes_notes(self) -> bool:
        """Switched by ``enable_summarization``."""
        return self.enable_summarization

    @property
    def instruction(self) -> str:
        """Two or three sentences on the turn, with their length."""
        return self.limited(TURN_INSTRUCTION)

    def summary_entry(self, summary: SummaryVersion) -> str:
        """One entry of the list."""
        return f"[Turn {summary.turn}] {summary.text}"
