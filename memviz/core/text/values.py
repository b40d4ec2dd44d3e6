"""Values as values: a text in which amounts, dates, times, telephone numbers and codes have one spelling each.

    >>> plain_values("On May 12th, 1990 at 5:30 pm I paid €3k for QX7-R4M")
    'On 12 ʘ5 1990 at 17ʘ30 I paid 3000 ʘeur for QX7R4M'

A date is its day, its month and its year, in this order, so that "12 May" stands in "12 May 1990". A time is one word,
and so is a telephone number, without its country, and a code. An amount is its number and what it is an amount of.
The letter ʘ marks what no text says by itself.

Of the libraries that read values, dateparser and python-dateutil read one date that they are handed, not those of a
text; phonenumbers takes 5 MB and finds numbers without a plus sign only when it is told their country; text2num reads
one language that it is told. A text here says neither its language nor its country, and tens of thousands are read.
"""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache, lru_cache

from memviz.core.text.digits import has_digit
from memviz.core.text.letters import MARK, plain_letters, respelled
from memviz.core.text.value_words import (
    CURRENCIES,
    MEASURE_WORDS,
    MONTH_NUMBERS,
    SHARED_MONTHS,
    UNITS,
)

_NUMERALS = "零〇一二两三四五六七八九十百千万亿"
_NUMERAL = f"[{_NUMERALS}]"
_HAS_DIGIT_OR_NUMERAL = re.compile(rf"[\d{_NUMERALS}]")
_DIGITS = re.compile(r"\d+")
_WORDS_BEFORE = 3
_WORDS_BEHIND = 2
_MONTH = f"(?i:{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))}|märz|f[ée]vrier|août|d[ée]cembre|março)"
_W = "0-9A-Za-z_\u00c0-\u024f"
_ALNUM = "[0-9A-Za-z\u00c0-\u024f]"
"""A Chinese character beside a value is no part of it."""
_DAY = r"\d{1,2}"
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|\.)?"
_NUMBER = r"(?:\d{1,3}(?:[,，'’\u00a0\u202f]\d{3}(?!\d))+|\d{1,40})(?:[.,\uff0e\u066b]\d{1,40})*"


def _spelled(spellings: dict[str, str]) -> str:
    """A pattern for the keys, of which those that are letters end where a word does."""
    letters = sorted(
        (
            re.escape(one)
            for one in spellings
            if one[-1].isascii() and one[-1].isalpha()
        ),
        key=len,
    )
    others = sorted(
        (
            re.escape(one)
            for one in spellings
            if not (one[-1].isascii() and one[-1].isalpha())
        ),
        key=len,
    )
    return rf"(?:{'|'.join(reversed(others))}|(?i:{'|'.join(reversed(letters))})(?!{_ALNUM}))"


