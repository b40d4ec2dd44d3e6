"""How well each statement of a context fits a question.

A statement covers the part of the question whose words it holds, and each word counts by its rarity (its inverse
document frequency). That is BM25 for sentences of about one length. bm25s was measured in its place: 66 to 69 of the
77 questions about the bundled conversations are answered with it under summary_only, 70 without it, and it takes four
times as long over a thousand messages. Preferences then decide between statements that cover equally much.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

from memviz.core.text import phrases
from memviz.core.text.sentences import Sentence
from memviz.models.offline.context_sources import Source
from memviz.models.offline.meanings import all_have_other_words, implied
from memviz.models.offline.question import Question
from memviz.models.offline.suitability import agreement, bonus

FEW_SENTENCES = 30
"""A context of fewer sentences is weighed as if it had this many."""
IN_OTHER_WORDS = 0.85
"""How much of its weight a word counts that a statement says in other words."""
NEAR = 0.45
SAME_MESSAGE = 0.2
"""How much of its weight a word counts that is said in a neighbouring sentence, or elsewhere in the same message."""
ELLIPSIS_WORDS = 4
"""A reply of so few words takes over the words of the question that it answers: "How many guests?" "Around 45."."""
LEAST_SHARE = 0.2
"""A statement with a smaller share of the question's weight is no match at all."""

SOURCE_BONUS = {
    "user": 0.06,
    "assistant": 0.0,
    "summary": 0.03,
    "tool": -0.05,
    "system": -0.15,
}
ECHO = -0.15
CHANGE = 0.12
RECENCY = 0.06
RECENCY_WHEN_ASKED = 0.2
"""What decides between statements that cover a question equally well: who said it, whether it only repeats an answer
of this model, whether it tells of a change, and how new it is (how old, if the question wants the first value)."""


@dataclass(frozen=True, slots=True)
class Match:
    """A statement that shares words (``hits``) with the question: sentence ``at`` of message ``position``.

    ``direct`` is the share of the question that the statement covers itself, ``covered`` adds the words around it.
    """

    source: Source
    position: int
    at: int
    hits: frozenset[str]
    meant: frozenset[str] = frozenset()
    """Those of the ``hits`` that it says in other words only."""
    direct: float = 0.0
    covered: float = 0.0

    @property
    def sentence(self) -> Sentence:
        """The statement."""
        return self.source.passage.sentences[self.at]

    @property
    def order(self) -> tuple[int, int]:
        """Grows along the context."""
        return self.position, self.at

    def near(self) -> frozenset[str]:
        """Words of the neighbouring sentences."""
        sentences = self.source.passage.sentences
        return (
            sentences[max(0, self.at - 1)].words
            | sentences[min(len(sentences) - 1, self.at + 1)].words
        )


class Matches:
    """All statements that share enough words with ``question``.

    ``weights`` gives each stem of the question its share of 1: the fewer statements hold a stem, the larger. A stem
    that nobody said has the largest, so that statements without it cover little; ``missing`` are those stems.
    """

    def __init__(self, question: Question, among: Sequence[Source]) -> None:
        self.question = question
        self._messages = len(among)
        sharing = list(_sharing(question, among))
        self.weights = _weights(
            question, sharing, sum(len(source.passage.sentences) for source in among)
        )
        said = frozenset[str]().union(*(match.hits for match in sharing))
        self.missing = frozenset(
            word
            for word, weight in self.weights.items()
            if weight
            and word not in said
            and not any(word in source.passage.words for source in among)
        )
        self.found = [
            self._measured(match)
            for match in sharing
            if self.share(match.hits) >= LEAST_SHARE
        ]

    def share(self, words: Iterable[str]) -> float:
        """Part of the question's weight that ``words`` hold."""
        return sum(self.weights[word] for word in words)

    def score(self, match: Match) -> float:
        """``covered``, and what decides between statements that cover equally much."""
        question = self.question
        sentence = match.sentence
        score = (
            match.covered + SOURCE_BONUS[match.source.kind] + bonus(question, sentence)
        )
        score += ECHO * sentence.echo
        newness = match.position / self._messages
        if question.wants_first_value:
            return score + RECENCY_WHEN_ASKED * (1 - newness)
        recency = RECENCY_WHEN_ASKED if question.wants_newest_value else RECENCY
        return score + recency * newness + CHANGE * sentence.traits.is_change

    def _measured(self, match: Match) -> Match:
        factor = agreement(self.question, match.sentence)
        direct = self.share(match.hits) - (1 - IN_OTHER_WORDS) * self.share(match.meant)
        return replace(
            match,
            direct=factor * direct,
            covered=factor * (direct + self._around(match)),
        )

    def _around(self, match: Match) -> float:
        """What the words beside the statement add."""
        absent = self.weights.keys() - match.hits
        if not absent:
            return 0.0
        near = absent & match.near()
        elsewhere = (absent - near) & match.source.passage.words
        return NEAR * self.share(near) + SAME_MESSAGE * self.share(elsewhere)


def _sharing(question: Question, among: Sequence[Source]) -> Iterator[Match]:
    stems = frozenset(question.weights)
    in_other_words = all_have_other_words(stems)
    for position, source in enumerate(among):
        if (
            not in_other_words
            and stems.isdisjoint(source.passage.words)
            and stems.isdisjoint(source.asked)
        ):
            continue
        for at, sentence in enumerate(source.passage.sentences):
            said = stems & sentence.words
            hits = said | implied(stems, sentence)
            if at == 0 and len(sentence.words) <= ELLIPSIS_WORDS:
                hits |= stems & source.asked
            if (
                hits
                and not sentence.is_question
                and not _is_ignorance(source, sentence)
            ):
                yield Match(source, position, at, hits, hits - said)


def _is_ignorance(source: Source, sentence: Sentence) -> bool:
    return source.kind == "assistant" and phrases.admits_ignorance(sentence.text)


def _weights(
    question: Question, sharing: Iterable[Match], sentences: int
) -> dict[str, float]:
    frequency = dict.fromkeys(question.weights, 0)
    for match in sharing:
        for word in match.hits:
            frequency[word] += 1
    size = max(FEW_SENTENCES, sentences)
    weights = {
        word: weight * log(1 + size / (frequency[word] + 0.5))
        for word, weight in question.weights.items()
    }
    for pair, (before, after) in question.bridges.items():
        # a pair that nobody wrote, between two that somebody did, is no word but the seam of two
        if (
            pair in weights
            and not frequency[pair]
            and frequency.get(before)
            and frequency.get(after)
        ):
            weights[pair] = 0.0
    total = sum(weights.values()) or 1.0
    return {word: weight / total for word, weight in weights.items()}
