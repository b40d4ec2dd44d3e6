"""Values that later ones replace: "the check-up moved to Friday", "port 6432 rather than 5433", "改到12月5日"."""

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from memviz.core.text.containment import contains, normal_tokens
from memviz.core.text.vocabulary import CHANGE_WORDS, NUMBER_WORDS, STOP_WORDS
from memviz.core.text.words import HAN, content_words, stem
from memviz.metrics.retention.polarity import polarity
from memviz.transcripts.base import Category

_TOLD = (
    r"slip(?:s|ped) (?:by|to|back|until)|comes? out at|came out at|took over|taking over|takes over|settled on"
    r"|make that|(?:go|goes|went|gone|going) (?:up|down)|(?:got|had) that wrong|eat my words|swapped|bumped"
    r"|grew|grown|shrank"
)
"""What tells of a change and of nothing else, in the clause of the new value as in the one before it."""
_CHANGE = re.compile(
    r"\b(?:instead|rather than|changed?(?: my mind)?|changes to|moved?(?: it)? (?:to|from|back|forward)|(?:has"
    r"|have|was|were|been) moved"
    r"|switch(?:ed|es)?|updated?|correction|actually|rescheduled|postponed|pushed|brought forward|replac(?:ed"
    r"|es)|renamed"
    r"|raised|reduced|lower(?:ed)|increased|extended|cut to|chang(?:e|ing)|push|rebooked|cancell?ed|upgraded"
    r"|downgraded|make it|made it|no longer|after all|turns out"
    r"|now|i meant|my mistake|scratch that|gone with|going with|went with|signed with|jump(?:ed|ing)? to|straight to"
    r"|sorry|mixed (?:that|it) up|from (?:now|next|tomorrow)|as of|starting (?:next|from)"
    rf"|{_TOLD})\b"
    r"|改(?![造善进革天日良])|[加减缩搬]到|换成|换到|换了|推迟|提前|更正|变成|变更|延期|延到|升级?到|降到|涨到|谈到|调到|调整|挪到|往[前后]挪|现在|其实|不再|说错",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:instead|change of plan|changed?|moved|switched|updated?|correction|rescheduled|postponed|push(?:ed)?"
    r"|replaced|make it"
    r"|scratch that|i meant|rebooked|upgraded|downgraded|cancell?ed|had to change|turns out"
    rf"|after all|pulled out|fell through|fallen through|{_TOLD})\b"
    # "Actually 3 people"
    r"|^\s*(?:oh |no,? |sorry,? )*(?:actually|sorry)\b|其实(?:只|是|应该)|[加减缩]到"
    r"|改[成到为用在名签住坐走去]"
    r"|换成|提高到|降低到|现在|换到|推迟|提前|更正|变成|延期|挪到|往[前后]挪|谈到|取消|来不了|没法来|没房|离职",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:]\s+|[，；：、。]|\s+(?:and|but|so|because)\s+")
