"""The statements of a context that fit a question, each with the share of the question that it covers.

A statement covers the part of the question whose words it holds, and each word counts by its rarity (its inverse
document frequency). That is BM25 for sentences of about one length. bm25s was measured in its place: 66 to 69 of the
77 questions about the bundled conversations are answered with it under summary_only, 70 without it, and it takes four
times as long over a thousand messages. Preferences then decide between statements that cover equally much.

Words in common are not enough: "When is the concert?" and "The concert costs 25 euros." share their subject, and the
one does not answer the other.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum, log

from memviz.core.text import phrases
from memviz.core.text.sentences import Sentence
from memviz.core.text.words import content_words
from memviz.models.offline.context_sources import Source
from memviz.models.offline.question import NEGATION, Question, Wanted

FEW_SENTENCES = 30
"""A context of fewer sentences is weighed as if it had this many."""
IN_OTHER_WORDS = 0.85
"""The part of its weight that a word counts that a statement says in other words."""
NEAR = 0.45
SAME_MESSAGE = 0.2
"""The part of its weight that a word counts that is said in a neighbouring sentence, or elsewhere in the message."""
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
OTHER_SUBJECT = 0.85
OTHER_SUBJECT_ONE_WORD = 0.6
OTHER_SENSE = 0.6
"""Factors for a statement that does not speak of the asker who is asked about (smaller where a single word is all that
they share), and for one that affirms what the question denies."""

_OTHER_WORDS = {
    content_words(asked): re.compile(said, re.IGNORECASE)
    for asked, said in (
        (
            "colour",
            r"\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|violet|pink|silver|gold|beige)\b",
        ),
        (
            "leave depart departure abfahrt abreise 出发",
            r"\b(?:set(?:s|ting)? off|depart|fly out|head(?:ing)? off|leav)|\bfahren\b.*\b(?:los|ab)\b|出发|动身",
        ),
        ("name namen 名字 名称", r"\b(?:called|named|name is)\b|\bheiß|叫"),
        (
            "stay accommodation",
            r"\b(?:hotel|guesthouse|hostel|apartment|flat|house|booked|rented)\b",
        ),
    )
}
"""Stems of a question, and what a sentence holds that says them in other words."""
_CODE_VALUE = re.compile(r"(?=[\w-]*\d)\w[\w-]+")
_PARTNER = re.compile(
    r"\b(?:(?:i|i['’]m|i['’]ve|i['’]ll|we|we['’]re|me|us|our|you|you['’]re|user|they|please)\b"
    r"|my (?!(?:brother|sister|wife|husband|partner|son|daughter|child|mother|father|mum|mom|dad|parents|aunt|uncle"
    r"|cousin|niece|nephew|grand\w+|friend|boss|colleague|neighbou?r|flatmate|roommate|teacher|doctor|dentist)s?\b))",
    re.IGNORECASE,
)
"""A sentence that speaks of the user, or of something of theirs that is no other person."""
# "I don't eat nuts", "allergic to nuts", "hates coffee"
_DENIES = re.compile(
    rf"{NEGATION.pattern}|\b(?:allerg|intoleran|hate|dislike|refuse|forbid|forbidden|skip)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Match:
    """A statement that shares words with the question: sentence ``at`` of message ``position``."""

    source: Source
    position: int
    at: int
    hits: frozenset[str]
    """The words of the question that it says."""
    meant: frozenset[str] = frozenset()
    """The words among ``hits`` that it says in other words only."""
    direct: float = 0.0
    """The share of the question that the statement covers itself."""
    covered: float = 0.0
    """The share of the question that it covers with the words around it."""

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
        before = sentences[max(0, self.at - 1)]
        behind = sentences[min(len(sentences) - 1, self.at + 1)]
        return before.words | behind.words


class Matches:
    """All statements that share enough words with ``question``."""

    weights: dict[str, float]
    """Each stem of the question with its share of 1: the fewer statements hold a stem, the larger. A stem that nobody
    said has the largest, so that statements without it cover little."""
    missing: frozenset[str]
    """Stems of the question that nobody said."""
    candidates: list[Match]

    def __init__(self, question: Question, among: Sequence[Source]) -> None:
        self.question = question
        self._messages = len(among)
        sharing = list(_find_sharing(question, among))
        sentences = sum(len(source.passage.sentences) for source in among)
        self.weights = _weigh_stems(question, sharing, sentences)
        stems_said = [match.hits for match in sharing]
        stems_said += [source.passage.words for source in among]
        self.missing = frozenset(self.weights).difference(*stems_said)
        self.candidates = []
        for match in sharing:
            if self.share(match.hits) >= LEAST_SHARE:
                self.candidates.append(self._measure(match))

    def share(self, words: Iterable[str]) -> float:
        """Return the part of the question's weight that ``words`` hold."""
        # Rounded once, for sets have their words in another order with each start of Python.
        return fsum(self.weights[word] for word in words)

    def score(self, match: Match) -> float:
        """Return ``covered``, and what decides between statements that cover equally much."""
        sentence = match.sentence
        score = match.covered + SOURCE_BONUS[match.source.kind]
        if sentence.echo:
            score += ECHO
        # From 0 for the first message to nearly 1 for the last one.
        newness = match.position / self._messages
        if self.question.wants_first_value:
            return score + RECENCY_WHEN_ASKED * (1 - newness)
        if sentence.traits.is_change:
            score += CHANGE
        wants_newest = self.question.wants_newest_value
        return score + (RECENCY_WHEN_ASKED if wants_newest else RECENCY) * newness

    def _measure(self, match: Match) -> Match:
        """Return the match with the shares of the question that its statement covers."""
        factor = self._agreement_factor(match.sentence)
        # What a statement says in other words alone counts for less than the words themselves.
        discount = (1 - IN_OTHER_WORDS) * self.share(match.meant)
        direct = self.share(match.hits) - discount
        covered = direct + self._share_around(match)
        return replace(match, direct=factor * direct, covered=factor * covered)

    def _agreement_factor(self, sentence: Sentence) -> float:
        """Return a factor below 1 for a statement about somebody else than the asker, or of the opposite sense."""
        factor = 1.0
        if self.question.of_asker and not _PARTNER.search(sentence.text):
            is_one_word = len(self.weights) == 1
            factor = OTHER_SUBJECT_ONE_WORD if is_one_word else OTHER_SUBJECT
        if self.question.is_negated and not _DENIES.search(sentence.text):
            factor *= OTHER_SENSE
        return factor

    def _share_around(self, match: Match) -> float:
        """Return the share that the words beside the statement add."""
        absent = self.weights.keys() - match.hits
        if not absent:
            return 0.0
        near = absent & match.near()
        elsewhere = (absent - near) & match.source.passage.words
        return NEAR * self.share(near) + SAME_MESSAGE * self.share(elsewhere)


