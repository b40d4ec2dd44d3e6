"""The traits that can be seen in a sentence without understanding it: numbers, dates, names, and how much it tells.

A replay reads every sentence of a conversation, so word lists and digits are seen in its chunks
(:class:`~memviz.core.text.chunks.MarkedChunks`), and patterns for Chinese run only where it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memviz.core.text import phrases
from memviz.core.text import vocabulary as classes
from memviz.core.text.chunks import FoundInChunks, MarkedChunks
from memviz.core.text.vocabulary import STOP_WORDS
from memviz.core.text.words import HAN, has_han

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_WORDS = FoundInChunks(_WORD.findall)
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_MONTH_NAMES = sorted(classes.MONTHS | {"march", "may"}, key=len, reverse=True)
_MONTH = f"(?:{'|'.join(_MONTH_NAMES)})"
# "3rd of march", "may 3", "17:30", "2024-03-05", "3月"
_DATED_NUMBER = re.compile(
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? {_MONTH}\b(?:,? \d{{4}})?|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
    r"|\d{1,2}:\d\d|\d{4}-\d\d-\d\d\S*|\d+[年月日号点]"
)
# besides: "5 pm", "1990", "3/5", "3rd", "until 7"
_DATE_OR_TIME = re.compile(
    rf"{_DATED_NUMBER.pattern}|\b\d{{1,2}} ?[ap]\.?m\b|\b(?:19|20)\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?\b"
    r"|\d(?:st|nd|rd|th)\b|\b(?:at|until|till|by|before|after) \d{1,2}\b(?! ?(?:%|percent|euro|dollar))"
)
# "at seven"
_SPOKEN_TIME = re.compile(
    rf"\b(?:at|until|till|by|before|after) (?:{'|'.join(classes.NUMBER_WORDS)})\b"
)
# the 三 of 三个, and 二十
_CHINESE_NUMBER = re.compile(
    r"[零一二两三四五六七八九十百千万亿]+(?=[个位岁人天年月号日点元块次只条张本分公米斤瓶间度%％])|[二两三四五六七八九十百千万亿]{2,}"
)
# "5月3日", "星期五", "下午"
_CHINESE_DATE = re.compile(
    r"[\d一二三四五六七八九十]+[年月日号点]|星期|礼拜|周[一二三四五六日末]|[明后昨]天|[上下]午|晚上|早上|[春夏秋冬]天"
)
# "5%", "40 kg", "3 euros"
_UNIT = re.compile(
    r"\d ?(?:%|[a-z]{1,3}\b|[元块岁人个天平米斤万度公小分])|\d[\w.,]* (?:percent|euros?|dollars?|pounds?|people"
    r"|guests|degrees|hours?|minutes?|days?|weeks?|months?|years?|points?|kilos?|grams?|miles?|kilomet\w+|met(?:er|re)s?"
    r"|lit(?:er|re)s?)\b"
)
_MONEY = re.compile(r"[$€£¥]")
# "QX7-R4M", "B2"
_CODE = re.compile(
    r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*\b"
)
# "Berlin", "Anne-Marie"
_CAPITALISED = re.compile(r"[A-Z\u00c0-\u00de\u0410-\u042f][\w'’-]+")
_SCAFFOLD = re.compile(r"[{}<>\[\]\\;=|_]")
# "status code: 200", as a line of JSON is read
_KEY_AND_VALUE = re.compile(r"[a-z][a-z ]{1,40}: \S")
# "决定", "预算"
_CHINESE_WEIGHTY = re.compile(
    r"决定|喜欢|讨厌|偏好|过敏|必须|不能|截止|改成|改为|改到|换成|变成|预算|密码|生日|住在|名字|叫|地址|预订|订了|取消|确认|电话|号码"
)
# "改成", "推迟"
_CHINESE_CHANGE = re.compile(
    r"改成|改为|改到|换成|变成|更新|推迟|提前|最终|最后定|其实|不再|更正|增加到|降到|提高到|现在"
)
_CHINESE_HEDGED = re.compile(r"建议|一般|通常|可以|最好|比如|例如|如果")
# "谢谢", "没问题"
_CHINESE_SMALL_TALK = re.compile(
    r"你好|您好|谢谢|好的|没问题|当然|不客气|明白|太好了|好。|对了?。"
)


_MARKS = MarkedChunks(_WORD.findall)
_NUMBER_WORD = _MARKS.add(classes.NUMBER_WORDS.__contains__)
_WEIGHTY = _MARKS.add(classes.WEIGHTY.__contains__)
_CHANGE = _MARKS.add(classes.CHANGE.__contains__)
_DATE_WORD = _MARKS.add(classes.DATE_WORDS.__contains__)
_PERSONAL = _MARKS.add(classes.PERSONAL.__contains__)
_HEDGED = _MARKS.add(classes.HEDGED.__contains__)
_MODAL = _MARKS.add(classes.MODALS.__contains__)
_YOU = _MARKS.add("you".__eq__)
_MAY_ADMIT = _MARKS.add(classes.MAY_ADMIT_IGNORANCE.__contains__)
_HAS_DIGIT = _MARKS.add(lambda word: _DIGIT.search(word) is not None)


class Traits(NamedTuple):
    """Marks of one sentence."""

    numbers: frozenset[str]
    amounts: frozenset[str]
    """The numbers outside dates and times of day."""
    names: frozenset[str]
    has_date: bool
    is_change: bool
    """True if it says that something is otherwise than before: "The meeting moved to Friday"."""
    is_hedged: bool
    """True if the speaker is not sure: "maybe", "I think"."""
    informativeness: float
    """A weight without unit, larger for what is more worth keeping."""

    @classmethod
    def of(cls, text: str) -> Traits:
        """Look at ``text`` once."""
        lower = text.lower()
        marks = _MARKS.in_text(lower)
        first_match = _WORD.search(lower)
        first = first_match.group() if first_match else ""
        words = frozenset[str]()
        # Which words of these lists, and how many, has to be seen in the words themselves.
        if marks & (_NUMBER_WORD | _WEIGHTY | _CHANGE):
            words = frozenset(_WORDS.in_text(lower))
        numbers, amounts = _find_numbers(text, lower, marks, words)
        names = _find_names(text)
        has_date = _has_date(text, lower, marks)
        is_hedged = _is_hedged(text, marks, first)
        weight = (
            1.0
            + 0.8 * min(len(numbers), 2)
            + 0.7 * min(len(names), 3)
            + has_date
            + _weigh_details(text, lower, marks)
        )
        weighty = min(_count_weighty_words(text, words), 2)
        weight += 1.2 * weighty + 0.8 * _is_personal(text, marks)
        damping = _find_damping(text, marks, first)
        if is_hedged:
            damping *= 0.4
        weight *= damping
        is_change = _is_change(text, lower, words)
        return cls(numbers, amounts, names, has_date, is_change, is_hedged, weight)


def _has_match(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _count_weighty_words(text: str, words: frozenset[str]) -> int:
    count = len(words & classes.WEIGHTY)
    if has_han(text):
        count += len(_CHINESE_WEIGHTY.findall(text))
    return count


def _is_personal(text: str, marks: int) -> bool:
    return bool(marks & _PERSONAL) or "我" in text


def _find_numbers(
    text: str, lower: str, marks: int, words: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """All numbers, and those that are part of no date or time: "3 cats at 17:30" has 3 and
    17:30, of which 3 is the only amount."""
    spoken_numbers = words & classes.NUMBER_WORDS
    if has_han(text):
        spoken_numbers |= frozenset(_CHINESE_NUMBER.findall(lower))
    if not marks & _HAS_DIGIT:
        return spoken_numbers, spoken_numbers
    amounts = frozenset(_NUMBER.findall(_DATED_NUMBER.sub(" ", lower)))
    return spoken_numbers | frozenset(_NUMBER.findall(lower)), spoken_numbers | amounts


def _has_date(text: str, lower: str, marks: int) -> bool:
    if marks & _DATE_WORD:
        return True
    if marks & _HAS_DIGIT and _DATE_OR_TIME.search(lower):
        return True
    if marks & _NUMBER_WORD and _SPOKEN_TIME.search(lower):
        return True
    return has_han(text) and _has_match(_CHINESE_DATE, lower)


def _weigh_details(text: str, lower: str, marks: int) -> float:
    """Weight of money, measures and codes."""
    weight = 0.6 * _has_match(_MONEY, text)
    if marks & _HAS_DIGIT:
        weight += 0.6 * _has_match(_UNIT, lower) + 1.2 * _has_match(_CODE, text)
    return weight


def _find_names(text: str) -> frozenset[str]:
    """Capitalised words, not counting one that only begins the sentence."""
    if not _CAPITALISED.search(text, 1):
        return frozenset()
    names = set()
    for match in _CAPITALISED.finditer(text):
        start = match.start()
        begins_sentence = start == 0 or text[start - 2 : start] in (". ", ": ")
        name = match.group().removesuffix("'s").removesuffix("’s").lower()
        if not begins_sentence and not name.startswith(("i'", "i’")):
            names.add(name)
    return frozenset(names - STOP_WORDS - classes.DATE_WORDS)


def _is_change(text: str, lower: str, words: frozenset[str]) -> bool:
    changes = words & classes.CHANGE
    # "It will do for now" changes nothing.
    if changes and (changes != {"now"} or "for now" not in lower):
        return True
    return has_han(text) and _has_match(_CHINESE_CHANGE, text)


def _is_hedged(text: str, marks: int, first: str) -> bool:
    """Return whether a sentence is advice or a condition, which states no fact."""
    if first in classes.HEDGED_STARTS or marks & _HEDGED:
        return True
    if marks & _YOU and marks & _MODAL:
        return True
    return has_han(text) and _has_match(_CHINESE_HEDGED, text)


def _find_damping(text: str, marks: int, first: str) -> float:
    """Factor for sentences that tell little: courtesies, headings, scaffolding, ignorance, mere fragments."""
    chinese = has_han(text)
    # A Han character says as much as three letters.
    length = 3 * len(HAN.findall(text)) if chinese else len(text)
    factor = 0.6 if length < 25 else 1.0
    is_small_talk = first in classes.SMALL_TALK_STARTS
    if is_small_talk or (chinese and _CHINESE_SMALL_TALK.match(text)):
        factor *= 0.5 if length > 60 else 0.15
    elif first in classes.POINTING_STARTS:
        factor *= 0.7
    if text.endswith((":", "：")) or _KEY_AND_VALUE.match(text):
        factor *= 0.3
    if len(_SCAFFOLD.findall(text)) * 20 > len(text):
        factor *= 0.2
    might_not_know = chinese or bool(marks & _MAY_ADMIT)
    if might_not_know and phrases.admits_ignorance(text):
        factor *= 0.1
    return factor