_PLACE_TO_STAY = re.compile(
    r"(?:酒店|宾馆|民宿|客栈|旅馆|餐厅|饭店|餐馆|公司|医院|学校)$|\b(?:hotel|hall|hostel|club|restaurant|inn|lodge|clinic)\b",
    re.IGNORECASE,
)
_NEW_IS = re.compile(
    r"\bnew [\w ]{1,25}?(?: is| are| will be|:)(?: on| at| the)?\s*$", re.IGNORECASE
)
_GONE = re.compile(
    r"\b(?:no longer|cancell?ed|left|gone|closed|full|too (?:dear|expensive|far|small|big|loud|slow)|booked "
    r"(?:us|out)|sold out|out"
    r"|dropped|not|pulled out|f(?:e|a)ll(?:en)? through|off sick|hurt|can['’]t|cannot|couldn['’]t|unavailable)\b"
    r"|没法|[来去赶]不[了回]|坐不下|没房|离职|不[要去住用]|取消|没有了|满了|太[贵远小吵慢]",
    re.IGNORECASE,
)
_SET_ASIDE = re.compile(
    r"(?:\b(?:not|no|n['’]t \w+|without|instead of|rather than|cancell?ed)(?: the| a| any)?|不要|别|不去"
    r"|排除了?|取消了?|除了) ?$",
    re.IGNORECASE,
)
"""What stands right before a value that is none any more."""
_ADDED = re.compile(
    r"\b(?:also|another|additional(?:ly)?|extra|besides|as well|too|second|plus)\b|还有|另外|再加|也要",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_SORTS = (
    (
        "time",
        re.compile(
            r"\d{1,2}[:.]\d\d(?: ?[ap]\.?m)?|\d{1,2} ?[ap]\.?m|(?:half|quarter) (?:past|to) \w+"
            r"|.*\d?点.*|noon|midnight"
        ),
    ),
    (
        "weekday",
        re.compile(
            r"(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?.*|.*(?:周|星期"
            r"|礼拜)[一二三四五六日天].*"
        ),
    ),
    (
        "date",
        re.compile(
            rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}.*|{_MONTH} \d{{1,2}}.*|\d{{1,2}}"
            r"(?:st|nd|rd|th)|\d{4}-\d\d-\d\d"
            r"|.*\d{1,2}月.*|.*月[一二三四五六七八九十\d]+[日号]|\d{1,2}[日号]"
        ),
    ),
    (
        "duration",
        re.compile(
            r"(?:[\d.,]+|[a-z]+(?:-[a-z]+)?)[ -](?:minute|hour|day|night|week|month|year)s?"
            r"|.*(?:小时|分钟|个月|[天周年])"
        ),
    ),
    ("version", re.compile(r"v?\d+\.\d+(?:\.\d+)*(?:-\w+)?")),
)
_COUNT = re.compile(
    r"(?P<number>[\d.,]+k?|[一二两三四五六七八九十百千万\d]+|[a-z]+)[ -]?(?P<noun>\D*)",
    re.IGNORECASE,
)
_WORDS = ("name", "place", "text")
_RENAMED = re.compile(r"\b(?:chang|switch|renam)|改|换", re.IGNORECASE)
_HAN_DIGITS = "一二两三四五六七八九十百千万"
_CURRENCY = re.compile(r" ?(?:€|euros?|dollars?|pounds?|元|块)")
_SIZE_BEHIND = re.compile(r" ?[kKMGT]B\b", re.IGNORECASE)
_UNIT = re.compile(
    r" ?(?:[kKMGT]B|kg|km|cm|mm|people|guests|days|weeks|months|years|hours|minutes|percent|%|[人台天年月周])"
)
PHONE_DIGITS = 7
_PRODUCT = re.compile(r"(?P<name>[a-z][a-z+#-]+) v?\d+(?:\.\d+)+")
_WORD = re.compile(r"[^\W\d_]+|[\u4e00-\u9fff]")
_CURRENCIES = {
    "euros",
    "euro",
    "dollars",
    "dollar",
    "pounds",
    "pound",
    "francs",
    "yuan",
}
_SUBJECTLESS = frozenset(
    map(stem, STOP_WORDS | CHANGE_WORDS | NUMBER_WORDS | _CURRENCIES)
) | {
    "please",
    "actual",
    "updat",
    "plan",
}
_OLD_FIRST = re.compile(
    r"\s*(?:€|euros?|%|percent|[a-z]{1,12})?\s*(?:up |down |over |forward |back )?(?:to|->|→)\s.*|.*(?:改|换|升"
    r"|降|推迟|提前|延|调整?|涨|变)(?:级)?(?:到|成|为).*|.*(?:，|,)?(?:现在|后来|最后).*",
    re.DOTALL,
)
_NEW_FIRST = re.compile(
    r"[^.;!?]{0,30}\b(?:instead of|rather than|not|no longer)\s+(?:the |on |at |in |by |for )?|[^。；]{0,6}"
    r"(?:，|,)?(?:而)?不是",
    re.IGNORECASE,
)
_NEW = re.compile(r"\bnew\b|现在|改[名成为用]|换成", re.IGNORECASE)
_FROM_TO = re.compile(
    rf"\b(?:mov|chang|switch|push|shift|postpon|rais|reduc|lower|cut|increas|extend|upgrad|downgrad|go|went|gone)|{_CHANGE.pattern}",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"(?:\bfrom|从|原来是?|原本是?|原定)\s*(?:the |port |version |on )?[\"“$€£¥]?$",
    re.IGNORECASE,
)


Sort = tuple[str, ...]
"""The kind of a value: ``("weekday",)``, ``("count", "guest")``. Two of one sort may replace each other."""
MOST_ALIKE = 300
"""So many of the values of one sort are looked back at."""


