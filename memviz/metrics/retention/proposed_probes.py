"""Probes for a conversation that has none: what somebody states and a later answer may need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from memviz.conversation import Log
from memviz.engine.replay import Messages, as_log
from memviz.metrics.retention.message_text import readable
from memviz.metrics.retention.stated_values import Value
from memviz.metrics.retention.told_values import told_values
from memviz.text.containment import PhraseIndex, contains, normal_tokens
from memviz.text.sentences import Sentence
from memviz.text.words import content_words
from memviz.transcripts.base import Category, Probe

BLANK = "___"
DEFAULT_LIMIT = 50
LEAST_WORDS = 2
"""Content words that a question has to have besides the value, or nobody could tell what is asked."""
MOST_MESSAGES, MOST_SHARE = 4, 0.12
"""A value is common, and so in nearly every context, when more messages than this, and a larger share, have it."""
_WITH_UNIT = re.compile(r"(?P<number>\d[\d.,]*) ?[^\W\d]")
USED_AGAIN = 1.5
"""How much more telling a value is that comes back."""
PER_MESSAGE = 2
ALONE_PER_MESSAGE = 4
"""At most so many of one message are asked for: of those used again, and of those that are facts by themselves."""


class _Statement(NamedTuple):
    position: int
    question: str
    answer: str
    category: Category
    weight: float
    alone: bool
    """It is a fact though nobody uses the value again."""


def propose_probes(messages: Messages, limit: int = DEFAULT_LIMIT) -> tuple[Probe, ...]:
    """Up to ``limit`` probes in the order of what they ask for, the same for the same conversation.

    Two kinds of values are asked for. One is named as what it is, or stated by the user as a fact: a code, a telephone
    number, an allergy, a preference, a decision, who somebody is, where somebody lives, a date, an amount. It may be
    said once. The other is known by its shape alone, a number or a name: no message before contains it, and a later
    turn does, of the user if the assistant stated it. The question is the sentence that states the value, with the
    value blanked; its evidence is that message. A few are of one message, and of too many the most telling are taken.
    What the last reply says is in no request, and is not asked for. ``messages`` are a transcript, a log, or a list of
    messages.
    """
    log = as_log(messages)
    sent = max((position for position, message in enumerate(log) if message.role != "assistant"), default=-1)
    told_and_sent = [(told, value) for told, value in told_values(log) if told.position <= sent]
    statements = _worth_asking(
        log, [one for told, value in told_and_sent if (one := _statement(told.position, told.sentence, value))]
    )
    chosen = sorted(statements, key=lambda one: -one.weight)
    taken: dict[int, int] = {}
    seen: set[object] = set()
    kept: list[_Statement] = []
    for one in chosen:
        marks: set[object] = {one.question, normal_tokens(one.answer)}
        most = ALONE_PER_MESSAGE if one.alone else PER_MESSAGE
        if len(kept) < limit and taken.get(one.position, 0) < most and not marks & seen:
            seen |= marks
            taken[one.position] = taken.get(one.position, 0) + 1
            kept.append(one)
    kept.sort(key=lambda one: one.position)
    return tuple(Probe(one.question, (one.answer,), (one.position,), one.category) for one in kept)


def _statement(position: int, sentence: Sentence, value: Value) -> _Statement | None:
    """The question for ``value``. Where its frame alone says nothing, the unit stays in it: "I'm ___ years old"."""
    found = _question(position, sentence, value)
    if found is None and (amount := _WITH_UNIT.match(sentence.text[value.start : value.stop])):
        found = _question(position, sentence, value._replace(stop=value.start + amount.end("number")))
    return found


def _question(position: int, sentence: Sentence, value: Value) -> _Statement | None:
    answer = sentence.text[value.start : value.stop]
    again = re.compile(rf"(?<![A-Za-z0-9.,]){re.escape(answer)}(?![A-Za-z0-9]|[.,]\d)")
    before, after = sentence.text[: value.start], sentence.text[value.stop :]
    question = again.sub(BLANK, before) + BLANK + again.sub(BLANK, after)
    least = 1 if value.alone else LEAST_WORDS
    if value.hint and not content_words(question.replace(BLANK, " ")):
        question += f" ({value.hint})"
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
