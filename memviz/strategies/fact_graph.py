"""A graph of facts: triples, each with the turns from which and until which it holds."""

from collections.abc import Iterator
from itertools import islice
from typing import ClassVar, Literal

from memviz.core.facts import BAR, FACTS, Fact, FactIndex, facts_in, write_facts
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Piece, Quote
from memviz.core.summaries import SummaryVersion
from memviz.strategies.base import Effect, Write
from memviz.strategies.fact_lists import EXTRACT, facts_request
from memviz.strategies.families import LISTED_FACTS
from memviz.strategies.lookup import best_first, find_newest_start, words_of
from memviz.strategies.parameters import choice, whole_number
from memviz.strategies.per_turn import PerTurn

KNOWN_FACTS = 10
"""So many known facts, those nearest to a turn, are shown to who extracts its facts."""
FORM = (
    "Each fact is a triple, subject | relation | value, whose subject and value are as short as they can be, and the "
    "same thing has the same name everywhere. Answer with the facts alone, each in a <fact>, in this form; with "
    "<facts></facts> where there are none:\n"
    "<facts>\n  <fact>Ana | works at | Fiat</fact>\n  <fact>Fiat | has its seat in | Turin</fact>\n</facts>"
)
ENDING = (
    "Where a known fact has ended because of a new one, name its number in the new one, in this form:\n"
    '<fact replaces="3">Ana | works at | Pirelli</fact>'
)


