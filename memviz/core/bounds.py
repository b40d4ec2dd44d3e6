"""The bounds of numbers, nestings and quotations that come from outside.

Whatever a model, a link, a file or the database gives is held against these bounds where it enters, so that nothing
behind has to expect a number that SQLite, numpy or a browser cannot hold, or a depth that no recursion survives.
"""

import json
from reprlib import Repr
from typing import Any

LARGEST_NUMBER = 2**53 - 1
"""The largest whole number that all of them hold exactly: SQLite, numpy, Arrow, JSON and JavaScript."""
MAX_DIGITS = 15
"""Digits of the longest numbers that are all within :data:`LARGEST_NUMBER`."""
MAX_DEPTH = 100
"""Nesting of lists and objects. Real conversations and settings stay below 20."""
_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} deep."
MAX_QUOTED_CHARS = 80
MAX_USD = 1e9
"""Dollars of a price for a million tokens, or of a budget."""
MAX_SECONDS = 1e9
"""Thirty years."""


class _Short(Repr):
    """The standard library's short form, which does not stumble on a number too long to be written out."""

    def repr_int(self, x: int, level: int) -> str:
        if abs(x) >= 10**100:
            return f"a number of {x.bit_length()} bits"
        return super().repr_int(x, level)


_short = _Short()
_short.maxlevel = 2
_short.maxstring = MAX_QUOTED_CHARS
_short.maxother = MAX_QUOTED_CHARS
_short.maxlong = 40


def is_whole_number(value: object) -> bool:
    """True if ``value`` is a whole number (none of ``True`` and ``False``) that can be held everywhere."""
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and abs(value) <= LARGEST_NUMBER
    )


def whole_number(text: str) -> int:
    """The number that ``text`` writes with decimal digits alone. Raises :class:`ValueError` with a sentence."""
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise ValueError(
            f"{quoted(text)} is not a whole number of at most {MAX_DIGITS} digits."
        )
    return int(text)


def quoted(value: object) -> str:
    """``value`` as a sentence may quote it: a long or deep one is cut, and never written out as a whole first."""
    return _short.repr(value)[: 2 * MAX_QUOTED_CHARS]


def type_of(value: object) -> str:
    """The type of ``value`` as a sentence says it: ``an int``, ``a list``; ``None`` is itself."""
    if value is None:
        return "None"
    name = type(value).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    return f"{article} {name}"


def is_deeper(value: Any, max_depth: int = MAX_DEPTH) -> bool:
    """True if lists and objects are nested deeper than this. ``value`` may be nested without end."""
    # Level by level: to go down one branch after the other would need a stack as deep as the value.
    level = [value]
    depth = 0
    while level and depth <= max_depth:
        children: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                children += item.values()
            elif isinstance(item, list):
                children += item
        level = children
        depth += 1
    return bool(level)


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises :class:`ValueError` with a sentence for what is no JSON, nested too deeply or
    holds a number that is too large."""
    try:
        value = json.loads(
            text, parse_int=_within, parse_constant=_no_number, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not JSON: {error}.") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if is_deeper(value):
        raise ValueError(_TOO_DEEP)
    return value


def _within(digits: str) -> int:
    if len(digits) > MAX_DIGITS + 2 or not is_whole_number(int(digits)):
        raise ValueError(f"the number {quoted(digits)} is too large.")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    return number if abs(number) <= LARGEST_NUMBER else _no_number(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{quoted(name)} is not a number, or too large.")
