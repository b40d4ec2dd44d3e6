"""Compression by importance: what is kept is chosen by what it holds, and not by its age."""

from typing import TYPE_CHECKING, ClassVar

from memviz.core.importance import importance_of
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, messages_at
from memviz.core.translation import _
from memviz.strategies.base import Strategy
from memviz.strategies.families import WORD_FOR_WORD
from memviz.strategies.lookup import find_newest_start
from memviz.strategies.parameters import whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_LOOKED_AT = 400
"""The most messages that are tried, so that a request costs the same however long the conversation is."""
MOST_MISSES = 8
"""After so many messages in a row that do not fit no other is tried."""


class ImportanceBuffer(Strategy):
    """Sends the newest messages, and of all earlier ones the most important that fit into a token limit.

    Gains: numbers, names and standing rules stay word for word, however long ago they were said, without a summarizer
    and whatever is asked.

    Loses: what is said in plain words, such as reasons and wishes; and what was said around a message that is kept.

    Hurts when: nearly every message is full of numbers, so that the score parts nothing; or a value was changed, for
    the old one is as important as the new one.

    Used by:
    - CrewAI memory: a share of importance, which a model estimates, beside nearness and recency (read in crewai
      1.15.30)

    A message has 4 points for a standing rule of the user (never, always, must, from now on), 2 for each number and 1
    for each name, of both 3 at most, 1 for what a user says and is no question, and 1 for what the assistant says right
    behind a question. These are divided by its length in hundreds of characters, at least one. The best come first, of
    equals the newer one, and each that still fits into ``max_tokens`` is kept, until 8 in a row do not fit or 400 were
    tried. They are sent in the order of the conversation. Calls of tools and their results are sent only among the
    newest messages. Different from CrewAI: no model estimates anything, and the question counts for nothing. Held
    against a slow reference.
    """

    title: ClassVar[str] = "By importance"
    reference: ClassVar[str] = (
        "The share of importance in CrewAI memory, by a stated score in place of a model"
    )
    order: ClassVar[int] = 4
    family: ClassVar[str] = WORD_FOR_WORD
    main_parameter: ClassVar[str] = "max_tokens"
    # Its score is one of many that can be had.
    tried_at_first: ClassVar[bool] = False

    max_tokens: int = whole_number(
        1000,
        "tokens",
        "Most tokens of earlier messages that are kept. Larger keeps more and costs more a turn.",
        (250, 8000),
    )
    newest_messages: int = whole_number(
        6,
        "messages",
        "Newest messages, the input included, that are sent whatever they say. Larger remembers further back.",
        (2, 20),
    )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The most important of the earlier messages, in their order, and the newest."""
        start = find_newest_start(memory, self.newest_messages)
        earlier = messages_at(self._kept_before(memory, start))
        return (*earlier, Messages(start, memory.length))

    def _kept_before(self, memory: Memory, stop: int) -> list[int]:
        """The positions of the messages before ``stop`` that are kept, the most important first."""
        totals = memory.sums.totals
        room = self.max_tokens
        fitting = []
        misses = 0
        best = self._best_before(memory, stop)
        for position in best[:MOST_LOOKED_AT].tolist():
            tokens = totals[position + 1] - totals[position]
            if tokens <= room:
                room -= tokens
                fitting.append(position)
                misses = 0
                continue
            misses += 1
            if misses == MOST_MISSES:
                break
        return fitting

    def _best_before(self, memory: Memory, stop: int) -> "NDArray[np.int64]":
        """The positions of the messages before ``stop`` with any points, the most important first."""
        return memory.log.importance_index().best(memory.history_start, stop)

    def why_sent(self, memory: Memory, position: int) -> str:
        """The points of an earlier message, what it has them for, and its place among all."""
        stop = find_newest_start(memory, self.newest_messages)
        best: list[int] = self._best_before(memory, stop).tolist()
        if position not in best:
            return ""
        before = memory.log[position - 1] if position else None
        has = importance_of(memory.log[position], before)
        return _(
            "number {rank:,} of {found:,} by importance: {points} points (rules {rules}, numbers {numbers}, "
            "names {names}, answers {answers}, statements of the user {users}) in {characters:,} characters",
            rank=best.index(position) + 1,
            found=len(best),
            points=has.points,
            characters=len(memory.log[position].content),
            **has._asdict(),
        )
