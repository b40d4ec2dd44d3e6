"""Probes for a conversation that has none.

``propose_probes`` asks for what somebody states and a later answer may need.
``propose_rare_words`` asks for words that only one message says.
"""

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
    find_written_tokens,
    normal_tokens,
    normalize_token,
)
from memviz.core.text.sentences import split_passage
from memviz.core.text.terms import IS_UNSPACED
from memviz.core.text.vocabulary import CHINESE_STOP, STOP_WORDS
from memviz.core.text.words import content_words
from memviz.engine.replay import Messages, as_log
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.changed_values import Statement, find_changes
from memviz.metrics.retention.label_words import Value
from memviz.metrics.retention.told_values import ToldSentence, find_told_values
from memviz.metrics.retention.tool_facts import find_tool_facts
from memviz.transcripts.base import Category, Probe

BLANK = "___"
DEFAULT_LIMIT = 50
LEAST_WORDS = 2
"""The fewest content words of a question besides the value: "It is ___." asks nothing."""
MOST_MESSAGES = 8
"""The most messages that may have a value, in a short conversation.

A value that more have is in nearly every context, and so tells nothing.
"""
MOST_SHARE = 0.12
"""The largest share of messages that may have a value, in a long conversation."""
_WITH_UNIT = re.compile(r"(?P<number>\d[\d.,]*) ?[^\W\d]")
_UNIT_BEHIND = re.compile(
    rf"{BLANK}(?: ?(?:[€$£%]|euros?|dollars?|pounds?|francs?|[kKMGT]B|kg|km|cm|mm|ml|mg)(?!\w))?"
)
USED_AGAIN = 1.5
"""The weight that is added to a value that comes back."""
CHANGED = 1.0
"""The weight that is added to a value that replaced another one."""
CROWDING = 0.75
"""The weight that a value loses with each doubling of the number of its like."""
MOST_CROWDING = 4.0
"""The most weight that a value loses for the number of its like."""
_WORD = re.compile(r"\w+")
PER_MESSAGE = 2
"""The most values of one message that are asked for because they are used again."""
ALONE_PER_MESSAGE = 12
"""The most values of one message that are asked for as facts by themselves."""


def propose_probes(messages: Messages, limit: int = DEFAULT_LIMIT) -> tuple[Probe, ...]:
    """Return up to ``limit`` probes for the values that a conversation states, in order.

    - Facts that may be said once: codes, telephone numbers, allergies, decisions,
      people, places, dates, amounts. ``"The door code is 7742." -> The door code is ___.``
    - Numbers and names that are new with their message and used in a later turn.
    - Values of tool results that a later reply or call uses.

    The evidence of a probe is the message that states its value. Of too many the most
    telling are taken, and only a few of one message. The last reply is not asked for,
    since no request has it. ``messages`` are a transcript, a log, or a list.
    """
    log = as_log(messages)
    inputs = [at for at, message in enumerate(log) if message.role != "assistant"]
    last_sent = max(inputs, default=-1)
    statements = []
    for told, value in find_told_values(log):
        if told.position <= last_sent:
            statement = _make_statement(told, value, _find_question_before(log, told))
            if statement is not None:
                statements.append(statement)
    statements = _note_changes(_keep_worth_asking(log, statements))
    for fact in find_tool_facts(log):
        statement = Statement(
            position=fact.position,
            question=fact.question,
            answer=fact.answer,
            category="single fact",
            weight=fact.weight,
            alone=True,
        )
        statements.append(statement)
    chosen = _choose(statements, limit)
    chosen.sort(key=lambda statement: statement.position)
    return tuple(map(_make_probe, chosen))


def _make_probe(statement: Statement) -> Probe:
    return Probe(
        question=statement.question,
        answers=(statement.answer,),
        evidence=(statement.position,),
        category=statement.category,
        stale=statement.stale,
    )


def _choose(statements: Sequence[Statement], limit: int) -> list[Statement]:
    """Return the most telling of ``statements``, each question and each answer once."""
    frames = [_cut_frame(statement) for statement in statements]
    frame_counts = Counter(frames)
    # One of many statements in a frame tells less than one that stands alone.
    losses = [
        min(MOST_CROWDING, CROWDING * log2(frame_counts[frame])) for frame in frames
    ]
    numbers = range(len(statements))
    by_weight = sorted(numbers, key=lambda n: losses[n] - statements[n].weight)
    chosen_per_message: Counter[int] = Counter()
    # Questions, which are texts, and answers, which are tuples of tokens.
    seen: set[object] = set()
    chosen: list[Statement] = []
    for number in by_weight:
        if len(chosen) >= limit:
            break
        statement = statements[number]
        position = statement.position
        marks = {statement.question, normal_tokens(statement.answer)}
        most = ALONE_PER_MESSAGE if statement.alone else PER_MESSAGE
        if chosen_per_message[position] < most and seen.isdisjoint(marks):
            seen |= marks
            chosen_per_message[position] += 1
            chosen.append(statement)
    return chosen


