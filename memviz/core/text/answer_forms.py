"""The forms in which an answer may stand in a text."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from memviz.core.text.amount_forms import Tokens, yield_other_rates, yield_other_units
from memviz.core.text.dates_and_times import join_slashed_date
from memviz.core.text.letters import MARK, join_slashed_numbers
from memviz.core.text.value_words import (
    CURRENCIES,
    HAN_KINDS_OF_PLACE,
    KINDS_OF_PLACE,
    MONTH_NUMBERS,
    NAMES_THAT_ARE_WORDS,
    SHARED_MONTHS,
    TITLES,
)
from memviz.core.text.vocabulary import words

_FRAME = words(
    "a an the is are was at in on as to by with from about around roughly approximately"
)
_MOST_LISTED_TOKENS = 8
_LISTING = ("and", "with", "plus", "or", "和", "与", "、", "跟")
_WHEN = ("at", "on")
_LEAST_HAN_NAME = 2
_LEAST_HAN_UNIVERSITY = 4
_SMALL_WORDS = ("of", "the", "and", "de", "for")
# "cashews, almonds and walnuts" -> three parts
_LISTED = re.compile(r",? and |, | & | und | et | y | e |[和与跟、]")
# "sage green", "红色", but no number
_LISTED_PART = re.compile(r"[^\W\d_]{3,}(?:[ -][^\W\d_]{2,}){0,2}|[\u4e00-\u9fff]{2,6}")
_LANDS = {
    "United Kingdom": "uk",
    "United States": "usa",
    "San Francisco": "sf",
    "European Union": "eu",
}
# "1987", "2024"
_YEAR = re.compile(r"(?:19|20)\d\d")
_ORDINAL_NAMES = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {
    word: str(number) for number, word in enumerate(_ORDINAL_NAMES.split(), start=3)
}
"""Not first and second, which are other words as well."""
_ORDINAL_WORDS = {number: word for word, number in _ORDINALS.items()}
# "3rd", "12th"
_IS_ORDINAL = re.compile(r"\b\d{1,2}(?:rd|th)\b", re.IGNORECASE)
# "$1,200", "1,200 €", "12k$", "三千元", but not "1,200"
_WITH_SYMBOL = re.compile(
    r"[$€£¥₹₩][\d.,]+k?|(?:[\d.,]+[k千万]?|[一二两三四五六七八九十百千万]+) ?(?:[$€£¥₹₩]|元|块钱?)"
)
_LEAST_BARE_DIGITS = 3
"""A shorter amount without its currency may be any number."""
# "12 500" -> 12500
_THOUSANDS = re.compile(r"\d{1,3}(?: \d{3})+")
_PHONE_DIGITS = range(9, 13)
# a date, or a day and a month, as its normal token has it: 2024/3/5, /3/5
_SLASHED = re.compile(rf"(?P<year>\d{{4}})?{MARK}(?P<first>\d+){MARK}(?P<second>\d+)")
# 9:30 as its normal token
_TIME = re.compile(rf"(?P<hour>\d{{1,2}}){MARK}(?P<minute>\d\d)")
# "9:30 pm", "早上 9:30", "09:30": which half of the day is known
_HALF_SAID = re.compile(
    r"[ap]\.?m|上午|下午|早上|晚上|凌晨|傍晚|中午|uhr|^\s*0\d|h\b", re.IGNORECASE
)
# "AB-123", "4F 77K2", "x9f3", but neither "123" nor "ABC"
_CODE = re.compile(
    r"(?=.*[0-9])(?=.*[A-Za-z])(?:[A-Z0-9]+(?:[ -][A-Z0-9]+)*|[A-Za-z0-9]+)"
)
_CODE_CHARS = range(4, 21)
_PARTS = re.compile(r"[ -]")


class AnswerForm(NamedTuple):
    """Tokens to be found one after the other."""

    tokens: tuple[str, ...]
    is_bare: bool = False
    """An amount without its kind: "1200" for "$1,200". Another kind must not follow."""
    is_yearless: bool = False
    """A date without its year. Another year must not follow."""


@lru_cache(maxsize=8192)
def list_answer_forms(
    answer: str, tokens: tuple[str, ...], *, may_omit_year: bool = False
) -> tuple[AnswerForm, ...]:
    """Return every form in which ``answer`` may stand in a text, itself first.

    ``tokens`` are its normal tokens. With ``may_omit_year`` a date may stand without its year.
    They are kept: where facts are proposed the same answers are looked for several times.
    """
    forms = [AnswerForm(tokens)]
    if not tokens:
        return tuple(forms)
    stripped = answer.strip()
    for spell in _SPELLINGS:
        forms += map(AnswerForm, spell(stripped, tokens))
    if may_omit_year and is_date_with_year(tokens):
        day_and_month = tokens[:2]
        for date in (day_and_month, *_dates(stripped, day_and_month)):
            forms.append(AnswerForm(date, is_yearless=True))
    # "$1,200" may stand as "1,200": of a small number that would be found by chance.
    is_long = len(tokens) == 2 and len(tokens[0]) >= _LEAST_BARE_DIGITS
    if is_long and _WITH_SYMBOL.fullmatch(stripped):
        forms.append(AnswerForm(tokens[:1], is_bare=True))
    # In the other order every form found so far may stand too.
    if len(tokens) <= _MOST_LISTED_TOKENS:
        for form in list(forms):
            forms += map(AnswerForm, _reorder_parts(form.tokens))
    return tuple(dict.fromkeys(forms))


def _remove_frame(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield an answer without the small words that fit it to its question.

    "at the Osteria Luca" -> osteria luca. None where it has none, or hardly anything would be left.
    """
    start = 0
    while start < len(tokens) - 1 and tokens[start] in _FRAME:
        start += 1
    content = tokens[start:]
    if start and (len(content) > 1 or len(content[0]) > 2):
        yield content


