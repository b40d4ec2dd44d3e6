"""Text into content words: stemmed, without function words, character pairs where nothing is spaced."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memviz.text.vocabulary import CHINESE_STOP, SAME_WORD, STOP_WORDS

# Scripts written without spaces, and Korean, whose particles stick to the word.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")

_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_TOKEN = re.compile(r"[^\W_]+(?:[-.,:/'’][^\W_]+)*")
_CHINESE_STOP = re.compile(CHINESE_STOP)
_DIGIT = re.compile(r"\d")
_PARTS = re.compile(r"[-./,:]")
_DERIVED = ("ation", "ition", "ment", "ness", "ance", "ence", "ly", "ic", "al", "y")


def content_words(text: str) -> frozenset[str]:
    """The stems that carry the meaning of ``text``."""
    text = text.lower()
    found: list[Iterable[str]] = []
    if not text.isascii():
        found.extend(map(_pairs, _UNSPACED_RUN.findall(text)))
        text = _UNSPACED_RUN.sub(" ", text)
    found.extend(map(_stems, set(_TOKEN.findall(text)) - STOP_WORDS))
    return frozenset().union(*found)


def is_chinese(text: str) -> bool:
    """Whether ``text`` is mostly Chinese: Han characters, no Japanese kana, and few Latin words beside them."""
    han = len(HAN.findall(text))
    return han > 0 and not KANA.search(text) and han >= len(_TOKEN.findall(_UNSPACED_RUN.sub(" ", text)))


def bridges(text: str) -> dict[str, tuple[str, str]]:
    """Character pairs of ``text`` with the pairs before and after them: one may straddle two words."""
    found: dict[str, tuple[str, str]] = {}
    for run in _UNSPACED_RUN.findall(text):
        for piece in _CHINESE_STOP.split(run):
            for at in range(1, len(piece) - 2):
                found[piece[at : at + 2]] = (piece[at - 1 : at + 1], piece[at + 1 : at + 3])
    return found


@lru_cache(maxsize=16_384)
def _pairs(run: str) -> frozenset[str]:
    """Pairs of neighbouring characters between function words; a character that stands alone counts itself."""
    found: set[str] = set()
    for piece in _CHINESE_STOP.split(run):
        if len(piece) == 1:
            found.add(piece)
        found.update(piece[at : at + 2] for at in range(len(piece) - 1))
    return frozenset(found)


@lru_cache(maxsize=65_536)
def _stems(token: str) -> tuple[str, ...]:
    """The stems of one token. A number or code stays whole; a hyphenated word gives its parts."""
    token = token.replace("’", "'")
    if _DIGIT.search(token):
        return (SAME_WORD.get(token, token),)
    parts = (part.partition("'")[0] for part in _PARTS.split(token))
    return tuple(stem(part) for part in parts if part and part not in STOP_WORDS)


def stem(word: str) -> str:
    """A light English stem: endings of number, tense and derivation off, where enough of the word is left."""
    if word in SAME_WORD:
        return SAME_WORD[word]
    word = _uninflected(word)
    if word in SAME_WORD:
        return SAME_WORD[word]
    for _ in range(2):  # "internally" loses two endings to meet "internal", which loses one
        ending = next((one for one in _DERIVED if word.endswith(one) and len(word) - len(one) >= 5 - (one == "y")), "")
        word = word.removesuffix(ending)
    return word.rstrip("e") or word if len(word) > 3 else word


def _uninflected(word: str) -> str:
    if len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and any(vowel in base for vowel in "aeiouy"):
            doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz"
            return base[:-1] if doubled else base
    return word
