"""The statements of entries, clause by clause: each with its weight, its topic, and whether it can do without the one
before it."""

import re
from functools import lru_cache
from typing import NamedTuple

from memviz.core.text.clauses import split_clauses
from memviz.core.text.sentences import (
    CACHED_TEXT_CHARS,
    MOST_SENTENCES_KEPT,
    Sentence,
    list_json_facts,
    parse_sentence,
    split_passage,
)
from memviz.core.text.vocabulary import words
from memviz.core.text.words import HAN
from memviz.models.offline.summary_request import Entry
from memviz.models.offline.topics import Topic, topic_of
from memviz.models.offline.worth import worth

# '[calls get_weather {"city": "Rome"}]'
_CALL = re.compile(r"\s*\[calls [\w.-]+ (\{.*?\})\](?=\s*\[calls |\s*$)", re.DOTALL)
_FIRST_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POINTING = words(
    """he she it they he's she's it's they're he’s she’s it’s they’re that that's that’s this these those his her its
    their"""
)
# "It is important that"
_EXPLETIVE = re.compile(r"it(?:['’]s)? (?:[\w'’]+ ){1,4}?(?:that|to)\b", re.IGNORECASE)
# "他", "这是"
_CHINESE_POINTING = re.compile(r"[他她它]|[这那](?=[是样会就也都些])|其(?![实他])")
LOST_POINTER = 0.5
"""Factor for a clause that points back to nothing that is stated before it in its message."""
FIXED_LENGTH = 5.0
LENGTH_POWER = 0.75
TOKENS_PER_HAN = 0.7
LETTERS_PER_TOKEN = 4
"""What every clause costs beside its words: tokens, as in a list."""


class Statement(NamedTuple):
    """One clause."""

    sentence: Sentence
    weight: float
    """What it tells, for its length."""
    topic: Topic
    points_back: bool
    """True if it cannot be understood without the statement before it: "He is 81."."""


def statements_of(entry: Entry) -> tuple[Statement, ...]:
    """Return the statements of one entry, in order; what it calls as what it sends."""
    if entry.role == "summary" or len(entry.text) > CACHED_TEXT_CHARS:
        return _read(*entry)
    return _read_once(*entry)


def _read(role: str, text: str) -> tuple[Statement, ...]:
    """Return the statements of what was said in a role, and of the arguments of calls within it."""
    statements: list[Statement] = []
    has_calls = "[calls " in text
    speech = _CALL.sub("", text) if has_calls else text
    for sentence in split_passage(speech).sentences:
        follows = bool(statements)
        statements += _read_sentence(sentence.text, sentence.echo, role, follows)
    if has_calls:
        for call in _CALL.findall(text):
            for fact in list_json_facts(call):
                statements.append(_weigh_statement(parse_sentence(fact), "call"))
    return tuple(statements)


_read_once = lru_cache(maxsize=2048)(_read)
"""A message says the same under all settings that summarize it; a summary hardly comes twice."""


# A text knows its hash, which a sentence would have to work out.
@lru_cache(maxsize=MOST_SENTENCES_KEPT)
def _read_sentence(
    text: str, echo: bool, role: str, follows: bool
) -> tuple[Statement, ...]:
    """Return the statements of one sentence, which ``follows`` others of its message or is the first."""
    sentence = Sentence(text, echo=True) if echo else parse_sentence(text)
    if echo or role == "tool":
        return (_weigh_statement(sentence, role),)
    statements: list[Statement] = []
    for clause in split_clauses(sentence.text):
        of_clause = sentence if clause == sentence.text else parse_sentence(clause)
        # A pointer at the very beginning points at another message, and is lost with it.
        points_back = _points_back(clause)
        is_first = not follows and not statements
        statement = _weigh_statement(
            of_clause,
            role,
            points_back=points_back and not is_first,
            is_lost=points_back and is_first,
        )
        statements.append(statement)
    return tuple(statements)


def _weigh_statement(
    sentence: Sentence, role: str, *, points_back: bool = False, is_lost: bool = False
) -> Statement:
    """Return a statement with its weight; ``is_lost`` where what it points back to is not in its entry."""
    weight = worth(sentence, role)
    if is_lost:
        weight *= LOST_POINTER
    length = (FIXED_LENGTH + _estimate_tokens(sentence.text)) ** LENGTH_POWER
    return Statement(sentence, weight / length, topic_of(sentence), points_back)


def _estimate_tokens(text: str) -> float:
    """Return about how many tokens a text has."""
    han = len(HAN.findall(text)) if not text.isascii() else 0
    return TOKENS_PER_HAN * han + (len(text) - han) / LETTERS_PER_TOKEN


def _points_back(clause: str) -> bool:
    first_word = _FIRST_WORD.match(clause)
    if first_word and first_word.group().lower() in _POINTING:
        return _EXPLETIVE.match(clause) is None
    return _CHINESE_POINTING.match(clause) is not None
