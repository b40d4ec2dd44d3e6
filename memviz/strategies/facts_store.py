"""A store of facts, which are looked up."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Literal

from memviz.core.facts import facts_in, write_facts
from memviz.core.memory import Memory
from memviz.core.pieces import Quote
from memviz.core.summaries import SummaryVersion
from memviz.strategies.base import Write
from memviz.strategies.fact_lists import FORMAT
from memviz.strategies.found_facts import FoundFacts, KnownFacts, asked_from
from memviz.strategies.lookup import score_texts, text_of, why_no_embedding
from memviz.strategies.parameters import (
    choice,
    embedding_name,
    embedding_share,
    whole_number,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REPLACING = (
    "Where a known fact holds no longer because of a new one, name its number in the new one, in this form:\n"
    '<fact replaces="3">new fact</fact>'
)


class FactsStore(FoundFacts):
    """Lists the facts of each turn, and sends the newest messages and those facts that hold the words of the question.

    Gains: one line instead of a whole message, however long ago it was said; requests stay small.

    Loses: what nobody took for a fact, who said it and why; and each turn costs a call of the summarizer.

    Hurts when: the question names no word of the fact; or a value was changed: in the rule *add* the old one stands
    beside the new one, and nothing tells the model which of them holds.

    Used by:
    - mem0: adds facts only, from the last 10 messages and the 10 nearest memories, in one call; duplicates are dropped.
      They are searched by embeddings and BM25 together (run with mem0 2.2.1)
    - mem0 before that: the model also replaced facts and deleted them (read in mem0 2.2.1, where both are gone)

    After each turn the summarizer reads the turn and the 10 known facts nearest to it, by their numbers, and lists
    new facts; one that makes a known fact outdated names its number. Scores are BM25 over stems, nearness in
    meaning by an embedding (``embedding_percent``), or both, as in retrieval: of the facts that existed at the
    request alone. What is looked up is the question, also while its tools are called. The facts found are one
    system message before the newest messages, the best first, each once. A turn whose facts were not extracted yet
    is sent word for word. Different from mem0: it extracts from the turn alone. Held against mem0 2.2.1 with stems for
    vectors, and against a slow reference.
    """

    title: ClassVar[str] = "Fact store"
    reference: ClassVar[str] = (
        "mem0 2.2.1, which adds facts only, with BM25 in place of its embeddings; and one that supersedes"
    )
    order: ClassVar[int] = 8

    top_k: int = whole_number(
        10,
        "facts",
        "Facts that are sent for a question. Larger finds more and costs more a turn.",
        (1, 30),
    )
    newest_messages: int = whole_number(
        6,
        "messages",
        "Newest messages, the input included, that are sent whatever they say. Larger remembers further back.",
        (2, 20),
    )
    query_messages: int = whole_number(
        1,
        "messages",
        "Newest messages whose words are looked up, the question at least. Larger follows a subject, and finds less "
        "sharply.",
        (1, 5),
    )
    fact_tokens: int = whole_number(
        0,
        "tokens",
        "Most tokens of facts that are sent. Larger sends more. 0: whatever was found.",
        (50, 1000),
        minimum=0,
        zero_is_off=True,
    )
    rule: Literal["add", "supersede"] = choice(
        "add",
        {
            "add": "mem0: a fact that was replaced is looked up like any other, old beside new",
            "supersede": "a fact that a newer one replaces is not sent any more",
        },
        "Whether facts that a newer one replaces are still sent.",
    )
    embedding_percent: int = embedding_share()
    embedding_model: str | None = embedding_name()

    def reason_not_to_run(self) -> str:
        """The reason why it cannot be run: a small embedding is asked for, and is not installed."""
        return why_no_embedding(self.embedding_percent, self.embedding_model)

    form: ClassVar[str] = FORMAT
    replacing: ClassVar[str] = REPLACING

    @property
    def finds_replaced(self) -> bool:
        """Switched by ``rule``."""
        return self.rule == "add"

    def pick_facts(self, memory: Memory, known: KnownFacts) -> Iterator[Quote]:
        """The facts that are sent, the best first; with ``fact_tokens`` until the next one would not fit."""
        room = self.fact_tokens
        asked = asked_from(memory, self.query_messages)
        for quote in islice(self.found(memory, known, asked), self.top_k):
            if self.fact_tokens:
                line = self.line_of(memory, known, quote.number)
                room -= memory.sums.counter.in_lines(line)
            if room < 0:
                return
            yield quote

    def scores(
        self, memory: Memory, known: KnownFacts, asked: range
    ) -> "NDArray[np.float64]":
        """By the words of what is asked, and by nearness in meaning."""
        index = known.index
        percent = self.embedding_percent
        vectors = None
        if percent:
            model = self.embedding_model or ""
            kept = memory.log.kept_vectors
            vectors = index.vector_index(model, kept, known.count)
        words = index.words if percent < 100 else None
        question = text_of(memory, asked)
        return score_texts(words, vectors, question, range(known.count), percent).total

    def line_of(self, memory: Memory, known: KnownFacts, number: int) -> str:
        """The fact alone."""
        return _as_line(known.index.facts[number - 1].text)

    def read_answer(self, effect: Write, answer: str) -> str:
        """The facts of the answer, one a line."""
        return write_facts(facts_in(answer))

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The facts of one turn as lines below its number."""
        facts = (_as_line(fact.text) for fact in facts_in(summary.text))
        return "\n".join([f"[Turn {summary.turn}]", *facts])


def _as_line(fact: str) -> str:
    return f"- {' '.join(fact.split())}"
