"""Values in a second notation are put into the first, which the patterns of values read.

4'7" becomes "4 ft 7", "an hour and a half" becomes "1.5 hour", and 百分之五 becomes "5%".
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from memviz.core.text.digits import has_digit
from memviz.core.text.letters import join_slashed_numbers
from memviz.core.text.value_words import number_of_word

_I = re.IGNORECASE
_SMALL_NUMBERS = {
    "an": 1,
    "a": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_SMALL_NUMBERS)})"
_TIME = r"(?P<unit>hours?|days?|weeks?|months?|years?)"
_MORE_HALF = re.compile(r"and[ -]a[ -]half", _I)
# "two and a half hours"
_AND_A_HALF = re.compile(rf"\b{_COUNT}[ -]and[ -]a[ -]half[ -]{_TIME}\b", _I)
# "an hour and a half"
_THEN_A_HALF = re.compile(rf"\b{_COUNT}[ -]{_TIME} and a half\b", _I)
# "half an hour", "half-hour"
_HALF_HOUR = re.compile(r"\bhalf(?:[ -]an?)?[ -]hours?\b", _I)
# "half past seven", "a quarter to six", "twenty past 4"
_SPOKEN_TIME = re.compile(
    r"\b(?:half past|(?:a )?quarter (?P<side>past|to)"
    # "at ten to seven", "ten to seven in the evening", but no "ten to seven people"
    r"|(?:(?<=at )|(?=[\w-]+ (?:past|to) \w+ (?:in the|at night|[ap]m\b)))"
    r"(?:(?P<minutes>five|ten|twenty(?:[ -]five)?) past|(?P<to>ten) to))"
    r" (?P<hour>[a-z]{3,}|\d{1,2})\b",
    _I,
)
_SPOKEN_MINUTES = {"five": 5, "ten": 10, "twenty": 20}
_HOURS = range(1, 24)
# "three quarters of an hour", "a quarter of an hour"
_THREE_QUARTERS = re.compile(r"\bthree[ -]quarters of an hour\b", _I)
_QUARTER = re.compile(r"\b(?:a )?quarter of an hour\b", _I)
_HALF_A_DOZEN = re.compile(r"\bhalf(?: a |-)dozen\b", _I)
_BAKERS_DOZEN = re.compile(r"\ba baker['’]s dozen\b", _I)
# "a dozen", "one good dozen"
_DOZEN = re.compile(r"\b(?:a|one) (?:good |full )?dozen\b", _I)
# "3 dozen", "four dozen"
_MORE_DOZENS = re.compile(r"\b(?P<count>\d{1,3}|[a-z]{3,6})[ -]dozen\b", _I)
_PER_CENT = re.compile("per cent")
# "20 degrees celsius"
_DEGREES = re.compile(r"\bdegrees? (c|f|celsius|fahrenheit|centigrade)\b", _I)
# "Nov '27"
_SHORT_YEAR = re.compile(r"(?<=[a-z.] )['’](\d\d)(?![\w'’])")
# 4'7", 5'11
_FEET = re.compile(r"""(?<![\w.,'’])(?P<feet>\d{1,2})[ ]?['’\u2032][ ]?(?P<inches>\d{1,2})(?:["”\u2033]|['’]{2}"
r"|(?!\w))""")
# the feet of "10' x 12'"
_ONE_FOOT = re.compile(
    r"(?<![\w.,'’])(\d{1,3})['’\u2032](?=\s?[x×])|(?<=[x×] )(\d{1,3})['’\u2032](?!\w)"
)
# "10 x" of "10 x 12 m", "3m×" of "3m×4m"
_AREA = re.compile(
    r"(?P<one>\d[\d.]*) ?(?P<unit>[a-z]{1,6}|米|厘米)? ?(?:x|×|by|乘) ?(?=\d)", _I
)
_MAY_BE_FEET = re.compile(r"\d ?['’\u2032]")
# "7 o'clock in the evening", "9 at night"
_MAY_BE_HALF_OF_DAY = re.compile(r"\d (?:o['’]clock )?(?:in the |at night)", _I)
# "7 in the evening", "9:30 o'clock at night"
_HALF_OF_DAY = re.compile(
    r"\b(?P<time>\d{1,2}(?::[0-5]\d)?)(?: o['’]clock)? (?:in the (?P<part>morning|afternoon|evening)"
    r"|at (?P<night>night))\b",
    _I,
)
_FIRST_HOUR_OF_MORNING = 6
# "3/5", a day and a month or a fraction
_TWO_PARTS = re.compile(
    r"(?<![0-9A-Za-z./$€£-])(?P<first>\d{1,2})/(?P<second>\d{1,2})(?![0-9A-Za-z/]|\.\d)"
)
_FORMAL_NUMERALS = str.maketrans(
    "壹贰叁肆伍陆柒捌玖拾佰仟圆", "一二三四五六七八九十百千元"
)
# as on a receipt: 壹万贰仟圆整
_MAY_BE_FORMAL = re.compile("[壹贰叁肆伍陆柒捌玖拾佰仟]{2}|[壹贰叁肆伍陆柒捌玖][万圆]")
# 百分之五, 百分之12.5
_PERCENT = re.compile(r"百分之(?P<number>[\d.]+|[零一二三四五六七八九十百点]+)")
_HAN_DIGITS = str.maketrans("零一二三四五六七八九点", "0123456789.")
# 星期一, 礼拜天
_WEEKDAY = re.compile("(?:星期|礼拜)(?=[一二三四五六日天])")
_SUNDAY = re.compile("周天")
# 三个半小时
_HAN_HALVES = re.compile(
    "(?P<count>[一二两三四五六七八九]|\\d{1,2})个半(?=小时|钟头|月)"
)
# 半小时, 半个钟头
_HAN_HALF = re.compile("(?<!个)半个?(?:小时|钟头)")
# the 个 of 三个小时
_HAN_HOURS = re.compile(r"(?<=[\d一二两三四五六七八九十])个(?=小时|钟头)")


_Replacement = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


class _Rule(NamedTuple):
    """Patterns that are tried together."""

    cues: tuple[str, ...]
    """Letters of which a text has some where any of the patterns matches."""
    replacements: tuple[_Replacement, ...]
    """The patterns in order, each with what takes the place of a match."""
    mark: re.Pattern[str] | None = None
    """What such a text has besides, where the cues are in many texts that no pattern matches."""


def may_be_respelled(chunk: str) -> bool:
    """Return whether :func:`respell_values` may change an ASCII text without digits that has this chunk between its
    spaces: "half-hour", "past", "dozen,"."""
    return _CUE_IN_CHUNK.search(chunk) is not None


def respell_values(text: str) -> str:
    """Return ``text`` with its values in the notation that :mod:`memviz.core.text.values`
    reads."""
    text = _apply_rules(_RULES, text)
    has_digits = has_digit(text)
    if has_digits:
        text = _apply_rules(_RULES_FOR_DIGITS, text)
    if not text.isascii():
        if _MAY_BE_FORMAL.search(text):
            text = text.translate(_FORMAL_NUMERALS)
        text = _apply_rules(_RULES_FOR_CHINESE, text)
    if has_digits and "/" in text:
        text = _TWO_PARTS.sub(_spell_slashed_parts, text)
    return text


def _apply_rules(rules: Iterable[_Rule], text: str) -> str:
    for cues, replacements, mark in rules:
        if _contains_any(cues, text) and (not mark or mark.search(text)):
            for pattern, replacement in replacements:
                text = pattern.sub(replacement, text)
    return text


def _contains_any(cues: Iterable[str], text: str) -> bool:
    # Each text is asked a dozen times: a loop takes a third of what any() does.
    for cue in cues:
        if cue in text:
            return True
    return False


def _spell_half_more(match: re.Match[str]) -> str:
    # "two and a half hours" -> "2.5 hours"
    count = match["count"].lower()
    return f"{_SMALL_NUMBERS.get(count, count)}.5 {match['unit']}"


def _spell_han_half_more(match: re.Match[str]) -> str:
    # 三个半 -> "3.5"
    count = match["count"].replace("两", "二")
    return f"{count.translate(_HAN_DIGITS)}.5"


def _spell_clock_time(match: re.Match[str]) -> str:
    """Return a spoken time in digits: "half past seven" is 7:30, "a quarter to six" 5:45."""
    spoken_hour = match["hour"].lower()
    if spoken_hour.isdigit():
        hour: int | None = int(spoken_hour)
    else:
        hour = _SMALL_NUMBERS.get(spoken_hour) or number_of_word(spoken_hour)
    if hour is None or hour not in _HOURS:
        return match.group()
    # The hour before one o'clock is twelve.
    hour_before = hour - 1 or 12
    if match["to"]:
        return f"{hour_before}:50"
    if match["minutes"]:
        words = re.split("[ -]", match["minutes"].lower())
        minutes = sum(_SPOKEN_MINUTES[word] for word in words)
        return f"{hour}:{minutes:02}"
    if match["side"] is None:
        return f"{hour}:30"
    if match["side"].lower() == "past":
        return f"{hour}:15"
    return f"{hour_before}:45"


def _spell_dozens(match: re.Match[str]) -> str:
    # "four dozen" -> "48"
    count = match["count"].lower()
    number = int(count) if count.isdigit() else number_of_word(count)
    return match.group() if number is None else str(12 * number)


def _add_half_of_day(match: re.Match[str]) -> str:
    # "7 in the evening" -> "7 pm", "3 at night" -> "3 am"
    is_early = (match["part"] or "").lower() == "morning"
    if match["night"]:
        hour, _, _ = match["time"].partition(":")
        is_early = int(hour) < _FIRST_HOUR_OF_MORNING
    return f"{match['time']} {'am' if is_early else 'pm'}"


def _spell_han_percent(match: re.Match[str]) -> str:
    # 百分之五 -> "5%"; 百分之十五 -> 十五%, whose numeral is read with its places
    number = match["number"]
    if number[0].isascii() or "十" in number or "百" in number:
        return f"{number}%"
    return f"{number.translate(_HAN_DIGITS)}%"


def _spell_slashed_parts(match: re.Match[str]) -> str:
    return f" {join_slashed_numbers(int(match['first']), int(match['second']))} "


_RULES = (
    _Rule(
        ("alf",),
        ((_AND_A_HALF, _spell_half_more), (_THEN_A_HALF, _spell_half_more)),
        _MORE_HALF,
    ),
    _Rule(("alf",), ((_HALF_HOUR, "30 minutes"),)),
    _Rule(
        ("uarter ", "uarters "),
        ((_THREE_QUARTERS, "45 minutes"), (_QUARTER, "15 minutes")),
    ),
    _Rule(("uarter ", " past ", "ten to "), ((_SPOKEN_TIME, _spell_clock_time),)),
    _Rule(
        ("dozen",),
        (
            (_HALF_A_DOZEN, "6"),
            (_BAKERS_DOZEN, "13"),
            (_DOZEN, "12"),
            (_MORE_DOZENS, _spell_dozens),
        ),
    ),
    _Rule(("per cent",), ((_PER_CENT, "percent"),)),
    _Rule(("degree",), ((_DEGREES, lambda match: f"°{match[1][0]}"),)),
)


def _part_in_chunk(cue: str) -> str:
    """Return the pattern of the longest part of a cue within the chunk that it stands in: ``ten$`` for "ten to ",
    ``^past$`` for " past ", ``dozen`` for "dozen"."""
    parts = cue.split(" ")
    longest = max(parts, key=len)
    start = "^" if parts[0] != longest else ""
    end = "$" if parts[-1] != longest else ""
    return f"{start}{longest}{end}"


_CUE_IN_CHUNK = re.compile(
    "|".join({_part_in_chunk(cue) for rule in _RULES for cue in rule.cues})
)
_RULES_FOR_DIGITS = (
    _Rule(
        ("'", "’", "\u2032"),
        (
            (_FEET, r"\g<feet> ft \g<inches>"),
            (_ONE_FOOT, lambda match: f"{match[1] or match[2]} ft"),
        ),
        _MAY_BE_FEET,
    ),
    _Rule(("'", "’"), ((_SHORT_YEAR, r"20\1"),)),
    _Rule(("×", "x", " by ", "乘"), ((_AREA, r"\g<one> by "),)),
    _Rule(
        (" in the ", " at night"),
        ((_HALF_OF_DAY, _add_half_of_day),),
        _MAY_BE_HALF_OF_DAY,
    ),
)
_RULES_FOR_CHINESE = (
    _Rule(("百分之",), ((_PERCENT, _spell_han_percent),)),
    _Rule(("星期", "礼拜", "周天"), ((_WEEKDAY, "周"), (_SUNDAY, "周日"))),
    _Rule(
        ("半", "个小时"),
        ((_HAN_HALVES, _spell_han_half_more), (_HAN_HALF, "30分钟"), (_HAN_HOURS, "")),
    ),
)
