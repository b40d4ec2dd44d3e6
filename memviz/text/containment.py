"""Whether a text contains an answer: the same words in the same order, whatever their spelling.

Text becomes normal tokens. Letters lose their case and their compatibility forms (NFKC, then case folding);
punctuation and white space part tokens and are gone. A number is one token by its value: 3,600, 3600, 3.600 and
3 600 with a non-breaking space are equal, 2.5 keeps its decimals, 09 is 9, two to twelve in letters are 2 to 12,
and 14th is 14. An ordinary space parts numbers, because "rooms 3 600" would be read as one else. A code such as
QX7R4M is one token. Every character of a script written without spaces is a token (and of Korean, whose
particles stick to the word), so an answer is found inside a run of them, and a number between them stands alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.text.terms import IS_UNSPACED, TOKEN, composed, is_number, number_value
from memviz.text.words import UNSPACED

_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff"))
_PIECE = re.compile(f"[{UNSPACED}]|[^{UNSPACED}]+")
_CACHED_CHARS = 32
"""Longer tokens are runs of an unspaced script, which hardly come twice."""
_UNKNOWN, _BORDER = 0, -1


class Matches(NamedTuple):
    """Where phrases were found, one entry a match: the number of the text, the number of the phrase, and the
    place of the first token, counted through all texts."""

    texts: NDArray[np.int64]
    phrases: NDArray[np.int64]
    places: NDArray[np.int64]


def spellings(text: str) -> list[str]:
    """The tokens of ``text`` as they are written; :func:`normal_form` says what each is compared by."""
    if not text.isascii():
        text = composed(text.translate(_INVISIBLE))
    found: list[str] = TOKEN.findall(_ORDINAL.sub("", text))
    return found


@lru_cache(maxsize=65_536)
def normal_form(token: str) -> tuple[str, ...]:
    """The normal tokens of one written token: one, or one a character in an unspaced run."""
    if IS_UNSPACED.match(token):
        return tuple(unicodedata.normalize("NFKC", token))
    if is_number(token):
        return (number_value(token),)
    word = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", token).casefold())
    return tuple(_PIECE.findall(word))


def normal_tokens(text: str) -> tuple[str, ...]:
    """The normal tokens of ``text``, in order."""
    return tuple(form for token in spellings(text) for form in normal_form(token))


def contains(text: str, answer: str) -> bool:
    """Whether ``text`` contains ``answer``. An answer without letters and digits is contained nowhere."""
    return bool(PhraseIndex([answer]).find([text]).texts.size)


class PhraseIndex:
    """Many phrases to be looked up in many texts; each text is read once, for all of them."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self._numbers: dict[str, int] = {}
        self.phrases = [normal_tokens(phrase) for phrase in phrases]
        """The normal tokens of each phrase; one without any is never found."""
        coded = [[self._numbers.setdefault(t, len(self._numbers) + 1) for t in tokens] for tokens in self.phrases]
        self._lengths = np.array([len(tokens) for tokens in coded], dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(self._lengths)))[:-1].astype(np.int64)
        self._tokens = np.array([number for tokens in coded for number in tokens], dtype=np.int32)
        self._coded = coded
        self._known = _KnownTokens(self._numbers)

    def find(self, texts: Sequence[str]) -> Matches:
        """Every match of every phrase in ``texts``, sorted by phrase and place."""
        read = [self._read(text) for text in texts]
        ends = np.cumsum([len(tokens) for tokens in read])  # each text ends with a border
        tokens = np.fromiter((number for text in read for number in text), np.int32, int(ends[-1]) if read else 0)
        phrases, places = self._anchored(tokens)
        phrases, places = self._confirmed(tokens, phrases, places)
        order = np.lexsort((places, phrases))
        phrases, places = phrases[order], places[order]
        return Matches(np.searchsorted(ends, places, side="right"), phrases, places)

    def _read(self, text: str) -> list[int]:
        known = self._known
        return [*(number for token in spellings(text) for number in known[token]), _BORDER]

    def _anchored(self, tokens: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places where phrases might begin: where the rarest token of each phrase occurs."""
        known = np.flatnonzero(tokens > _UNKNOWN)
        counts = np.bincount(tokens[known], minlength=len(self._numbers) + 1)
        by_token = known[np.argsort(tokens[known], kind="stable")]
        firsts = np.concatenate(([0], np.cumsum(counts)))
        phrases, places = [_NONE], [_NONE]
        for phrase, numbers in enumerate(self._coded):
            if not numbers or not counts[numbers].all():
                continue
            at = int(np.argmin(counts[numbers]))
            anchors = by_token[firsts[numbers[at]] : firsts[numbers[at] + 1]] - at
            places.append(anchors)
            phrases.append(np.full(len(anchors), phrase, dtype=np.int64))
        return np.concatenate(phrases), np.concatenate(places)

    def _confirmed(
        self, tokens: NDArray[np.int32], phrases: NDArray[np.int64], places: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Those places where all tokens of the phrase follow; a border never does."""
        inside = (places >= 0) & (places + self._lengths[phrases] <= len(tokens))
        phrases, places = phrases[inside], places[inside]
        for at in range(int(self._lengths.max(initial=0))):
            long = np.flatnonzero(self._lengths[phrases] > at)
            if not long.size:
                break
            wrong = tokens[places[long] + at] != self._tokens[self._starts[phrases[long]] + at]
            keep = np.ones(len(phrases), dtype=bool)
            keep[long[wrong]] = False
            phrases, places = phrases[keep], places[keep]
        return phrases, places


_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class _KnownTokens(dict[str, tuple[int, ...]]):
    """Written token to the numbers of its normal tokens, 0 for a token that no phrase has. Fills itself."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, token: str) -> tuple[int, ...]:
        known = tuple(self._numbers.get(form, _UNKNOWN) for form in normal_form(token))
        if len(token) <= _CACHED_CHARS:
            self[token] = known
        return known
