"""Texts of others without what a terminal would obey."""

import unicodedata

_OBEYED = ("Cc", "Cs", "Zl", "Zp")
"""Categories of letters that a terminal obeys."""
_TURNS_TEXT_ROUND = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def remove_control_characters(text: str, *, keep: str = "") -> str:
    """Return ``text`` without what a terminal would obey: control characters, and marks that reorder what follows."""
    if text.isascii() and text.isprintable():
        return text
    letters = []
    for letter in text:
        is_control = unicodedata.category(letter) in _OBEYED
        is_obeyed = is_control or letter in _TURNS_TEXT_ROUND
        if letter in keep or not is_obeyed:
            letters.append(letter)
    return "".join(letters)


def put_on_one_line(text: str) -> str:
    """Return visible text with white space of any kind as single spaces."""
    return " ".join(remove_control_characters(" ".join(text.split())).split())
