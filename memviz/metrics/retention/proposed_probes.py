"""Probes for a conversation that has none: what somebody states and a later answer may need, and words that one message
alone says, which need no labels."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress, pairwise
from math import log2

import numpy as np

from memviz.core.conversation import Log
from memviz.core.text.containment import (
    PhraseIndex,
    contains,
    normal_form,
    normal_tokens,
    spellings,
)
from memviz.core.text.sentences import passage
from memviz.core.text.terms import IS_UNSPACED
from memviz.core.text.vocabulary import CHINESE_STOP, STOP_WORDS
from memviz.core.text.words import content_words
from memviz.engine.replay import Messages, as_log
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.changed_values import Statement, find_changes
from memviz.metrics.retention.label_words import Value
from memviz.metrics.retention.told_values import Told, told_values
from memviz.metrics.retention.tool_facts import tool_facts
from memviz.transcripts.base import Category, Probe

BLANK = "___"
DEFAULT_LIMIT = 50
LEAST_WORDS = 2
"""Content words that a question has to have besides the value, or nobody could tell what is asked."""
MOST_MESSAGES = 8
MOST_SHARE = 0.12
"""A value is common, and so in nearly every context, when more messages than this, and a larger share, have it."""
_WITH_UNIT = re.compile(r"(?P<number>\d[\d.,]*) ?[^\W\d]")
_UNIT_BEHIND = re.compile(
    rf"{BLANK}(?: ?(?:[€$£%]|euros?|dollars?|pounds?|francs?|[kKMGT]B|kg|km|cm|mm|ml|mg)(?!\w))?"
)
USED_AGAIN = 1.5
"""How much more telling a value is that comes back."""
CHANGED = 1.0
"""How much more telling a value is that replaced another one."""
CROWDING = 0.75
"""How much less telling a value is with each doubling of the number of its like."""
MOST_CROWDING = 4.0
_WORD = re.compile(r"\w+")
PER_MESSAGE = 2
ALONE_PER_MESSAGE = 12
"""At most so many of one message are asked for: of those used again, and of those that are facts by themselves."""


def propose_probes(messages: Messages, limit: int = DEFAULT_LIMIT) -> tuple[Probe, ...]:
    """Return up to ``limit`` probes in the order of what they ask for, the same for the same conversation.

    Two kinds of values are asked for. One is named as what it is, or stated by the user as a fact: a code, a telephone
    number, an allergy, a preference, a decision, who somebody is, where somebody lives, a date, an amount. It may be
    said once. The other is known by its shape alone, a number or a name: no message before contains it, and a later
    turn does, of the user if the assistant stated it. The question is the sentence that states the value, with the
    value blanked; its evidence is that message. A few are of one message, and of too many the most telling are taken.
    What the last reply says is in no request, and is not asked for. ``messages`` are a transcript, a log, or a list of
    messages.
    """
    log = as_log(messages)
    asked = [at for at, message in enumerate(log) if message.role != "assistant"]
    last_sent = max(asked, default=-1)
    statements = []
    for told, value in told_values(log):
        if told.position <= last_sent:
            found = _statement(told, value, _asked_before(log, told))
            if found is not None:
                statements.append(found)
    statements = _with_changes(_worth_asking(log, statements))
    for fact in tool_facts(log):
        what = (fact.position, fact.question, fact.answer)
        statements.append(Statement(*what, "single fact", fact.weight, alone=True))
    kept = _choose(statements, limit)
    kept.sort(key=lambda one: one.position)
    return tuple(
        Probe(one.question, (one.answer,), (one.position,), one.category, one.stale)
        for one in kept
    )


def _choose(statements: Sequence[Statement], limit: int) -> list[Statement]:
    """Return the most telling of ``statements``, a few of one message, each question and each answer once."""
    frames = [_frame(statement) for statement in statements]
    crowd = Counter(frames)
    # How much less telling each of many statements in one frame is than one that stands alone.
    crowding = [min(MOST_CROWDING, CROWDING * log2(crowd[frame])) for frame in frames]
    numbers = range(len(statements))
    by_weight = sorted(numbers, key=lambda n: crowding[n] - statements[n].weight)
    taken: Counter[int] = Counter()
    seen: set[object] = set()
    kept: list[Statement] = []
    for number in by_weight:
        one = statements[number]
        marks = {one.question, normal_tokens(one.answer)}
        most = ALONE_PER_MESSAGE if one.alone else PER_MESSAGE
        if len(kept) < limit and taken[one.position] < most and not marks & seen:
            seen |= marks
            taken[one.position] += 1
            kept.append(one)
    return kept


def _with_changes(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements without those whose value was changed later; the one that changed it has the older value as
    a stale answer, and those that this one had replaced."""
    changes = find_changes(statements)
    stale: dict[int, list[str]] = {}
    for older, newer in sorted(changes.items()):
        before = stale.get(older, [])
        answer = statements[older].answer
        stale[newer] = [*before, *stale.get(newer, []), answer]
    found = []
    for number, one in enumerate(statements):
        if number in changes:
            continue
        if number in stale:
            one = one._replace(
                stale=tuple(dict.fromkeys(stale[number])),
                category="updated fact",
                weight=one.weight + CHANGED,
            )
        found.append(one)
    return found


