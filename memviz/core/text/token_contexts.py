"""Tokens that only their neighbours explain: names and months that are words, and numbers in
several words.

- ``["three", "thousand", "two", "hundred"]`` is one token, ``3200``.
- ``["in", "May"]`` names a month, ``["May", "I"]`` none.
- ``["Mark", "said"]`` names somebody, ``["Mark", "the", "date"]`` nobody.
"""

from collections.abc import Iterator, Sequence

from memviz.core.text.letters import MARK, remove_accents
from memviz.core.text.value_words import (
    AFTER_A_WORD,
    BEFORE_A_MONTH,
    CURRENCIES,
    JOINING,
    MONTH_NUMBERS,
    MULTIPLES,
    NAMES_THAT_ARE_WORDS,
    ONES,
    SHARED_MONTHS,
    SMALL_NUMBERS,
    TENS,
    UNITS,
)

_ALSO_WORDS = ("real", "won", "min", "quid")
KINDS = {
    spelling: name
    for spelling, name in (CURRENCIES | UNITS).items()
    if spelling.isascii()
    and spelling.isalpha()
    and len(spelling) > 2
    and spelling not in _ALSO_WORDS
}
"""Words that say of what an amount is, wherever they stand; shorter ones do so behind a number only."""
NAME_TOKENS = frozenset(
    form for name in NAMES_THAT_ARE_WORDS for form in (name.capitalize(), name.upper())
)
_LARGE = MULTIPLES.keys() | TENS.keys()
READ_IN_CONTEXT = (
    NAME_TOKENS
    | frozenset(form for word in _LARGE for form in (word, word.capitalize()))
    | frozenset(month.capitalize() for month in SHARED_MONTHS)
)
"""Tokens that cannot be read alone: names that are words, numbers in several words, months that are words."""


def read_tokens_in_context(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the ``tokens`` of a text. A name or a month that is a word as well is told from it
    by its neighbours; a number in several words becomes one token."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        word = token.lower()
        may_be_number = word in ONES or word in SMALL_NUMBERS
        # Most tokens mean the same whatever stands beside them.
        if token not in READ_IN_CONTEXT and not may_be_number:
            yield token
            index += 1
            continue
        length, number = _read_spoken_number(tokens, index)
        if length > 1:
            yield str(number)
            index += length
            continue
        before = tokens[index - 1] if index else ""
        behind = tokens[index + 1] if index + 1 < len(tokens) else ""
        yield _read_between(token, before, behind)
        index += 1


def _read_spoken_number(tokens: Sequence[str], start: int) -> tuple[int, int]:
    """Return how many tokens from ``start`` on say one number, and this number.

    "three thousand two hundred" -> (4, 3200); "twenty one boxes" -> (2, 21);
    "boxes" -> (0, 0).
    """
    # ``total`` holds what a large word has closed (three thousand), ``group`` what is below it so far (two hundred).
    total = 0
    group = 0
    used_count = 0
    index = start
    # The kind of the number word before: "", "small", "tens" or "large".
    before = ""
    while index < len(tokens):
        word = remove_accents(tokens[index].casefold())
        # "two hundred and five", but not "two hundred and we left".
        if before in ("large", "tens") and word in JOINING:
            if not _begins_with_small_number(tokens[index + 1 :]):
                break
            index += 1
            continue
        # A multiple alone is a number in lower case only: "Million" may be a name.
        may_be_large = bool(before) or tokens[index][:1].islower()
        kind, number = _read_number_word(word, before, may_be_large=may_be_large)
        if not kind:
            break
        if kind != "large":
            group = group + number
        # Hundreds stand below thousands: two hundred thousand, three thousand two hundred.
        elif number == 100:
            group = (group or 1) * 100
        else:
            total = total + (group or 1) * number
            group = 0
        before = kind
        index += 1
        used_count = index - start
    return used_count, total + group


def _read_number_word(word: str, before: str, *, may_be_large: bool) -> tuple[str, int]:
    """Return the kind of a number word and its number, if it can follow a word of the kind ``before``; else ("", 0).

    "twenty" behind nothing -> ("tens", 20); "hundred" behind "small" -> ("large", 100).
    """
    if word in MULTIPLES and may_be_large:
        return "large", MULTIPLES[word]
    if word in TENS and before in ("", "large"):
        return "tens", TENS[word]
    small = SMALL_NUMBERS.get(word, ONES.get(word))
    if small is not None and _may_follow(small, before):
        return "small", small
    return "", 0


def _may_follow(small: int, before: str) -> bool:
    # "twenty one" and "hundred twelve" are numbers, "twenty twelve" and "two three" none
    return before in ("", "large") or (before == "tens" and small <= 9)


def _begins_with_small_number(tokens: Sequence[str]) -> bool:
    # ["twenty", "boxes"] -> True; ["thousand"] -> False
    if not tokens:
        return False
    word = remove_accents(tokens[0].casefold())
    return word in SMALL_NUMBERS or word in TENS or word in ONES


def _read_between(token: str, before: str, behind: str) -> str:
    """Return the token as its neighbours explain it.

    "in May" -> the month 5; "May I" -> "may", the word; "Will Smith" -> "Will", the name.
    """
    word = token.lower()
    may_be_month = word in SHARED_MONTHS and token[0].isupper()
    if may_be_month and before.lower() in BEFORE_A_MONTH:
        return f"{MARK}{MONTH_NUMBERS[word]}"
    if token not in NAME_TOKENS:
        return token
    # "US" is no "us".
    follows_word = behind.lower() in AFTER_A_WORD and not behind.isupper()
    is_word = follows_word or behind == "I"
    return word if is_word else word.capitalize()