def _note_changes(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements whose value holds to the end, with those they replaced.

    ``3,000 euros``, later ``3,600 euros``: the second one, of which 3,000 is stale.
    """
    newer_of = find_changes(statements)
    stale: dict[int, list[str]] = {}
    for older, newer in sorted(newer_of.items()):
        replaced_before = stale.get(older, [])
        replaced = statements[older].answer
        stale[newer] = [*replaced_before, *stale.get(newer, []), replaced]
    lasting = []
    for number, statement in enumerate(statements):
        if number in newer_of:
            continue
        if number in stale:
            statement = statement._replace(
                stale=tuple(dict.fromkeys(stale[number])),
                category="updated fact",
                weight=statement.weight + CHANGED,
            )
        lasting.append(statement)
    return lasting


def _cut_frame(statement: Statement) -> tuple[str, ...]:
    """Return the words right around the blank: "from Bonn at ___ by" -> (A, at, ___, by).

    A number is "0" and a name "A". Values in one frame are of one sort, and many of
    them are a list, a table or a log.
    """
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


def _find_question_before(log: Log, told: ToldSentence) -> str:
    """Return the question at the end of the assistant's message before, or "".

    "How large is the disk?" is what a user's "About 240 GB." answers.
    """
    if not told.of_user or told.position == 0:
        return ""
    before = log[told.position - 1]
    if before.role != "assistant":
        return ""
    sentences = split_passage(before.content).sentences
    return sentences[-1].text if sentences and sentences[-1].is_question else ""


def _make_statement(told: ToldSentence, value: Value, asked: str) -> Statement | None:
    """Return the statement of ``value``, in the first of three forms that asks enough.

    1. The sentence with the value blanked: "The door code is ___."
    2. With the question that it answers in front: "How large is the disk? About ___."
    3. With the unit of the value left in it: "I'm ___ years old."
    """
    statement = _ask_for_value(told, value)
    if statement is None and asked:
        statement = _ask_for_value(told, value, asked)
    if statement is None:
        amount = _WITH_UNIT.match(told.sentence.text[value.start : value.stop])
        if amount:
            stop = value.start + amount.end("number")
            statement = _ask_for_value(told, value._replace(stop=stop))
    return statement


def _ask_for_value(
    told: ToldSentence, value: Value, asked: str = ""
) -> Statement | None:
    """Return the statement with the value blanked; ``None`` if too few words are left."""
    text = told.sentence.text
    answer = text[value.start : value.stop]
    sides = [text[: value.start], text[value.stop :]]
    if any(answer in side for side in sides):
        # To make a pattern takes long, and nearly no sentence needs it.
        again = rf"(?<![A-Za-z0-9.,]){re.escape(answer)}(?![A-Za-z0-9]|[.,]\d)"
        sides = [re.sub(again, BLANK, side) for side in sides]
    question = BLANK.join(sides)
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
    return Statement(
        position=told.position,
        question=question,
        answer=answer,
        category=value.category,
        weight=value.weight,
        alone=value.alone,
        sentence=text,
        start=value.start,
    )


def _keep_worth_asking(log: Log, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements that are facts by themselves or used again.

    Left out are those whose value too many messages have.
    """
    answers = list(dict.fromkeys(statement.answer for statement in statements))
    matches = PhraseIndex(answers).find([read_message(message) for message in log])
    bounds = np.searchsorted(matches.phrases, np.arange(len(answers) + 1))
    places_of = {}
    for answer, (start, stop) in zip(answers, pairwise(bounds), strict=True):
        places_of[answer] = np.unique(matches.texts[start:stop]).tolist()
    most = max(MOST_MESSAGES, int(MOST_SHARE * len(log)))
    worth_asking = []
    for statement in statements:
        places = places_of[statement.answer]
        if not 0 < len(places) <= most:
            continue
        by_assistant = log[statement.position].role == "assistant"
        if by_assistant and places[0] < statement.position:
            # The assistant only repeats it.
            continue
        if _is_used_again(log, statement, places):
            weight = statement.weight + USED_AGAIN
            worth_asking.append(statement._replace(weight=weight))
        elif statement.alone:
            worth_asking.append(statement)
    return worth_asking


def _is_used_again(log: Log, statement: Statement, places: Sequence[int]) -> bool:
    """Return whether the value is new with its statement and comes back in a later turn.

    A value that the assistant brought up has to come back in a message that is not its.
    """
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


def propose_rare_words(log: Log, limit: int = RARE_WORDS) -> tuple[Probe, ...]:
    """Return words that occur in just one message of ``log``, as probes whose evidence is that message.

    A word has at least 4 letters, or letters and digits, or is a number of at least 3 digits, and is no stop
    word; in Chinese it is a piece of 2 to 4 characters between function words. What such a probe is retained
    for is told by ``contained``: that the word itself is still there. Of more than ``limit`` words those are
    taken that lie evenly spread over the conversation; the order is that of the messages.
    """
    texts = [read_message(message) for message in log]
    words = _find_words_in_one_text(texts)
    # Without those that another message contains as a part of something longer.
    matches = PhraseIndex(list(words)).find(texts)
    pairs = np.unique(np.stack((matches.phrases, matches.texts)), axis=1)
    texts_of = np.bincount(pairs[0], minlength=len(words))
    rare = list(compress(words, texts_of == 1))
    if len(rare) > limit:
        rare = [rare[(2 * n + 1) * len(rare) // (2 * limit)] for n in range(limit)]
    return tuple(_make_probe_of_word(word, words[word]) for word in rare)


def _find_words_in_one_text(texts: Sequence[str]) -> dict[str, int]:
    """Return every word that one text alone has, with the number of the text, in order."""
    first: dict[tuple[str, ...], tuple[str, int] | None] = {}
    for position, text in enumerate(texts):
        for word in dict.fromkeys(_split_words(text)):
            key = normalize_token(word)
            known = first.setdefault(key, (word, position))
            if known is not None and known[1] != position:
                first[key] = None
    return dict(found for found in first.values() if found is not None)


def _split_words(text: str) -> Iterator[str]:
    for token in find_written_tokens(text):
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


def _make_probe_of_word(word: str, position: int) -> Probe:
    category: Category = "single fact"
    if word[0].isdigit() and word[-1].isdigit():
        category = "number"
    return Probe(f"Is “{word}” still there?", (word,), (position,), category)
