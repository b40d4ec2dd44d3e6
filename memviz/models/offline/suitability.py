"""Whether a statement is of the kind that a question asks for: words in common are not enough.

"When is the concert?" and "The concert costs 25 euros." share their subject, and the one does not answer the other.
"""

from __future__ import annotations

import re

from memviz.models.offline.question import NEGATION, Question, Wanted
from memviz.text.sentences import Sentence
from memviz.text.words import stem

FITS = 0.15
"""Added to the score of a statement that holds just the kind of answer wanted."""
OTHER_SUBJECT, OTHER_SUBJECT_ONE_WORD, OTHER_SENSE = 0.85, 0.6, 0.6
"""Factors for a statement that does not speak of who is asked about (smaller where a single word is all
they share), and for one that affirms what the question denies."""

_CODE_VALUE = re.compile(r"(?=[\w-]*\d)\w[\w-]+")
_NUMBER_THEN = re.compile(
    r"(?:\b\d[\d.,]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen))[ -](\w+)(?: (\w+))?"
)
_PARTNER = re.compile(
    r"\b(?:i|i['’]m|i['’]ve|i['’]ll|we|we['’]re|me|us|our|you|you['’]re|user|they|please|my name)\b", re.IGNORECASE
)
_LIKE_NEGATION = re.compile(r"\b(?:allerg|intoleran|hate|dislike|refuse|forbid|forbidden|skip)", re.IGNORECASE)


def accepts(question: Question, sentence: Sentence) -> bool:
    """Whether ``sentence`` holds a number, code or date, where one is asked for, that the question does not say."""
    if question.wanted is Wanted.NUMBER:
        return any(not question.says(number) for number in sentence.traits.amounts)
    if question.wanted is Wanted.CODE:
        return any(not question.says(code.lower()) for code in _CODE_VALUE.findall(sentence.text))
    return question.wanted is not Wanted.DATE or sentence.traits.has_date


def agreement(question: Question, sentence: Sentence) -> float:
    """Factor below 1 for a statement about somebody else than the asker, or of the opposite sense."""
    factor = 1.0
    if question.of_asker and not _PARTNER.search(sentence.text):
        factor = OTHER_SUBJECT_ONE_WORD if len(question.weights) == 1 else OTHER_SUBJECT
    if question.is_negated and not (NEGATION.search(sentence.text) or _LIKE_NEGATION.search(sentence.text)):
        factor *= OTHER_SENSE
    return factor


def bonus(question: Question, sentence: Sentence) -> float:
    """What the score gains by a name where one is asked for, or by a number of the things that are counted."""
    if question.wanted is Wanted.NAME:
        return FITS * any(not question.says(name) for name in sentence.traits.names)
    return FITS * (question.counted != "" and _counts(sentence.text.lower(), question.counted))


def _counts(text: str, counted: str) -> bool:
    """Whether a number stands right before the word that is counted."""
    return any(stem(word) == counted for pair in _NUMBER_THEN.findall(text) for word in pair)
