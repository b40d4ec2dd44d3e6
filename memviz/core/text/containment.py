"""Return whether a text contains an answer: the same words and values in the same order, however they are written.

Text becomes normal tokens. Values have one spelling each, see :mod:`memviz.core.text.values`: 3k is 3,000, 5:30 pm is
17:30, and 1990-05-12 is 12 May 1990. Letters lose their case, their accents and their compatibility forms, Chinese
characters are simplified; words lose the ending of a plural, numbers in letters are numbers. Punctuation and white
space part tokens and are gone. An ordinary space parts numbers, because "rooms 3 600" would be read as one else. A code
such as QX7-R4M is one token. Every character of a script written without spaces is a token (and of Korean, whose
particles stick to the word), so an answer is found inside a run of them, and a number between them stands alone. A word
that is a name as well counts as the name only where it is written and used as one: "Mark my words" names nobody.
What an answer leaves open is looked for in all its forms: 12/05/1990 may be the 12th of May or the 5th of December.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.answer_forms import AnswerForm, list_answer_forms
from memviz.core.text.chunks import ByChunk
from memviz.core.text.digits import has_digit
from memviz.core.text.letters import (
    MARK,
    remove_accents,
    remove_inflection,
    simplify_chinese,
)
from memviz.core.text.numbers_and_codes import unify_number
from memviz.core.text.respelling import may_be_respelled
from memviz.core.text.terms import (
    IS_UNSPACED,
    SPACES_IN_NUMBERS,
    compose_accents,
    find_tokens,
    is_number,
)
from memviz.core.text.token_contexts import (
    KINDS,
    NAME_TOKENS,
    READ_IN_CONTEXT,
    read_tokens_in_context,
)
from memviz.core.text.value_words import (
    CURRENCIES,
    MONTH_NUMBERS,
    SHARED_MONTHS,
    SHORT_FORMS,
    SHORT_WEEKDAYS,
    UNITS,
    number_of_word,
)
from memviz.core.text.values import unify_values
from memviz.core.text.vocabulary import STOP_WORDS
from memviz.core.text.words import UNSPACED

# "2nd", "21st"
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufeff]+")
_PIECE = re.compile(f"[{UNSPACED}]|[^{UNSPACED}]+")
_KEPT_CHARS = 4_000
_KEPT_LONG_CHARS = 40_000
"""Longer texts are read each time, and of those up to here only a few are kept, such as the summaries of one run: what
is kept of all texts stays below some 30 MB."""
_HOW_MANY = re.compile(r"\bhow many\b|几[个位只张条件辆本]", re.IGNORECASE)
_UNKNOWN = 0
_BORDER = -1
_IN_CONTEXT = ("",)
"""In place of the tokens of a chunk that only its neighbours explain."""
_YEARS = tuple(map(str, range(1900, 2100)))
_KIND_TOKENS = tuple(
    dict.fromkeys(f"{MARK}{kind}" for kind in (*CURRENCIES.values(), *UNITS.values()))
)

_NUMBERS_OF_KINDS = {token: number for number, token in enumerate(_KIND_TOKENS, 1)}
_NUMBERS_WITH_YEARS = {
    token: number for number, token in enumerate((*_KIND_TOKENS, *_YEARS), 1)
}
"""The numbers of tokens in an index, in which kinds and years come first."""


class Matches(NamedTuple):
    """The places where phrases were found, one entry a match: the number of the text, the number of the phrase, and the
    places of the first token and behind the last, counted through all texts. Of the forms of a phrase that begin at
    one place it is the longest."""

    texts: NDArray[np.int64]
    phrases: NDArray[np.int64]
    places: NDArray[np.int64]
    ends: NDArray[np.int64]

    def of_first(self, count: int) -> Matches:
        """The matches of the phrases before number ``count``; matches are in the order of their phrases."""
        stop = int(np.searchsorted(self.phrases, count))
        return Matches(*(part[:stop] for part in self))


def find_written_tokens(text: str) -> list[str]:
    """Return the tokens of ``text`` as they are written; :func:`normalize_token` gives the form to compare each by."""
    return find_tokens(_ORDINAL.sub("", _compose_visible(text)))


def _compose_visible(text: str) -> str:
    return text if text.isascii() else compose_accents(_INVISIBLE.sub("", text))


@lru_cache(maxsize=65_536)
def normalize_token(token: str) -> tuple[str, ...]:
    """Return the normal tokens of one written token: one for a word, one for each character of an unspaced run."""
    if IS_UNSPACED.match(token):
        return tuple(unicodedata.normalize("NFKC", token))
    if is_number(token):
        return (unify_number(token),)
    if token in NAME_TOKENS:
        return (token,)
    if token in SHORT_WEEKDAYS:
        return (SHORT_WEEKDAYS[token],)
    word = unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", token).casefold()
    )
    return tuple(map(_normalize_word, _PIECE.findall(word)))


def _normalize_word(word: str) -> str:
    plain = remove_accents(word)
    if plain in MONTH_NUMBERS and plain not in SHARED_MONTHS:
        return f"{MARK}{MONTH_NUMBERS[plain]}"
    if plain in KINDS:
        return f"{MARK}{KINDS[plain]}"
    if plain in SHORT_FORMS:
        return remove_inflection(SHORT_FORMS[plain])
    number = number_of_word(plain)
    return remove_inflection(plain) if number is None else str(number)


def normal_tokens(text: str) -> tuple[str, ...]:
    """Return the normal tokens of ``text``, in order."""
    if len(text) <= _KEPT_CHARS:
        return _kept_tokens(text)
    return _kept_long(text) if len(text) <= _KEPT_LONG_CHARS else _read_tokens(text)


def _read_tokens(text: str) -> tuple[str, ...]:
    # Most texts have no values, and then the tokens of their chunks as they stand there.
    if _has_no_values(text):
        by_chunk = [*map(_TOKENS_WITHOUT_VALUES.__getitem__, text.split())]
        if _IN_CONTEXT not in by_chunk:
            return tuple(chain.from_iterable(by_chunk))
    plain = unify_values(simplify_chinese(_compose_visible(text)))
    # But for spaces within numbers no token goes across one, so a text has the tokens of its chunks.
    if not any(space in plain for space in SPACES_IN_NUMBERS):
        by_chunk = [*map(_TOKENS_OF.__getitem__, plain.split())]
        if _IN_CONTEXT not in by_chunk:
            return tuple(chain.from_iterable(by_chunk))
    tokens = find_tokens(plain)
    if not READ_IN_CONTEXT.isdisjoint(tokens):
        tokens = [*read_tokens_in_context(tokens)]
    return tuple(chain.from_iterable(map(normalize_token, tokens)))


def _has_no_values(text: str) -> bool:
    """Return whether a text has no values, unless in words, and no letters with a second spelling."""
    return text.isascii() and not has_digit(text)


_kept_tokens = lru_cache(maxsize=2048)(_read_tokens)
_kept_long = lru_cache(maxsize=64)(_read_tokens)
"""One page looks for its facts in the same messages again and again, each time for other phrases."""


def _tokens_of_chunk(chunk: str) -> tuple[str, ...]:
    """Return the normal tokens of a chunk; :data:`_IN_CONTEXT` where only its neighbours explain one of them."""
    tokens = find_tokens(chunk)
    if not READ_IN_CONTEXT.isdisjoint(tokens):
        return _IN_CONTEXT
    return tuple(chain.from_iterable(map(normalize_token, tokens)))


_TOKENS_OF = ByChunk(_tokens_of_chunk)


def _tokens_without_values(chunk: str) -> tuple[str, ...]:
    """Return the normal tokens of a chunk of a text without digits; :data:`_IN_CONTEXT` where it may be a part of a
    value in words, such as "dozen"."""
    return _IN_CONTEXT if may_be_respelled(chunk) else _TOKENS_OF[chunk]


_TOKENS_WITHOUT_VALUES = ByChunk(_tokens_without_values)


def _rate_rarity(token: str) -> tuple[bool, int]:
    """Return a sort key for tokens, rare ones last: "of" < "cat" < "allergic"."""
    return token not in STOP_WORDS, len(token)


def _number_chunks(numbers: Mapping[str, int]) -> ByChunk[tuple[int, ...] | None]:
    """Return the ``numbers`` of the tokens of each chunk of a text without values; ``None`` for one that is only read
    with its neighbours."""

    def number_chunk(chunk: str) -> tuple[int, ...] | None:
        tokens = _TOKENS_WITHOUT_VALUES[chunk]
        if tokens == _IN_CONTEXT:
            return None
        return tuple(numbers.get(token, _UNKNOWN) for token in tokens)

    return ByChunk(number_chunk)


def contains(text: str, answer: str) -> bool:
    """Return whether ``text`` contains ``answer``. An answer without letters and digits is contained nowhere."""
    tokens = normal_tokens(text)
    forms = list_answer_forms(answer, normal_tokens(answer))
    return any(_tokens_contain(tokens, form) for form in forms)


def _tokens_contain(tokens: tuple[str, ...], form: AnswerForm) -> bool:
    """Return whether the tokens of ``form`` stand one after the other in ``tokens``.

    Of a bare amount no other kind may follow: "1200" for "$1,200" does not stand in "1200 km".
    """
    length = len(form.tokens)
    # Most texts do not even have the first of the tokens.
    if not length or form.tokens[0] not in tokens:
        return False
    for start in range(len(tokens) - length + 1):
        stop = start + length
        if tokens[start:stop] != form.tokens:
            continue
        is_other_kind = tokens[stop : stop + 1] and tokens[stop] in _NUMBERS_OF_KINDS
        if not (form.is_bare and is_other_kind):
            return True
    return False


def asks_for_a_count(question: str) -> bool:
    """Return whether a question asks how many things there are, and names no unit: "How many cats?"."""
    if not _HOW_MANY.search(question):
        return False
    return all(token[0] != MARK for token in normal_tokens(question))


class PhraseIndex:
    """Finds many phrases in many texts, reading each text once for all phrases.

    ``may_omit_years`` are the numbers of phrases whose dates are also found without their year. ``counts`` are the
    numbers of phrases that count things: the phrase "2" for two cats is not found in "2 meters".
    """

    def __init__(
        self,
        phrases: Sequence[str],
        *,
        may_omit_years: range = range(0),
        counts: Collection[int] = (),
    ) -> None:
        self.phrases = [normal_tokens(phrase) for phrase in phrases]
        """The normal tokens of each phrase; one without any is never found."""
        first = _NUMBERS_WITH_YEARS if may_omit_years else _NUMBERS_OF_KINDS
        self._numbers = dict(first)
        self._coded: list[list[int]] = []
        """The numbers of the tokens of each form of the phrases."""
        rows = []
        # The token of each form that fewest texts have: a text without any of these holds no phrase.
        rarest = set()
        for number, (phrase, tokens) in enumerate(
            zip(phrases, self.phrases, strict=True)
        ):
            is_count = number in counts
            may_omit_year = number in may_omit_years
            for form in list_answer_forms(phrase, tokens, may_omit_year=may_omit_year):
                rows.append((number, form.is_bare or is_count, form.is_yearless))
                self._coded.append([self._number_of(token) for token in form.tokens])
                if form.tokens:
                    rarest.add(max(form.tokens, key=_rate_rarity))
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        self._phrase_of = columns[0]
        self._is_bare, self._is_yearless = columns[1:].astype(bool)
        self._lengths = np.array([*map(len, self._coded)], np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._filled = np.flatnonzero(self._lengths)
        self._tokens = np.fromiter(chain.from_iterable(self._coded), np.int32)
        self._rarest = {self._number_of(token) for token in rarest}
        self._by_chunk = _number_chunks(self._numbers)

    def _number_of(self, token: str) -> int:
        return self._numbers.setdefault(token, len(self._numbers) + 1)

    def find(self, texts: Sequence[str]) -> Matches:
        """Every match of every phrase in ``texts``, sorted by phrase and place."""
        numbers_of_texts = [self._read(text) for text in texts]
        if all(numbers == [_BORDER] for numbers in numbers_of_texts):
            return Matches(_NONE, _NONE, _NONE, _NONE)
        # Each text ends with a border.
        ends = np.cumsum([*map(len, numbers_of_texts)])
        tokens = np.fromiter(chain.from_iterable(numbers_of_texts), np.int32)
        forms, places = self._confirmed(tokens, *self._anchored(tokens))
        forms, places = self._without_other_kinds(tokens, forms, places)
        phrases = self._phrase_of[forms]
        behind = places + self._lengths[forms]
        # In this order the longest form comes first of those that begin at one place.
        begins = phrases * len(tokens) + places
        order = np.lexsort((-behind, begins))
        begins = begins[order]
        is_longest = np.ones(len(order), bool)
        is_longest[1:] = begins[1:] > begins[:-1]
        longest = order[is_longest]
        places = places[longest]
        in_texts = np.searchsorted(ends, places, side="right")
        return Matches(in_texts, phrases[longest], places, behind[longest])

    def _read(self, text: str) -> list[int]:
        """The numbers of the tokens of a text, and a border; of a text that holds no phrase the border alone."""
        numbers = self._read_chunks(text) if _has_no_values(text) else None
        if numbers is None:
            tokens = normal_tokens(text)
            numbers = [*map(self._numbers.get, tokens, repeat(_UNKNOWN))]
        return [_BORDER] if self._rarest.isdisjoint(numbers) else [*numbers, _BORDER]

    def _read_chunks(self, text: str) -> list[int] | None:
        """The numbers of the tokens of a text without values, ``None`` where some are only read with their
        neighbours."""
        by_chunk = [*map(self._by_chunk.__getitem__, text.split())]
        if None in by_chunk:
            return None
        return [*chain.from_iterable(filter(None, by_chunk))]

    def _anchored(
        self, tokens: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places where phrases might begin: where the rarest token of each phrase occurs."""
        known_places = np.flatnonzero(tokens > _UNKNOWN)
        counts = np.bincount(tokens[known_places], minlength=len(self._numbers) + 1)
        by_token = known_places[np.argsort(tokens[known_places], kind="stable")]
        firsts = np.concatenate(([0], np.cumsum(counts)))
        phrases = [_NONE]
        places = [_NONE]
        # Most phrases hold a token that occurs nowhere: to leave them out together is far faster than one by one.
        of_rarest = (
            np.minimum.reduceat(counts[self._tokens], self._starts[self._filled])
            if self._filled.size
            else _NONE
        )
        for phrase in self._filled[of_rarest > 0].tolist():
            numbers = self._coded[phrase]
            rarest = int(np.argmin(counts[numbers]))
            anchors = (
                by_token[firsts[numbers[rarest]] : firsts[numbers[rarest] + 1]] - rarest
            )
            places.append(anchors)
            phrases.append(np.full(len(anchors), phrase, dtype=np.int64))
        return np.concatenate(phrases), np.concatenate(places)

    def _confirmed(
        self,
        tokens: NDArray[np.int32],
        phrases: NDArray[np.int64],
        places: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places where all tokens of the phrase follow; a border never does."""
        is_inside = (places >= 0) & (places + self._lengths[phrases] <= len(tokens))
        phrases = phrases[is_inside]
        places = places[is_inside]
        for offset in range(int(self._lengths.max(initial=0))):
            is_long = self._lengths[phrases] > offset
            if not is_long.any():
                break
            expected_tokens = self._tokens[self._starts[phrases[is_long]] + offset]
            keep = ~is_long
            keep[is_long] = tokens[places[is_long] + offset] == expected_tokens
            phrases = phrases[keep]
            places = places[keep]
        return phrases, places

    def _without_other_kinds(
        self,
        tokens: NDArray[np.int32],
        phrases: NDArray[np.int64],
        places: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Without the bare amounts that the text says to be of another kind, 3,000 dollars for 3,000 euros, and dates
        without a year that it says to be of another one."""
        if not self._is_bare.any() and not self._is_yearless.any():
            return phrases, places
        behind = tokens[places + self._lengths[phrases]]  # a border ends every text
        is_kind = (behind > _UNKNOWN) & (behind <= len(_KIND_TOKENS))
        is_year = (behind > len(_KIND_TOKENS)) & (
            behind <= len(_KIND_TOKENS) + len(_YEARS)
        )
        keep = ~(self._is_bare[phrases] & is_kind) & ~(
            self._is_yearless[phrases] & is_year
        )
        return phrases[keep], places[keep]


_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
