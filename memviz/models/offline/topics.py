"""What a clause speaks of and which values it gives: enough to tell one fact said twice from one that changed.

"The rent of the flat is 900 euros a month" is about the rent of the flat and gives an amount of euros. Two clauses
about the same with another value of the same kind are an old and a new state of one fact.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memviz.core.text.sentences import Sentence
from memviz.core.text.vocabulary import words
from memviz.core.text.word_classes import DATE_WORDS
from memviz.core.text.words import HAN, content_words, stem

_VERBS = words(
    """is are was were has have had cost costs start starts begin begins open opens close closes leave leaves depart
    departs arrive arrives expire expires end ends take takes live lives stay stays stand stands work works weigh
    weighs pay pays need needs want wants require requires last lasts changed moved switched now ist sind war hat
    haben heißt kostet beginnt endet fährt liegt lautet beträgt wurde wird findet"""
)
_HEARSAY = re.compile(
    r"^.{0,60}?\b(?:learn\w*|hear\w*|told|tell|reads?|not(?:ed?|ing)|know|see|sa(?:y|ys|id)|sure|out|confirm\w*|decid\w*|agreed|noticed"
    r"|remember|mention\w*|me|us|you|weiß|gesagt|gehört)[,:]? (?:that|dass) ",
    re.IGNORECASE,
)
_CHINESE_VERB = re.compile(
    r"(?<![可但还就要于总只不或算])是|叫|(?<![因认作成以])为|(?<![一肯])定|[改换变涨降推提增减]|花了|需要|现在|目前"
)
_DIGIT = re.compile(r"\d")
_CHINESE_NOW = re.compile(r"现在|目前|最后|最终|终于|新的?|这次")
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
_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][\w-]{2,}\b")
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
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAMING = re.compile(r"\b(?:called|named|name|heißt)\b|叫|名")
_NEGATION = re.compile(
    r"\b(?:no|not|never|nor|without|nicht|nie|kein\w*|ohne)\b|n['’]t\b|[不没别无]",
    re.IGNORECASE,
)
LEAST_SHARED = 2
"""Words that an old clause has in common with one that says what is replaced."""


class Topic(NamedTuple):
    """``about``: the stems of what a clause speaks of, its numbers and names included; empty for "I live in Turin".
    ``told``: the stems of the rest, without values. ``amounts``: unit and number; ``dates``: words and numbers of
    dates; ``codes`` and ``names``, where it does not speak of them. ``values``: all numbers and names. ``replaced``:
    numbers and names that the clause says no longer hold. A clause without any value has none of these."""

    text: str
    is_change: bool
    about: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    amounts: frozenset[tuple[str, str]] = frozenset()
    dates: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()


def topic_of(sentence: Sentence) -> Topic:
    """Look at one clause."""
    text = sentence.text
    traits = sentence.traits
    if not (traits.numbers or traits.names or traits.has_date):
        return Topic(text, traits.is_change)
    head, rest = _parted(text)
    about = (content_words(head.rpartition(", ")[2]) or content_words(head)) - _NEW
    return Topic(
        text=text,
        is_change=traits.is_change,
        about=about,
        told=frozenset(
            word for word in sentence.subject - about if not any(map(str.isdigit, word))
        ),
        amounts=frozenset(_amounts(rest, traits.amounts))
        if traits.amounts
        else frozenset(),
        dates=_words(rest) & (DATE_WORDS | (traits.numbers - traits.amounts))
        if traits.has_date
        else frozenset(),
        codes=frozenset(_CODE.findall(rest)) if traits.numbers else frozenset(),
        names=traits.names - about,
        values=traits.numbers | traits.names,
        replaced=_replaced(sentence, rest) if traits.is_change else frozenset(),
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.lower()))


def _replaced(sentence: Sentence, rest: str) -> frozenset[str]:
    """The numbers and names in "instead of 10:40", "from 3 to 4 March"."""
    found = _INSTEAD.search(rest)
    return (
        _words(found.group(1)) & (sentence.traits.numbers | sentence.traits.names)
        if found
        else frozenset()
    )


def _parted(text: str) -> tuple[str, str]:
    """What a clause speaks of, and what it says of it; all is of the second where that cannot be told."""
    if not text.isascii() and HAN.search(text):
        found = _CHINESE_VERB.search(text) or _DIGIT.search(text)
        stop = found.start() if found else 0
        return _CHINESE_NOW.sub("", text[:stop]), text[stop:]
    if " that " in text or " dass " in text:
        text = _HEARSAY.sub("", text)
    verb = next(
        (
            one
            for one in _TOKEN.finditer(text)
            if one.start() and one.group().lower() in _VERBS
        ),
        None,
    )
    stop = verb.start() if verb else 0
    return text[:stop], text[stop:]


def _amounts(text: str, wanted: frozenset[str]) -> list[tuple[str, str]]:
    found = []
    for money, number, unit in _AMOUNT.findall(text):
        if number in wanted:
            unit = (money or unit or "").lower()
            found.append((_UNITS.get(unit) or (stem(unit) if unit else ""), number))
    return found


def supersedes(new: Topic, old: Topic) -> bool:
    """Whether a later clause gives another value of what an earlier one says, so that the earlier one holds no more."""
    if new.replaced and _names_as_gone(new, old):
        return True
    if not new.about or new.about != old.about or not _differ(new, old):
        return False
    return new.is_change or _same_told(new.told, old.told)


def says_the_same(one: Topic, other: Topic) -> bool:
    """Whether ``one`` gives all values that ``other`` gives, and neither denies what the other says."""
    return other.values <= one.values and is_negated(one.text) == is_negated(other.text)


@lru_cache(maxsize=8192)
def is_negated(text: str) -> bool:
    """Whether a clause denies something."""
    return _NEGATION.search(text) is not None


def _names_as_gone(new: Topic, old: Topic) -> bool:
    """Whether the value that ``new`` says was replaced is the only one that ``old`` gives, of the same thing."""
    given = old.values - old.about
    shared = (new.about | new.told) & (old.about | old.told)
    return bool(given) and given <= new.replaced and len(shared) >= LEAST_SHARED


def _differ(new: Topic, old: Topic) -> bool:
    """Whether both give a value of one kind, and not the same."""
    if (
        new.dates
        and old.dates
        and not (new.dates <= old.dates or old.dates <= new.dates)
    ):
        return True
    units = {unit for unit, _ in new.amounts} & {unit for unit, _ in old.amounts}
    mine = {one for one in new.amounts if one[0] in units}
    yours = {one for one in old.amounts if one[0] in units}
    if units and not (mine & yours):
        return True
    if new.codes and old.codes and not new.codes & old.codes:
        return True
    if (
        not new.names
        or not old.names
        or new.names & old.names
        or new.amounts
        or new.dates
    ):
        return False
    return new.is_change or bool(_NAMING.search(new.text) and _NAMING.search(old.text))


def _same_told(mine: frozenset[str], yours: frozenset[str]) -> bool:
    return mine <= yours or yours <= mine or 2 * len(mine & yours) >= len(mine | yours)