def _frame(statement: Statement) -> tuple[str, ...]:
    """Return the words right around the blank, numbers and names as such: values in one frame are of one sort, and many
    of them are a list, a table or a log."""
    before, _, after = statement.question.partition(BLANK)
    near = (*_WORD.findall(before)[-2:], BLANK, *_WORD.findall(after)[:1])
    frame = []
    for word in near:
        if word[0].isdigit():
            word = "0"
        elif word[0].isupper():
            word = "A"
        frame.append(word)
    return tuple(frame)


def _asked_before(log: Log, told: Told) -> str:
    """Return the question with which the message before a user's ends, if it does: what "About 240 GB." answers."""
    if not told.of_user or told.position == 0:
        return ""
    before = log[told.position - 1]
    if before.role != "assistant":
        return ""
    sentences = passage(before.content).sentences
    return sentences[-1].text if sentences and sentences[-1].is_question else ""


def _statement(told: Told, value: Value, asked: str) -> Statement | None:
    """Return the question for ``value``. Where its frame alone says nothing, the unit stays in it: "I'm ___ years old",
    or the question that it answers stands in front."""
    found = _question(told, value)
    if found is None and asked:
        found = _question(told, value, asked)
    if found is None:
        amount = _WITH_UNIT.match(told.sentence.text[value.start : value.stop])
        if amount:
            stop = value.start + amount.end("number")
            found = _question(told, value._replace(stop=stop))
    return found


def _question(told: Told, value: Value, asked: str = "") -> Statement | None:
    text = told.sentence.text
    answer = text[value.start : value.stop]
    again = re.compile(rf"(?<![A-Za-z0-9.,]){re.escape(answer)}(?![A-Za-z0-9]|[.,]\d)")
    sides = (text[: value.start], text[value.stop :])
    question = BLANK.join(again.sub(BLANK, side) for side in sides)
    if value.hint and not content_words(question.replace(BLANK, " ")):
        question += f" ({value.hint})"
    if asked:
        question = f"{asked} {question}"
    telling = question.replace(BLANK, " ")
    if value.category == "number":
        telling = _UNIT_BEHIND.sub(" ", question)
    least = 1 if value.alone else LEAST_WORDS
    if len(content_words(telling)) < least or contains(question, answer):
        return None
    what = (told.position, question, answer, value.category)
    return Statement(*what, value.weight, value.alone, text, value.start)


