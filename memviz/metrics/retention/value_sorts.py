"""The sort of a value: two values of one sort may replace each other, "Friday" and "Tuesday"."""

import re

from memviz.core.text.vocabulary import NUMBER_WORDS
from memviz.core.text.words import stem
from memviz.transcripts.base import Category

Sort = tuple[str, ...]
"""The sort of a value: ``("weekday",)``, or with what is counted ``("count", "guest")``."""
TEXT_SORTS = ("name", "place", "text")
"""Sorts of values that are words, each of which may replace one of another of these."""
PHONE_DIGITS = 7

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_SHAPES = (
    (
        "time",
        # 18:30, 6.30 pm; 6 pm; half past six; 下午3点; noon
        r"\d{1,2}[:.]\d\d(?: ?[ap]\.?m)?|\d{1,2} ?[ap]\.?m|(?:half|quarter) (?:past|to) \w+"
        r"|.*\d?点.*|noon|midnight",
    ),
    (
        "weekday",
        # next Friday; 下周五
        r"(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?.*"
        r"|.*(?:周|星期|礼拜)[一二三四五六日天].*",
    ),
    (
        "date",
        # the 12th of May; May 12; 12th; 2027-05-12
        rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}.*|{_MONTH} \d{{1,2}}.*"
        r"|\d{1,2}(?:st|nd|rd|th)|\d{4}-\d\d-\d\d"
        # 5月; 五月十二日; 12号
        r"|.*\d{1,2}月.*|.*月[一二三四五六七八九十\d]+[日号]|\d{1,2}[日号]",
    ),
    (
        "duration",
        # 40 minutes, twenty-five days; 两个月
        r"(?:[\d.,]+|[a-z]+(?:-[a-z]+)?)[ -](?:minute|hour|day|night|week|month|year)s?"
        r"|.*(?:小时|分钟|个月|[天周年])",
    ),
    # v2.1, 3.12.1-rc
    ("version", r"v?\d+\.\d+(?:\.\d+)*(?:-\w+)?"),
)
_SORTS = [(sort, re.compile(pattern)) for sort, pattern in _SHAPES]
_COUNT = re.compile(
    r"(?P<number>[\d.,]+k?|[一二两三四五六七八九十百千万\d]+|[a-z]+)[ -]?(?P<noun>\D*)",
    re.IGNORECASE,
)
"""A number and what it counts: "six guests", 六位客人."""
_HAN_DIGITS = "一二两三四五六七八九十百千万"
_CURRENCY_BEHIND = re.compile(r" ?(?:€|euros?|dollars?|pounds?|元|块)")
_CURRENCY_SIGNS = ("€", "$", "£", "¥")
_SIZE_BEHIND = re.compile(r" ?[kKMGT]B\b", re.IGNORECASE)
_UNIT_BEHIND = re.compile(
    r" ?(?:[kKMGT]B|kg|km|cm|mm|people|guests|days|weeks|months|years|hours|minutes"
    r"|percent|%|[人台天年月周])"
)
_PRODUCT = re.compile(r"(?P<name>[a-z][a-z+#-]+) v?\d+(?:\.\d+)+")
"""A product with its version: "python 3.12"."""
_WORD = re.compile(r"[^\W\d_]+|[\u4e00-\u9fff]")
_PLACE_TO_STAY = re.compile(
    r"(?:酒店|宾馆|民宿|客栈|旅馆|餐厅|饭店|餐馆|公司|医院|学校)$"
    r"|\b(?:hotel|hall|hostel|club|restaurant|inn|lodge|clinic)\b",
    re.IGNORECASE,
)
_SMALL_LETTERS = "abcdefghijklmnopqrstuvwxyz "


def find_sort(answer: str, category: Category, before: str, behind: str) -> Sort:
    """Return the sort of the value ``answer``, of which ``before`` and ``behind`` are the
    text around it; the first of these that fits:

    1. ``money``: "900" before "euros"
    2. ``size``: "60" before "GB"
    3. a time, a weekday, a date, a duration, a version, by its shape
    4. ``phone``: "07700 900123"
    5. ``version`` of a product: "Python 3.12" replaces "Python 3.9" alone
    6. ``count`` of what is counted, or ``number``: "six guests", "six"
    7. ``code``: "K-5183"
    8. ``place``: "Hotel Lieve"
    9. ``name`` by its category, else ``text``
    """
    answer = answer.strip().lower()
    is_number = _begins_with_number(answer)
    if is_number:
        has_currency = _CURRENCY_BEHIND.match(behind) or before.endswith(
            _CURRENCY_SIGNS
        )
        if has_currency:
            return ("money",)
    if _is_size(answer, behind):
        return ("size",)
    for sort, pattern in _SORTS:
        if pattern.fullmatch(answer):
            return (sort,)
    digits = sum(map(str.isdigit, answer))
    if digits >= PHONE_DIGITS and not any(map(str.isalpha, answer)):
        return ("phone",)
    if product := _PRODUCT.fullmatch(answer):
        return ("version", product["name"])
    count = _COUNT.fullmatch(answer)
    if count and is_number:
        return _find_sort_of_count(count["noun"], behind)
    if digits and _is_code(answer):
        return ("code",)
    if _PLACE_TO_STAY.search(answer):
        return ("place",)
    return ("name",) if category == "name" else ("text",)


def _begins_with_number(answer: str) -> bool:
    if answer[0].isdigit() or answer[0] in _HAN_DIGITS:
        return True
    return answer.partition(" ")[0] in NUMBER_WORDS


def _is_size(answer: str, behind: str) -> bool:
    """Return whether a number of bytes is meant: "60 GB", or "60" before "GB"."""
    unit = f"{answer.lstrip('0123456789.,')}{behind}"
    return answer[0].isdigit() and _SIZE_BEHIND.match(unit) is not None


def _find_sort_of_count(noun: str, behind: str) -> Sort:
    """Return ``("count", "guest")`` of "six guests"; of "six" by the unit that follows."""
    nouns = _WORD.findall(noun)
    if not nouns and _UNIT_BEHIND.match(behind):
        nouns = _WORD.findall(behind)[:1]
    return ("count", stem(nouns[-1].lower())) if nouns else ("number",)


def _is_code(answer: str) -> bool:
    """Return whether small letters stand at its ends alone, and no space within the rest."""
    return answer.isascii() and " " not in answer.strip(_SMALL_LETTERS)
