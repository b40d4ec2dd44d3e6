"""Words that one message alone says: probes for any conversation, without labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.text.containment import PhraseIndex, normal_form, spellings
from memviz.core.text.terms import IS_UNSPACED
from memviz.core.text.vocabulary import CHINESE_STOP, STOP_WORDS
from memviz.metrics.retention.message_text import readable
from memviz.transcripts.base import Category, Probe

DEFAULT_LIMIT = 500
LEAST_LETTERS, LEAST_DIGITS = 4, 3
HAN_CHARS = range(2, 5)
"""A piece of Chinese text between function words is taken for a word if it has so many characters."""

_CHINESE_STOP = re.compile(CHINESE_STOP)


class _Word(NamedTuple):
    position: int
    text: str


def rare_words(log: Log, limit: int = DEFAULT_LIMIT) -> tuple[Probe, ...]:
    """Words that occur in just one message of ``log``, as probes whose evidence is that message.

    A word has at least 4 letters, or letters and digits, or is a number of at least 3 digits, and is no stop
    word; in Chinese it is a piece of 2 to 4 characters between function words. What such a probe is retained
    for is told by ``contained``: that the word itself is still there. Of more than ``limit`` words those are
    taken that lie evenly spread over the conversation; the order is that of the messages.
    """
    words = _once(log, _candidates(readable(message) for message in log))
    if len(words) > limit:
        words = [words[(2 * n + 1) * len(words) // (2 * limit)] for n in range(limit)]
    return tuple(_probe(word) for word in words)


def _candidates(texts: Iterable[str]) -> list[_Word]:
    """Every word at its first place, in order; most are left out at once because another message has them."""
    first: dict[tuple[str, ...], _Word | None] = {}
    for position, text in enumerate(texts):
        for word in dict.fromkeys(_words(text)):
            key = normal_form(word)
            known = first.setdefault(key, _Word(position, word))
            if known is not None and known.position != position:
                first[key] = None
    return [word for word in first.values() if word is not None]


def _once(log: Log, words: Sequence[_Word]) -> list[_Word]:
    """Those that no other message contains, as a part of something longer either."""
    matches = PhraseIndex([word.text for word in words]).find(
        [readable(message) for message in log]
    )
    pairs = np.unique(np.stack((matches.phrases, matches.texts)), axis=1)
    texts_of = np.bincount(pairs[0], minlength=len(words))
    return [word for word, count in zip(words, texts_of, strict=True) if count == 1]


def _words(text: str) -> Iterator[str]:
    for token in spellings(text):
        if IS_UNSPACED.match(token):
            yield from (
                piece for piece in _CHINESE_STOP.split(token) if len(piece) in HAN_CHARS
            )
        elif _is_telling(token):
            yield token


def _is_telling(token: str) -> bool:
    digits = sum(map(str.isdigit, token))
    if digits == len(token) or not any(map(str.isalpha, token)):
        return digits >= LEAST_DIGITS
    return len(token) >= LEAST_LETTERS and token.casefold() not in STOP_WORDS


def _probe(word: _Word) -> Probe:
    category: Category = (
        "number"
        if word.text[0].isdigit() and word.text[-1].isdigit()
        else "single fact"
    )
    return Probe(
        f"Is “{word.text}” still there?", (word.text,), (word.position,), category
    )