_CURRENCY = _spelled(CURRENCIES)
_UNIT = _spelled(UNITS)
_SPOKEN_HALF = "上午|早上|凌晨|下午|晚上|傍晚|中午"
_VALUE = rf"""
    (?P<kept>https?://\S+ | (?<![^\s(<\["'“])[^\s@]+@[^\s@]+)
  | (?<![{_W}-])(?P<iso_year>\d{{4}})(?P<iso_part>[-/.])(?P<iso_month>\d{{1,2}})(?P=iso_part)(?P<iso_day>\d{{1,2}})
        (?: (?=T\d) T? | (?![{_W}-]) )
  | (?<![{_W}./-])(?P<first>\d{{1,2}})(?P<part>[./-])(?P<second>\d{{1,2}})(?P=part)
        (?P<year>\d{{4}}|(?<=/)\d\d)(?![{_W}]|[./-]\d)
  | (?:(?P<han_year>\d{{4}})[ ]?年[ ]?)?(?<!\d)(?P<han_month>\d{{1,2}})[ ]?月(?:[ ]?(?P<han_day>\d{{1,2}})[ ]?[日号])?
  | (?<![{_W}.,:/-])(?P<day>{_DAY}){_ORDINAL}[ ]?-?(?:of[ ]|de[ ])?(?P<day_month>{_MONTH})(?!{_ALNUM})\.?
        (?:[ ,-]{{1,2}}(?:de[l]?[ ]|of[ ])?(?P<day_year>{_YEAR})(?![{_W}:]))?
  | (?<!{_ALNUM})(?P<month>{_MONTH})\.?[ ](?:the[ ])?(?P<month_day>{_DAY})(?:st|nd|rd|th)?(?![{_W}:€$%]|[.,]\d)
        (?:,?[ ](?P<month_year>{_YEAR})(?![{_W}:]))?
  | (?<!{_ALNUM})(?P<only_month>{_MONTH})\.?[ ,]{{1,2}}(?:of[ ]|de[l]?[ ])?(?P<only_year>{_YEAR})(?![{_W}:])
  | (?:(?<![{_W}:.,])|(?<=\dT))(?P<hour>\d{{1,2}})(?:[:：](?P<minute>[0-5]\d)(?::[0-5]\d)?
            |[.](?P<dot_minute>[0-5]\d)(?=[ ]?(?:[apAP]\.?[mM]|Uhr)))
        (?:[ ]?(?:(?P<half>[apAP])\.?[mM](?:\.|(?!{_ALNUM}))|Uhr(?!{_ALNUM})|h(?!{_ALNUM})))?(?![\d:])
  | (?<![{_W}:.,])(?P<whole_hour>\d{{1,2}})[ ]?(?P<whole_half>[apAP])\.?[mM](?:\.|(?!{_ALNUM}))
        (?![ ](?:Mon|Diens|Mitt|Donn|Frei|Sams|Sonn|Abend|Morgen|Nach|Vor|Wochen|\d))
  | (?<![{_W}:.,])(?P<uhr>\d{{1,2}})[ ]?(?:Uhr|h(?=\d\d))[ ]?(?P<uhr_minute>[0-5]\d)?(?![{_W}])
  | (?<![{_W}:.,])(?P<oclock>\d{{1,2}})[ ]?o['’]clock(?!{_ALNUM})
  | (?P<han_half>{_SPOKEN_HALF})?(?<!\d)(?P<han_hour>\d{{1,2}})[点點](?![半]?[多钟]?[个])
        (?:(?P<han_rest>半|[一1]刻|[三3]刻)|(?P<han_minute>\d{{1,2}})分?)?[钟整]?
  | (?<![{_W}.,:/-])(?P<abroad>(?:\+|00)[1-9](?:[ ().\-/\u00a0\u2011]{{0,2}}\d){{6,16}})(?![{_W}])
  | (?<![{_W}.,:/+-])(?=(?:[() .\-\u00a0\u2011]{{0,2}}\d){{7}})(?!{_YEAR}(?:[ .\-\u00a0]{_YEAR})*(?!\d))
        (?P<grouped>(?:\(\d{{1,5}}\)[ ]?)?\d{{1,5}}(?:[ .\-\u00a0\u2011]\d{{2,5}}){{1,5}})
        (?!{_ALNUM}|[.,:/-]\d|[ ]?{_CURRENCY})
  | (?<![{_W}@./+-])(?P<code>[A-Za-z0-9]+(?:[-\u2010\u2011][A-Za-z0-9]+)+)(?![@{_W}-])
  | (?<!{_ALNUM})[vV](?P<version>{_NUMBER})(?!{_ALNUM})
  | (?:(?<!{_ALNUM})(?=[^\d\s]{{1,8}}[ \u00a0\u202f]?\d)(?P<before>{_CURRENCY})[ \u00a0\u202f]?)?(?<!{_ALNUM}|[.,])
        (?P<number>(?:\d{{1,3}}(?:[ ]\d{{3}})+(?=[ ]?{_CURRENCY})|{_NUMBER}))
        (?: (?P<ordinal>st|nd|rd|th)(?!{_ALNUM})
          | [ \u00a0\u202f]?(?P<times>
                (?:[kK]|[tT]housand|[mM]illions?|[mM]io|bn|[bB]illion|[mM]illionen|[tT]ausend|mil)(?!{_ALNUM})
                |[万亿千]))?
        (?:[ \u00a0\u202f]?(?P<after>{_CURRENCY}|{_UNIT}))?
    """
