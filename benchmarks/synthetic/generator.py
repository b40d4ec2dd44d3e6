"""Labelled conversations of any length: varied sentences with planted facts, the same for the same seed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice, repeat
from random import Random
from typing import NamedTuple

from benchmarks.synthetic import vocabulary
from benchmarks.synthetic.planted_facts import plant
from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.transcripts.base import Transcript

MAX_TURNS = 100_000
MAX_FACTS = 10_000
MAX_FACTS_PER_100_TURNS = 50
SYSTEM_PROMPT = "You are a helpful assistant. Answer in plain words and remember what the user has told you."

QUESTION_WORDS = (30, 42)
ANSWER_WORDS = (80, 205)
"""Least words of a message, drawn for each anew; its last sentence may go beyond them."""

LIST_SHARE = 0.3
CLOSER_SHARE = 0.5
PARAGRAPH_SENTENCES = 4


def generate(
    turns: int, seed: int = 0, facts_per_100_turns: int = 10, language: str = "en"
) -> Transcript:
    """A conversation of ``turns`` turns (a user and an assistant message each) with planted facts and their probes.

    The same arguments give the same conversation everywhere. Facts are of all five categories in
    turn, no two share a subject or an answer, and no answer occurs outside its evidence.
    Raises :class:`ParameterError` for a number out of range or another language than "en".
    """
    _check("turns", turns, 1, MAX_TURNS)
    _check(
        "facts_per_100_turns",
        facts_per_100_turns,
        0,
        min(MAX_FACTS_PER_100_TURNS, MAX_FACTS * 100 // turns),
    )
    if language != "en":
        raise ParameterError("language", language, "'en'")
    random = Random(seed)
    facts = turns * facts_per_100_turns // 100
    sentences, probes = plant(random, turns, facts)
    writer = _Writer(random)
    messages = []
    for turn in range(turns):
        writer.go_on()
        messages.append(Message("user", writer.question(sentences.get(2 * turn))))
        messages.append(
            Message("assistant", writer.answer(sentences.get(2 * turn + 1)))
        )
    return Transcript(
        messages=tuple(messages),
        title=f"Generated conversation ({turns:,} turns, seed {seed})",
        format="generated",
        probes=probes,
        system_prompt=SYSTEM_PROMPT,
        description=f"Made by rule: everyday questions and answers in which {facts:,} facts are hidden.",
        language=language,
    )


def _check(name: str, value: object, least: int, most: int) -> None:
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not least <= value <= most
    ):
        raise ParameterError(name, value, f"a whole number from {least:,} to {most:,}")


class _Pattern(NamedTuple):
    """A sentence with ``%s`` for every slot, and the names of the slots."""

    text: str
    slots: tuple[str, ...]


def _patterns(texts: Iterable[str]) -> list[_Pattern]:
    return [
        _Pattern(re.sub(r"\{\w+\}", "%s", text), tuple(re.findall(r"\{(\w+)\}", text)))
        for text in texts
    ]


STATEMENTS = _patterns(vocabulary.QUESTION_STATEMENTS)
QUESTIONS = _patterns(vocabulary.QUESTIONS)
OPENERS = _patterns(vocabulary.ANSWER_OPENERS)
ANSWERS = _patterns(vocabulary.ANSWER_SENTENCES)
CLOSERS = _patterns(vocabulary.ANSWER_CLOSERS)
LIST_INTRODUCTIONS = _patterns(vocabulary.LIST_INTRODUCTIONS)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


class _Writer:
    """Writes one turn after the other, staying with a domain and a topic for a while."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._turns_in_domain = self._turns_on_topic = 0

    def go_on(self) -> None:
        """Go on to the next turn."""
        if not self._turns_in_domain:
            self._enter(self._random.choice(list(vocabulary.DOMAINS.values())))
            self._turns_in_domain, self._turns_on_topic = self._random.randint(6, 18), 0
        if not self._turns_on_topic:
            self._phrases["topic"] = repeat(next(self._topics))
            self._turns_on_topic = self._random.randint(2, 5)
        self._turns_in_domain -= 1
        self._turns_on_topic -= 1

    def _enter(self, domain: vocabulary.Phrases) -> None:
        # Each slot deals out its phrases in turn: drawn anew each time, they would often meet in one message.
        pools = {**vocabulary.SHARED, **domain}
        self._phrases: dict[str, Iterator[str]] = {
            slot: self._dealt(pool) for slot, pool in pools.items()
        }
        self._phrases["Who"] = self._dealt([_capitalized(who) for who in pools["who"]])
        self._topics = self._phrases["topic"]

    def _dealt(self, pool: Sequence[str]) -> Iterator[str]:
        return cycle(self._random.sample(pool, len(pool)))

    def question(self, fact: str | None) -> str:
        """What the user says; with ``fact``, a sentence, somewhere in it."""
        question = self._sentence(self._random.choice(QUESTIONS))
        words = self._random.randint(*QUESTION_WORDS) - _words(question) - _words(fact)
        sentences = self._sentences(STATEMENTS, words)
        self._slip_in(fact, sentences)
        return " ".join([*sentences, question])

    def answer(self, fact: str | None) -> str:
        """What the assistant says; with ``fact``, a sentence, somewhere in it."""
        steps = self._steps() if self._random.random() < LIST_SHARE else ""
        opener = self._sentence(self._random.choice(OPENERS))
        closer = (
            self._sentence(self._random.choice(CLOSERS))
            if self._random.random() < CLOSER_SHARE
            else ""
        )
        given_words = sum(map(_words, (fact, steps, opener, closer)))
        sentences = [
            opener,
            *self._sentences(
                ANSWERS, self._random.randint(*ANSWER_WORDS) - given_words
            ),
        ]
        self._slip_in(fact, sentences)
        size = PARAGRAPH_SENTENCES
        paragraphs = [
            " ".join(sentences[at : at + size]) for at in range(0, len(sentences), size)
        ]
        return "\n\n".join(part for part in (*paragraphs, steps, closer) if part)

    def _steps(self) -> str:
        introduction = self._sentence(self._random.choice(LIST_INTRODUCTIONS))
        steps = islice(self._phrases["task"], 3)
        return "\n".join(
            [
                introduction,
                *(
                    f"{number}. {_capitalized(step)}."
                    for number, step in enumerate(steps, 1)
                ),
            ]
        )

    def _sentences(self, patterns: list[_Pattern], least_words: int) -> list[str]:
        """Sentences of different patterns, at least one, until there are ``least_words`` of words."""
        sentences: list[str] = []
        for pattern in self._random.sample(patterns, len(patterns)):
            sentences.append(self._sentence(pattern))
            least_words -= _words(sentences[-1])
            if least_words <= 0:
                break
        return sentences

    def _sentence(self, pattern: _Pattern) -> str:
        return pattern.text % tuple(
            [next(self._phrases[slot]) for slot in pattern.slots]
        )

    def _slip_in(self, fact: str | None, sentences: list[str]) -> None:
        if fact:
            sentences.insert(self._random.randint(1, len(sentences)), fact)


def _words(text: str | None) -> int:
    return text.count(" ") + 1 if text else 0
