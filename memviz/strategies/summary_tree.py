"""A tree of summaries: spans of turns, and summaries of summaries."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Notes, Piece
from memviz.core.summaries import MERGED, SummarySource, SummaryVersion
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import summary_length, whole_number


class SummaryTree(Strategy):
    """Summarizes spans of turns, and summaries of these in turn: a request holds few, however long it all was.

    Gains: what is old passed few summarizers: with spans of 4 turns and 4 branches, 256 turns are 4
    summarizations deep, and 64 in a running summary that is renewed as often. And a summary stays as it is until its
    level is full, so that a prompt cache can read it.

    Loses: detail by age: each level says in one text what the one below says in several.

    Hurts when: what was said early changes late, for the old state is in one summary and the new one in another; or the
    conversation is short, and the levels above are never reached.

    Used by:
    - LlamaIndex TreeSummarize: summaries of pieces of a text, and summaries of these until one is left (read in
      llama-index-core 0.14.25)
    - RAPTOR: a tree of summaries of parts of documents that are alike, whose nodes are all searched (documentation of
      its authors, 2024)

    After each message: where ``span_turns`` turns are complete beside the newest ``recent_turns``, the oldest of them
    become one summary of the lowest level. Once a level has ``branches``, they become one of the level above
    before anything else is summarized. Each summary that no other one took in is a system message, the oldest first, so
    a request has at most ``branches`` - 1 of each level. All turns that no summary holds are sent word for word.
    Different from LlamaIndex and RAPTOR, which make trees of documents for a question: here it grows with the
    conversation. Held against a slow reference.
    """

    title: ClassVar[str] = "Tree of summaries"
    reference: ClassVar[str] = (
        "Summaries of k turns, and of k summaries, as LlamaIndex TreeSummarize makes them of documents"
    )
    order: ClassVar[int] = 7
    family: ClassVar[str] = SUMMARIES
    main_parameter: ClassVar[str] = "span_turns"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    # A call of the summarizer every few turns is dear to try.
    tried_at_first: ClassVar[bool] = False

    span_turns: int = whole_number(
        4,
        "turns",
        "Turns that become one summary. Larger asks the summarizer less often and keeps less of each turn.",
        (1, 12),
    )
    branches: int = whole_number(
        4,
        "pieces",
        "So many summaries of a level become one of the level above. Larger keeps more detail and sends more texts.",
        (2, 8),
        minimum=2,
    )
    recent_turns: int = whole_number(
        2,
        "turns",
        "Newest completed turns that are not summarized yet. Larger keeps more word for word and costs more a turn.",
        (1, 10),
    )
    summary_words: int = summary_length()

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Make one summary of a level that is full, else one of the oldest turns that have none."""
        full = self._full_level(memory)
        if full:
            covered = range(full[0].covers.start, memory.cursor)
            reason = f"{len(full):,} summaries ≥ {self.branches:,}"
            return (Write(covered, memory.cursor, reason, full[0], MERGED),)
        if not memory.pending:
            return ()
        first = self._first_turn(memory)
        waiting = memory.turn - memory.is_turn_open - first + 1
        if waiting < self._needed_turns:
            return ()
        stop = memory.log.turn_start(first + self.span_turns)
        reason = f"{waiting:,} turns ≥ {self.span_turns:,} + {self.recent_turns:,}"
        return (Write(range(memory.cursor, stop), stop, reason),)

    @property
    def _needed_turns(self) -> int:
        return self.span_turns + self.recent_turns

    def _first_turn(self, memory: Memory) -> int:
        """The number of the first turn that no summary holds."""
        return max(1, memory.log.turn_number(memory.cursor))

    def due_at(self, memory: Memory) -> int:
        """The length with which the last of the turns that are needed is complete at the earliest: with a question and
        a reply."""
        log = memory.log
        soonest = memory.length + 1
        if memory.cursor == len(log) or self._full_level(memory):
            return soonest
        last_turn = self._first_turn(memory) + self._needed_turns - 1
        if last_turn > log.turn_count:
            return sys.maxsize
        return max(soonest, log.turn_start(last_turn) + 2)

    def _full_level(self, memory: Memory) -> list[SummaryVersion]:
        """The newest summaries in a row that are of one level, where they are enough for one of the level above."""
        summaries = memory.space.summaries
        roots = summaries.roots(memory.summary_count)
        if len(roots) < self.branches:
            return []
        newest_level = summaries.level(roots[-1])
        alike = [root for root in roots if summaries.level(root) == newest_level]
        return alike if len(alike) >= self.branches else []

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The summaries that no other one took in, and all messages that none holds."""
        roots = memory.space.summaries.roots(memory.summary_count)
        notes = [Notes(root.version - 1, root.version) for root in roots]
        return (*notes, Messages(memory.cursor, memory.length))

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """One user message: the instruction, and the turns, or the summaries of a level one below the other."""
        messages, before = self._read(memory, effect)
        return self.summarizer_request(messages, before, instruction)

    def source_of(self, memory: Memory, effect: Write) -> SummarySource | None:
        """The messages, or the summaries of a level as if they were one, as values."""
        return self.summary_source(*self._read(memory, effect))

    def _read(
        self, memory: Memory, effect: Write
    ) -> tuple[Sequence[Message], SummaryVersion | None]:
        """The messages that the summarizer reads, or the summaries of a level as if they were one."""
        if effect.replaces is None:
            return memory.worth_summarizing(effect.summarize), None
        roots = memory.space.summaries.roots(memory.summary_count)
        start = effect.summarize.start
        texts = [root.text for root in roots if root.covers.start >= start]
        return (), replace(effect.replaces, text="\n".join(texts))

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The text behind the numbers of the messages that it stands for."""
        covers = summary.covers
        return (
            f"Summary of messages {covers.start + 1} to {covers.stop}: {summary.text}"
        )