"""Is compiled when the first text with a digit is read: that takes a while."""
_TIMES = {
    "k": 1000, "thousand": 1000, "tausend": 1000, "mil": 1000, "千": 1000, "万": 10_000, "million": 1_000_000,
    "millions": 1_000_000, "millionen": 1_000_000, "mio": 1_000_000, "亿": 100_000_000,
    "bn": 1_000_000_000, "billion": 1_000_000_000,
}  # fmt: skip
_HAN_VALUE = re.compile(
    rf"{_NUMERAL}*[十百千万亿]{_NUMERAL}*|[零〇一二三四五六七八九]{{3,}}"
    rf"|(?<![第星期周礼拜])[二两三四五六七八九]"
    rf"(?=[{MEASURE_WORDS}])"
    r"|(?<=[\d点])[一二三四五六七八九](?=[分刻])|(?<=[上下]午)[一二两三四五六七八九](?=点)|(?<=[年月])[一二三四五六七八九](?=[月日号])"
    r"|[一二三四五六七八九](?=月[\d一二三四五六七八九十初])"
)
_NO_NUMERAL = re.compile(
    r"十分(?!钟|之)|万一|千万(?![元块个人])|百万(?=富翁)|一千零一夜"
)
_HAN_DIGITS = {
    character: number for number, character in enumerate("零一二三四五六七八九")
} | {"〇": 0, "两": 2}
_HAN_PLACES = {"十": 10, "百": 100, "千": 1000}
_COUNTRY_CODE = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}"
)
"""Of the numbering plan of the world, ITU-T E.164."""
_LATER_HALF = ("下午", "晚上", "傍晚", "中午")


def plain_values(text: str) -> str:
    """``text`` with one spelling for each value. Texts without digits and Chinese numerals stay as they are."""
    text = respelled(text)
    if not _may_have_value(text):
        return text
    if not text.isascii():
        text = _HAN_VALUE.sub(_in_digits, text)
    parts = []
    done = 0
    for start, stop in _stretches(text):
        parts += [text[done:start], _plain_stretch(text[start:stop])]
        done = stop
    return "".join([*parts, text[done:]])


def _may_have_value(text: str) -> bool:
    if text.isascii():
        return has_digit(text)
    return _HAS_DIGIT_OR_NUMERAL.search(text) is not None


@cache
def _value_pattern() -> re.Pattern[str]:
    return re.compile(_VALUE, re.VERBOSE)


@lru_cache(maxsize=16_384)
def _plain_stretch(stretch: str) -> str:
    """A stretch with its values in their one spelling; a summary repeats those of the one before."""
    return _value_pattern().sub(_plain, stretch)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """The places of the digits of ``text``, each with the few words around it that may belong to its value: all
    patterns are tried at every character, so they are not tried anywhere else."""
    start = stop = 0
    for digits in _DIGITS.finditer(text):
        last = digits.end()
        for _ in range(_WORDS_BEHIND + 1):
            last = text.find(" ", last + 1)
            if last < 0:
                last = len(text)
                break
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


def _in_digits(match: re.Match[str]) -> str:
    numeral = match.group()
    if _NO_NUMERAL.match(match.string, match.start()):
        return numeral
    if not any(character in "十百千万亿" for character in numeral):
        return "".join(str(_HAN_DIGITS[character]) for character in numeral)
    if numeral in (
        "万",
        "亿",
        "千",
        "百",
    ):  # behind digits, which take it as their multiple
        return numeral
    return str(_han_number(numeral))


def _han_number(numeral: str) -> int:
    """The value of a Chinese numeral with places, such as 三千, 十三 or 一万二 (12,000)."""
    total = section = digit = last_place = 0
    for character in numeral:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
            last_place = 1 if character in "零〇" else last_place
        elif character in _HAN_PLACES:
            last_place = _HAN_PLACES[character]
            section += (digit or 1) * last_place
            digit = 0
        else:
            last_place = 10_000 if character == "万" else 100_000_000
            total = (total + (section + digit or 1)) * last_place
            section = digit = 0
    shortened = last_place // 10 if last_place >= 100 else 1
    return total + section + digit * shortened


