"""Probes for a conversation that has none: what somebody states and a later answer may need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from memviz.conversation import Log
from memviz.metrics.retention.chinese_people import ChinesePeople
from memviz.metrics.retention.chinese_values import chinese_in
from memviz.metrics.retention.labelled_values import labelled_in
from memviz.metrics.retention.message_text import readable
from memviz.metrics.retention.stated_values import Value, is_stated, names_in, values_in
from memviz.text.containment import PhraseIndex, contains, normal_tokens
from memviz.text.sentences import Sentence, passage
from memviz.text.words import HAN, content_words
from memviz.transcripts.base import Category, Probe

BLANK = "___"
DEFAULT_LIMIT = 50
LEAST_WORDS = 2
"""Content words that a question has to have besides the value, or nobody could tell what is asked."""
SENTENCE_CHARS, HAN_CHARS = range(12, 241), 3
"""Of a sentence that states a value. A Chinese character says as much as three letters."""
LEAST_INFORMATIVENESS = 1.7
"""Of the stating sentence, see :class:`memviz.text.traits.Traits`: leaves out courtesies and advice."""
MOST_MESSAGES, MOST_SHARE = 4, 0.12
"""A value is common, and so in nearly every context, when more messages than this, and a larger share, have it."""
USED_AGAIN = 1.5
"""How much more telling a value is that comes back."""
PER_MESSAGE = 2
LABELLED_PER_MESSAGE = 4

_ENDED = re.compile(r"""[.!…。！][\s"'”’」)）*_]*$""")
"""A line without a full stop is a heading, a cell of a table or an entry of a list, and states nothing by itself."""
_FORMULA = re.compile(r"[=×±<>|{}]")
_UNSURE = re.compile(
    r"\b(?:if|maybe|perhaps|might|could|would be|for example|such as|e\.g\.|suppose|imagine|falls|vielleicht)\b"
    r"|如果|假如|比如|例如|建议|也许|可能",
    re.IGNORECASE,
)
_SMALL = re.compile(r"(?<![\w'’-])[a-zß-ÿ]+")


class _Statement(NamedTuple):
    position: int
    question: str
    answer: str
    category: Category
    weight: float
    alone: bool
    """It is a fact though nobody uses the value again."""


def propose_probes(log: Log, limit: int = DEFAULT_LIMIT) -> tuple[Probe, ...]:
    """Up to ``limit`` probes in the order of what they ask for, the same for the same conversation.

    Two kinds of values are asked for. One is named as what it is, or stated by the user as a fact: a code, a telephone
    number, an allergy, a preference, a decision, who somebody is, where somebody lives, a date, an amount. It may be
    said once. The other is known by its shape alone, a number or a name: no message before contains it, and a later
    turn does, of the user if the assistant stated it. The question is the sentence that states the value, with the
    value blanked; its evidence is that message. A few are of one message, and of too many the most telling are taken.
    """
    statements = _worth_asking(log, list(_statements(log)))
    chosen = sorted(statements, key=lambda one: -one.weight)
    taken: dict[int, int] = {}
    seen: set[object] = set()
    kept: list[_Statement] = []
    for one in chosen:
        marks: set[object] = {one.question, normal_tokens(one.answer)}
        most = LABELLED_PER_MESSAGE if one.alone else PER_MESSAGE
        if len(kept) < limit and taken.get(one.position, 0) < most and not marks & seen:
            seen |= marks
            taken[one.position] = taken.get(one.position, 0) + 1
            kept.append(one)
    kept.sort(key=lambda one: one.position)
    return tuple(Probe(one.question, (one.answer,), (one.position,), one.category) for one in kept)


def _statements(log: Log) -> Iterator[_Statement]:
    """All values that are stated in a sentence worth asking for, in order."""
    told = [(p, sentence, message.role == "user") for p, message in enumerate(log)
            if message.role in ("user", "assistant") for sentence in passage(message.content).sentences]  # fmt: skip
    small = {word for message in log for word in _SMALL.findall(message.content)}
    names = names_in([sentence.text for _, sentence, _ in told], small)
    people = ChinesePeople(message.content for message in log)
    for position, sentence, of_user in told:
        for value in _values(sentence, of_user, names, people):
            if (statement := _statement(position, sentence, value)) is not None:
                yield statement


