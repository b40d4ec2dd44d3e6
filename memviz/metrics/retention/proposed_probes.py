"""Probes for a conversation that has none: what one message states and a later turn uses again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from memviz.conversation import Log
from memviz.metrics.retention.message_text import readable
from memviz.metrics.retention.stated_values import Value, names_in, values_in
from memviz.text.containment import PhraseIndex, contains, normal_tokens
from memviz.text.sentences import Sentence, passage
from memviz.text.words import content_words
from memviz.transcripts.base import Category, Probe

BLANK = "___"
DEFAULT_LIMIT = 50
LEAST_WORDS = 2
"""Content words that a question has to have besides the value, or nobody could tell what is asked."""
SENTENCE_CHARS = range(12, 241)
LEAST_INFORMATIVENESS = 2.0
"""Of the stating sentence, see :class:`memviz.text.traits.Traits`: leaves out courtesies and advice."""
MOST_MESSAGES, MOST_SHARE = 4, 0.12
"""A value is common, and so in nearly every context, when more messages than this, and a larger share, have it."""
PER_MESSAGE = 2

_ENDED = re.compile(r"""[.!…。！][\s"'”’」)）*_]*$""")
"""A line without a full stop is a heading, a cell of a table or an entry of a list, and states nothing by itself."""
_FORMULA = re.compile(r"[=×±<>|{}]")
_SMALL = re.compile(r"(?<![\w'’-])[a-zß-ÿ]+")


class _Statement(NamedTuple):
    position: int
    question: str
    answer: str
    category: Category
    weight: float


def propose_probes(log: Log, limit: int = DEFAULT_LIMIT) -> tuple[Probe, ...]:
    """Up to ``limit`` probes in the order of what they ask for, the same for the same conversation.

    A probe asks for a date, a time, a number, a code, or (not in Chinese) a name that the user or the assistant
    states, that no message before contains, and that a later turn contains again. Its question is the sentence
    that states it, with the value blanked; its evidence is that message. At most two are of one message, and of
    too many the most telling are taken.
    """
    statements = _reused(log, list(_statements(log)))
    chosen = sorted(statements, key=lambda one: -one.weight)
    taken: dict[int, int] = {}
    seen: set[object] = set()
    kept: list[_Statement] = []
    for one in chosen:
        marks: set[object] = {one.question, normal_tokens(one.answer)}
        if len(kept) < limit and taken.get(one.position, 0) < PER_MESSAGE and not marks & seen:
            seen |= marks
            taken[one.position] = taken.get(one.position, 0) + 1
            kept.append(one)
    kept.sort(key=lambda one: one.position)
    return tuple(Probe(one.question, (one.answer,), (one.position,), one.category) for one in kept)


def _statements(log: Log) -> Iterator[_Statement]:
    """All values that are stated in a sentence worth asking for, in order."""
    told = [(p, sentence) for p, message in enumerate(log) for sentence in passage(message.content).sentences
            if message.role in ("user", "assistant")]  # fmt: skip
    small = {word for message in log for word in _SMALL.findall(message.content)}
    names = names_in([sentence.text for _, sentence in told], small)
    for position, sentence in told:
        if _tells(sentence):
            for value in values_in(sentence.text, names):
                if (statement := _statement(position, sentence, value)) is not None:
                    yield statement


def _tells(sentence: Sentence) -> bool:
    traits = sentence.traits
    return (
        len(sentence.text) in SENTENCE_CHARS
        and _ENDED.search(sentence.text) is not None
        and _FORMULA.search(sentence.text) is None
        and not sentence.is_question
        and not traits.is_hedged
        and traits.informativeness >= LEAST_INFORMATIVENESS
    )


def _statement(position: int, sentence: Sentence, value: Value) -> _Statement | None:
    answer = sentence.text[value.start : value.stop]
    again = re.compile(rf"(?<![A-Za-z0-9.,]){re.escape(answer)}(?![A-Za-z0-9]|[.,]\d)")
    before, after = sentence.text[: value.start], sentence.text[value.stop :]
    question = again.sub(BLANK, before) + BLANK + again.sub(BLANK, after)
    if len(content_words(question.replace(BLANK, " "))) < LEAST_WORDS or contains(question, answer):
        return None
    return _Statement(position, question, answer, value.category, value.weight + sentence.traits.informativeness)


def _reused(log: Log, statements: Sequence[_Statement]) -> list[_Statement]:
    """Those whose value no message before contains, a later turn does, and not too many do."""
    answers = list(dict.fromkeys(statement.answer for statement in statements))
    matches = PhraseIndex(answers).find([readable(message) for message in log])
    bounds = np.searchsorted(matches.phrases, np.arange(len(answers) + 1))
    most = max(MOST_MESSAGES, int(MOST_SHARE * len(log)))
    where = {answer: np.unique(matches.texts[bounds[n] : bounds[n + 1]]).tolist() for n, answer in enumerate(answers)}
    return [
        one for one in statements
        if (places := where[one.answer]) and places[0] == one.position and len(places) <= most
        and log.turn_number(places[-1]) > log.turn_number(one.position)
    ]  # fmt: skip