class Statement(NamedTuple):
    """A value that somebody states, and the question for it."""

    position: int
    question: str
    """The sentence with the value blanked."""
    answer: str
    category: Category
    weight: float
    alone: bool
    """It is a fact though nobody uses the value again."""
    sentence: str = ""
    start: int = 0
    """The place of the value in the sentence."""
    stale: tuple[str, ...] = ()
    """The values that it replaced."""

    @property
    def before(self) -> str:
        """The sentence up to the value."""
        return self.sentence[: self.start]


def find_changes(said: Sequence[Statement]) -> dict[int, int]:
    """Return the number of each value that another one replaces, with the number of that newer one. ``said`` are in
    the order of the conversation."""
    sorts = [_sort_of(value) for value in said]
    replaced = _changes_in_sentences(said, sorts)
    answers = {said[older].answer: newer for older, newer in replaced.items()}
    for number, value in enumerate(said):
        newer = answers.get(value.answer)
        if newer is not None and value.position < said[newer].position:
            replaced[number] = newer
    settled = {*replaced, *replaced.values()}
    for newer in range(len(said)):
        if newer not in settled:
            older = _older_before(said, sorts, newer, replaced)
            if older is not None:
                replaced[older] = newer
    return replaced


def _changes_in_sentences(
    said: Sequence[Statement], sorts: Sequence[Sort]
) -> dict[int, int]:
    """Return those that one sentence names itself: "from 5433 to 6432", "6432 rather than 5433"."""
    by_sentence: dict[tuple[int, str], list[int]] = {}
    for number, value in enumerate(said):
        by_sentence.setdefault((value.position, value.sentence), []).append(number)
    replaced = {}
    for numbers in by_sentence.values():
        for older, newer in permutations(numbers, 2):
            sort = sorts[newer]
            if sorts[older][0] != sort[0] or not _differ(said[older], said[newer]):
                continue
            if _replaces(said[older], said[newer], sort):
                replaced[older] = newer
    return replaced


def _is_changed(value: Statement) -> bool:
    """Return whether its clause, or the one before, speaks of a change, and does not set the value itself aside."""
    if _SET_ASIDE.search(value.before):
        return False
    if _NEW_IS.search(value.before) or _CHANGE.search(_clause(value)):
        return True
    return _STRONG.search(_clause_before(value)) is not None


@lru_cache(maxsize=4096)
def _outdated_in(sentence: str) -> str:
    """Return what a sentence calls outdated; empty for most."""
    return polarity(sentence).outdated


def _clause_before(value: Statement) -> str:
    clauses = _CLAUSE_END.split(value.before)
    return clauses[-2] if len(clauses) > 1 else ""


def _clause(value: Statement) -> str:
    """Return the clause of the sentence that holds the value."""
    start = 0
    value_stop = value.start + len(value.answer)
    for match in _CLAUSE_END.finditer(value.sentence):
        if match.start() >= value_stop:
            return value.sentence[start : match.start()]
        if match.end() <= value.start:
            start = match.end()
    return value.sentence[start:]


def _replaces(older: Statement, newer: Statement, sort: Sort) -> bool:
    """Return whether the sentence of both says that one takes the place of the other."""
    sentence = newer.sentence
    if newer.start < older.start:
        between = sentence[newer.start + len(newer.answer) : older.start]
        return _NEW_FIRST.fullmatch(between) is not None
    between = sentence[older.start + len(older.answer) : newer.start]
    if _FROM.search(older.before) is None or _OLD_FIRST.fullmatch(between) is None:
        return False
    # Who moves from Rome to Turin has told of both.
    change = _RENAMED if sort[0] in _WORDS else _FROM_TO
    return change.search(sentence) is not None


def _older_before(
    said: Sequence[Statement],
    sorts: Sequence[Sort],
    newer: int,
    replaced: Container[int],
) -> int | None:
    """Return the value, said in a message before, that the sentence names as well; or one of the same sort."""
    value = said[newer]
    is_changed = _is_changed(value)
    outdated = _outdated_in(value.sentence)
    if not is_changed and not outdated:
        return None
    sort = sorts[newer]
    before = [
        number
        for number in range(newer)
        if number not in replaced and said[number].position < value.position
    ]
    for number in reversed(before):
        # "We moved from Lisbon to Porto" names the older value, which no message proposes again.
        may_replace = sort == sorts[number]
        if sort[0] in _WORDS and sorts[number][0] in _WORDS:
            may_replace = True
        named = may_replace and contains(outdated, said[number].answer)
        if named and _differ(value, said[number]):
            return number
        if may_replace and is_changed and _is_set_aside(said[number], value):
            return number
    if not is_changed or _ADDED.search(value.sentence):
        return None
    alike = [number for number in before if sorts[number] == sort][-MOST_ALIKE:]
    alike = [number for number in alike if _differ(value, said[number])]
    return _last_alike(said, value, sort, alike)


