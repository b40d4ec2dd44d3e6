"""Dates and times of day, each in one spelling.

A date is its day, its month and its year, in this order, so that "12 ʘ5" for 12 May stands
in "12 ʘ5 1990". A time is one word: "17ʘ30" for 5:30 pm.
"""

import re

from memviz.core.text.letters import MARK, remove_accents
from memviz.core.text.value_kinds import ALNUM, WORD_CHARS, YEAR, ValueKind
from memviz.core.text.value_words import MONTH_NUMBERS, SHARED_MONTHS

_LONGEST_FIRST = sorted(MONTH_NUMBERS, key=len, reverse=True)
_MONTH = f"(?i:{'|'.join(_LONGEST_FIRST)}|märz|f[ée]vrier|août|d[ée]cembre|março)"
# A word as long as the names of months, with the point or comma behind it: "May", "septiembre,". That no number follows
# is seen sooner than that the word is none of so many names.
_MAYBE_MONTH = r"[^\s\d]{3,14}"
_DAY = r"\d{1,2}"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|\.)?"
_SPOKEN_HALF = "上午|早上|凌晨|下午|晚上|傍晚|中午"
_LATER_HALF = ("下午", "晚上", "傍晚", "中午")
_NOON = "中午"
_HAN_MINUTES = {"半": "30", "一刻": "15", "1刻": "15", "三刻": "45", "3刻": "45"}


def _spell_date(day: str | None, month: int, year: str | None) -> str:
    parts = (str(int(day)) if day else None, f"{MARK}{month}", year)
    return " " + " ".join(part for part in parts if part) + " "


def _spell_named_date(day: str | None, month: str, year: str | None) -> str:
    number = MONTH_NUMBERS[remove_accents(month.casefold())]
    return _spell_date(day, number, year)


def _is_date(day: str, month: str) -> bool:
    return 1 <= int(day) <= 31 and 1 <= int(month) <= 12


def _spell_iso_date(match: re.Match[str]) -> str:
    day = match["iso_day"]
    month = match["iso_month"]
    if not _is_date(day, month):
        return match.group()
    return _spell_date(day, int(month), match["iso_year"])


def _spell_numeric_date(match: re.Match[str]) -> str:
    """Return the date in day, month, year; one word where nobody says which number is the day.

    12.05.1990 and 25/12/1990 are clear; 12/05/1990 is the 12th of May or the 5th of December.
    """
    first = match["first"]
    second = match["second"]
    year = match["year"]
    # 49 is 2049, 50 is 1950: birthdays lie behind, appointments ahead.
    if len(year) == 2:
        century = "20" if int(year) < 50 else "19"
        year = century + year
    # Dates with points are German, where the day comes first.
    if match["part"] == "." or int(first) > 12:
        day = first
        month = second
    elif int(second) > 12:
        day = second
        month = first
    elif first == second:
        return _spell_date(first, int(second), year)
    else:
        return f" {join_slashed_date(int(first), int(second), year)} "
    if not _is_date(day, month):
        return match.group()
    return _spell_date(day, int(month), year)


def join_slashed_date(first: int, second: int, year: str) -> str:
    """Return the one word for a date of which nobody says whether its day or its month
    comes first: "1990ʘ12ʘ5" for 12/05/1990."""
    return f"{year}{MARK}{first}{MARK}{second}"


def _spell_han_date(match: re.Match[str]) -> str:
    month = int(match["han_month"])
    if not 1 <= month <= 12:
        return match.group()
    return _spell_date(match["han_day"], month, match["han_year"])


def _spell_month_first(match: re.Match[str]) -> str:
    # "May 12", but neither "may 12 people" nor "march 5 miles".
    if match["month"].islower() and match["month"] in SHARED_MONTHS:
        return match.group()
    return _spell_named_date(match["month_day"], match["month"], match["month_year"])


def _spell_time(hour: int, minute: str | None, half: str | None) -> str:
    """Return a time by the 24-hour clock; ``half`` is "a" for am, "p" for pm."""
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return f" {hour}{MARK}{int(minute or 0):02} "


def _spell_hour_and_minute(match: re.Match[str]) -> str:
    hour = int(match["hour"])
    if hour > 24:
        return match.group()
    minute = match["minute"] or match["dot_minute"]
    half = (match["half"] or "").lower()
    return _spell_time(hour, minute, half)


def _spell_whole_hour(match: re.Match[str]) -> str:
    hour = int(match["whole_hour"])
    if not 1 <= hour <= 12:
        return match.group()
    return _spell_time(hour, None, match["whole_half"].lower())


def _spell_han_time(match: re.Match[str]) -> str:
    hour = match["han_hour"]
    half = match["han_half"]
    minute = match["han_minute"] or _HAN_MINUTES.get(match["han_rest"] or "")
    says_time = half or minute or match.group().endswith(("钟", "整"))
    if not says_time:
        # "3点" may be an item of a list as well.
        return f" {hour} {match.group().lstrip('0123456789')}"
    is_late_morning = half == _NOON and int(hour) >= 10
    is_later = half in _LATER_HALF and not is_late_morning
    return _spell_time(int(hour), minute, "p" if is_later else None)


