"""Amounts, telephone numbers and codes, each in one spelling.

An amount is its number and what it is an amount of: "3000 ʘeur" for €3k. A telephone number
is one word without its country, and so is a code: "QX7R4M" for QX7-R4M.
"""

import re
from collections.abc import Iterable
from decimal import Decimal

from memviz.core.text.letters import MARK
from memviz.core.text.value_kinds import ALNUM, WORD_CHARS, YEAR, ValueKind
from memviz.core.text.value_words import CURRENCIES, UNITS

# "3,000", "3'000", "3,000.50", "2.5"
_NUMBER = r"(?:\d{1,3}(?:[,，'’\u00a0\u202f]\d{3}(?!\d))+|\d{1,40})(?:[.,\uff0e\u066b]\d{1,40})*"
_TIMES = {
    "k": 1000, "thousand": 1000, "tausend": 1000, "mil": 1000, "千": 1000, "万": 10_000, "million": 1_000_000,
    "millions": 1_000_000, "millionen": 1_000_000, "mio": 1_000_000, "亿": 100_000_000,
    "bn": 1_000_000_000, "billion": 1_000_000_000,
}  # fmt: skip
_COUNTRY_CODE = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}"
)
"""The codes of the numbering plan of the world, ITU-T E.164: "1", "49", "351"."""
# "R4M", "4X7", "B2", but not "40GB", "16th", "word2"
_MIXED = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d|^[A-Z]\d")


def _any_of(spellings: Iterable[str]) -> str:
    """Return a pattern for these spellings, the longest first. Those that are letters end
    where a word does: "m" is none of "more"."""
    # The longest first, since a pattern takes the first alternative that fits: "km" before "k".
    words = []
    signs = []
    for spelling in sorted(map(re.escape, spellings), key=len):
        if spelling[-1].isascii() and spelling[-1].isalpha():
            words.append(spelling)
        else:
            signs.append(spelling)
    signs_pattern = "|".join(reversed(signs))
    words_pattern = "|".join(reversed(words))
    return rf"(?:{signs_pattern}|(?i:{words_pattern})(?!{ALNUM}))"


_CURRENCY = _any_of(CURRENCIES)
_UNIT = _any_of(UNITS)


def _spell_number_abroad(match: re.Match[str]) -> str:
    """Return a telephone number without the code of its country, and without the 0 that only
    those at home dial."""
    number = match["abroad"]
    digits = "".join(filter(str.isdigit, number.replace("(0)", "")))
    if number.startswith("00"):
        digits = digits.removeprefix("00")
    country = _COUNTRY_CODE.match(digits)
    if country:
        digits = digits[country.end() :]
    return f" {digits.lstrip('0')} "


def _spell_grouped_digits(match: re.Match[str]) -> str:
    """Return the number of a telephone or a card, which stands in groups; thousands, as in
    "12.500.000", are none."""
    grouped = match["grouped"]
    groups = re.findall(r"\d+", grouped)
    if "." in grouped and all(len(group) == 3 for group in groups[1:]):
        return match.group()
    if grouped[0] == "(":
        # Those at home leave the area out.
        return f" {groups[0]} {''.join(groups[1:])} "
    return f" {''.join(groups).removeprefix('0')} "


def _spell_code(match: re.Match[str]) -> str:
    """Return a code without its hyphens: capital letters and digits, or a part that mixes
    letters and digits. Other words with hyphens become several words."""
    code = match["code"]
    parts = re.split("[-\u2010\u2011]", code)
    has_both = any(map(str.isdigit, code)) and any(map(str.isalpha, code))
    is_mixed = any(_MIXED.search(part) for part in parts)
    if has_both and (code.upper() == code or is_mixed):
        return f" {''.join(parts)} "
    return " ".join(parts)


def _spell_amount(match: re.Match[str]) -> str:
    times = (match["times"] or "").lower().rstrip(".")
    before = (match["before"] or "").lower()
    after = (match["after"] or "").lower()
    kind = CURRENCIES.get(before) or CURRENCIES.get(after) or UNITS.get(after)
    number = unify_number(match["number"], is_amount=bool(kind or times))
    # "1.2 million" is 1200000; of "1.2.3 million" nobody knows the value.
    if times and number.count(".") < 2:
        number = f"{Decimal(number) * _TIMES[times]:f}"
    if times and "." in number:
        number = number.rstrip("0").rstrip(".")
    if kind:
        return f" {number} {MARK}{kind} "
    if times or match["ordinal"]:
        return f" {number} "
    return match.group()


