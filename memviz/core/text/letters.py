"""Letters as they are compared: without accents, and Chinese characters in their simplified form."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from memviz.core.text.words import HAN

if TYPE_CHECKING:
    from opencc import OpenCC

_OTHER_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "\u0131": "i",
    }
)
"""Latin letters that Unicode does not compose of a letter and an accent."""
_LAST_LATIN = "\u024f"
_ADDITIONAL_LATIN = range(0x1E00, 0x1F00)


def plain_letters(word: str) -> str:
    """A word in lower case without the accents of its Latin letters: João is joao. Other scripts keep theirs, where a
    mark makes another letter."""
    if word.isascii():
        return word
    return "".join(_plain_letter(letter) for letter in word)


@cache
def _plain_letter(letter: str) -> str:
    if letter > _LAST_LATIN and ord(letter) not in _ADDITIONAL_LATIN:
        return letter
    base = unicodedata.normalize("NFD", letter)
    return "".join(part for part in base if not unicodedata.combining(part)).translate(
        _OTHER_LETTERS
    )


def simplified(text: str) -> str:
    """``text`` with simplified Chinese characters in place of traditional ones: 預算 is 预算."""
    if text.isascii() or not HAN.search(text):
        return text
    if all(_SIMPLIFIED[point] == point for point in map(ord, set(text))):
        return text
    return text.translate(_SIMPLIFIED)


class _Simplified(dict[int, int]):
    """Code point to code point. Fills itself: opencc is loaded for the first Chinese character, and asked once for
    each."""

    def __missing__(self, point: int) -> int:
        found = point
        if HAN.match(chr(point)):
            converted = _converter().convert(chr(point))
            found = ord(converted) if len(converted) == 1 else point
        self[point] = found
        return found


@cache
def _converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


_SIMPLIFIED = _Simplified()
