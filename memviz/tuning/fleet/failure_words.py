"""Sentences of failures that quote nothing: errors hold what users said, and a table of failures holds no text."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memviz.core.errors import MemvizError, TranscriptError
from memviz.core.translation import _, known_texts

FIELD = re.compile(r"\{[^{}]*\}")
"""The place of a value in a text: ``{start!r}``."""
LEFT_OUT = "…"
FEWEST_LETTERS = 8
"""A text with fewer letters of its own, such as ``{place}: {problem}``, would say nothing without its values."""


def words_without_values(error: MemvizError) -> str:
    """Return the sentence of an error with its place, and with ``…`` for each value in it: ``"x.txt: no known format,
    found a text that starts with …."``. Of a sentence that is no text of memviz there is the kind of the error."""
    if not isinstance(error, TranscriptError):
        return _own_words(str(error)) or kind_of_error(error)
    words = _own_words(error.reason) or kind_of_error(error)
    return f"{error.place}: {words}" if error.place else words


def kind_of_error(error: Exception) -> str:
    """Return a sentence with nothing but the kind of an error."""
    name = type(error).__name__
    return _("memviz cannot measure it ({error}).", error=name)


@lru_cache(maxsize=1_000)
def _own_words(sentence: str) -> str:
    """Return the text of memviz that the sentence was made of, without values; empty where there is none."""
    for pattern, words in _patterns():
        if pattern.fullmatch(sentence):
            return words
    return ""


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each text of memviz and its words, those with most words of their own first."""
    patterns = []
    for text in known_texts():
        own_parts = FIELD.split(text)
        if sum(map(len, own_parts)) >= FEWEST_LETTERS:
            pattern = re.compile(".*".join(map(re.escape, own_parts)), re.DOTALL)
            patterns.append((pattern, FIELD.sub(LEFT_OUT, text)))
    patterns.sort(key=lambda pattern: (-len(pattern[1]), pattern[1]))
    return patterns
