"""The statements of entries, clause by clause: each with its weight, what it is about, and what it cannot do without.

"The rent of the flat is 900 euros a month" is about the rent of the flat and gives an amount of euros. Two clauses
about the same with another value of the same kind are an old and a new state of one fact.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memviz.core.text.clauses import clauses
from memviz.core.text.sentences import (
    CACHED_TEXT_CHARS,
    MOST_SENTENCES_KEPT,
    Sentence,
    json_facts,
    passage,
    sentence_of,
)
from memviz.core.text.vocabulary import DATE_WORDS, words
from memviz.core.text.words import HAN, content_words, stem
from memviz.models.offline.summary_request import Entry
from memviz.models.offline.worth import worth

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
    head, rest = parted(text)
    about = content_words(head.rpartition(", ")[2]) or content_words(head)
    about -= _NEW
    told = [
        word for word in sentence.subject - about if not any(map(str.isdigit, word))
    ]
    dates = frozenset[str]()
    if traits.has_date:
        date_numbers = traits.numbers - traits.amounts
        dates = _words(rest) & (DATE_WORDS | date_numbers)
    values = traits.numbers | traits.names
    replaced = frozenset[str]()
    if traits.is_change and (instead := _INSTEAD.search(rest)):
        replaced = _words(instead.group(1)) & values
    return Topic(
        text=text,
        is_change=traits.is_change,
        about=about,
        told=frozenset(told),
        amounts=frozenset(_amounts(rest, traits.amounts)),
        dates=dates,
        codes=frozenset(_CODE.findall(rest)) if traits.numbers else frozenset(),
        names=traits.names - about,
        values=values,
        replaced=replaced,
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.lower()))


def parted(text: str) -> tuple[str, str]:
    """Return the subject of a clause and the rest; all is of the rest where that cannot be told."""
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
    if not wanted:
        return []
    found = []
    for money, number, unit in _AMOUNT.findall(text):
        if number in wanted:
            unit = (money or unit or "").lower()
            found.append((_UNITS.get(unit) or (stem(unit) if unit else ""), number))
    return found


def supersedes(new: Topic, old: Topic) -> bool:
    """Return whether a later clause gives another value of the same, so that the earlier one holds no more."""
    if new.replaced and _names_as_gone(new, old):
        return True
    if not new.about or new.about != old.about or not _differ(new, old):
        return False
    return new.is_change or _same_told(new.told, old.told)


def says_the_same(one: Topic, other: Topic) -> bool:
    """Return whether ``one`` gives all values that ``other`` gives, and neither denies what the other says."""
    gives_all = other.values <= one.values
    return gives_all and is_negated(one.text) == is_negated(other.text)


@lru_cache(maxsize=8192)
def is_negated(text: str) -> bool:
    """Return whether a clause denies something."""
    return _NEGATION.search(text) is not None


def _names_as_gone(new: Topic, old: Topic) -> bool:
    """Return whether the value that ``new`` says was replaced is the only one that ``old`` gives, of the same thing."""
    given = old.values - old.about
    shared = (new.about | new.told) & (old.about | old.told)
    return bool(given) and given <= new.replaced and len(shared) >= LEAST_SHARED


def _differ(new: Topic, old: Topic) -> bool:
    """Return whether both give a value of one kind, and not the same."""
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
    if mine <= yours or yours <= mine:
        return True
    in_common = len(mine & yours)
    in_all = len(mine | yours)
    return 2 * in_common >= in_all


_CALL = re.compile(r"\s*\[calls [\w.-]+ (\{.*?\})\](?=\s*\[calls |\s*$)", re.DOTALL)
_FIRST_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POINTING = words(
    """he she it they he's she's it's they're he’s she’s it’s they’re that that's that’s this these those his her its
    their"""
)
_EXPLETIVE = re.compile(r"it(?:['’]s)? (?:[\w'’]+ ){1,4}?(?:that|to)\b", re.IGNORECASE)
_CHINESE_POINTING = re.compile(r"[他她它]|[这那](?=[是样会就也都些])|其(?![实他])")
LOST_POINTER = 0.5
"""Factor for a clause that points back to nothing that is stated before it in its message."""
FIXED_LENGTH = 5.0
LENGTH_POWER = 0.75
TOKENS_PER_HAN = 0.7
LETTERS_PER_TOKEN = 4
"""What every clause costs beside its words: tokens, as in a list."""


class Statement(NamedTuple):
    """One clause. ``weight`` counts its length; ``points_back`` where it cannot be understood without the one before
    it ("He is 81.")."""

    sentence: Sentence
    weight: float
    topic: Topic
    points_back: bool


def statements_of(entry: Entry) -> tuple[Statement, ...]:
    """The statements of one entry, in order; what it calls as what it sends."""
    return (
        _read(*entry)
        if entry.role == "summary" or len(entry.text) > CACHED_TEXT_CHARS
        else _read_once(*entry)
    )


def _read(role: str, text: str) -> tuple[Statement, ...]:
    found: list[Statement] = []
    said = _CALL.sub("", text) if "[calls " in text else text
    for sentence in passage(said).sentences:
        found += _stated(sentence.text, sentence.echo, role, bool(found))
    if said is not text:
        sent = [fact for call in _CALL.findall(text) for fact in json_facts(call)]
        found += [_statement(sentence_of(fact), "call") for fact in sent]
    return tuple(found)


_read_once = lru_cache(maxsize=2048)(_read)
"""A message says the same under all settings that summarize it; a summary hardly comes twice."""


# A text knows its hash, which a sentence would have to work out.
@lru_cache(maxsize=MOST_SENTENCES_KEPT)
def _stated(text: str, echo: bool, role: str, follows: bool) -> tuple[Statement, ...]:
    """The statements of one sentence, which ``follows`` others of its message or is the first."""
    sentence = Sentence(text, echo=True) if echo else sentence_of(text)
    if echo or role == "tool":
        return (_statement(sentence, role),)
    stated: list[Statement] = []
    for clause in clauses(sentence.text):
        of_clause = sentence if clause == sentence.text else sentence_of(clause)
        points_back = _points_back(clause)
        is_first = not follows and not stated
        statement = _statement(
            of_clause,
            role,
            points_back=points_back and not is_first,
            is_lost=points_back and is_first,
        )
        stated.append(statement)
    return tuple(stated)


def _statement(
    sentence: Sentence, role: str, *, points_back: bool = False, is_lost: bool = False
) -> Statement:
    weight = worth(sentence, role)
    if is_lost:
        weight *= LOST_POINTER
    length = (FIXED_LENGTH + _length(sentence.text)) ** LENGTH_POWER
    return Statement(sentence, weight / length, topic_of(sentence), points_back)


def _length(text: str) -> float:
    """About how many tokens a text has."""
    han = len(HAN.findall(text)) if not text.isascii() else 0
    return TOKENS_PER_HAN * han + (len(text) - han) / LETTERS_PER_TOKEN


def _points_back(clause: str) -> bool:
    first = _FIRST_WORD.match(clause)
    if first and first.group().lower() in _POINTING:
        return _EXPLETIVE.match(clause) is None
    return _CHINESE_POINTING.match(clause) is not None
