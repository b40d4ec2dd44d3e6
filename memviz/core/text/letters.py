"""Brings the letters and endings of a word into one form: no accents, simplified Chinese characters, no plural.

:mod:`memviz.core.text.containment` compares words in this form, so that "cities" finds "city" and "joão" finds "joao".
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from memviz.core.text.vocabulary import words
from memviz.core.text.words import HAN, has_han

if TYPE_CHECKING:
    from opencc import OpenCC

# Less than a stemmer does, which makes one word of university and universe: an answer is known where its word is said,
# not one of the same family.
_NO_PLURALS = words(
    """lucas james thomas nicolas nicholas carlos marcos chris jonas tobias elias matthias mathias andreas agnes ines
    frances mercedes dolores charles jules hans jens lars niels nils klaus claus moses dallas texas kansas arkansas
    athens brussels naples cannes vegas angeles buenos aires wales cyprus williams edwards roberts peters daniels
    stevens adams marks phillips richards andrews matthews jacobs simons owens jones davis evans hughes rogers
    collins perkins watkins higgins hopkins robbins jenkins myles miles anders douglas silas atlas vilnius honduras
    bahamas alps news always perhaps christmas sometimes besides lens gas was has does his its this us less yes
    mars series species means physics mathematics economics towards afterwards overseas whereas bias canvas"""
)
_NO_INFLECTIONS = words(
    """evening wedding being outing inning earring herring sterling reading morning during nothing something anything
    everything bring spring string thing sing king ring wing swing cling sling sting hundred red bed shed sled
    sacred naked wicked beloved kindred biped reed seed feed need speed breed indeed exceed proceed succeed ted fred
    jared reuben mohamed ahmed mohammed alfred wilfred manfred winfred boeing beijing nanjing viking sterling
    darling sibling ceiling"""
)
_VOWEL = re.compile(r"[aeiouy]")
# "hop" of "hoping", which lost an "e"
_SHORT = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")
# "stopp" of "stopped"
_DOUBLED = re.compile(r"(?:[aeiouy].*)?(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")
# "travell" of "travelled", but not "call" of "called"
_DOUBLED_L = re.compile(r".*[aeiouy][^aeiouy]+[aeiouy]ll$")
# "danc" of "dancing", "creat" of "created"
_WITHOUT_E = re.compile(r".*(?:[cvzu]|[dr]g|at|bl|iz|[aeiou]s)$")
MARK = "ʘ"
"""A letter, so that it makes one word with what stands beside it."""


def remove_inflection(word: str) -> str:
    """Return a ``word`` without the ending of a plural, of "-ing" or of "-ed": "cities" is
    "city", "hoping" and "hoped" are "hope". It has to be in lower case and without accents."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word[-1] == "s":
        return _remove_plural(word)
    if word.endswith("ing") and len(word) > 4:
        return _restore_base(word, word[:-3])
    if word.endswith("ed") and len(word) > 4:
        return _restore_base(word, word[:-2])
    return _end_with_y(word)


def _remove_plural(word: str) -> str:
    if word in _NO_PLURALS or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("xes", "ches", "shes", "sses", "zzes")) or (
        word.endswith("oes") and len(word) > 5
    ):
        return word[:-2]
    return _end_with_y(word[:-1])


def _end_with_y(word: str) -> str:
    # "movie" -> "movy", so that movie and movies end as berry and berries do.
    if len(word) > 4 and word.endswith("ie"):
        return f"{word[:-2]}y"
    return word


def _restore_base(word: str, stem: str) -> str:
    """Return the base of a ``word`` that is ``stem`` without its "-ing" or "-ed"."""
    # "ring" and "bled" are no inflections: what is left of them has no vowel.
    if word in _NO_INFLECTIONS or not _VOWEL.search(stem):
        return word
    # "agreed" is "agree", and "hurried" is "hurry".
    if word.endswith("eed"):
        return word[:-1]
    if word.endswith("ied"):
        return f"{word[:-3]}y"
    # "running" is "run", "hoping" is "hope", "walking" is "walk".
    if _DOUBLED.search(stem) or _DOUBLED_L.match(stem):
        return stem[:-1]
    if _SHORT.fullmatch(stem) or _WITHOUT_E.match(stem):
        return f"{stem}e"
    return stem


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


def remove_accents(word: str) -> str:
    """Return a ``word`` in lower case without the accents of its Latin letters: "joão" is
    "joao". Other scripts keep theirs, where a mark makes another letter."""
    if word.isascii():
        return word
    return "".join(_remove_accent(letter) for letter in word)


@cache
def _remove_accent(letter: str) -> str:
    if letter > _LAST_LATIN and ord(letter) not in _ADDITIONAL_LATIN:
        return letter
    parts = unicodedata.normalize("NFD", letter)
    base = "".join(part for part in parts if not unicodedata.combining(part))
    return base.translate(_OTHER_LETTERS)


def simplify_chinese(text: str) -> str:
    """Return ``text`` with simplified Chinese characters in place of traditional ones: 預算 is
    预算."""
    if not has_han(text) or all(
        _SIMPLIFIED[point] == point for point in map(ord, set(text))
    ):
        return text
    return text.translate(_SIMPLIFIED)


class _Simplified(dict[int, int]):
    """Each code point with that of its simplified character. Fills itself: opencc is loaded
    for the first Chinese character, and asked once for each."""

    def __missing__(self, point: int) -> int:
        simplified_point = point
        if HAN.match(chr(point)):
            converted = _load_converter().convert(chr(point))
            if len(converted) == 1:
                simplified_point = ord(converted)
        self[point] = simplified_point
        return simplified_point


@cache
def _load_converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


_SIMPLIFIED = _Simplified()


def join_slashed_numbers(first: int, second: int) -> str:
    """Return the one word for two small numbers with a slash between them, a day and a month
    or a fraction: "ʘ3ʘ5" for 3/5."""
    return f"{MARK}{first}{MARK}{second}"
