"""Finds the terms of a text: its numbers, names and other content words, each in one normal form.

Metrics use them to trace where the words of an answer or a summary come from. "Ana paid 3,600 euros" has the terms
``ana``, ``pay``, ``3600`` and ``euro``.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import chain

from memviz.core.text.chunks import FoundInChunks
from memviz.core.text.numbers_and_codes import unify_number
from memviz.core.text.vocabulary import NUMBER_WORDS, SAME_WORD, STOP_WORDS, words
from memviz.core.text.words import UNSPACED, content_words, stem

NUMBER_WEIGHT = 3
NAME_WEIGHT = 2
WORD_WEIGHT = 1
"""Whole numbers, so that equal shares are equal to the last bit."""

_ALNUM = f"[^\\W_{UNSPACED}]"
_UNIT = (
    "(?:st|nd|rd|th|er|[kKMG]|[KkMGT]i?B|[KMG]bit|km|cm|mm|kg|mg|ml|ms|min|mins|sec|hrs?|kWh?|Hz|[kMG]Hz|mph|kph|ft"
    "|am|pm|AM|PM|yo|px|pt|EUR|USD|GBP|CHF|[mglhsxdWV])"
)
_LONGEST_WORD = 64
TOKEN = re.compile(
    # a run of characters that nothing spaces: 北京大学
    f"[{UNSPACED}]+"
    # a number, with nothing but its unit after it: 3,000 or 40GB or 14th, but not 9K4 or 1042A, which are codes
    rf"|(?<!{_ALNUM})(?:\d{{1,3}}(?:[,，'’\u00a0\u202f]\d{{3}}(?!\d))+|\d{{1,40}})(?:[.,\uff0e\u066b]\d{{1,40}})*+"
    rf"(?={_UNIT}?(?!{_ALNUM}))"
    # a word or a code
    rf"|{_ALNUM}{{1,{_LONGEST_WORD}}}"
)
SPACES_IN_NUMBERS = ("\u00a0", "\u202f")
"""Part digits of one number, as in 3\u202f600; no token goes across any other space."""
IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_DIGIT = re.compile(r"\d")
# What an answer says around what it tells.
_FRAMING = STOP_WORDS | words(
    """
    yes sure certainly course according based earlier previously previous conversation chat context message messages
    summary note noted stated states indicated specified provided shared confirmed correct answer question
    information details record records recorded memory history instructions result user assistant
    st nd rd th haven hasn hadn weren mustn
    根据 对话 谈话 总结 消息 提到 记录 信息
    """
)
_BEFORE_A_SENTENCE = frozenset(".!?:;\"'“”\u2018(「『。！？：")


_TOKENS = FoundInChunks(TOKEN.findall)


def find_tokens(text: str) -> list[str]:
    """Return all that :data:`TOKEN` finds in ``text``."""
    if any(space in text for space in SPACES_IN_NUMBERS):
        tokens: list[str] = TOKEN.findall(text)
        return tokens
    return _TOKENS.in_text(text)


def compose_accents(text: str) -> str:
    """Return ``text`` with each letter and its accent as one character (NFC), so that words stay whole."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def normal_forms_of_text(text: str) -> frozenset[str]:
    """Return the normal forms of all content words of ``text``."""
    # A long text repeats its words: each spelling is normalized once.
    tokens = set(TOKEN.findall(compose_accents(text)))
    return frozenset(chain.from_iterable(map(normal_forms_of_token, tokens)))


def weigh_content_words(text: str) -> dict[str, int]:
    """Return the content words of one sentence, each with its weight: "Ana paid 3,600 euros" gives
    ``{"ana": 1, "pay": 1, "3600": 3, "euro": 1}``."""
    weights: dict[str, int] = {}
    for match in TOKEN.finditer(text):
        # The first word of a sentence has a capital whether it is a name or not.
        before = text[: match.start()].rstrip()[-1:]
        begins_sentence = not before or before in _BEFORE_A_SENTENCE
        weight = _weight(match.group(), begins=begins_sentence)
        for key in normal_forms_of_token(match.group()):
            weights[key] = max(weight, weights.get(key, 0))
    return weights


def _weight(token: str, begins: bool) -> int:
    if _DIGIT.search(token) or token.casefold() in NUMBER_WORDS:
        return NUMBER_WEIGHT
    # The word that begins a sentence has a capital letter in any case: "NASA" is a name there.
    shows_name = not begins or (len(token) > 1 and token.isupper())
    if token[0].isupper() and shows_name:
        return NAME_WEIGHT
    return WORD_WEIGHT


@lru_cache(maxsize=16_384)
def normal_forms_of_token(token: str) -> tuple[str, ...]:
    """Return the forms to compare a token by: a number's value, a word's stem, character pairs of an unspaced run."""
    if IS_UNSPACED.match(token):
        return tuple(content_words(token) - _FRAMING)
    if is_number(token):
        return (number_value(token),)
    word = unicodedata.normalize("NFKC", token).casefold()
    return () if word in _FRAMING else (stem(word),)


def is_number(token: str) -> bool:
    """Return whether a token of :data:`TOKEN` is a number, not a word or a code."""
    return (
        token[0].isdecimal()
        and token[-1].isdecimal()
        and not any(map(str.isalpha, token))
    )


def number_value(token: str) -> str:
    """Return a number's value as text: no separators of thousands, a point before decimals, no zeros at their end."""
    value = unify_number(token, is_amount=True)
    return SAME_WORD.get(value, value)