def _values(sentence: Sentence, of_user: bool, names: set[str], people: ChinesePeople) -> list[Value]:
    """Labelled values first; of two that overlap only the first. Each of many in one sentence counts less."""
    if len(sentence.text) >= SENTENCE_CHARS.stop or sentence.is_question or sentence.echo:
        return []
    taken: set[int] = set()
    found = []
    for value in (*_labelled(sentence, of_user, people), *_shaped(sentence, of_user, names)):
        if taken.isdisjoint(range(value.start, value.stop)):
            taken.update(range(value.start, value.stop))
            found.append(value)
    return [value._replace(weight=value.weight + sentence.traits.informativeness / len(found)) for value in found]


def _labelled(sentence: Sentence, of_user: bool, people: ChinesePeople) -> Iterator[Value]:
    text = sentence.text
    chinese = not text.isascii() and HAN.search(text)
    found = list(chinese_in(text, of_user, people) if chinese else labelled_in(text, of_user))
    if found and not _UNSURE.search(text) and (of_user or not sentence.traits.is_hedged):
        yield from (Value(*one, alone=True) for one in found)


def _shaped(sentence: Sentence, of_user: bool, names: set[str]) -> Iterator[Value]:
    if _tells(sentence):
        for value in values_in(sentence.text, names):
            alone = is_stated(value, sentence.text, of_user)
            if of_user or alone or value.category != "number":  # an assistant works out many numbers
                yield value._replace(alone=alone)


def _tells(sentence: Sentence) -> bool:
    traits = sentence.traits
    return (
        (
            len(sentence.text) >= SENTENCE_CHARS.start
            or len(HAN.findall(sentence.text)) * HAN_CHARS >= SENTENCE_CHARS.start
        )
        and _ENDED.search(sentence.text) is not None
        and _FORMULA.search(sentence.text) is None
        and not traits.is_hedged
        and traits.informativeness >= LEAST_INFORMATIVENESS
    )


def _statement(position: int, sentence: Sentence, value: Value) -> _Statement | None:
    answer = sentence.text[value.start : value.stop]
    again = re.compile(rf"(?<![A-Za-z0-9.,]){re.escape(answer)}(?![A-Za-z0-9]|[.,]\d)")
    before, after = sentence.text[: value.start], sentence.text[value.stop :]
    question = again.sub(BLANK, before) + BLANK + again.sub(BLANK, after)
    least = 1 if value.alone else LEAST_WORDS
    if len(content_words(question.replace(BLANK, " "))) < least or contains(question, answer):
        return None
    return _Statement(position, question, answer, value.category, value.weight, value.alone)


def _worth_asking(log: Log, statements: Sequence[_Statement]) -> list[_Statement]:
    """Those whose value is not in too many messages, and that are facts by themselves or used again."""
    answers = list(dict.fromkeys(statement.answer for statement in statements))
    matches = PhraseIndex(answers).find([readable(message) for message in log])
    bounds = np.searchsorted(matches.phrases, np.arange(len(answers) + 1))
    most = max(MOST_MESSAGES, int(MOST_SHARE * len(log)))
    where = {answer: np.unique(matches.texts[bounds[n] : bounds[n + 1]]).tolist() for n, answer in enumerate(answers)}
    kept = []
    for one in statements:
        places = where[one.answer]
        if places and len(places) <= most:
            is_used = _is_used_again(log, one, places)
            if one.alone or is_used:
                kept.append(one._replace(weight=one.weight + USED_AGAIN * is_used))
    return kept


def _is_used_again(log: Log, statement: _Statement, places: Sequence[int]) -> bool:
    """Whether the value is new with its statement and comes back in a later turn; what the assistant brought up has
    to interest the user."""
    if places[0] != statement.position:
        return False
    turn, by_assistant = log.turn_number(statement.position), log[statement.position].role == "assistant"
    return any(log.turn_number(at) > turn and (not by_assistant or log[at].role != "assistant") for at in places[1:])
