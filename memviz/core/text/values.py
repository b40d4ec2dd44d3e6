"""Values as values: a text in which amounts, dates, times, telephone numbers and codes have one spelling each.

    >>> plain_values("On May 12th, 1990 at 5:30 pm I paid €3k for QX7-R4M")
    'On 12 ʘ5 1990 at 17ʘ30 I paid 3000 ʘeur for QX7R4M'

The letter ʘ marks what no text says by itself.

Of the libraries that read values, dateparser and python-dateutil read one date that they are handed, not those of a
text; phonenumbers takes 5 MB and finds numbers without a plus sign only when it is told their country; text2num reads
one language that it is told. A text here says neither its language nor its country, and tens of thousands are read.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from memviz.core.text.dates_and_times import DATES_AND_TIMES
from memviz.core.text.digits import has_digit
from memviz.core.text.numbers_and_codes import NUMBERS_AND_CODES
from memviz.core.text.respelling import respell_values
from memviz.core.text.value_kinds import ValueKind
from memviz.core.text.value_words import MEASURE_WORDS

_NUMERALS = "零〇一二两三四五六七八九十百千万亿"
_NUMERAL = f"[{_NUMERALS}]"
_HAS_DIGIT_OR_NUMERAL = re.compile(rf"[\d{_NUMERALS}]")
_DIGITS = re.compile(r"\d+")
_WORDS_BEFORE = 3
_WORDS_BEHIND = 2
# Numerals with places, digits in a row, and single ones: "三千", "一九九零", the 三 of
# "三个", "5点三刻", "下午三点" and "三月五日"
_HAN_VALUE = re.compile(
    rf"{_NUMERAL}*[十百千万亿]{_NUMERAL}*|[零〇一二三四五六七八九]{{3,}}"
    rf"|(?<![第星期周礼拜])[二两三四五六七八九]"
    rf"(?=[{MEASURE_WORDS}])"
    r"|(?<=[\d点])[一二三四五六七八九](?=[分刻])|(?<=[上下]午)[一二两三四五六七八九](?=点)|(?<=[年月])[一二三四五六七八九](?=[月日号])"
    r"|[一二三四五六七八九](?=月[\d一二三四五六七八九十初])"
)
# "very", "in case", "by all means", "millionaire", "the Arabian Nights"
_NO_NUMERAL = re.compile(
    r"十分(?!钟|之)|万一|千万(?![元块个人])|百万(?=富翁)|一千零一夜"
)
_HAN_DIGITS = {numeral: digit for digit, numeral in enumerate("零一二三四五六七八九")}
_HAN_DIGITS |= {"〇": 0, "两": 2}
_HAN_PLACES = {"十": 10, "百": 100, "千": 1000}
_HAN_MULTIPLES = {"万": 10_000, "亿": 100_000_000}
_LONE_PLACES = ("万", "亿", "千", "百")
"""Places that stand alone behind digits, which take them as their multiple: "3万"."""


# "https://x.org/2024-03-05", "ana.7@x.org": what looks like a value in it is none
_ADDRESS = r"""
    (?P<kept>https?://\S+ | (?<![^\s(<\["'“])[^\s@]+@[^\s@]+)
"""
_KINDS = (
    ValueKind("kept", _ADDRESS, lambda match: match.group()),
    *DATES_AND_TIMES,
    *NUMBERS_AND_CODES,
)


def unify_values(text: str) -> str:
    """Return ``text`` with one spelling for each value. Texts without digits and Chinese
    numerals stay as they are."""
    text = respell_values(text)
    if not _may_have_value(text):
        return text
    if not text.isascii():
        text = _HAN_VALUE.sub(_spell_in_digits, text)
    # Only the stretches around digits are read with the patterns, which are slow; the rest is copied.
    parts = []
    end = 0
    for start, stop in _find_stretches(text):
        parts += [text[end:start], _spell_stretch(text[start:stop])]
        end = stop
    return "".join([*parts, text[end:]])


def _may_have_value(text: str) -> bool:
    if text.isascii():
        return has_digit(text)
    return _HAS_DIGIT_OR_NUMERAL.search(text) is not None


@cache
def _value_pattern() -> re.Pattern[str]:
    # Compiled when the first text with a digit is read: that takes a while.
    return re.compile("|".join(kind.pattern for kind in _KINDS), re.VERBOSE)


def _spell_stretch(stretch: str) -> str:
    # No value goes across the end of a line.
    return "\n".join(map(_spell_line, stretch.split("\n")))


@lru_cache(maxsize=16_384)
def _spell_line(line: str) -> str:
    # A summary repeats most lines of the one before.
    return _value_pattern().sub(_spell_value, line)


def _spell_value(match: re.Match[str]) -> str:
    for kind in _KINDS:
        if match[kind.group] is not None:
            return kind.spell(match)
    return match.group()


def _find_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the digits of ``text``, each with the few words around it that may
    belong to its value.

    The patterns are tried at every character, so they are not tried anywhere else. In "I
    have paid the sum of 3 euros to you all today" the stretch is "the sum of 3 euros to".
    """
    # The stretch so far; a further number within it, or close behind it, makes it longer.
    start = 0
    stop = 0
    for digits in _DIGITS.finditer(text):
        # A few words behind the digits.
        last = digits.end()
        for _ in range(_WORDS_BEHIND + 1):
            last = text.find(" ", last + 1)
            if last < 0:
                last = len(text)
                break
        # Behind the stretch so far: a few words before the digits, which may touch it.
        if digits.start() >= stop:
            first = digits.start()
            for _ in range(_WORDS_BEFORE + 1):
                first = max(text.rfind(" ", 0, first), 0)
            if first > stop or not stop:
                if stop:
                    yield start, stop
                start = first
        stop = last
    if stop:
        yield start, stop


def _spell_in_digits(match: re.Match[str]) -> str:
    """Return a Chinese numeral in digits: 三千 is 3000, 一九九零 is 1990."""
    numeral = match.group()
    if _NO_NUMERAL.match(match.string, match.start()):
        return numeral
    # Without 十 or 百 the signs are digits one after the other, as in years.
    has_places = any(sign in _HAN_PLACES or sign in _HAN_MULTIPLES for sign in numeral)
    if not has_places:
        return "".join(str(_HAN_DIGITS[sign]) for sign in numeral)
    if numeral in _LONE_PLACES:
        return numeral
    return str(_read_han_number(numeral))


def _read_han_number(numeral: str) -> int:
    """Return the value of a Chinese numeral with places: 三千 is 3000, 十三 is 13, and 一万二,
    which leaves its last place out, is 12,000."""
    # ``section`` is what stands below 万, ``digit`` waits for its place, ``last_place`` is the value of the place
    # before.
    total = 0
    section = 0
    digit = 0
    last_place = 0
    for sign in numeral:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
            last_place = 1 if sign in "零〇" else last_place
        elif sign in _HAN_PLACES:
            last_place = _HAN_PLACES[sign]
            section += (digit or 1) * last_place
            digit = 0
        else:
            last_place = _HAN_MULTIPLES[sign]
            total = (total + (section + digit or 1)) * last_place
            section = 0
            digit = 0
    # 一万二 leaves out 千, the place below 万: its last digit counts a tenth of the place before.
    shortened = last_place // 10 if last_place >= 100 else 1
    return total + section + digit * shortened