# "1990-05-12", "2024/3/5", "2024-03-05T10:00"
_ISO_DATE = rf"""
    (?<![{WORD_CHARS}-])(?P<iso_year>\d{{4}})(?P<iso_part>[-/.])
    (?P<iso_month>\d{{1,2}})(?P=iso_part)(?P<iso_day>\d{{1,2}})
    (?: (?=T\d) T? | (?![{WORD_CHARS}-]) )
"""
# "12.05.1990", "25/12/1990", "12/5/90"
_NUMERIC_DATE = rf"""
    (?<![{WORD_CHARS}./-])(?P<first>\d{{1,2}})(?P<part>[./-])(?P<second>\d{{1,2}})(?P=part)
    (?P<year>\d{{4}}|(?<=/)\d\d)(?![{WORD_CHARS}]|[./-]\d)
"""
# "2024年3月5日", "3月5号", "3月"
_HAN_DATE = r"""
    (?:(?P<han_year>\d{4})[ ]?年[ ]?)?(?<!\d)(?P<han_month>\d{1,2})[ ]?月
    (?:[ ]?(?P<han_day>\d{1,2})[ ]?[日号])?
"""
# "12 May 1990", "12th of May", "12. Mai", "12 de mayo de 1990"
_DAY_FIRST = rf"""
    (?<![{WORD_CHARS}.,:/-])(?P<day>{_DAY}){_ORDINAL}[ ]?-?(?:of[ ]|de[ ])?
    (?P<day_month>{_MONTH})(?!{ALNUM})\.?
    (?:[ ,-]{{1,2}}(?:de[l]?[ ]|of[ ])?(?P<day_year>{YEAR})(?![{WORD_CHARS}:]))?
"""
# "May 12th, 1990", "May 12"
_MONTH_FIRST = rf"""
    (?<!{ALNUM})(?={_MAYBE_MONTH}[ ](?:the[ ])?\d)(?P<month>{_MONTH})\.?[ ](?:the[ ])?
    (?P<month_day>{_DAY})(?:st|nd|rd|th)?(?![{WORD_CHARS}:€$%]|[.,]\d)
    (?:,?[ ](?P<month_year>{YEAR})(?![{WORD_CHARS}:]))?
"""
# "May 1990", "Mai, 1990", "mayo de 1990"
_MONTH_AND_YEAR = rf"""
    (?<!{ALNUM})(?={_MAYBE_MONTH}[ ,]{{0,2}}(?:of[ ]|de[l]?[ ])?\d)
    (?P<only_month>{_MONTH})\.?[ ,]{{1,2}}(?:of[ ]|de[l]?[ ])?
    (?P<only_year>{YEAR})(?![{WORD_CHARS}:])
"""
# "17:30", "5:30 pm", "5.30 p.m.", "17.30 Uhr", the time of "2024-03-05T10:00"
_HOUR_AND_MINUTE = rf"""
    (?:(?<![{WORD_CHARS}:.,])|(?<=\dT))(?P<hour>\d{{1,2}})(?:[:：](?P<minute>[0-5]\d)(?::[0-5]\d)?
        |[.](?P<dot_minute>[0-5]\d)(?=[ ]?(?:[apAP]\.?[mM]|Uhr)))
    (?:[ ]?(?:(?P<half>[apAP])\.?[mM](?:\.|(?!{ALNUM}))|Uhr(?!{ALNUM})|h(?!{ALNUM})))?(?![\d:])
"""
# "5 pm", but not the "5 am" of the German "am Montag"
_WHOLE_HOUR = rf"""
    (?<![{WORD_CHARS}:.,])(?P<whole_hour>\d{{1,2}})[ ]?(?P<whole_half>[apAP])\.?[mM](?:\.|(?!{ALNUM}))
    (?![ ](?:Mon|Diens|Mitt|Donn|Frei|Sams|Sonn|Abend|Morgen|Nach|Vor|Wochen|\d))
"""
# "17 Uhr", "17 Uhr 30", "17h30"
_GERMAN_TIME = rf"""
    (?<![{WORD_CHARS}:.,])(?P<uhr>\d{{1,2}})[ ]?(?:Uhr|h(?=\d\d))[ ]?
    (?P<uhr_minute>[0-5]\d)?(?![{WORD_CHARS}])
"""
# "5 o'clock"
_FULL_HOUR = rf"""
    (?<![{WORD_CHARS}:.,])(?P<oclock>\d{{1,2}})[ ]?o['’]clock(?!{ALNUM})
"""
# "晚上8点半", "3点一刻", "8点05分", "8点钟"
_HAN_TIME = rf"""
    (?P<han_half>{_SPOKEN_HALF})?(?<!\d)(?P<han_hour>\d{{1,2}})[点點](?![半]?[多钟]?[个])
    (?:(?P<han_rest>半|[一1]刻|[三3]刻)|(?P<han_minute>\d{{1,2}})分?)?[钟整]?
"""
DATES_AND_TIMES = (
    ValueKind("iso_year", _ISO_DATE, _spell_iso_date),
    ValueKind("first", _NUMERIC_DATE, _spell_numeric_date),
    ValueKind("han_month", _HAN_DATE, _spell_han_date),
    ValueKind(
        "day",
        _DAY_FIRST,
        lambda match: _spell_named_date(
            match["day"], match["day_month"], match["day_year"]
        ),
    ),
    ValueKind("month", _MONTH_FIRST, _spell_month_first),
    ValueKind(
        "only_month",
        _MONTH_AND_YEAR,
        lambda match: _spell_named_date(None, match["only_month"], match["only_year"]),
    ),
    ValueKind("hour", _HOUR_AND_MINUTE, _spell_hour_and_minute),
    ValueKind("whole_hour", _WHOLE_HOUR, _spell_whole_hour),
    ValueKind(
        "uhr",
        _GERMAN_TIME,
        lambda match: _spell_time(int(match["uhr"]), match["uhr_minute"], None),
    ),
    ValueKind(
        "oclock",
        _FULL_HOUR,
        lambda match: _spell_time(int(match["oclock"]), None, None),
    ),
    ValueKind("han_hour", _HAN_TIME, _spell_han_time),
)
