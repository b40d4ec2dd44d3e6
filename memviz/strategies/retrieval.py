"""Retrieval: earlier messages that hold the words of the question."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Picked, Piece
from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.core.word_index import is_text
from memviz.strategies.base import Strategy
from memviz.strategies.families import LOOKED_UP
from memviz.strategies.lookup import best_first, find_newest_start, words_of
from memviz.strategies.parameters import whole_number


class Pick(NamedTuple):
    """An earlier message that is brought back."""

    position: int
    score: float
    """Its score; of a neighbour that of the message that it stands beside."""
    neighbour_of: int | None = None
    """The position of the message that it stands beside, where it was not found itself."""


class Retrieval(Strategy):
    """Sends the newest messages, and before the question those earlier ones that hold its words.

    Gains: whatever was said stays within reach, however long ago, in its own words and without a summarizer; and a
    request stays small.

    Loses: what the question does not name. A fact that is asked for in other words is not found, nor is an instruction
    that always holds and is never mentioned; and what was said before and after a message that is found stays away.

    Hurts when: questions point back without saying to what ("the second one, please"); a value was changed, for old and
    new are found alike; or the same words stand everywhere.

    Used by:
    - Mastra semantic recall: the newest messages, and the messages nearest in meaning with their neighbours, by
      embeddings (documentation of Mastra 1.31)
    - LlamaIndex VectorMemoryBlock: the two nearest pieces to the last five messages, by embeddings (read in
      llama-index-core 0.14.25)
    - CrewAI memory: nearness in meaning, with half-lives of 30 days and importance (read in crewai 1.15.30)

    Scores are BM25 over stems of words, and over pairs of characters where words are not spaced, without a model. At a
    request only what was said before it counts, also for how rare a word is. The newest messages are not searched: they
    are sent anyway. Calls of tools and their results are neither found nor brought back. What is brought back stands
    right before the input, in the order of the conversation. With ``picked_tokens`` the best finds come first, each
    with its neighbours, until the next one would not fit. Held against a slow reference that scores every message anew.
    """

    title: ClassVar[str] = "Retrieval"
    reference: ClassVar[str] = (
        "BM25 (Robertson and Zaragoza 2009), with the newest messages and neighbours as in Mastra's semantic recall"
    )
    order: ClassVar[int] = 8
    family: ClassVar[str] = LOOKED_UP
    main_parameter: ClassVar[str] = "top_k"
    looks_up: ClassVar[bool] = True

    top_k: int = whole_number(
        5,
        "messages",
        "Earlier messages that are brought back for a question. Larger finds more and costs more a turn.",
        (1, 20),
    )
    newest_messages: int = whole_number(
        6,
        "messages",
        "Newest messages, the input included, that are sent whatever they say. Larger remembers further back.",
        (2, 20),
    )
    neighbours: int = whole_number(
        1,
        "messages",
        "Messages before and behind each one that is found, brought back with it. Larger shows more of what it meant.",
        (0, 3),
        minimum=0,
    )
    query_messages: int = whole_number(
        1,
        "messages",
        "Newest messages whose words are looked up, the input at least. Larger follows a subject, and finds less "
        "sharply.",
        (1, 5),
    )
    picked_tokens: int = whole_number(
        0,
        "tokens",
        "Most tokens that are brought back. Larger brings more. 0: whatever was found.",
        (250, 4000),
        minimum=0,
        zero_is_off=True,
    )
    half_life_messages: int = whole_number(
        0,
        "messages",
        "After so many messages a score counts half. Larger forgets more slowly. 0: age does not matter.",
        (20, 200),
        minimum=0,
        zero_is_off=True,
    )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The newest messages, and what is brought back for the input."""
        newest = Messages(self.newest_start(memory), memory.length)
        picked = tuple(sorted(pick.position for pick in self.picks(memory)))
        return (newest, Picked(picked)) if picked else (newest,)

    def picks(self, memory: Memory) -> list[Pick]:
        """The messages that are brought back, the best finds first, each before its neighbours."""
        return self._picks_of(memory, self.found(memory, self.top_k))

    def _picks_of(self, memory: Memory, hits: Sequence[Pick]) -> list[Pick]:
        found: dict[int, Pick] = {}
        room = self.picked_tokens
        for hit in hits:
            new = [
                one
                for one in self._with_neighbours(memory, hit)
                if one.position not in found
            ]
            tokens = sum(
                memory.sums.between(one.position, one.position + 1) for one in new
            )
            if self.picked_tokens and tokens > room:
                break
            room -= tokens
            found.update((one.position, one) for one in new)
        return list(found.values())

    def why_sent(self, memory: Memory, position: int) -> str:
        """The words of the question that a message holds and its score, or the message that it stands beside; of one
        that is not brought back how many are found before it."""
        start = self.newest_start(memory)
        if not memory.history_start <= position < start:
            return ""
        if not is_text(memory.log[position]):
            return _("calls of tools and their results are not looked up")
        found = self.found(memory)
        for pick in self._picks_of(memory, found[: self.top_k]):
            if pick.position == position and pick.neighbour_of is not None:
                number = pick.neighbour_of + 1
                return _("beside message {number:,}, which was found", number=number)
        ranks = {one.position: rank for rank, one in enumerate(found, 1)}
        if position not in ranks:
            return _("holds no word of the question")
        index = memory.log.word_index()
        return _(
            "number {rank:,} of {found:,} that hold words of the question ({words}), score {score:.1f}",
            rank=ranks[position],
            found=len(found),
            words=listed(index.words_of(self.words(memory), position)),
            score=found[ranks[position] - 1].score,
        )

    def words(self, memory: Memory) -> frozenset[str]:
        """The stems that are looked up: none where results of tools are the input, for what is brought back would part
        them from their call."""
        asked = memory.messages(memory.input)
        if asked and not any(map(is_text, asked)):
            return frozenset()
        start = min(memory.before_input, memory.length - self.query_messages)
        start = max(memory.history_start, start)
        return words_of(memory, range(start, memory.length))

    def found(self, memory: Memory, most: int | None = None) -> list[Pick]:
        """The messages before the newest that hold any of the words, the best first and of equals the newer one; at
        ``most`` so many."""
        import numpy as np  # only a search waits for it

        start = memory.history_start
        stop = self.newest_start(memory)
        scores = memory.log.word_index().scores(self.words(memory), start, stop)
        if self.half_life_messages:
            ages = memory.length - np.arange(start, stop)
            scores *= 0.5 ** (ages / self.half_life_messages)
        return [
            Pick(start + place, float(scores[place]))
            for place in best_first(scores, most)
        ]

    def newest_start(self, memory: Memory) -> int:
        """Position of the first message that is sent whatever it says; a result of a tool has its call with it."""
        return find_newest_start(memory, self.newest_messages)

    def _with_neighbours(self, memory: Memory, hit: Pick) -> Iterator[Pick]:
        """A find, and the messages around it that can be brought back by themselves."""
        yield hit
        first = max(memory.history_start, hit.position - self.neighbours)
        stop = min(self.newest_start(memory), hit.position + self.neighbours + 1)
        for position in range(first, stop):
            if position != hit.position and is_text(memory.log[position]):
                yield Pick(position, hit.score, hit.position)