def _worth_asking(log: Log, statements: Sequence[Statement]) -> list[Statement]:
    """Return those whose value is not in too many messages, and that are facts by themselves or used again."""
    answers = list(dict.fromkeys(statement.answer for statement in statements))
    matches = PhraseIndex(answers).find([readable(message) for message in log])
    bounds = np.searchsorted(matches.phrases, np.arange(len(answers) + 1))
    places_of = {}
    for answer, (start, stop) in zip(answers, pairwise(bounds), strict=True):
        places_of[answer] = np.unique(matches.texts[start:stop]).tolist()
    most = max(MOST_MESSAGES, int(MOST_SHARE * len(log)))
    kept = []
    for one in statements:
        places = places_of[one.answer]
        if not 0 < len(places) <= most:
            continue
        is_own = log[one.position].role != "assistant"
        if is_own or places[0] >= one.position:
            is_used = _is_used_again(log, one, places)
            if one.alone or is_used:
                kept.append(one._replace(weight=one.weight + USED_AGAIN * is_used))
    return kept


def _is_used_again(log: Log, statement: Statement, places: Sequence[int]) -> bool:
    """Return whether the value is new with its statement and comes back in a later turn; what the assistant brought up
    has to interest the user."""
    if places[0] != statement.position:
        return False
    turn = log.turn_number(statement.position)
    by_assistant = log[statement.position].role == "assistant"
    for at in places[1:]:
        is_telling = not by_assistant or log[at].role != "assistant"
        if is_telling and log.turn_number(at) > turn:
            return True
    return False


RARE_WORDS = 500
LEAST_LETTERS = 4
LEAST_DIGITS = 3
HAN_CHARS = range(2, 5)
"""A piece of Chinese text between function words is taken for a word if it has so many characters."""

_CHINESE_STOP = re.compile(CHINESE_STOP)


def rare_words(log: Log, limit: int = RARE_WORDS) -> tuple[Probe, ...]:
    """Return words that occur in just one message of ``log``, as probes whose evidence is that message.

    A word has at least 4 letters, or letters and digits, or is a number of at least 3 digits, and is no stop
    word; in Chinese it is a piece of 2 to 4 characters between function words. What such a probe is retained
    for is told by ``contained``: that the word itself is still there. Of more than ``limit`` words those are
    taken that lie evenly spread over the conversation; the order is that of the messages.
    """
    texts = [readable(message) for message in log]
    words = _in_one_text(texts)
    # Without those that another message contains as a part of something longer.
    matches = PhraseIndex(list(words)).find(texts)
    pairs = np.unique(np.stack((matches.phrases, matches.texts)), axis=1)
    texts_of = np.bincount(pairs[0], minlength=len(words))
    rare = list(compress(words, texts_of == 1))
    if len(rare) > limit:
        rare = [rare[(2 * n + 1) * len(rare) // (2 * limit)] for n in range(limit)]
    return tuple(_probe(word, words[word]) for word in rare)


def _in_one_text(texts: Sequence[str]) -> dict[str, int]:
    """Return every word that one text alone has, with the number of the text, in order."""
    first: dict[tuple[str, ...], tuple[str, int] | None] = {}
    for position, text in enumerate(texts):
        for word in dict.fromkeys(_words(text)):
            key = normal_form(word)
            known = first.setdefault(key, (word, position))
            if known is not None and known[1] != position:
                first[key] = None
    return dict(found for found in first.values() if found is not None)


def _words(text: str) -> Iterator[str]:
    for token in spellings(text):
        if IS_UNSPACED.match(token):
            pieces = _CHINESE_STOP.split(token)
            yield from (piece for piece in pieces if len(piece) in HAN_CHARS)
        elif _is_telling(token):
            yield token


def _is_telling(token: str) -> bool:
    digits = sum(map(str.isdigit, token))
    if digits == len(token) or not any(map(str.isalpha, token)):
        return digits >= LEAST_DIGITS
    return len(token) >= LEAST_LETTERS and token.casefold() not in STOP_WORDS


def _probe(word: str, position: int) -> Probe:
    category: Category = "single fact"
    if word[0].isdigit() and word[-1].isdigit():
        category = "number"
    return Probe(f"Is “{word}” still there?", (word,), (position,), category)
