"""Inventions, which a summary says and its prompt does not: names, numbers and words of the calendar that its writer
made up or worked out; and what the summaries of one writer are worth."""

import re
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.core.text.vocabulary import STOP_WORDS
from memviz.core.text.words import stem
from memviz.engine.run import Run
from memviz.metrics.retention.chinese_values import ChinesePeople
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.summaries.diff import split_words
from memviz.metrics.summaries.events import name_summary_author

_LETTER = "[A-Za-z\u00c0-\u024f]"
_WORD = re.compile(f"{_LETTER}+(?:['’]{_LETTER}+)*")
_SHORTENED = re.compile("['’](?:s|d|m|ve|re|ll)?$")
_ADDRESS = re.compile(r"\S+(?:@|://)\S+")
_BEFORE_A_SENTENCE = re.compile(
    r"(?:^|[.!?:;…。：]|\n|<fact>|\|)[\s*_\"'“\u2018(#>|•-]*$"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_ISO_DATE = re.compile(r"(?<!\d)\d{4}-(\d\d)-\d\d(?!\d)")
_HAN_SENTENCE = re.compile(r"[^。！？!?\n]+")
_HAN_NUMBER = re.compile("[零一二两三四五六七八九十百千万]+")
_HAN_RUN = re.compile("[\u4e00-\u9fff]{2,}")

_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
_TENS = {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_NUMBER_WORDS = (
    {word: number for number, word in enumerate(_UNITS)}
    | _TENS
    | {"hundred": 100, "thousand": 1000}
)
_HAN_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {
    "两": 2
}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_MONTHS = [month.lower() for month in month_name[1:]]
_DAYS = [day.lower() for day in day_name]
_CALENDAR_FORMS = {
    form: word for word in _MONTHS + _DAYS for form in (word, word[:3], word + "s")
}
_SMALL_WORDS = STOP_WORDS - frozenset(_CALENDAR_FORMS)
_FAMILY = frozenset(
    "王李张刘陈杨黄赵吴周徐孙朱胡郭何林罗郑梁谢宋唐韩冯邓曹彭袁潘蒋蔡杜程苏魏吕沈姚卢姜崔钟谭陆汪廖贾秦邱薛顾龚邵田董叶丁"
    "任范石夏韦邹孟熊江尹闫段雷侯龙史陶黎贺毛郝钱严覃武戴莫孔汤康樊葛邢齐乔庞颜倪庄聂鲁岳翟殷詹申欧耿兰焦俞柳祝宁符舒阮"
)
"""Family names that begin no word which summaries use without the prompt's having it."""


def _spell_number(number: str) -> str:
    """Return a number in digits written in one way: 3,600 and 03600 are 3600."""
    whole, point, decimals = _THOUSANDS.sub("", number).partition(".")
    return (whole.lstrip("0") or "0") + point + decimals


class Terms(NamedTuple):
    """The words (in lower case) and the numbers of a text, in all forms in which a summary may repeat them."""

    words: frozenset[str]
    numbers: frozenset[str]


# Cached, because the same lines come back in hundreds of prompts.
@lru_cache(maxsize=100_000)
def _read_line(line: str) -> Terms:
    words: set[str] = set()
    for match in _WORD.finditer(line):
        word = match[0].lower()
        words.update([word, *re.split("['’]", word)])
    words |= {_CALENDAR_FORMS[word] for word in words & _CALENDAR_FORMS.keys()}
    # 2027-05-03 counts as "May" too, so that a reply which writes the month out invents nothing.
    for date in _ISO_DATE.finditer(line):
        if 1 <= int(date[1]) <= 12:
            words.add(_MONTHS[int(date[1]) - 1])
    numbers: set[str] = set()
    for number_match in _NUMBER.finditer(line):
        number = _spell_number(number_match[0])
        parts = filter(None, re.split("[.,]", number))
        numbers.update([number, *map(_spell_number, parts)])
    numbers |= {str(_NUMBER_WORDS[word]) for word in words & _NUMBER_WORDS.keys()}
    for han_match in _HAN_NUMBER.finditer(line):
        numbers.add(str(_read_han_number(han_match[0])))
    return Terms(frozenset(words), frozenset(numbers))


def _read_han_number(text: str) -> int:
    """Return the value of a number in Chinese words: 二十九 is 29, 一千 is 1000."""
    # ``digit`` waits for its unit, ``part`` is below 10,000, ``total`` are the ten thousands (万) so far.
    total = part = digit = 0
    for letter in text:
        if letter in _HAN_DIGITS:
            digit = _HAN_DIGITS[letter]
        elif letter in _HAN_UNITS:
            part += (digit or 1) * _HAN_UNITS[letter]
            digit = 0
        else:
            # 万 multiplies all that stands before it: 三十五万 is 35 * 10,000.
            total += (part + digit) * 10_000
            part = digit = 0
    return total + part + digit


@dataclass(frozen=True)
class Known:
    """The knowledge from which names in a reply are told from ordinary words."""

    lines: frozenset[str]
    """All lines of the prompts."""
    words: frozenset[str] = frozenset()
    """Words that are no names, although replies write them with a capital and no prompt has them."""
    names: frozenset[str] = frozenset()
    """Chinese names that cannot be recognized by their characters."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of words that prompts write at least as often without a capital as with one inside a sentence."""
        small: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for line in self.lines:
            text = _ADDRESS.sub(" ", line)
            for match in _WORD.finditer(text):
                word = match[0]
                if word[0].islower():
                    small[word] += 1
                elif not _begins_sentence(text, match.start()):
                    capital[word.lower()] += 1
        often = [word for word, times in small.items() if times >= capital[word]]
        return frozenset(map(stem, often))

    @cached_property
    def chinese_names(self) -> frozenset[str]:
        """The Chinese names in all prompts."""
        return frozenset(_find_people(self.lines)) | self.names

    def is_ordinary(self, word: str, begins_sentence: bool) -> bool:
        """Return whether ``word``, which begins with a capital, is an ordinary word and no name."""
        if word in self.words:
            return True
        small = word.lower()
        is_usual = small in _SMALL_WORDS or stem(small) in self.stems
        return begins_sentence and is_usual


def is_name(term: str) -> bool:
    """Return whether a term is neither a number nor a word of the calendar."""
    return not term[0].isdigit() and term.lower() not in _CALENDAR_FORMS


def find_terms(text: str) -> Terms:
    """Return the words and the numbers of a text."""
    lines = [_read_line(line) for line in text.split("\n")]
    return Terms(
        frozenset().union(*(line.words for line in lines)),
        frozenset().union(*(line.numbers for line in lines)),
    )


def join_prompt(messages: Iterable[Message]) -> str:
    """Return the contents of all messages of a request as one text."""
    return "\n".join(message.content for message in messages)


def find_unsupported_terms(prompt: str, text: str, known: Known) -> tuple[str, ...]:
    """Return the names, numbers, months and weekdays in the reply ``text`` that its ``prompt`` lacks, in order."""
    terms = find_terms(prompt)
    terms_by_place = [
        *_find_latin_names(text, terms.words, known),
        *_find_numbers(text, terms.numbers),
    ]
    if not text.isascii():
        terms_by_place += _find_han_names(text, prompt, known)
    return tuple(dict.fromkeys(term for _, term in sorted(terms_by_place)))


def _find_latin_names(
    text: str, in_prompt: frozenset[str], known: Known
) -> Iterator[tuple[int, str]]:
    for match in _WORD.finditer(text):
        word = _SHORTENED.sub("", match[0])
        small = word.lower()
        if word[0].isupper() and _CALENDAR_FORMS.get(small, small) not in in_prompt:
            begins_sentence = _begins_sentence(text, match.start())
            if not known.is_ordinary(word, begins_sentence):
                yield match.start(), word


def _find_numbers(text: str, in_prompt: frozenset[str]) -> Iterator[tuple[int, str]]:
    for match in _NUMBER.finditer(text):
        number = _spell_number(match[0])
        if number not in in_prompt:
            yield match.start(), number


def _find_han_names(text: str, prompt: str, known: Known) -> Iterator[tuple[int, str]]:
    for name in {*known.chinese_names, *_find_people(text.split("\n"))}:
        if name in text and name not in prompt:
            yield text.index(name), name
    # A family name that the prompt does not have begins a name of up to three characters.
    for run in _HAN_RUN.finditer(text):
        for at, letter in enumerate(run[0][:-1]):
            if letter in _FAMILY and letter not in prompt:
                yield run.start() + at, run[0][at : at + 3]


def _find_people(lines: Iterable[str]) -> set[str]:
    chinese_lines = [line for line in lines if not line.isascii()]
    people = ChinesePeople(chinese_lines)
    names = set()
    for line in chinese_lines:
        for match in _HAN_SENTENCE.finditer(line):
            sentence = match[0]
            names |= {sentence[start:stop] for start, stop in people.places(sentence)}
    return names


def _begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 20) : at]
    if _BEFORE_A_SENTENCE.search(before) is None:
        return False
    return before.strip() != "" or at <= 20