def _plain(match: re.Match[str]) -> str:
    """The one spelling of what the pattern found, with spaces that keep it apart from its neighbours."""
    for name, spell in _SPELLERS:
        if match[name] is not None:
            return spell(match)
    return match.group()


def _kept(match: re.Match[str]) -> str:
    return match.group()


def _date(day: str | None, month: int, year: str | None) -> str:
    parts = (str(int(day)) if day else None, f"{MARK}{month}", year)
    return " " + " ".join(part for part in parts if part) + " "


def _is_date(day: str, month: str) -> bool:
    return 1 <= int(day) <= 31 and 1 <= int(month) <= 12


def _iso_date(match: re.Match[str]) -> str:
    day = match["iso_day"]
    month = match["iso_month"]
    return (
        _date(day, int(month), match["iso_year"])
        if _is_date(day, month)
        else match.group()
    )


def _numeric_date(match: re.Match[str]) -> str:
    """12/05/1990 is the 12th of May or the 5th of December, and stays one word; 12.05.1990 and 25/12/1990 are clear."""
    first = match["first"]
    second = match["second"]
    year = match["year"]
    if len(year) == 2:
        year = f"{'20' if int(year) < 50 else '19'}{year}"
    if match["part"] == "." or int(first) > 12:
        return (
            _date(first, int(second), year)
            if _is_date(first, second)
            else match.group()
        )
    if int(second) > 12:
        return (
            _date(second, int(first), year)
            if _is_date(second, first)
            else match.group()
        )
    if first == second:
        return _date(first, int(second), year)
    return f" {slashed_date(int(first), int(second), year)} "


def slashed_date(first: int, second: int, year: str) -> str:
    """The one word for a date of which nobody says whether its day or its month comes first."""
    return f"{year}{MARK}{first}{MARK}{second}"


def _han_date(match: re.Match[str]) -> str:
    if not 1 <= int(match["han_month"]) <= 12:
        return match.group()
    return _date(match["han_day"], int(match["han_month"]), match["han_year"])


def _named_date(day: str | None, month: str, year: str | None) -> str:
    return _date(day, _month_number(month), year)


def _month_first(match: re.Match[str]) -> str:
    """May 12; but neither "may 12 people" nor "march 5 miles"."""
    if match["month"].islower() and match["month"] in SHARED_MONTHS:
        return match.group()
    return _named_date(match["month_day"], match["month"], match["month_year"])


def _month_number(name: str) -> int:
    return MONTH_NUMBERS[plain_letters(name.casefold())]


def _clock(hour: int, minute: str | None, half: str | None) -> str:
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return f" {hour}{MARK}{int(minute or 0):02} "


def _time(match: re.Match[str]) -> str:
    hour = int(match["hour"])
    if hour > 24:
        return match.group()
    return _clock(
        hour, match["minute"] or match["dot_minute"], (match["half"] or "").lower()
    )


def _whole_hour(match: re.Match[str]) -> str:
    hour = int(match["whole_hour"])
    return (
        _clock(hour, None, match["whole_half"].lower())
        if 1 <= hour <= 12
        else match.group()
    )


def _german_time(match: re.Match[str]) -> str:
    return _clock(int(match["uhr"]), match["uhr_minute"], None)


def _full_hour(match: re.Match[str]) -> str:
    return _clock(int(match["oclock"]), None, None)


def _han_time(match: re.Match[str]) -> str:
    rests = {"半": "30", "一刻": "15", "1刻": "15", "三刻": "45", "3刻": "45"}
    half = match["han_half"]
    if (
        half is None
        and match["han_minute"] is None
        and match["han_rest"] is None
        and not match.group().endswith(("钟", "整"))
    ):
        return f" {match['han_hour']} {match.group().lstrip('0123456789')}"
    minute = match["han_minute"] or rests.get(match["han_rest"] or "")
    later = half in _LATER_HALF and not (
        half == "中午" and int(match["han_hour"]) >= 10
    )
    return _clock(int(match["han_hour"]), minute, "p" if later else None)