def _last_alike(
    said: Sequence[Statement], value: Statement, sort: Sort, alike: Sequence[int]
) -> int | None:
    """Return of the values ``alike``, all of its sort, the last one about the same subject; of a day or a time, also
    the only one."""
    subject = _subject(value)
    shared = {number: len(_subject(said[number]) & subject) for number in alike}
    is_text = sort in (("name",), ("text",))
    least = 2 if is_text and not _NEW.search(_clause(value)) else 1
    about_same = [number for number in alike if shared[number] >= least]
    if about_same:
        return max(about_same, key=lambda number: (shared[number], number))
    if sort[0] in ("name", "place", "text", "number", "code"):
        return None
    if not _STRONG.search(f"{_clause_before(value)} {_clause(value)}"):
        return None
    # Two characters of a Chinese sentence are easily shared.
    if not HAN.search(value.sentence):
        words = _words(value.sentence)
        for number in reversed(alike):
            if _words(said[number].sentence) & words:
                return number
    return alike[0] if len(alike) == 1 and sort != ("count", "") else None


def _is_set_aside(older: Statement, newer: Statement) -> bool:
    """Return whether the sentence of ``newer`` names the older value as well, in another clause, as what it is no
    more."""
    at = newer.sentence.find(older.answer)
    if at < 0 or older.answer in _clause(newer) or newer.answer in older.answer:
        return False
    named = newer._replace(start=at, answer=older.answer)
    if _SET_ASIDE.search(named.before):
        return True
    return _GONE.search(_clause(named)) is not None


def _differ(one: Statement, other: Statement) -> bool:
    """Return whether neither value is a part of the other."""
    first = f" {' '.join(normal_tokens(one.answer))} "
    second = f" {' '.join(normal_tokens(other.answer))} "
    return first not in second and second not in first


def _subject(value: Statement) -> frozenset[str]:
    """Return the telling words of the clause, or of the sentence where the clause has none: "my new number: 07700
    900999"."""
    words = _words(_clause(value).replace(value.answer, " "))
    return words or _words(value.sentence.replace(value.answer, " "))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    words = content_words(text) - _SUBJECTLESS
    return frozenset(word for word in words if not word[0].isdigit())


def _sort_of(value: Statement) -> Sort:
    """Return the kind of value that it is."""
    answer = value.answer.strip().lower()
    _, _, after = value.question.partition("___")
    begins_with_digit = answer[0].isdigit()
    is_number = begins_with_digit or answer[0] in _HAN_DIGITS
    if answer.partition(" ")[0] in NUMBER_WORDS:
        is_number = True
    if is_number:
        if _CURRENCY.match(after) or value.before.endswith(("€", "$", "£", "¥")):
            return ("money",)
    size = f"{answer.lstrip('0123456789.,')}{after}"
    if begins_with_digit and _SIZE_BEHIND.match(size):
        return ("size",)
    for sort, pattern in _SORTS:
        if pattern.fullmatch(answer):
            return (sort,)
    digits = sum(map(str.isdigit, answer))
    if digits >= PHONE_DIGITS and not any(map(str.isalpha, answer)):
        return ("phone",)
    # "Python 3.12" replaces "Python 3.9" alone.
    if product := _PRODUCT.fullmatch(answer):
        return ("version", product["name"])
    count = _COUNT.fullmatch(answer)
    if count and is_number:
        nouns = _WORD.findall(count["noun"])
        if not nouns and _UNIT.match(after):
            nouns = _WORD.findall(after)[:1]
        return ("count", stem(nouns[-1].lower())) if nouns else ("number",)
    inside = answer.strip("abcdefghijklmnopqrstuvwxyz ")
    if digits and answer.isascii() and " " not in inside:
        return ("code",)
    if _PLACE_TO_STAY.search(answer):
        return ("place",)
    return ("name",) if value.category == "name" else ("text",)
