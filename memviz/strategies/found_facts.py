"""The common part of strategies that list the facts of each turn, and send those that are found for a question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from memviz.core.fact_index import FactIndex
from memviz.core.facts import FACTS
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Piece, Quote
from memviz.strategies.base import Effect, Write
from memviz.strategies.fact_lists import EXTRACT, build_facts_request
from memviz.strategies.families import LISTED_FACTS
from memviz.strategies.lookup import best_in_steps, find_newest_start
from memviz.strategies.per_turn import PerTurn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KNOWN_FACTS = 10
"""The number of known facts, those nearest to a turn, that are shown to who extracts its facts, as in mem0."""


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """The facts that were listed before a request: the first ``count`` of an index."""

    index: FactIndex
    count: int
    versions: frozenset[int] | None
    """The versions (0-based) in force, where any was edited or undone."""

    @classmethod
    def of(cls, memory: Memory) -> KnownFacts:
        """Return the facts that ``memory`` knows."""
        summaries = memory.space.summaries
        index = summaries.fact_index()
        versions = None
        if not summaries.is_straight:
            block = summaries.in_block(0, memory.summary_count)
            versions = frozenset(version.version - 1 for version in block)
        return cls(index, index.count(memory.summary_count), versions)


class FoundFacts(PerTurn):
    """Lists the facts of each turn, and sends those that are found and the newest messages.

    A strategy says how facts are scored (:meth:`scores`), which of those that are found it sends
    (:meth:`pick_facts`), as what line (:meth:`line_of`), whether replaced ones are found (:attr:`finds_replaced`), and
    in which form facts are listed (``form``, and ``replacing`` for one that replaces another).
    """

    family: ClassVar[str] = LISTED_FACTS
    main_parameter: ClassVar[str] = "top_k"
    summary_heading: ClassVar[str] = "What is known from earlier:"
    form: ClassVar[str]
    replacing: ClassVar[str]

    if TYPE_CHECKING:
        # Each strategy declares it, where it stands among its parameters.
        newest_messages: int

    @property
    @abstractmethod
    def finds_replaced(self) -> bool:
        """True if a fact that a newer one replaces is still found."""

    @abstractmethod
    def scores(
        self, memory: Memory, known: KnownFacts, asked: range
    ) -> NDArray[np.float64]:
        """Return the scores of the ``known`` facts for what the messages at ``asked`` say; 0 for no find."""

    @abstractmethod
    def pick_facts(self, memory: Memory, known: KnownFacts) -> Iterator[Quote]:
        """Yield the facts that are sent, the best first."""

    @abstractmethod
    def line_of(self, memory: Memory, known: KnownFacts, number: int) -> str:
        """Return the line that tells fact ``number``."""

    def picks(self, memory: Memory) -> Iterator[Quote]:
        """The facts that are sent, the best first."""
        return self.pick_facts(memory, KnownFacts.of(memory))

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """List the facts of the oldest completed turn of which none were listed yet."""
        return self.write_for_turn(memory, FACTS)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The facts that are found, and the newest messages."""
        start = find_newest_start(memory, self.newest_messages)
        start = min(start, self.unsummarized_start(memory))
        newest = Messages(start, memory.length)
        known = KnownFacts.of(memory)
        picks = tuple(self.pick_facts(memory, known))
        if not picks:
            return (newest,)
        lines = [self.line_of(memory, known, pick.number) for pick in picks]
        text = "\n".join([self.summary_heading, *lines])
        return (Line(Message("system", text), quotes=picks), newest)

    def found(self, memory: Memory, known: KnownFacts, asked: range) -> Iterator[Quote]:
        """The facts that are found for the messages at ``asked``, the best first and each once; of equals the newer
        one."""
        if not known.count:
            return
        index = known.index
        scores = self.scores(memory, known, asked)
        texts = set[str]()
        for place in best_in_steps(scores):
            number = place + 1
            text = index.small_texts[place]
            if text not in texts and self.is_in_force(known, number):
                texts.add(text)
                yield Quote(number, index.versions[place], float(scores[place]))

    def is_in_force(self, known: KnownFacts, number: int) -> bool:
        """Return whether fact ``number`` was neither edited away nor undone; where replaced facts are not found, nor
        replaced."""
        index = known.index
        versions = known.versions
        if versions is not None and index.versions[number - 1] not in versions:
            return False
        return index.replaced_by(number, known.count) is None or self.finds_replaced

    @property
    def instruction(self) -> str:
        """The instruction to extract facts."""
        return EXTRACT

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """One user message: what to do, the known facts nearest to the turn with their numbers, the form of the answer,
        and the messages."""
        known = KnownFacts.of(memory)
        nearest = islice(self.found(memory, known, effect.summarize), KNOWN_FACTS)
        numbers = sorted(quote.number for quote in nearest)
        listed = "\n".join(
            f'<fact number="{number}">{known.index.facts[number - 1].text}</fact>'
            for number in numbers
        )
        return build_facts_request(
            instruction or self.instruction,
            listed,
            f"{self.form}\n{self.replacing}" if listed else self.form,
            memory.worth_summarizing(effect.summarize),
        )


def asked_from(memory: Memory, messages: int = 1) -> range:
    """Return the positions of the messages that are looked up: those of the open turn, and the newest so many."""
    start = min(memory.before_open_turn, memory.length - messages)
    return range(max(memory.history_start, start), memory.length)