def unify_number(number: str, *, is_amount: bool = False) -> str:
    """Return a number without separators of thousands, with a point before its decimals; of
    an amount also without zeros at their end.

    2.50 euros are 2.5 euros, but version 2.10 is not 2.1; 09 in 09:05 is 9.
    """
    ascii_number = "".join(
        str(int(sign)) if sign.isdecimal() else sign for sign in number
    )
    groups = re.split(r"\D", ascii_number)
    whole = "".join(groups[:-1])
    last = groups[-1]
    # One group of digits: "09" is 9, as in 09:05, but "007" stays.
    if len(groups) == 1:
        return last[1:] if len(last) == 2 and last[0] == "0" else last
    # "3,600" and "3.600" are thousands; "0.125" is not, nor is "3.60".
    in_thousands = all(len(group) == 3 for group in groups[1:-1])
    if in_thousands and len(last) == 3 and groups[0][0] != "0":
        return whole + last
    if not in_thousands:
        return ".".join(groups)
    has_needless_zeros = is_amount or len(groups) > 2 or last.strip("0") == ""
    if has_needless_zeros:
        last = last.rstrip("0")
    return f"{whole}.{last}".rstrip(".")


# "+49 (0)30 1234567", "0049 30 1234567"
_NUMBER_ABROAD = rf"""
    (?<![{WORD_CHARS}.,:/-])(?P<abroad>(?:\+|00)[1-9](?:[ ().\-/\u00a0\u2011]{{0,2}}\d){{6,16}})
    (?![{WORD_CHARS}])
"""
# "(030) 123 4567", "555 123 4567", but neither "1999 2000 2001" nor "3 600 euros"
_GROUPED_DIGITS = rf"""
    (?<![{WORD_CHARS}.,:/+-])(?=(?:[() .\-\u00a0\u2011]{{0,2}}\d){{7}})
    (?!{YEAR}(?:[ .\-\u00a0]{YEAR})*(?!\d))
    (?P<grouped>(?:\(\d{{1,5}}\)[ ]?)?\d{{1,5}}(?:[ .\-\u00a0\u2011]\d{{2,5}}){{1,5}})
    (?!{ALNUM}|[.,:/-]\d|[ ]?{_CURRENCY})
"""
# "QX7-R4M", "well-known"
_CODE = rf"""
    (?<![{WORD_CHARS}@./+-])(?P<code>[A-Za-z0-9]+(?:[-\u2010\u2011][A-Za-z0-9]+)+)
    (?![@{WORD_CHARS}-])
"""
# "v1.2.0"
_VERSION = rf"""
    (?<!{ALNUM})[vV](?P<version>{_NUMBER})(?!{ALNUM})
"""
# "€3k", "3,000 euros", "2.5 million", "3rd", "40GB", "12 500 €"
_AMOUNT = rf"""
    (?:(?<!{ALNUM})(?=[^\d\s]{{1,8}}[ \u00a0\u202f]?\d)(?P<before>{_CURRENCY})[ \u00a0\u202f]?)?
    (?<!{ALNUM}|[.,])(?P<number>(?:\d{{1,3}}(?:[ ]\d{{3}})+(?=[ ]?{_CURRENCY})|{_NUMBER}))
    (?: (?P<ordinal>st|nd|rd|th)(?!{ALNUM})
      | [ \u00a0\u202f]?(?P<times>
            (?:[kK]|[tT]housand|[mM]illions?|[mM]io|bn|[bB]illion|[mM]illionen|[tT]ausend|mil)(?!{ALNUM})
            |[万亿千]))?
    (?:[ \u00a0\u202f]?(?P<after>{_CURRENCY}|{_UNIT}))?
"""
NUMBERS_AND_CODES = (
    ValueKind("abroad", _NUMBER_ABROAD, _spell_number_abroad),
    ValueKind("grouped", _GROUPED_DIGITS, _spell_grouped_digits),
    ValueKind("code", _CODE, _spell_code),
    ValueKind("version", _VERSION, lambda match: f" {match['version']} "),
    ValueKind("number", _AMOUNT, _spell_amount),
)