def _swap_ordinals(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield an ordinal the other way: "3rd floor" -> third floor, "third floor" -> 3 floor."""
    if len(tokens) < 2:
        return
    if not _ORDINALS.keys().isdisjoint(tokens):
        yield tuple(_ORDINALS.get(token, token) for token in tokens)
    if _IS_ORDINAL.search(answer):
        yield tuple(_ORDINAL_WORDS.get(token, token) for token in tokens)


def _shorten_names(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield shorter forms of a name.

    - Without its title: "Dr. Chen" -> chen.
    - With an initial: "Robert Hughes" -> r hughes.
    - As initials: "New York City" -> nyc; "United Kingdom" -> uk.
    - By year and model: "2021 Honda Civic" -> 2021 civic.
    """
    spelled = [word for word in answer.split() if word.lower() not in _SMALL_WORDS]
    size = len(spelled)
    is_in_capitals = all(word[:1].isupper() for word in spelled)
    has_title = size > 1 and spelled[0].lower().rstrip(".") in TITLES
    if has_title and spelled[1][:1].isupper():
        yield tokens[1:]
    if 1 < size == len(tokens) and is_in_capitals:
        if tokens[0] in KINDS_OF_PLACE:
            yield tokens[1:]
        if tokens[-1] in KINDS_OF_PLACE:
            yield tokens[:-1]
    is_in_letters = all(map(str.isalpha, spelled))
    # R. Hughes for Robert Hughes
    if size == 2 == len(tokens) and is_in_letters and all(map(str.istitle, spelled)):
        yield tokens[0][0].lower(), tokens[1]
    if size >= 3 and is_in_capitals and is_in_letters:
        yield ("".join(word[0] for word in spelled).lower(),)
    if answer in _LANDS:
        yield (_LANDS[answer],)
    is_model = size == 3 == len(tokens) and all(map(str.isalpha, tokens[1:]))
    if is_model and _YEAR.fullmatch(tokens[0]):
        yield tokens[0], tokens[2]


def _shorten_han_names(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield shorter forms of a Chinese name: 北京大学 -> 北大, 如家酒店 -> 如家."""
    if answer.endswith("大学") and len(tokens) == _LEAST_HAN_UNIVERSITY:
        yield tokens[0], "大"
    for kind in HAN_KINDS_OF_PLACE:
        if answer.endswith(kind) and len(answer) - len(kind) >= _LEAST_HAN_NAME:
            yield tokens[: -len(kind)]


def _reorder_parts(tokens: Tokens) -> Iterator[Tokens]:
    """Yield what is listed or dated in the other order, whatever joins it.

    "ivory and sage" -> sage with ivory; "Friday at noon" -> noon on friday.
    """
    for joining in (_LISTING, _WHEN):
        joints = [
            index for index in range(1, len(tokens) - 1) if tokens[index] in joining
        ]
        if joints:
            sides = (tokens[: joints[0]], tokens[joints[0] + 1 :])
            for first, last in permutations(sides):
                yield first + last
                yield from ((*first, word, *last) for word in joining)


def is_date_with_year(tokens: tuple[str, ...]) -> bool:
    """Return true if these normal tokens are a day, a month and a year."""
    if len(tokens) != 3 or not _YEAR.fullmatch(tokens[2]):
        return False
    return _day_and_month(tokens) is not None


def _day_and_month(tokens: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the day and the month that these normal tokens begin with."""
    if len(tokens) < 2 or tokens[1][0] != MARK:
        return None
    if not (tokens[0].isdigit() and tokens[1][1:].isdigit()):
        return None
    return int(tokens[0]), int(tokens[1][1:])


def split_list(answer: str) -> tuple[str, ...]:
    """Return the two or three things that ``answer`` lists; empty where it is no such list.

    "cashews and pistachios" -> cashews, pistachios. Numbers are none: the parts of "2 and 3"
    stand in many texts.
    """
    parts = [part.strip() for part in _LISTED.split(answer.strip().rstrip("."))]
    is_list = len(parts) in (2, 3) and all(map(_LISTED_PART.fullmatch, parts))
    return tuple(parts) if is_list else ()


def _dates(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield a date as it is written with slashes, where day or month may come first.

    "3 May 2024" -> 3/5/2024 and 5/3/2024; "3 May" -> 3/5 and 5/3.
    """
    day_and_month = _day_and_month(tokens)
    if day_and_month is None:
        return
    for first, second in permutations(day_and_month):
        if len(tokens) == 2:
            yield (join_slashed_numbers(first, second),)
        elif len(tokens) == 3 and day_and_month[0] <= 12 and first != second:
            yield (join_slashed_date(first, second, tokens[2]),)


def _slashed_dates(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield what is written with slashes as a day and a month.

    "3/5" -> 3 May, 5 March; "3/5/2024" -> 3 May 2024, 5 March 2024, 5/3/2024.
    """
    match = _SLASHED.fullmatch(tokens[0])
    if len(tokens) > 1 or match is None:
        return
    year = match["year"]
    numbers = (int(match["first"]), int(match["second"]))
    for day, month in permutations(numbers):
        if year:
            yield str(day), f"{MARK}{month}", year
            yield (join_slashed_date(month, day, year),)
        elif 0 < month <= 12:
            yield str(day), f"{MARK}{month}"


def _phones(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield a telephone number in one word, and with its area before it.

    "555 1234567" -> 5551234567; "5551234567" -> 555 1234567, 0555 1234567 and so on.
    """
    digits = "".join(tokens).removeprefix("0")
    if len(digits) not in _PHONE_DIGITS or not all(map(str.isdecimal, tokens)):
        return
    if len(tokens) == 2:
        yield (digits,)
    if len(tokens) == 1:
        for area in range(2, 6):
            yield digits[:area], digits[area:]
            yield f"0{digits[:area]}", digits[area:]


def _thousands(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield a number with spaces in one word: "12 500" -> 12500."""
    if _THOUSANDS.fullmatch(answer):
        yield (answer.replace(" ", ""),)


def _one_word(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield other forms of an answer of one token.

    "9:30" -> 21:30, for nobody says which half of the day; "4.50" -> 4.5 of any currency;
    "may" -> the name May; "May" -> the month.
    """
    if len(tokens) > 1:
        return
    token = tokens[0]
    if token in NAMES_THAT_ARE_WORDS and answer.islower():
        yield (token.capitalize(),)
    month = token.lower()
    if month in SHARED_MONTHS and answer[:1].isupper():
        yield (f"{MARK}{MONTH_NUMBERS[month]}",)
    time = _TIME.fullmatch(token)
    if time and int(time["hour"]) < 12 and not _HALF_SAID.search(answer):
        yield (f"{int(time['hour']) + 12}{MARK}{time['minute']}",)
    if "." in token and token[-1] == "0" and token.replace(".", "").isdigit():
        shorter = token.rstrip("0").rstrip(".")
        for kind in dict.fromkeys(CURRENCIES.values()):
            yield shorter, f"{MARK}{kind}"


def _codes(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield a code in one word, in the parts that it is written with, and in any two.

    "AB-123" -> ab123; ab 123; a b123; ab1 23 and so on.
    """
    parts = tuple(_PARTS.split(answer.lower()))
    code = "".join(parts)
    if len(code) not in _CODE_CHARS or not _CODE.fullmatch(answer):
        return
    # "4 rooms" is in capitals nowhere, and no code.
    is_sentence = len(tokens) > 1 and answer.upper() != answer
    if is_sentence or any(token[0] == MARK for token in tokens):
        return
    yield (code,)
    yield parts
    for cut in range(1, len(code)):
        yield code[:cut], code[cut:]


_SPELLINGS = (
    _dates,
    _slashed_dates,
    _one_word,
    _phones,
    _thousands,
    _codes,
    yield_other_units,
    yield_other_rates,
    _shorten_names,
    _shorten_han_names,
    _swap_ordinals,
    _remove_frame,
)
"""Each yields other spellings of an answer, of which it is given the words and the normal tokens."""
