"""Texts with a digit: asked of every text before patterns for values are tried in it."""

import re

_DIGIT = re.compile(r"\d")
_ASCII_DIGITS = "0123456789"


def has_digit(text: str) -> bool:
    """Return whether ``text`` has a digit, of any script."""
    # Ten searches for one letter each take a tenth of the time of the pattern.
    if text.isascii():
        return any(map(text.__contains__, _ASCII_DIGITS))
    return _DIGIT.search(text) is not None
