"""What a kind of labelled value is: the words that announce it, and the pattern of its sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memviz.transcripts.base import Category

CODE, PHONE, PERSONAL, PERSON, PLACE, CHOICE, WHEN, DAY, AGE = (
    6.0,
    6.0,
    5.0,
    4.0,
    4.0,
    3.0,
    2.5,
    2.0,
    0.5,
)
SOFTWARE, EXCLUDED, MONEY, TIME, COUNT, DETAIL = 4.5, 4.0, 3.5, 2.5, 2.0, 2.0
"""How telling a value of each kind is, where there are too many."""
TRIGGER_CHARS = 4


class Labelled(NamedTuple):
    """A value, where it stands in its sentence, and how telling it is."""

    category: Category
    start: int
    stop: int
    weight: float
    hint: str = ""
    """What it is, for a question whose own words do not say it: "I'm in ___ (group)"."""


def anything(value: str) -> bool:
    """The check of a kind whose pattern says enough."""
    return bool(value)


class Kind(NamedTuple):
    """Sentences in which a word begins with one of ``triggers`` are searched for ``pattern``, whose group ``value`` is
    the value if ``is_value`` takes it; its group ``label``, if it has one, or else ``hint`` says what the value is.

    ``0`` stands for any digit, ``A`` for a capital letter within a sentence, a mark such as ``@`` for itself.
    What the assistant says is searched unless only the user can know it (``of_user``)."""

    triggers: frozenset[str]
    pattern: re.Pattern[str]
    category: Category
    weight: float
    of_user: bool
    is_value: Callable[[str], bool]
    hint: str = ""

    def hint_of(self, match: re.Match[str]) -> str:
        """What the value of ``match`` is."""
        return match.groupdict().get("label") or self.hint


def kind(
    triggers: str,
    pattern: str,
    category: Category,
    weight: float,
    of_user: bool = True,
    is_value: Callable[[str], bool] = anything,
    hint: str = "",
) -> Kind:
    """A kind whose ``triggers`` are parted by spaces; its ``pattern`` is used without regard to case."""
    begun = frozenset(word[:TRIGGER_CHARS] for word in triggers.split())
    return Kind(
        begun,
        re.compile(pattern, re.IGNORECASE),
        category,
        weight,
        of_user,
        is_value,
        hint,
    )
