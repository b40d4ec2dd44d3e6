"""Whether a statement is of the kind that a question asks for: words in common are not enough.

"When is the concert?" and "The concert costs 25 euros." share their subject, and the one does not answer the other.
"""

import re

from memviz.core.text.sentences import Sentence
from memviz.core.text.word_classes import NUMBER_WORDS
from memviz.core.text.words import content_words, stem
from memviz.models.offline.meanings import implied
from memviz.models.offline.question import NEGATION, Question, Wanted
from memviz.models.offline.question_subject import OTHERS, About

FITS = 0.15
"""Added to the score of a statement that holds just the kind of answer wanted."""
OTHER_SUBJECT = 0.85
OTHER_SUBJECT_ONE_WORD = 0.6
OTHER_SENSE = 0.6
"""Factors for a statement that does not speak of who is asked about (smaller where a single word is all
they share), and for one that affirms what the question denies."""

_CODE_VALUE = re.compile(r"(?=[\w-]*\d)\w[\w-]+")
_NUMBER_THEN = re.compile(
    r"(?:\b\d[\d.,]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen))[ -](\w+)(?: (\w+))?"
)
_PARTNER = re.compile(
    r"\b(?:(?:i|i['’]m|i['’]ve|i['’]ll|we|we['’]re|me|us|our|you|you['’]re|user|they|please)\b"
    r"|my (?!(?:brother|sister|wife|husband|partner|son|daughter|child|mother|father|mum|mom|dad|parents|aunt|uncle"
    r"|cousin|niece|nephew|grand\w+|friend|boss|colleague|neighbou?r|flatmate|roommate|teacher|doctor|dentist)s?\b))",
    re.IGNORECASE,
)
_LIKE_NEGATION = re.compile(
    r"\b(?:allerg|intoleran|hate|dislike|refuse|forbid|forbidden|skip)", re.IGNORECASE
)


_DURATION = re.compile(
    rf"(?:\d|\b(?:an?|half|{'|'.join(sorted(NUMBER_WORDS))}))[ -]?(?:nights?|days?|weeks?|weekends?|months?|years?"
    r"|hours?|minutes?|stunden?|minuten|tagen?|nächten?|wochen?|kilomet\w+|km|met(?:er|re)s?|小时|分钟|[天夜周晚])"
    r"|\b(?:until|till|from .* to)\b",
    re.IGNORECASE,
)
_A_UNIT = re.compile(
    r"\b(?:an?|per|each) (?:night|day|week|month|year|hour)\b", re.IGNORECASE
)
_LIKING = re.compile(
    r"\b(?:lik(?:e[sd]?|ing)|lov(?:e[sd]?|ing)|enjoy\w*|fond of|favou?rites?|prefer\w*|fan of|is into|keen on)\b"
    r"|喜欢|最爱|爱[吃喝看听玩]|偏好",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|she|they|his|her|their|him|it|its|we|i|you)\b|[他她它]", re.IGNORECASE
)
_OWN_THING = re.compile(
    r"\b(?:my|our|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?) ((?:[\w-]+ ?){1,3})"
    r"|我们?的?((?:公司|店里|家)?的?[\u4e00-\u9fff]{2,4})",
    re.IGNORECASE,
)
_OTHERS_THING = (
    r"\b(?!(?:what|who|where|when|how|that|it|there|here|he|she)['’]){owner}['’]s ((?:[\w-]+ ?){{1,3}})"
    r"|((?:[\w-]+ ){{1,3}})(?:of|des|der) (?:the |our |my |dem |der )?{others}\b|{others}的(\w+)"
)
_OF_OTHERS = re.compile(
    _OTHERS_THING.format(owner=r"[\w-]+", others=OTHERS), re.IGNORECASE
)


def accepts(question: Question, sentence: Sentence) -> bool:
    """Whether ``sentence`` speaks of whom the question asks about, and holds what it wants: a number, code or date
    that the question does not say, a duration, something liked."""
    if _is_of_another(question, sentence):
        return False
    if question.about.duration and not _DURATION.search(
        _A_UNIT.sub(" ", sentence.text)
    ):
        return False
    if question.about.taste and not _LIKING.search(sentence.text):
        return False
    if question.wanted is Wanted.NUMBER:
        return any(not question.says(number) for number in sentence.traits.amounts)
    if question.wanted is Wanted.CODE:
        return any(
            not question.says(code.lower())
            for code in _CODE_VALUE.findall(sentence.text)
        )
    return question.wanted is not Wanted.DATE or sentence.traits.has_date


def _is_of_another(question: Question, sentence: Sentence) -> bool:
    """Whether ``sentence`` says it of the user's own thing where another's is asked for; or, where "Is Ben allergic to
    nuts?" is asked, of somebody else, or something else of Ben."""
    if question.about.owned and _is_own(question.about, sentence.text):
        return True
    if question.about.own and _is_of_others(question.about.own, sentence.text):
        return True
    if not question.about.subject:
        return False
    said = sentence.words | implied(frozenset(question.weights), sentence)
    predicate = question.weights.keys() - question.about.subject
    if predicate and said.isdisjoint(predicate):
        return True
    return (
        said.isdisjoint(question.about.subject)
        and _PRONOUN.search(sentence.text) is None
    )


def _is_own(about: About, text: str) -> bool:
    """Whether a sentence speaks of the user's thing of that kind, and not of the owner's as well."""
    owner = re.escape(about.owner)
    theirs = re.findall(
        _OTHERS_THING.format(owner=owner, others=owner), text, re.IGNORECASE
    )
    if any(about.owned & content_words(" ".join(had)) for had in theirs):
        return False
    own = (" ".join(found) for found in _OWN_THING.findall(text))
    return any(
        about.owned <= content_words(thing) and about.owner not in thing.lower()
        for thing in own
    )


def _is_of_others(own: frozenset[str], text: str) -> bool:
    """Whether a sentence speaks of somebody else's thing of the kind that the asker has, and not of the asker's."""
    if any(own <= content_words(" ".join(found)) for found in _OWN_THING.findall(text)):
        return False
    return any(own <= content_words(" ".join(had)) for had in _OF_OTHERS.findall(text))


def agreement(question: Question, sentence: Sentence) -> float:
    """Factor below 1 for a statement about somebody else than the asker, or of the opposite sense."""
    factor = 1.0
    if question.of_asker and not _PARTNER.search(sentence.text):
        factor = OTHER_SUBJECT_ONE_WORD if len(question.weights) == 1 else OTHER_SUBJECT
    if question.is_negated and not (
        NEGATION.search(sentence.text) or _LIKE_NEGATION.search(sentence.text)
    ):
        factor *= OTHER_SENSE
    return factor


def bonus(question: Question, sentence: Sentence) -> float:
    """What the score gains by a name where one is asked for, or by a number of the things that are counted."""
    if question.wanted is Wanted.NAME:
        return FITS * any(not question.says(name) for name in sentence.traits.names)
    return FITS * (
        question.counted != "" and _counts(sentence.text.lower(), question.counted)
    )


def _counts(text: str, counted: str) -> bool:
    """Whether a number stands right before the word that is counted."""
    return any(
        stem(word) == counted for pair in _NUMBER_THEN.findall(text) for word in pair
    )
