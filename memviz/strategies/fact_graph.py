"""A graph of facts: triples, each with the turns from which and until which it holds."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Literal

from memviz.core.facts import BAR, Fact, facts_in, write_facts
from memviz.core.memory import Memory
from memviz.core.pieces import Quote
from memviz.core.summaries import SummaryVersion
from memviz.strategies.base import Write
from memviz.strategies.found_facts import FoundFacts, KnownFacts, asked_from
from memviz.strategies.lookup import words_of
from memviz.strategies.parameters import choice, whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


class FactGraph(FoundFacts):
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

    form: ClassVar[str] = FORM
    replacing: ClassVar[str] = ENDING

    @property
    def finds_replaced(self) -> bool:
        """Switched by ``ended_facts``."""
        return self.ended_facts == "dated"

    def scores(
        self, memory: Memory, known: KnownFacts, asked: range
    ) -> "NDArray[np.float64]":
        """By the words of what is asked."""
        return known.index.words.scores(words_of(memory, asked), 0, known.count)

    def pick_facts(self, memory: Memory, known: KnownFacts) -> Iterator[Quote]:
        """The facts that are sent, the best finds first, each before its neighbours."""
        index = known.index
        texts = set[str]()
        found = self.found(memory, known, asked_from(memory))
        for hit in islice(found, self.top_k):
            linked = (
                number
                for number in index.linked_to(hit.number, known.count)
                if self.is_in_force(known, number)
            )
            for number in (hit.number, *islice(linked, self.neighbours)):
                text = index.small_texts[number - 1]
                if text not in texts:
                    texts.add(text)
                    yield Quote(number, index.versions[number - 1], hit.score)

    def line_of(self, memory: Memory, known: KnownFacts, number: int) -> str:
        """A fact with the turns in which it holds."""
        index = known.index
        versions = memory.space.summaries.versions
        text = " ".join(index.facts[number - 1].text.replace(BAR, " ").split())
        since = versions[index.versions[number - 1]].turn
        ender = index.replaced_by(number, known.count)
        if ender is None:
            return f"- {text} (since turn {since})"
        until = versions[index.versions[ender - 1]].turn
        return f"- {text} (from turn {since} until turn {until})"

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
