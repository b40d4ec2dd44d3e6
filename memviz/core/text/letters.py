"""Letters and spellings by which words and values are compared.

- Letters and endings: no accents, simplified Chinese characters, no plural.
- Values in a second notation are put into the first: 4'7" is 4 ft 7, "an hour and a half"
  1.5 hours, 百分之五 5%.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from memviz.core.text.digits import has_digit
from memviz.core.text.value_words import word_number
from memviz.core.text.vocabulary import words
from memviz.core.text.words import HAN

if TYPE_CHECKING:
    from opencc import OpenCC

# Less than a stemmer does, which makes one word of university and universe: an answer is known where its word is said,
# not one of the same family.
_NO_PLURALS = words(
    """lucas james thomas nicolas nicholas carlos marcos chris jonas tobias elias matthias mathias andreas agnes ines
    frances mercedes dolores charles jules hans jens lars niels nils klaus claus moses dallas texas kansas arkansas
    athens brussels naples cannes vegas angeles buenos aires wales cyprus williams edwards roberts peters daniels
    stevens adams marks phillips richards andrews matthews jacobs simons owens jones davis evans hughes rogers
    collins perkins watkins higgins hopkins robbins jenkins myles miles anders douglas silas atlas vilnius honduras
    bahamas alps news always perhaps christmas sometimes besides lens gas was has does his its this us less yes
    mars series species means physics mathematics economics towards afterwards overseas whereas bias canvas"""
)
_NO_INFLECTIONS = words(
    """evening wedding being outing inning earring herring sterling reading morning during nothing something anything
    everything bring spring string thing sing king ring wing swing cling sling sting hundred red bed shed sled
    sacred naked wicked beloved kindred biped reed seed feed need speed breed indeed exceed proceed succeed ted fred
    jared reuben mohamed ahmed mohammed alfred wilfred manfred winfred boeing beijing nanjing viking sterling
    darling sibling ceiling"""
)
_VOWEL = re.compile(r"[aeiouy]")
_SHORT = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")
_DOUBLED = re.compile(r"(?:[aeiouy].*)?(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")
_DOUBLED_L = re.compile(r".*[aeiouy][^aeiouy]+[aeiouy]ll$")
_WITHOUT_E = re.compile(r".*(?:[cvzu]|[dr]g|at|bl|iz|[aeiou]s)$")
_I = re.IGNORECASE
_SMALL = {
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
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_SMALL)})"
_TIME = r"(?P<unit>hours?|days?|weeks?|months?|years?)"
_AND_A_HALF = re.compile(r"and[ -]a[ -]half", _I)
_HALVES = (
    re.compile(rf"\b{_COUNT}[ -]and[ -]a[ -]half[ -]{_TIME}\b", _I),
    re.compile(rf"\b{_COUNT}[ -]{_TIME} and a half\b", _I),
)
_SPOKEN_TIME = re.compile(
    r"\b(?:half past|(?:a )?quarter (?P<side>past|to)"
    # "at ten to seven", "ten to seven in the evening", but no "ten to seven people"
    r"|(?:(?<=at )|(?=[\w-]+ (?:past|to) \w+ (?:in the|at night|[ap]m\b)))"
    r"(?:(?P<minutes>five|ten|twenty(?:[ -]five)?) past|(?P<to>ten) to))"
    r" (?P<hour>[a-z]{3,}|\d{1,2})\b",
    _I,
)
_MINUTES = {"five": 5, "ten": 10, "twenty": 20}
_QUARTERS = re.compile(
    r"\b(?:(?P<three>three)[ -]quarters|(?:a )?quarter) of an hour\b", _I
)
_MORE_DOZENS = re.compile(r"\b(?P<count>\d{1,3}|[a-z]{3,6})[ -]dozen\b", _I)
_DEGREES = re.compile(r"\bdegrees? (c|f|celsius|fahrenheit|centigrade)\b", _I)
_SHORT_YEAR = re.compile(r"(?<=[a-z.] )['’](\d\d)(?![\w'’])")
_DOZENS = (
    (re.compile(r"\bhalf(?: a |-)dozen\b", _I), "6"),
    (re.compile(r"\ba baker['’]s dozen\b", _I), "13"),
    (re.compile(r"\b(?:a|one) (?:good |full )?dozen\b", _I), "12"),
)
_HALF = re.compile(r"\bhalf(?:[ -]an?)?[ -]hours?\b", _I)
_FEET = re.compile(r"""(?<![\w.,'’])(?P<feet>\d{1,2})[ ]?['’\u2032][ ]?(?P<inches>\d{1,2})(?:["”\u2033]|['’]{2}"
r"|(?!\w))""")
_ONE_FOOT = re.compile(
    r"(?<![\w.,'’])(\d{1,3})['’\u2032](?=\s?[x×])|(?<=[x×] )(\d{1,3})['’\u2032](?!\w)"
)
_AREA = re.compile(
    r"(?P<one>\d[\d.]*) ?(?P<unit>[a-z]{1,6}|米|厘米)? ?(?:x|×|by|乘) ?(?=\d)", _I
)
_MAY_BE_FEET = re.compile(r"\d ?['’\u2032]")
_MAY_BE_HALF_OF_DAY = re.compile(r"\d (?:o['’]clock )?(?:in the |at night)", _I)
_HALF_OF_DAY = re.compile(
    r"\b(?P<time>\d{1,2}(?::[0-5]\d)?)(?: o['’]clock)? (?:in the (?P<part>morning|afternoon|evening)"
    r"|at (?P<night>night))\b",
    _I,
)
_FORMAL_NUMERALS = str.maketrans(
    "壹贰叁肆伍陆柒捌玖拾佰仟圆", "一二三四五六七八九十百千元"
)
_MAY_BE_FORMAL = re.compile("[壹贰叁肆伍陆柒捌玖拾佰仟]{2}|[壹贰叁肆伍陆柒捌玖][万圆]")
_PERCENT = re.compile(r"百分之(?P<number>[\d.]+|[零一二三四五六七八九十百点]+)")
_HAN_DIGITS = str.maketrans("零一二三四五六七八九点", "0123456789.")
_DAY_AND_MONTH = re.compile(
    r"(?<![0-9A-Za-z./$€£-])(?P<first>\d{1,2})/(?P<second>\d{1,2})(?![0-9A-Za-z/]|\.\d)"
)
_WEEKDAY = re.compile("(?:星期|礼拜)(?=[一二三四五六日天])")
_HAN_HALVES = re.compile(
    "(?P<count>[一二两三四五六七八九]|\\d{1,2})个半(?=小时|钟头|月)"
)
_HAN_HALF = re.compile("(?<!个)半个?(?:小时|钟头)")
_HAN_HOURS = re.compile(r"(?<=[\d一二两三四五六七八九十])个(?=小时|钟头)")
_HOURS = range(1, 24)
MARK = "ʘ"
"""A letter, so that it makes one word with what stands beside it."""


def uninflected(word: str) -> str:
    """``word``, in lower case and without accents, without the ending of a plural, of "-ing" or of "-ed"."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word[-1] == "s":
        return _singular(word)
    if word.endswith("ing") and len(word) > 4:
        return _base(word, word[:-3])
    if word.endswith("ed") and len(word) > 4:
        return _base(word, word[:-2])
    return _with_y(word)


def _singular(word: str) -> str:
    if word in _NO_PLURALS or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("xes", "ches", "shes", "sses", "zzes")) or (
        word.endswith("oes") and len(word) > 5
    ):
        return word[:-2]
    return _with_y(word[:-1])


def _with_y(word: str) -> str:
    # "movie" -> "movy", so that movie and movies end as berry and berries do.
    if len(word) > 4 and word.endswith("ie"):
        return f"{word[:-2]}y"
    return word


def _base(word: str, rest: str) -> str:
    if word in _NO_INFLECTIONS or not _VOWEL.search(rest):
        return word
    if word.endswith("eed"):
        return word[:-1]
    if word.endswith("ied"):
        return f"{word[:-3]}y"
    if _DOUBLED.search(rest) or _DOUBLED_L.match(rest):
        return rest[:-1]
    return f"{rest}e" if _SHORT.fullmatch(rest) or _WITHOUT_E.match(rest) else rest


_OTHER_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "\u0131": "i",
    }
)
"""Latin letters that Unicode does not compose of a letter and an accent."""

_LAST_LATIN = "\u024f"

_ADDITIONAL_LATIN = range(0x1E00, 0x1F00)


def plain_letters(word: str) -> str:
    """A word in lower case without the accents of its Latin letters: João is joao. Other scripts keep theirs, where a
    mark makes another letter."""
    if word.isascii():
        return word
    return "".join(_plain_letter(letter) for letter in word)


@cache
def _plain_letter(letter: str) -> str:
    if letter > _LAST_LATIN and ord(letter) not in _ADDITIONAL_LATIN:
        return letter
    base = unicodedata.normalize("NFD", letter)
    return "".join(part for part in base if not unicodedata.combining(part)).translate(
        _OTHER_LETTERS
    )


def simplified(text: str) -> str:
    """``text`` with simplified Chinese characters in place of traditional ones: 預算 is 预算."""
    if text.isascii() or not HAN.search(text):
        return text
    if all(_SIMPLIFIED[point] == point for point in map(ord, set(text))):
        return text
    return text.translate(_SIMPLIFIED)


class _Simplified(dict[int, int]):
    """Code point to code point. Fills itself: opencc is loaded for the first Chinese character, and asked once for
    each."""

    def __missing__(self, point: int) -> int:
        found = point
        if HAN.match(chr(point)):
            converted = _converter().convert(chr(point))
            found = ord(converted) if len(converted) == 1 else point
        self[point] = found
        return found


@cache
def _converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


_SIMPLIFIED = _Simplified()


def respelled(text: str) -> str:
    """``text`` with such values in the notation that :mod:`memviz.core.text.values` reads."""
    if "alf" in text:
        # To look for the words before and behind each of these takes ten times as long.
        if _AND_A_HALF.search(text):
            for pattern in _HALVES:
                text = pattern.sub(_half_more, text)
        text = _HALF.sub("30 minutes", text)
    # A text is read faster for a few letters than for a pattern.
    has_quarter = "uarter" in text
    if has_quarter:
        text = _QUARTERS.sub(_quarter_hours, text)
    if has_quarter or " past " in text or "ten to " in text:
        text = _SPOKEN_TIME.sub(_clock_time, text)
    if "dozen" in text:
        for pattern, number in _DOZENS:
            text = pattern.sub(number, text)
        text = _MORE_DOZENS.sub(_dozens, text)
    if "per cent" in text:
        text = text.replace("per cent", "percent")
    if "degree" in text:
        text = _DEGREES.sub(lambda match: f"°{match[1][0]}", text)
    has_digits = has_digit(text)
    if has_digits:
        text = _digits_respelled(text)
    if not text.isascii():
        text = _chinese_respelled(text)
    if has_digits and "/" in text:
        text = _DAY_AND_MONTH.sub(_slashed, text)
    return text


def _digits_respelled(text: str) -> str:
    """Most texts have no digit, and are not looked at for these."""
    if _MAY_BE_FEET.search(text):
        text = _FEET.sub(r"\g<feet> ft \g<inches>", text)
        text = _ONE_FOOT.sub(lambda match: f"{match[1] or match[2]} ft", text)
    if "'" in text or "’" in text:  # Nov '27
        text = _SHORT_YEAR.sub(r"20\1", text)
    if "×" in text or "x" in text or " by " in text or "乘" in text:
        text = _AREA.sub(r"\g<one> by ", text)
    if (" in the " in text or " at night" in text) and _MAY_BE_HALF_OF_DAY.search(text):
        text = _HALF_OF_DAY.sub(_with_half, text)
    return text


def _chinese_respelled(text: str) -> str:
    if _MAY_BE_FORMAL.search(text):  # as on a receipt: 壹万贰仟圆整
        text = text.translate(_FORMAL_NUMERALS)
    if "百分之" in text:
        text = _PERCENT.sub(_percent, text)
    if "星期" in text or "礼拜" in text or "周天" in text:
        text = _WEEKDAY.sub("周", text).replace("周天", "周日")
    if "半" in text or "个小时" in text:
        text = _HAN_HALVES.sub(_han_half_more, text)
        text = _HAN_HALF.sub("30分钟", text)
        text = _HAN_HOURS.sub("", text)
    return text


def slashed(first: int, second: int) -> str:
    """The one word for two small numbers with a slash between them: a day and a month, or a fraction."""
    return f"{MARK}{first}{MARK}{second}"


def _half_more(match: re.Match[str]) -> str:
    count = match["count"].lower()
    return f"{_SMALL.get(count, count)}.5 {match['unit']}"


def _han_half_more(match: re.Match[str]) -> str:
    return f"{match['count'].replace('两', '二').translate(_HAN_DIGITS)}.5"


def _clock_time(match: re.Match[str]) -> str:
    hour = match["hour"].lower()
    number = int(hour) if hour.isdigit() else _SMALL.get(hour) or word_number(hour)
    if number is None or number not in _HOURS:
        return match.group()
    if match["to"]:
        return f"{number - 1 or 12}:50"
    if match["minutes"]:
        minutes = re.split("[ -]", match["minutes"].lower())
        return f"{number}:{sum(map(_MINUTES.__getitem__, minutes)):02}"
    if match["side"] is None:
        return f"{number}:30"
    return (
        f"{number}:15" if match["side"].lower() == "past" else f"{number - 1 or 12}:45"
    )


def _quarter_hours(match: re.Match[str]) -> str:
    return "45 minutes" if match["three"] else "15 minutes"


def _dozens(match: re.Match[str]) -> str:
    count = match["count"].lower()
    number = int(count) if count.isdigit() else word_number(count)
    return match.group() if number is None else str(12 * number)


def _with_half(match: re.Match[str]) -> str:
    is_early = (match["part"] or "").lower() == "morning"
    if match["night"] and int(match["time"].partition(":")[0]) < 6:
        is_early = True
    return f"{match['time']} {'am' if is_early else 'pm'}"


def _percent(match: re.Match[str]) -> str:
    number = match["number"]
    if number[0].isascii():
        return f"{number}%"
    if "十" in number or "百" in number:
        return f"{number}%"  # is read with its places
    return f"{number.translate(_HAN_DIGITS)}%"


def _slashed(match: re.Match[str]) -> str:
    return f" {slashed(int(match['first']), int(match['second']))} "
