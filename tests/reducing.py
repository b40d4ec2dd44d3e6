"""Strategies that send messages in other forms, lines of their own, and notes in several places: what no strategy did
once, for tests of what shows requests."""

from __future__ import annotations

from typing import ClassVar

from memviz.core.forms import ClearedResults, Cut
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Piece, notes
from memviz.core.summaries import SummaryVersion
from memviz.models.scripted import ScriptedModel
from memviz.strategies.base import Effect, Move, Strategy, Trigger, Write

CLEARED = "cleared"


class Clearing(Strategy):
    """Clears results of tools, all but those among the newest messages, when there are so many messages more."""

    title: ClassVar[str] = "Clearing"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    kept: int = 4
    arguments: bool = False

    @property
    def writes_notes(self) -> bool:
        return False

    @property
    def limits(self) -> str:
        return "messages not yet cleared"

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        start, to = memory.mark(CLEARED), memory.length - self.kept
        if to - start <= self.kept:
            return ()
        reason = f"{memory.length - start} messages > {2 * self.kept}"
        return (Move(CLEARED, to, "cleared", reason, range(start, to)),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        start, cleared = memory.history_start, memory.mark(CLEARED)
        form = ClearedResults(without_arguments=self.arguments)
        return (Messages(start, cleared, form), Messages(cleared, memory.length))


class HeadAndTail(Strategy):
    """Sends the first and the last messages, the first ones cut, a line between them and its notes behind."""

    title: ClassVar[str] = "Head and tail"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    head: int = 2
    tail: int = 2

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if memory.pending < self.head + self.tail + 2 or memory.summary is not None:
            return ()
        return (Write(range(self.head), self.head, "the first", on_failure="drop"),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        skipped = memory.length - self.head - self.tail
        if skipped <= 0:
            return (Messages(0, memory.length),)
        line = Line(Message("user", f"Skipped {skipped} messages."))
        behind = notes(memory.newest_summary, role="user")
        return (
            Messages(0, self.head, Cut(8, 4)),
            line,
            Messages(self.head + skipped, memory.before_input),
            *behind,
        )


class FactsInside(Strategy):
    """Evicts all but the newest messages, writes facts of them, and sends those inside the system prompt."""

    title: ClassVar[str] = "Facts inside"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    kept: int = 2

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if memory.pending <= 2 * self.kept:
            return ()
        keep_from = memory.length - self.kept
        reason = f"{memory.pending} messages > {2 * self.kept}"
        return (
            Write(
                range(memory.cursor, keep_from),
                keep_from,
                reason,
                memory.head("facts"),
                "facts",
            ),
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        line = Line(Message("system", "Always be brief."), "behind system")
        facts = (
            Notes(one.start, one.stop, "behind system")
            for one in [memory.notes_of("facts")]
            if one
        )
        return (*facts, line, Messages(memory.cursor, memory.length))

    def summary_entry(self, summary: SummaryVersion) -> str:
        return f"<facts>\n{summary.text}\n</facts>"


def fact_writer() -> ScriptedModel:
    """Adds a fact to a list each time, and replaces one."""
    return ScriptedModel(
        [
            "Mira is allergic to nuts.\nThe budget is 3,000 euros.",
            "Mira is allergic to nuts.\nThe budget is 3,600 euros.\nThe flight is on 9 July.",
            *["Mira is allergic to nuts.\nThe flight is on 9 July."] * 50,
        ]
    )
