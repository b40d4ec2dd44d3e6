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
from memviz.text.polarity import BORDER, polarity
from memviz.text.sentences import Sentence
from memviz.text.word_classes import CHANGE
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
SAME_WORDS, MOST_OLD_WORDS = 0.5, 4
"""Share of the words that a statement and its update have in common at least; words of an old value at most."""
_INSTEAD = "(?:instead of|rather than|in place of|statt|anstatt)(?: (?:in|at|on|the))?"
_INTO = "(?:(?:to|into|with|by|nach|auf)(?: (?:in|at|on|the))?|->|→|(?:改|换|变|调整|搬)[成为到])"
_ARTICLE = re.compile(r"^(?:(?:in|at|on|the|a|an|from|to) )+", re.IGNORECASE)
_HAN_CHANGE = re.compile("[改换变调]|现在")
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
    return tuple(
        Probe(one.question, (one.answer,), (one.position,), one.category, outdated_by(one, kept)) for one in kept
    )


def outdated_by(update: _Statement, told: Sequence[_Statement]) -> tuple[str, ...]:
    """The values that a statement replaces: those that its own sentence calls outdated ("12:10 instead of 10:40"), and
    those of earlier statements in the same words, where it speaks of a change ("The budget is now 3,600")."""
    sentence = update.question.replace(BLANK, update.answer)
    old = [_ARTICLE.sub("", text.strip(" \"'")) for text in polarity(sentence).outdated.split(BORDER)]
    found = [text for text in old if _replaces(update.answer, text, sentence)]
    if set(sentence.lower().split()) & CHANGE or _HAN_CHANGE.search(sentence):
        words = content_words(update.question)
        for one in told:
            theirs = content_words(one.question)
            is_same = len(words & theirs) >= SAME_WORDS * len(words | theirs) and len(words & theirs) >= LEAST_WORDS
            if one.position < update.position and is_same and _are_alike(one.answer, update.answer):
                found.append(one.answer)
    return tuple(value for value in dict.fromkeys(found) if not contains(value, update.answer))


def _replaces(new: str, old: str, sentence: str) -> bool:
    """Whether nothing but a word of change stands between both values."""
    if not old or len(old.split()) > MOST_OLD_WORDS or not _are_alike(old, new):
        return False
    both = rf"{re.escape(new)}\W*{_INSTEAD}\W*{re.escape(old)}|{re.escape(old)}\W*{_INTO}\W*{re.escape(new)}"
    return re.search(both, sentence) is not None


def _are_alike(old: str, new: str) -> bool:
    """Whether both values have digits, or neither has: a day replaces no hotel."""
    return any(map(str.isdigit, old)) == any(map(str.isdigit, new))


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