FIRST_PERSON = frozenset({"I"})
"""Written with a capital wherever it stands."""


class Invention(NamedTuple):
    """The names, numbers, months and weekdays (``terms``) of a version of a summary that its prompt lacks."""

    version: int
    terms: tuple[str, ...]


def find_inventions(run: Run) -> tuple[Invention, ...]:
    """Return the versions of ``run``, written by a model, with names, numbers or dates that their prompts lack.

    An invention that later prompts repeat from the summary counts once. A sum of numbers in the prompt counts as an
    invention too, because its words do not show whether it is right.
    """
    return run.once(find_inventions, lambda: tuple(_list_inventions(run)))


def _list_inventions(run: Run) -> Iterator[Invention]:
    prompts = [join_prompt(compaction.request or ()) for compaction in run.compactions]
    lines = frozenset(line for text in prompts if text for line in text.split("\n"))
    known = Known(lines, FIRST_PERSON)
    for compaction, prompt in zip(run.compactions, prompts, strict=True):
        version = compaction.version
        summary = compaction.summary
        if not compaction.request or version is None or not summary:
            continue
        if name_summary_author(compaction) is not None:
            terms = find_unsupported_terms(prompt, summary, known)
            if terms:
                yield Invention(version, terms)


@dataclass(frozen=True, slots=True)
class Worth:
    """Figures that compare the summaries of one writer with those of another one for the same memory."""

    known: int
    """The facts known at the end of the run."""
    stated: int
    """The facts stated by then."""
    words: float | None
    """The mean number of words of a summary; ``None`` where none was written."""
    invented: int
    """The names and numbers of the summaries that their prompts lack."""


def measure_worth(run: Run, kept: Retention) -> Worth:
    """Return the figures for the summaries of ``run``, whose retention is ``kept``."""
    # Summaries that the user reworded are left out.
    words = []
    for compaction in run.compactions:
        if compaction.summary and name_summary_author(compaction) is not None:
            words.append(len(split_words(compaction.summary)))
    return Worth(
        known=int(kept.retained[-1:].sum()),
        stated=int(kept.born[-1:].sum()),
        words=sum(words) / len(words) if words else None,
        invented=sum(len(invention.terms) for invention in find_inventions(run)),
    )
