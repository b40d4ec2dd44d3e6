"""Kinds of values that are searched for only in sentences that announce them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from memviz.core.text.chunks import FoundInChunks
from memviz.metrics.retention.label_words import (
    TRIGGER_CHARS,
    Kind,
    Value,
    find_values,
)

_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_FULL_STOP = frozenset(".")
"""Announces nothing at the end of a sentence, other than in "app.py"."""
_MARKS = frozenset('@/._#$€£"“')
# "at Gate" -> a capital letter that does not begin the sentence
_CAPITAL = re.compile(r"[\w,] [A-Z\u00c0-\u00de]")


class AnnouncedKinds:
    """Kinds that are searched for together, in sentences that have one of their triggers.

    A trigger is the first letters of a word ("alle" of "allergic"), or a shape: a digit, a
    capital letter or a mark such as "@". The order counts: of two values that overlap the
    first is taken, so the kind that says more about a value stands first.
    """

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds
        self._numbers_of: dict[str, list[int]] = {}
        """The numbers of the kinds that each trigger announces."""
        for number, kind in enumerate(kinds):
            for trigger in kind.triggers:
                self._numbers_of.setdefault(trigger, []).append(number)
        self._triggers = frozenset(self._numbers_of)

    def values_in(self, sentence: str, of_user: bool) -> list[Value]:
        """Return the values of these kinds in ``sentence``, kind by kind."""
        triggers = _shapes_in(sentence)
        # Every value that an assistant states has a digit, a mark or a capital letter.
        if not of_user and not triggers:
            return []
        if "." not in sentence[:-1]:
            triggers -= _FULL_STOP
        triggers |= _word_beginnings(sentence)
        return list(find_values(self._announced_by(triggers), sentence))

    def _announced_by(self, triggers: frozenset[str]) -> list[Kind]:
        """Return the kinds with one of ``triggers``, in order: a sentence has few."""
        numbers = set[int]()
        for trigger in triggers & self._triggers:
            numbers.update(self._numbers_of[trigger])
        return [self.kinds[number] for number in sorted(numbers)]


# A sentence is asked for several groups of kinds, one after the other.
@lru_cache(maxsize=16)
def _shapes_in(sentence: str) -> frozenset[str]:
    """Return the shapes of a sentence that are triggers: "at Gate B4" -> "0" and "A"."""
    triggers = set(_MARKS.intersection(sentence))
    if _DIGIT.search(sentence):
        triggers.add("0")
    if _CAPITAL.search(sentence):
        triggers.add("A")
    return frozenset(triggers)


@lru_cache(maxsize=16)
def _word_beginnings(sentence: str) -> frozenset[str]:
    return frozenset(_BEGINNINGS.in_text(sentence.lower()))


def _beginnings_of_chunk(chunk: str) -> Iterator[str]:
    for word in _LETTERS.findall(chunk):
        yield word[:TRIGGER_CHARS]


_BEGINNINGS = FoundInChunks(_beginnings_of_chunk)
