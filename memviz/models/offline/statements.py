"""What entries state, clause by clause: each with its weight, what it is about, and what it cannot do without."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memviz.core.text.clauses import clauses
from memviz.core.text.sentences import CACHED_TEXT_CHARS, Sentence, json_facts, passage
from memviz.core.text.vocabulary import words
from memviz.core.text.words import HAN, content_words
from memviz.models.offline.summary_request import Entry
from memviz.models.offline.topics import Topic, topic_of
from memviz.models.offline.worth import worth

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


@dataclass(frozen=True, slots=True)
class Statement:
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
        found += _stated(sentence, role, bool(found))
    if said is not text:
        sent = [fact for call in _CALL.findall(text) for fact in json_facts(call)]
        found += [_statement(_clause(fact), "call", False, False) for fact in sent]
    return tuple(found)


_read_once = lru_cache(maxsize=2048)(_read)
"""A message says the same under all settings that summarize it; a summary hardly comes twice."""


def _stated(sentence: Sentence, role: str, follows: bool) -> Iterator[Statement]:
    if sentence.echo or role == "tool":
        yield _statement(sentence, role, False, False)
        return
    for clause in clauses(sentence.text):
        points_back = _points_back(clause)
        yield _statement(
            sentence if clause == sentence.text else _clause(clause),
            role,
            points_back,
            points_back and not follows,
        )
        follows = True


@lru_cache(maxsize=8192)
def _clause(text: str) -> Sentence:
    return Sentence(text, content_words(text))


@lru_cache(maxsize=8192)
def _statement(
    sentence: Sentence, role: str, points_back: bool, is_lost: bool
) -> Statement:
    weight = worth(sentence, role) * (LOST_POINTER if is_lost else 1)
    length = (FIXED_LENGTH + _length(sentence.text)) ** LENGTH_POWER
    return Statement(
        sentence, weight / length, topic_of(sentence), points_back and not is_lost
    )


def _length(text: str) -> float:
    """About how many tokens a text has."""
    han = len(HAN.findall(text)) if not text.isascii() else 0
    return TOKENS_PER_HAN * han + (len(text) - han) / LETTERS_PER_TOKEN


def _points_back(clause: str) -> bool:
    first = _FIRST_WORD.match(clause)
    if first and first.group().lower() in _POINTING:
        return _EXPLETIVE.match(clause) is None
    return _CHINESE_POINTING.match(clause) is not None
