"""A store of facts, which are looked up."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Literal

from memviz.core.facts import FACTS, facts_in, write_facts
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Piece, Quote
from memviz.core.summaries import SummaryVersion
from memviz.strategies.base import Effect, Write
from memviz.strategies.fact_lists import EXTRACT, FORMAT, facts_request
from memviz.strategies.families import LISTED_FACTS
from memviz.strategies.lookup import (
    best_first,
    find_newest_start,
    score_texts,
    text_of,
    why_no_embedding,
)
from memviz.strategies.parameters import (
    choice,
    embedding_name,
    embedding_share,
    whole_number,
)
from memviz.strategies.per_turn import PerTurn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KNOWN_FACTS = 10
"""So many known facts, those nearest to a turn, are shown to who extracts its facts, as in mem0."""
REPLACING = (
    "Where a known fact holds no longer because of a new one, name its number in the new one, in this form:\n"
    '<fact replaces="3">new fact</fact>'
)


class FactsStore(PerTurn):
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
    family: ClassVar[str] = LISTED_FACTS
    main_parameter: ClassVar[str] = "top_k"
    summary_heading: ClassVar[str] = "What is known from earlier:"

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

    def can_be_run(self) -> str:
        """The reason why it cannot be run: a small embedding is asked for, and is not installed."""
        return why_no_embedding(self.embedding_percent, self.embedding_model)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """List the facts of the oldest completed turn of which none were listed yet."""
        return self.write_for_turn(memory, FACTS)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The facts that are found, and the newest messages."""
        start = find_newest_start(memory, self.newest_messages)
        start = min(start, self.unsummarized_start(memory))
        newest = Messages(start, memory.length)
        picks = tuple(self.picks(memory))
        if not picks:
            return (newest,)
        index = memory.space.summaries.fact_index()
        facts = (index.facts[pick.number - 1].text for pick in picks)
        text = "\n".join([self.summary_heading, *map(_as_line, facts)])
        return (Line(Message("system", text), quotes=picks), newest)

    def picks(self, memory: Memory) -> Iterator[Quote]:
        """The facts that are sent, the best first; with ``fact_tokens`` until the next one would not fit."""
        start = min(memory.before_open_turn, memory.length - self.query_messages)
        start = max(memory.history_start, start)
        question = text_of(memory, range(start, memory.length))
        index = memory.space.summaries.fact_index()
        room = self.fact_tokens
        for quote in islice(self._found(memory, question), self.top_k):
            if self.fact_tokens:
                line = _as_line(index.facts[quote.number - 1].text)
                room -= memory.sums.counter.in_lines(line)
            if room < 0:
                return
            yield quote

    def _found(self, memory: Memory, question: str) -> Iterator[Quote]:
        """The facts that hold any of a question's words or are near to it in meaning, the best first and each once; of
        equals the newer one."""
        summaries = memory.space.summaries
        index = summaries.fact_index()
        count = index.count(memory.summary_count)
        scores = self._scores(memory, question, count)
        in_force: set[int] | None = None
        if not summaries.is_straight:
            block = summaries.in_block(0, memory.summary_count)
            in_force = {version.version - 1 for version in block}
        told = set[str]()
        for place in best_first(scores):
            text = index.facts[place].text.casefold()
            version = index.versions[place]
            is_gone = in_force is not None and version not in in_force
            if self.rule == "supersede":
                is_gone = is_gone or index.replaced_by(place + 1, count) is not None
            if not is_gone and text not in told:
                told.add(text)
                yield Quote(place + 1, version, float(scores[place]))

    def _scores(
        self, memory: Memory, question: str, count: int
    ) -> "NDArray[np.float64]":
        index = memory.space.summaries.fact_index()
        percent = self.embedding_percent
        vectors = None
        if percent:
            model = self.embedding_model or ""
            vectors = index.vector_index(model, memory.log.kept_vectors, count)
        words = index.words if percent < 100 else None
        return score_texts(words, vectors, question, range(count), percent).total

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
        found = self._found(memory, text_of(memory, effect.summarize))
        nearest = [quote.number for quote in islice(found, KNOWN_FACTS)]
        known = "\n".join(
            f'<fact number="{number}">{index.facts[number - 1].text}</fact>'
            for number in sorted(nearest)
        )
        return facts_request(
            instruction or self.instruction,
            known,
            f"{FORMAT}\n{REPLACING}" if known else FORMAT,
            memory.worth_summarizing(effect.summarize),
        )

    def read_answer(self, effect: Write, answer: str) -> str:
        """The facts of the answer, one a line."""
        return write_facts(facts_in(answer))

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The facts of one turn as lines below its number."""
        facts = (_as_line(fact.text) for fact in facts_in(summary.text))
        return "\n".join([f"[Turn {summary.turn}]", *facts])


def _as_line(fact: str) -> str:
    return f"- {' '.join(fact.split())}"
