"""Retrieval: earlier messages that hold the words of the question, or are near to it in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from memviz.core.errors import MissingLibraryError
from memviz.core.memory import Memory
from memviz.core.model_errors import MissingVectorsError
from memviz.core.pieces import Messages, Picked, Piece
from memviz.core.text.wording import listed
from memviz.core.text.words import content_words
from memviz.core.translation import _, noop
from memviz.core.word_index import is_text
from memviz.strategies.base import Strategy
from memviz.strategies.families import LOOKED_UP
from memviz.strategies.lookup import (
    Hit,
    Scores,
    find_best,
    find_newest_start,
    score_texts,
    text_of,
    why_found_by_words,
    why_no_embedding,
)
from memviz.strategies.parameters import (
    embedding_name,
    embedding_share,
    whole_number,
)

SCORED_BY_BOTH = noop(
    "number {rank:,} of {found:,}, score {score:.2f}: {words_percent}% words, {of_words:.1f} of at most "
    "{most_of_words:.1f} ({words}); {percent}% small embedding, {nearness:.2f} of at most {nearest:.2f} (counted here "
    "by {name}, {dimensions} dimensions)"
)
SCORED_BY_NEARNESS = noop(
    "number {rank:,} of {found:,}, score {score:.2f}: {percent}% small embedding, {nearness:.2f} of at most "
    "{nearest:.2f} (counted here by {name}, {dimensions} dimensions)"
)
SCORED_BY_BOTH_ASKED = noop(
    "number {rank:,} of {found:,}, score {score:.2f}: {words_percent}% words, {of_words:.1f} of at most "
    "{most_of_words:.1f} ({words}); {percent}% embedding, {nearness:.2f} of at most {nearest:.2f} (by {name}, "
    "{dimensions} dimensions)"
)
SCORED_BY_NEARNESS_ASKED = noop(
    "number {rank:,} of {found:,}, score {score:.2f}: {percent}% embedding, {nearness:.2f} of at most {nearest:.2f} "
    "(by {name}, {dimensions} dimensions)"
)
SENTENCES = {
    (True, False): SCORED_BY_BOTH,
    (False, False): SCORED_BY_NEARNESS,
    (True, True): SCORED_BY_BOTH_ASKED,
    (False, True): SCORED_BY_NEARNESS_ASKED,
}
"""By whether words count for a score, and whether a model was asked for vectors."""


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

    Scores are BM25 over stems of words, and over pairs of characters where words are not spaced, without a model.
    With ``embedding_percent`` a score is a weighted sum of that and of nearness in meaning: the cosine of two
    vectors of a small embedding, wordllama's of 256 dimensions, computed on this machine, or of
    ``embedding_model``, which is asked once for each text. Both are first divided by the highest of the question.
    Nearly everything is then a little near, so ``top_k`` messages come back whatever is asked. At a request only
    what was said before it counts, also for how rare a word is. The newest messages are not searched: they are sent
    anyway. Calls of tools and their results are neither found nor brought back. What is brought back stands right
    before the input, in the order of the conversation. With ``picked_tokens`` the best finds come first, each with
    its neighbours, until the next one would not fit. Held against a slow reference that scores every message anew.
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
    embedding_percent: int = embedding_share()
    embedding_model: str | None = embedding_name()

    def reason_not_to_run(self) -> str:
        """The reason why it cannot be run: a small embedding is asked for, and is not installed."""
        return why_no_embedding(self.embedding_percent, self.embedding_model)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The newest messages, and what is brought back for the input."""
        sought = self._sought(memory)
        newest = Messages(sought.stop, memory.length)
        hits = self._found_in(memory, sought, self.top_k)
        picked = tuple(sorted(self._picks_of(memory, sought, hits)))
        return (newest, Picked(picked)) if picked else (newest,)

    def picks(self, memory: Memory) -> list[Pick]:
        """The messages that are brought back, the best finds first, each before its neighbours."""
        sought = self._sought(memory)
        hits = self._found_in(memory, sought, self.top_k)
        return list(self._picks_of(memory, sought, hits).values())

    def _picks_of(
        self, memory: Memory, sought: range, hits: Sequence[Pick]
    ) -> dict[int, Pick]:
        """The messages that ``hits`` bring back, by their positions."""
        found: dict[int, Pick] = {}
        room = self.picked_tokens
        log = memory.log
        for hit in hits:
            middle = hit.position
            new = {} if middle in found else {middle: hit}
            start = max(sought.start, middle - self.neighbours)
            for position in range(
                start, min(sought.stop, middle + self.neighbours + 1)
            ):
                if position in found or position == middle:
                    continue
                if is_text(log[position]):
                    new[position] = Pick(position, hit.score, middle)
            if self.picked_tokens:
                room -= sum(memory.sums.between(one, one + 1) for one in new)
                if room < 0:
                    break
            found |= new
        return found

    def why_sent(self, memory: Memory, position: int) -> str:
        """The words of the question that a message holds and its score, or the message that it stands beside; of one
        that is not brought back how many are found before it."""
        sought = self._sought(memory)
        if position not in sought:
            return ""
        if not is_text(memory.log[position]):
            return _("calls of tools and their results are not looked up")
        try:
            found = self.found(memory)
        except (MissingLibraryError, MissingVectorsError) as missing:
            # The run was made elsewhere.
            return str(missing)
        pick = self._picks_of(memory, sought, found[: self.top_k]).get(position)
        if pick is not None and pick.neighbour_of is not None:
            number = pick.neighbour_of + 1
            return _("beside message {number:,}, which was found", number=number)
        ranks = {one.position: rank for rank, one in enumerate(found, 1)}
        if position in ranks:
            rank = ranks[position]
            return self._why_found(memory, found[rank - 1], rank, len(found))
        if self.embedding_percent:
            return _("holds no word of the question, and is not near to it in meaning")
        return _("holds no word of the question")

    def _why_found(self, memory: Memory, pick: Pick, rank: int, found: int) -> str:
        words = self.words(memory)
        if not self.embedding_percent:
            hit = Hit(pick.position, pick.score)
            return why_found_by_words(memory, words, hit, rank, found)
        held = memory.log.word_index().words_of(words, pick.position)
        scores = self._scores(memory, self._sought(memory))
        place = pick.position - memory.history_start
        of_words = scores.words[place]
        vectors = memory.log.vector_index(self.embedding_model or "")
        return _(
            SENTENCES[bool(of_words), bool(self.embedding_model)],
            rank=rank,
            found=found,
            score=pick.score,
            words_percent=100 - self.embedding_percent,
            of_words=of_words,
            most_of_words=scores.words.max(),
            words=listed(held),
            percent=self.embedding_percent,
            nearness=scores.nearness[place],
            nearest=scores.nearness.max(),
            name=vectors.name,
            dimensions=vectors.dimensions,
        )

    def question(self, memory: Memory) -> str:
        """The text that is looked up: empty where results of tools are the input, for what is brought back would part
        them from their call."""
        asked = memory.messages(memory.input)
        if asked and not any(map(is_text, asked)):
            return ""
        start = min(memory.before_input, memory.length - self.query_messages)
        start = max(memory.history_start, start)
        return text_of(memory, range(start, memory.length))

    def words(self, memory: Memory) -> frozenset[str]:
        """The stems that are looked up."""
        return content_words(self.question(memory))

    def found(self, memory: Memory, most: int | None = None) -> list[Pick]:
        """The messages before the newest that hold any of the words or are near in meaning, the best first and of
        equals the newer one; at ``most`` so many."""
        return self._found_in(memory, self._sought(memory), most)

    def _found_in(
        self, memory: Memory, sought: range, most: int | None = None
    ) -> list[Pick]:
        scores = self._scores(memory, sought).total
        return [Pick(*hit) for hit in find_best(scores, sought.start, most)]

    def _sought(self, memory: Memory) -> range:
        """The positions that are searched: from where history begins up to the newest messages."""
        return range(memory.history_start, self.newest_start(memory))

    def _scores(self, memory: Memory, sought: range) -> Scores:
        """The scores of the messages at the positions ``sought``, less with age. Raises :class:`MissingLibraryError`
        for a small embedding without wordllama, :class:`MissingVectorsError` for vectors that nobody has asked for."""
        import numpy as np  # only a search waits for it

        percent = self.embedding_percent
        log = memory.log
        scores = score_texts(
            log.word_index() if percent < 100 else None,
            log.vector_index(self.embedding_model or "") if percent else None,
            self.question(memory),
            sought,
            percent,
        )
        if not self.half_life_messages:
            return scores
        ages = memory.length - np.array(sought)
        total = scores.total * 0.5 ** (ages / self.half_life_messages)
        return scores._replace(total=total)

    def newest_start(self, memory: Memory) -> int:
        """Position of the first message that is sent whatever it says; a result of a tool has its call with it."""
        return find_newest_start(memory, self.newest_messages)