def _number_abroad(match: re.Match[str]) -> str:
    """A telephone number without the code of its country, and without the 0 that only those at home dial."""
    digits = "".join(filter(str.isdigit, match["abroad"].replace("(0)", "")))
    digits = digits.removeprefix("00") if match["abroad"].startswith("00") else digits
    country = _COUNTRY_CODE.match(digits)
    return f" {digits[country.end() if country else 0 :].lstrip('0')} "


def _grouped_digits(match: re.Match[str]) -> str:
    """A telephone number, or that of a card, in groups; years in a row are none, nor are thousands."""
    groups = re.findall(r"\d+", match["grouped"])
    if "." in match["grouped"] and all(len(group) == 3 for group in groups[1:]):
        return match.group()
    if match["grouped"][0] == "(":  # those at home leave its area out
        return f" {groups[0]} {''.join(groups[1:])} "
    digits = "".join(groups)
    return f" {digits[1:] if digits[0] == '0' else digits} "


def _code(match: re.Match[str]) -> str:
    """A code without its hyphens: of capital letters and digits, or with a part that mixes letters and digits."""
    code = match["code"]
    parts = re.split("[-\u2010\u2011]", code)
    has_both = any(map(str.isdigit, code)) and any(map(str.isalpha, code))
    mixed = any(is_mixed(part) for part in parts)
    if has_both and (code.upper() == code or mixed):
        return f" {''.join(parts)} "
    return " ".join(parts)


def is_mixed(part: str) -> bool:
    """Return whether letters and digits alternate as in a code: R4M, but not 40GB, 16th, or word2."""
    return re.search(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d|^[A-Z]\d", part) is not None


def _version(match: re.Match[str]) -> str:
    return f" {match['version']} "


def _amount(match: re.Match[str]) -> str:
    number = match["number"]
    times = (match["times"] or "").lower().rstrip(".")
    currency = CURRENCIES.get((match["before"] or "").lower())
    after = (match["after"] or "").lower()
    kind = currency or CURRENCIES.get(after) or UNITS.get(after)
    plain = plain_number(number, is_amount=kind is not None or bool(times))
    if times:
        plain = f"{Decimal(plain) * _TIMES[times]:f}" if plain.count(".") < 2 else plain
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    if kind:
        return f" {plain} {MARK}{kind} "
    return f" {plain} " if times or match["ordinal"] else match.group()


def plain_number(number: str, *, is_amount: bool = False) -> str:
    """A number without separators of thousands, with a point before its decimals; of an amount also without zeros at
    their end (2.50 euros are 2.5 euros, but version 2.10 is not 2.1)."""
    groups = re.split(
        r"\D", "".join(str(int(c)) if c.isdecimal() else c for c in number)
    )
    whole = "".join(groups[:-1])
    last = groups[-1]
    in_thousands = all(len(group) == 3 for group in groups[1:-1])
    if len(groups) == 1:
        return last[1:] if len(last) == 2 and last[0] == "0" else last  # 09:05 is 9:05
    if in_thousands and len(last) == 3 and groups[0][0] != "0":
        return whole + last
    if not in_thousands:
        return ".".join(groups)
    needless = is_amount or len(groups) > 2 or last.strip("0") == ""
    return f"{whole}.{last.rstrip('0') if needless else last}".rstrip(".")


_SPELLERS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    ("kept", _kept),
    ("iso_year", _iso_date),
    ("first", _numeric_date),
    ("han_month", _han_date),
    (
        "day",
        lambda match: _named_date(match["day"], match["day_month"], match["day_year"]),
    ),
    ("month", _month_first),
    (
        "only_month",
        lambda match: _named_date(None, match["only_month"], match["only_year"]),
    ),
    ("hour", _time),
    ("whole_hour", _whole_hour),
    ("uhr", _german_time),
    ("oclock", _full_hour),
    ("han_hour", _han_time),
    ("abroad", _number_abroad),
    ("grouped", _grouped_digits),
    ("code", _code),
    ("version", _version),
    ("number", _amount),
)
