"""The topic of a clause: what it is about and which values it gives, so that an old state of a fact is told from a new
one.

"The rent of the flat is 900 euros a month" is about the rent of the flat and gives an amount of euros. Two clauses
about the same with another value of the same kind are an old and a new state of one fact.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memviz.core.text.sentences import Sentence
from memviz.core.text.vocabulary import DATE_WORDS, words
from memviz.core.text.words import HAN, content_words, stem

_VERBS = words(
    """is are was were has have had cost costs start starts begin begins open opens close closes leave leaves depart
    departs arrive arrives expire expires end ends take takes live lives stay stays stand stands work works weigh
    weighs pay pays need needs want wants require requires last lasts changed moved switched now ist sind war hat
    haben heißt kostet beginnt endet fährt liegt lautet beträgt wurde wird findet"""
)
# "I learned that the rent", "you told me that it"
_HEARSAY = re.compile(
    r"^.{0,60}?\b(?:learn\w*|hear\w*|told|tell|reads?|not(?:ed?|ing)|know|see|sa(?:y|ys|id)|sure|out|confirm\w*|decid\w*|agreed|noticed"
    r"|remember|mention\w*|me|us|you|weiß|gesagt|gehört)[,:]? (?:that|dass) ",
    re.IGNORECASE,
)
# "名字叫", "改到"
_CHINESE_VERB = re.compile(
    r"(?<![可但还就要于总只不或算])是|叫|(?<![因认作成以])为|(?<![一肯])定|[改换变涨降推提增减]|花了|需要|现在|目前"
)
_DIGIT = re.compile(r"\d")
_CHINESE_NOW = re.compile(r"现在|目前|最后|最终|终于|新的?|这次")
# "$1,200", "3.5 km", "20%"
_AMOUNT = re.compile(
    r"([$€£¥]?)\s?(\d+(?:[.,:/]\d+)*)(?:\s?(万?元|%|[\u4e00-\u9fff]|[^\W\d_]+))?"
)
_UNITS = {
    "€": "euro",
    "eur": "euro",
    "$": "dollar",
    "usd": "dollar",
    "£": "pound",
    "¥": "元",
    "块": "元",
}
# "QX7-4410", "LH455"
_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][\w-]{2,}\b")
# "instead of Monday", "no longer vegetarian"
_INSTEAD = re.compile(
    r"(?:\binstead of|\brather than|\bno longer|\bnot|\bfrom(?=.* to )|\bstatt|\bnicht mehr|从(?=.*[到成为])|不是|不再)"
    r"\s*((?:(?! (?:to|but|auf) )[^,;，；到改]){1,40})",
    re.IGNORECASE,
)
_NEW = frozenset(
    map(
        stem,
        words(
            "new current updated final latest revised total neue neuen neuer aktuelle"
        ),
    )
)
# "3,600", "don't"
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAMING = re.compile(r"\b(?:called|named|name|heißt)\b|叫|名")
# "never", "doesn't", "不"
_NEGATION = re.compile(
    r"\b(?:no|not|never|nor|without|nicht|nie|kein\w*|ohne)\b|n['’]t\b|[不没别无]",
    re.IGNORECASE,
)
LEAST_SHARED = 2
"""Words that an old clause has in common with one that says what is replaced."""
Amounts = frozenset[tuple[str, str]]


class Topic(NamedTuple):
    """The subject of a clause, and its values. A clause without any value has only its text."""

    text: str
    is_change: bool
    about: frozenset[str] = frozenset()
    """The stems of its subject, numbers and names included; empty for "I live in Turin"."""
    rest: frozenset[str] = frozenset()
    """The stems of what it says of that, without values."""
    amounts: Amounts = frozenset()
    """Each as its unit and its number: ``("euro", "900")``."""
    dates: frozenset[str] = frozenset()
    """The words and numbers of dates."""
    codes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """The names that are not of its subject."""
    values: frozenset[str] = frozenset()
    """All numbers and names."""
    replaced: frozenset[str] = frozenset()
    """The values that the clause says no longer hold."""


def topic_of(sentence: Sentence) -> Topic:
    """Return the topic of one clause."""
    text = sentence.text
    traits = sentence.traits
    if not (traits.numbers or traits.names or traits.has_date):
        return Topic(text, traits.is_change)
    head, predicate = part_at_verb(text)
    # The subject is what stands behind the last comma: "On Monday, the rent is 900 euros".
    about = content_words(head.rpartition(", ")[2]) or content_words(head)
    about -= _NEW
    other_words = sentence.subject - about
    plain_words = [word for word in other_words if not any(map(str.isdigit, word))]
    dates = frozenset[str]()
    if traits.has_date:
        date_numbers = traits.numbers - traits.amounts
        dates = _split_words(predicate) & (DATE_WORDS | date_numbers)
    values = traits.numbers | traits.names
    replaced = frozenset[str]()
    if traits.is_change and (instead := _INSTEAD.search(predicate)):
        replaced = _split_words(instead.group(1)) & values
    return Topic(
        text=text,
        is_change=traits.is_change,
        about=about,
        rest=frozenset(plain_words),
        amounts=_find_amounts(predicate, traits.amounts),
        dates=dates,
        codes=frozenset(_CODE.findall(predicate)) if traits.numbers else frozenset(),
        names=traits.names - about,
        values=values,
        replaced=replaced,
    )


def _split_words(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.lower()))


def part_at_verb(text: str) -> tuple[str, str]:
    """Return the subject of a clause and the rest: ``("The rent ", "is 900 euros")``; all is of the rest where that
    cannot be told."""
    if not text.isascii() and HAN.search(text):
        verb = _CHINESE_VERB.search(text) or _DIGIT.search(text)
        stop = verb.start() if verb else 0
        return _CHINESE_NOW.sub("", text[:stop]), text[stop:]
    # "I learned that the rent is 900 euros" is about the rent.
    if " that " in text or " dass " in text:
        text = _HEARSAY.sub("", text)
    for word in _TOKEN.finditer(text):
        if word.start() and word.group().lower() in _VERBS:
            return text[: word.start()], text[word.start() :]
    return "", text


def _find_amounts(text: str, numbers: frozenset[str]) -> Amounts:
    """Return those of these ``numbers`` that stand in ``text``, each behind its unit."""
    if not numbers:
        return frozenset()
    amounts = set()
    for money, number, unit in _AMOUNT.findall(text):
        if number in numbers:
            spelled = (money or unit or "").lower()
            known_unit = _UNITS.get(spelled) or (spelled and stem(spelled))
            amounts.add((known_unit, number))
    return frozenset(amounts)


def supersedes(new: Topic, old: Topic) -> bool:
    """Return whether a later clause gives another value of the same, so that the earlier one holds no more."""
    if new.replaced and _names_as_gone(new, old):
        return True
    if not new.about or new.about != old.about or not _differ(new, old):
        return False
    return new.is_change or _are_alike(new.rest, old.rest)


def says_the_same(topic: Topic, other: Topic) -> bool:
    """Return whether a clause gives all values that the ``other`` gives, and neither denies what the other says."""
    gives_all = other.values <= topic.values
    return gives_all and is_negated(topic.text) == is_negated(other.text)


@lru_cache(maxsize=8192)
def is_negated(text: str) -> bool:
    """Return whether a clause denies something."""
    return _NEGATION.search(text) is not None


def _names_as_gone(new: Topic, old: Topic) -> bool:
    """Return whether the value that ``new`` says was replaced is the only one that ``old`` gives, of the same thing."""
    old_values = old.values - old.about
    shared = (new.about | new.rest) & (old.about | old.rest)
    is_replaced = bool(old_values) and old_values <= new.replaced
    return is_replaced and len(shared) >= LEAST_SHARED


def _differ(new: Topic, old: Topic) -> bool:
    """Return whether both give a value of one kind, and not the same."""
    # Of two dates one may just say more: "in May" and "on 3 May" do not differ.
    if new.dates and old.dates:
        if not (new.dates <= old.dates or old.dates <= new.dates):
            return True
    if _has_other_amounts(new.amounts, old.amounts):
        return True
    if new.codes and old.codes and not new.codes & old.codes:
        return True
    # Names alone tell little: a clause with an amount or a date may name anybody.
    has_other_names = new.names and old.names and not new.names & old.names
    if not has_other_names or new.amounts or new.dates:
        return False
    return new.is_change or bool(_NAMING.search(new.text) and _NAMING.search(old.text))


def _has_other_amounts(new: Amounts, old: Amounts) -> bool:
    """Return whether both have amounts of one unit, and none of these in common."""
    units = {unit for unit, _number in new} & {unit for unit, _number in old}
    return bool(units) and not new & old


def _are_alike(stems: frozenset[str], other_stems: frozenset[str]) -> bool:
    """Return whether one of two sets is within the other, or half of all stems are in both."""
    if stems <= other_stems or other_stems <= stems:
        return True
    return 2 * len(stems & other_stems) >= len(stems | other_stems)