def _find_sharing(question: Question, among: Sequence[Source]) -> Iterator[Match]:
    """Yield the statements that share a word with the question, or say one of its words in other words."""
    stems = frozenset(question.weights)
    other_words = _list_other_words(stems)
    for position, source in enumerate(among):
        says_none = stems.isdisjoint(source.passage.words)
        if says_none and not other_words and stems.isdisjoint(source.asked):
            continue
        for index, sentence in enumerate(source.passage.sentences):
            own_words = stems & sentence.words
            hits = own_words | _find_meant_words(stems, sentence)
            # "To Lisbon." answers the question before it, so it speaks of what that one asked.
            if index == 0 and len(sentence.words) <= ELLIPSIS_WORDS:
                hits |= stems & source.asked
            if not hits or sentence.is_question or is_ignorance(source, sentence):
                continue
            yield Match(source, position, index, hits, hits - own_words)


@lru_cache(maxsize=256)  # the same question meets context after context
def _list_other_words(
    stems: frozenset[str],
) -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    """Return those of the ``stems`` that may be said in other words, and how."""
    other_words = []
    for stems_said_so, pattern in _OTHER_WORDS.items():
        shared = stems_said_so & stems
        if shared:
            other_words.append((shared, pattern))
    return tuple(other_words)


def _find_meant_words(stems: frozenset[str], sentence: Sentence) -> frozenset[str]:
    """Return those of the ``stems`` that a sentence says in other words only."""
    meant_stems: set[str] = set()
    for own_stems, saying in _list_other_words(stems):
        if own_stems.isdisjoint(sentence.words) and saying.search(sentence.text):
            meant_stems |= own_stems
    return frozenset(meant_stems)


def is_ignorance(source: Source, sentence: Sentence) -> bool:
    """Return whether a sentence only says that the model did not know."""
    return source.kind == "assistant" and phrases.admits_ignorance(sentence.text)


def _weigh_stems(
    question: Question, sharing: Iterable[Match], sentences: int
) -> dict[str, float]:
    """Return the weight of each stem of the question, which add up to 1: rare stems tell more (as in tf-idf)."""
    frequency = dict.fromkeys(question.weights, 0)
    for match in sharing:
        for word in match.hits:
            frequency[word] += 1
    # In a short context all stems are rare: there it counts as a longer one.
    size = max(FEW_SENTENCES, sentences)
    weights = {
        word: weight * log(1 + size / (frequency[word] + 0.5))
        for word, weight in question.weights.items()
    }
    total = fsum(weights.values()) or 1.0
    return {word: weight / total for word, weight in weights.items()}


def accepts(question: Question, sentence: Sentence) -> bool:
    """Return whether ``sentence`` speaks of whom the question is about, and holds what it wants: a number, a code or a
    date that it does not say."""
    question_stems = frozenset(question.weights)
    stems = sentence.words | _find_meant_words(question_stems, sentence)
    if question.about.is_missed_by(sentence.text, stems, question_stems):
        return False
    # A value that the question says itself answers nothing.
    if question.wanted is Wanted.NUMBER:
        values: Iterable[str] = sentence.traits.amounts
    elif question.wanted is Wanted.CODE:
        values = _CODE_VALUE.findall(sentence.text.lower())
    else:
        return question.wanted is not Wanted.DATE or sentence.traits.has_date
    return any(not question.says(value) for value in values)