class FactGraph(PerTurn):
    """Lists what is said as triples that begin and end, and sends those that the question names, with their neighbours.

    Gains: a fact that ended is not taken for one that holds; and what is two steps away is found: "Where does Ana work"
    also brings where that company is.

    Loses: what is no triple, such as why something was decided; and each turn costs a call of the summarizer.

    Hurts when: one thing is called by two names, so that nothing joins them; or nearly all is about one thing, which
    then links everything with everything.

    Used by:
    - Graphiti: triples with the time from which and until which they hold; the model names those that a new one ends,
      and a search follows edges (read in graphiti-core 0.31.2)

    After each turn the summarizer reads the turn and the 10 known facts nearest to it, by their numbers, and lists new
    triples; one that ends a known fact names its number. Each holds from its turn until that of the one that ended it.
    Looked up are the words of the question, by BM25 over stems, among the facts that existed at the request. Each one
    that is found brings ``neighbours`` others with it, the newest that have its subject or its value in common. They
    are one system message before the newest messages, each once, with the turn since which it holds. An answer that is
    no triple is kept as it is, and has no neighbours. A turn of which no facts were listed yet is sent word for word.
    The built-in model parts a clause at its verb, and leaves whole what it cannot part.
    Different from Graphiti: time is counted in turns, names are joined only where they are spelled alike, and nothing
    is embedded. Held against a slow reference that reads every fact anew.
    """

    title: ClassVar[str] = "Fact graph"
    reference: ClassVar[str] = (
        "Graphiti (graphiti-core 0.31.2), with turns in place of dates and BM25 in place of its embeddings"
    )
    order: ClassVar[int] = 8
    family: ClassVar[str] = LISTED_FACTS
    main_parameter: ClassVar[str] = "top_k"
    summary_heading: ClassVar[str] = "What is known from earlier:"

    top_k: int = whole_number(
        6,
        "facts",
        "Facts that are found for a question. Larger finds more and costs more a turn.",
        (1, 30),
    )
    neighbours: int = whole_number(
        1,
        "facts",
        "Facts with the same subject or value that come along with each one that is found. Larger follows more links "
        "and costs more a turn.",
        (0, 5),
        minimum=0,
    )
    newest_messages: int = whole_number(
        6,
        "messages",
        "Newest messages, the input included, that are sent whatever they say. Larger remembers further back.",
        (2, 20),
    )
    ended_facts: Literal["unsent", "dated"] = choice(
        "unsent",
        {
            "unsent": "a fact that has ended is not sent any more",
            "dated": "a fact that has ended is sent with the turns in which it held",
        },
        "Whether facts that have ended are still sent.",
    )

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """List the facts of the oldest completed turn of which none were listed yet."""
        return self.write_for_turn(memory, FACTS)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The facts that are found with their neighbours, and the newest messages."""
        start = find_newest_start(memory, self.newest_messages)
        start = min(start, self.unsummarized_start(memory))
        newest = Messages(start, memory.length)
        picks = tuple(self.picks(memory))
        if not picks:
            return (newest,)
        lines = [self._as_line(memory, pick.number) for pick in picks]
        text = "\n".join([self.summary_heading, *lines])
        return (Line(Message("system", text), quotes=picks), newest)

    def picks(self, memory: Memory) -> Iterator[Quote]:
        """The facts that are sent, the best finds first, each before its neighbours."""
        start = min(memory.before_open_turn, memory.length - 1)
        asked = range(max(memory.history_start, start), memory.length)
        index = memory.space.summaries.fact_index()
        count = index.count(memory.summary_count)
        in_force = _versions_in_force(memory)
        told = set[str]()
        for hit in islice(self._found(memory, asked), self.top_k):
            linked = (
                Quote(number, index.versions[number - 1], hit.score)
                for number in index.linked_to(hit.number, count)
                if self._may_tell(index, number, count, in_force)
            )
            for quote in (hit, *islice(linked, self.neighbours)):
                text = index.facts[quote.number - 1].text.casefold()
                if text not in told:
                    told.add(text)
                    yield quote

    def _found(self, memory: Memory, asked: range) -> Iterator[Quote]:
        """The facts that hold any word of the messages ``asked``, the best first and of equals the newer one."""
        index = memory.space.summaries.fact_index()
        count = index.count(memory.summary_count)
        scores = index.words.scores(words_of(memory, asked), 0, count)
        in_force = _versions_in_force(memory)
        told = set[str]()
        for place in best_first(scores):
            text = index.facts[place].text.casefold()
            if text not in told and self._may_tell(index, place + 1, count, in_force):
                told.add(text)
                yield Quote(place + 1, index.versions[place], float(scores[place]))

    def _may_tell(
        self, index: FactIndex, number: int, count: int, in_force: frozenset[int] | None
    ) -> bool:
        """True for a fact that was not edited away, and has not ended where those are left out."""
        if in_force is not None and index.versions[number - 1] not in in_force:
            return False
        return self.ended_facts == "dated" or index.replaced_by(number, count) is None

    def _as_line(self, memory: Memory, number: int) -> str:
        """A fact with the turns in which it holds."""
        summaries = memory.space.summaries
        index = summaries.fact_index()
        said = " ".join(index.facts[number - 1].text.replace(BAR, " ").split())
        since = summaries.versions[index.versions[number - 1]].turn
        ender = index.replaced_by(number, index.count(memory.summary_count))
        if ender is None:
            return f"- {said} (since turn {since})"
        until = summaries.versions[index.versions[ender - 1]].turn
        return f"- {said} (from turn {since} until turn {until})"

    @property
    def instruction(self) -> str:
        """The instruction to extract facts."""
        return EXTRACT

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """One user message: what to do, the known facts nearest to the turn with their numbers, the form of the answer,
        and the messages."""
        index = memory.space.summaries.fact_index()
        nearest = islice(self._found(memory, effect.summarize), KNOWN_FACTS)
        numbers = sorted(quote.number for quote in nearest)
        known = "\n".join(
            f'<fact number="{number}">{index.facts[number - 1].text}</fact>'
            for number in numbers
        )
        return facts_request(
            instruction or self.instruction,
            known,
            f"{FORM}\n{ENDING}" if known else FORM,
            memory.worth_summarizing(effect.summarize),
        )

    def read_answer(self, effect: Write, answer: str) -> str:
        """The facts of the answer, one a line, with one bar between the parts of a triple."""
        return write_facts(
            [
                Fact(BAR.join(map(str.strip, text.split("|"))), replaces)
                for text, replaces in facts_in(answer)
            ]
        )

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The facts of one turn as lines below its number."""
        facts = (f"- {fact.text}" for fact in facts_in(summary.text))
        return "\n".join([f"[Turn {summary.turn}]", *facts])


def _versions_in_force(memory: Memory) -> frozenset[int] | None:
    """The versions (0-based) that were neither edited nor undone; ``None`` where that are all."""
    summaries = memory.space.summaries
    if summaries.is_straight:
        return None
    block = summaries.in_block(0, memory.summary_count)
    return frozenset(version.version - 1 for version in block)
