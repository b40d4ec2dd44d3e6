"""The description of a kind of value, and the patterns that several kinds share."""

import re
from collections.abc import Callable
from typing import NamedTuple

WORD_CHARS = "0-9A-Za-z_\u00c0-\u024f"
ALNUM = "[0-9A-Za-z\u00c0-\u024f]"
"""A Chinese character beside a value is no part of it."""
YEAR = r"(?:19|20)\d\d"


class ValueKind(NamedTuple):
    """One kind of value, such as a date with the name of its month."""

    group: str
    """A group of ``pattern`` that is in every match of it, and in no other kind's."""
    pattern: str
    """A verbose pattern. All kinds are tried as one pattern, the first that fits counts."""
    spell: Callable[[re.Match[str]], str]
    """Returns the one spelling of a match, with spaces that keep it apart from its
    neighbours; the match as it is where it is no such value after all."""
