"""The forms in which an answer may stand in a text."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from memviz.core.text.dates_and_times import slashed_date
from memviz.core.text.letters import MARK, slashed
from memviz.core.text.value_words import (
    CURRENCIES,
    HAN_KINDS_OF_PLACE,
    KINDS_OF_PLACE,
    MONTH_NUMBERS,
    NAMES_THAT_ARE_WORDS,
    PEOPLE,
    PEOPLE_MEASURES,
    SAME_MEASURE,
    SHARED_MONTHS,
    TITLES,
    UNITS,
)
from memviz.core.text.vocabulary import words

_FRAME = words(
    "a an the is are was at in on as to by with from about around roughly approximately"
)
_MOST_LISTED_TOKENS = 8
_LISTING = ("and", "with", "plus", "or", "和", "与", "、", "跟")
_WHEN = ("at", "on")
_LEAST_HAN_NAME = 2
_PER = "per"
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
# a date as its normal token has it: 2024/3/5
_SLASHED = re.compile(rf"(?P<year>\d{{4}}){MARK}(?P<first>\d+){MARK}(?P<second>\d+)")
# a day and a month: /3/5
_TWO_PARTS = re.compile(rf"{MARK}(\d+){MARK}(\d+)")
# 9:30 as its normal token
_TIME = re.compile(rf"(?P<hour>\d{{1,2}}){MARK}(?P<minute>\d\d)")
# "9:30 pm", "早上 9:30", "09:30": which half of the day is known
_HALF_SAID = re.compile(
    r"[ap]\.?m|上午|下午|早上|晚上|凌晨|傍晚|中午|uhr|^\s*0\d|h\b", re.IGNORECASE
)
# "AB-123", "4F 77K2", "x9f3"
_CODE = re.compile(r"[A-Z0-9]+(?:[ -][A-Z0-9]+)*|[A-Za-z0-9]+")
_CODE_CHARS = range(4, 21)
_PARTS = re.compile(r"[ -]")


class AnswerForm(NamedTuple):
    """Tokens to be found one after the other."""

    tokens: tuple[str, ...]
    is_bare: bool = False
    """An amount without its kind: "1200" for "$1,200". Another kind must not follow."""
    is_yearless: bool = False
    """A date without its year. Another year must not follow."""


def answer_forms(
    answer: str, tokens: tuple[str, ...], *, may_omit_year: bool = False
) -> list[AnswerForm]:
    """Return every form in which ``answer`` may stand in a text, itself first.

    ``tokens`` are its normal tokens. With ``may_omit_year`` a date may stand without its year.
    """
    if not tokens:
        return [AnswerForm(tokens)]
    forms = [AnswerForm(tokens)]
    forms += map(AnswerForm, _dates(tokens))
    if may_omit_year and is_date_with_year(tokens):
        for date in (tokens[:2], *_dates(tokens[:2])):
            forms.append(AnswerForm(date, is_yearless=True))
    if len(tokens) == 1:
        forms += map(AnswerForm, _one_word(answer.strip(), tokens[0]))
    is_long = len(tokens) == 2 and len(tokens[0]) >= _LEAST_BARE_DIGITS
    if is_long and _WITH_SYMBOL.fullmatch(answer.strip()):
        forms.append(AnswerForm(tokens[:1], is_bare=True))
    forms += map(AnswerForm, _phones(tokens))
    if _THOUSANDS.fullmatch(answer.strip()):
        forms.append(AnswerForm((re.sub(r"\D", "", answer),)))
    forms += map(AnswerForm, _codes(answer.strip(), tokens))
    forms += map(AnswerForm, _measures(answer, tokens))
    forms += map(AnswerForm, _rates(tokens))
    forms += map(AnswerForm, _short_names(answer.strip(), tokens))
    forms += map(AnswerForm, _ordinals(answer, tokens))
    if rest := _unframed(tokens):
        forms.append(AnswerForm(rest))
    for form in list(forms) if len(tokens) <= _MOST_LISTED_TOKENS else ():
        forms += map(AnswerForm, _other_orders(form.tokens))
    return list(dict.fromkeys(forms))


def _unframed(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return an answer without the small words that fit it to its question.

    "at the Osteria Luca" -> osteria luca. Empty where it has none, or hardly anything would be left.
    """
    start = 0
    while start < len(tokens) - 1 and tokens[start] in _FRAME:
        start += 1
    rest = tokens[start:]
    return rest if start and (len(rest) > 1 or len(rest[0]) > 2) else ()


def _measures(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the same amount in other units.

    "90 minutes" -> 1.5 h; 1 h 30 min. "2 kg" -> 4 斤; 2000 g. "£2" and "2 pounds" are weight or
    money. "20 people" -> 20 guests, 20 visitors and so on.
    """
    if len(tokens) != 2 or not tokens[0].replace(".", "", 1).isdigit():
        return
    number = Decimal(tokens[0])
    unit = tokens[1].removeprefix(MARK)
    if unit == "gbp" and "pound" in answer.lower():
        yield tokens[0], f"{MARK}lb"
    if unit == "lb":
        yield tokens[0], f"{MARK}gbp"
    if unit == "kg":
        yield _number(number * 2), "斤"
    if unit == "斤":
        yield _number(number / 2), f"{MARK}kg"
    if unit == "年":
        yield _number(number * 12), "个", "月"
    if unit in PEOPLE:
        yield from ((tokens[0], other) for other in sorted(PEOPLE - {unit}))
    if unit in PEOPLE_MEASURES:
        yield from ((tokens[0], other) for other in PEOPLE_MEASURES if other != unit)
    for small, (large, ratio) in SAME_MEASURE.items():
        if unit == small and number >= ratio / 2:
            whole, rest = divmod(number, ratio)
            if number == ratio:  # for a year, for an hour
                yield from (("for", one, _marked(large)) for one in ("a", "an"))
            if (number / ratio * (ratio if ratio % 10 == 0 else 4)) % 1 == 0:
                yield _number(number / ratio), _marked(large)
            if rest and whole:
                yield _number(whole), _marked(large), _number(rest), _marked(small)
                if small == "cm":
                    yield _number(whole), _marked(large), _number(rest)
        if unit == large and (number * ratio) % 1 == 0:
            yield _number(number * ratio), _marked(small)
            if number % 1 and number > 1:
                yield (
                    _number(number // 1),
                    _marked(large),
                    _number(number % 1 * ratio),
                    _marked(small),
                )


def _rates(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a rate with every word that may stand between its units.

    "80 km/h" -> 80 km per h, 80 km an h, 80 km each h and so on.
    """
    plain = [one for one in tokens if one != _PER]
    if len(plain) != 3 or plain[1][0] != MARK:
        return
    if not plain[0].replace(".", "", 1).isdigit():
        return
    unit = plain[2].removeprefix(MARK)
    if unit in ("h", "s", "min", "day", "week", "month", "year"):
        yield from (
            (*plain[:2], *between, other)
            for between in ((), (_PER,), ("a",), ("an",), ("each",), ("every",))
            for other in (unit, f"{MARK}{unit}")
        )


def _ordinals(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield an ordinal the other way: "3rd floor" -> third floor, "third floor" -> 3 floor."""
    if len(tokens) > 1 and not _ORDINALS.keys().isdisjoint(tokens):
        yield tuple(_ORDINALS.get(token, token) for token in tokens)
    if len(tokens) > 1 and _IS_ORDINAL.search(answer):
        yield tuple(_ORDINAL_WORDS.get(token, token) for token in tokens)


def _marked(unit: str) -> str:
    return f"{MARK}{unit}" if unit in UNITS.values() else unit


def _number(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _short_names(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield shorter forms of a name.

    - Without its title: "Dr. Chen" -> chen.
    - With an initial: "Robert Hughes" -> r hughes.
    - As initials: "New York City" -> nyc; "United Kingdom" -> uk.
    - By year and model: "2021 Honda Civic" -> 2021 civic.
    - "北京大学" -> 北大.
    """
    spelled = [word for word in answer.split() if word.lower() not in _SMALL_WORDS]
    if (
        len(spelled) > 1
        and spelled[0].lower().rstrip(".") in TITLES
        and spelled[1][:1].isupper()
    ):
        yield tokens[1:]
    if (
        len(spelled) > 1
        and len(tokens) == len(spelled)
        and all(word[:1].isupper() for word in spelled)
    ):
        if tokens[0] in KINDS_OF_PLACE:
            yield tokens[1:]
        if tokens[-1] in KINDS_OF_PLACE:
            yield tokens[:-1]
    # R. Hughes for Robert Hughes
    if len(spelled) == 2 == len(tokens) and all(
        word.isalpha() and word.istitle() for word in spelled
    ):
        yield tokens[0][0].lower(), tokens[1]
    if answer.endswith("大学") and len(tokens) == _LEAST_HAN_UNIVERSITY:
        yield tokens[0], "大"
    for kind in HAN_KINDS_OF_PLACE:
        if answer.endswith(kind) and len(answer) - len(kind) >= _LEAST_HAN_NAME:
            yield tokens[: -len(kind)]
    if len(spelled) >= 3 and all(
        word[:1].isupper() and word.isalpha() for word in spelled
    ):
        yield ("".join(word[0] for word in spelled).lower(),)
    if answer in _LANDS:
        yield (_LANDS[answer],)
    if (
        len(tokens) == 3
        and len(spelled) == 3
        and _YEAR.fullmatch(tokens[0])
        and all(map(str.isalpha, tokens[1:]))
    ):
        yield tokens[0], tokens[2]


def _other_orders(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what is listed or dated in the other order, whatever joins it.

    "ivory and sage" -> sage with ivory; "Friday at noon" -> noon on friday.
    """
    for joining in (_LISTING, _WHEN):
        joints = [at for at in range(1, len(tokens) - 1) if tokens[at] in joining]
        if not joints:
            continue
        joint = joints[0]
        first = tokens[:joint]
        last = tokens[joint + 1 :]
        for one, other in ((first, last), (last, first)):
            yield one + other
            yield from ((*one, word, *other) for word in joining)


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


def list_parts(answer: str) -> tuple[str, ...]:
    """Return the two or three things that ``answer`` lists; empty where it is no such list.

    "cashews and pistachios" -> cashews, pistachios. Numbers are none: the parts of "2 and 3"
    stand in many texts.
    """
    parts = [part.strip() for part in _LISTED.split(answer.strip().rstrip("."))]
    if len(parts) not in (2, 3) or not all(
        _LISTED_PART.fullmatch(part) for part in parts
    ):
        return ()
    return tuple(parts)


def _dates(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a date as it is written with slashes, and one that is so written as a day and a month.

    "3 May 2024" -> 3/5/2024 and 5/3/2024, for day or month may come first; "3/5" -> 3 May, 5 March.
    """
    day_and_month = _day_and_month(tokens)
    if len(tokens) == 2 and day_and_month:
        day, month = day_and_month
        yield from ((slashed(day, month),), (slashed(month, day),))
    elif len(tokens) == 1 and (parts := _TWO_PARTS.fullmatch(tokens[0])):
        one = int(parts[1])
        other = int(parts[2])
        yield from (
            (str(day), f"{MARK}{month}")
            for day, month in ((one, other), (other, one))
            if 0 < month <= 12
        )
    if len(tokens) == 3 and day_and_month:
        day, month = day_and_month
        year = tokens[2]
        if day <= 12 and day != month:
            yield (slashed_date(day, month, year),)
            yield (slashed_date(month, day, year),)
    elif len(tokens) == 1 and (written := _SLASHED.fullmatch(tokens[0])):
        first = int(written["first"])
        second = int(written["second"])
        year = written["year"]
        yield (str(first), f"{MARK}{second}", year)
        yield (str(second), f"{MARK}{first}", year)
        yield (slashed_date(second, first, year),)


def _phones(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a telephone number in one word, and with its area before it.

    "555 1234567" -> 5551234567; "5551234567" -> 555 1234567, 0555 1234567 and so on.
    """
    if not all(token.isdecimal() for token in tokens):
        return
    digits = "".join(tokens).removeprefix("0")
    if len(tokens) == 2 and len(digits) in _PHONE_DIGITS:
        yield (digits,)
    if len(tokens) == 1 and len(digits) in _PHONE_DIGITS:
        for area in range(2, 6):
            yield digits[:area], digits[area:]
            yield f"0{digits[:area]}", digits[area:]


def _one_word(answer: str, token: str) -> Iterator[tuple[str, ...]]:
    """Yield other forms of an answer of one token.

    "9:30" -> 21:30, for nobody says which half of the day; "4.50" -> 4.5 of any currency;
    "may" -> the name May; "May" -> the month.
    """
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


def _codes(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a code in one word, in the parts that it is written with, and in any two.

    "AB-123" -> ab123; ab 123; a b123; ab1 23 and so on.
    """
    joined = _PARTS.sub("", answer)
    has_both = any(map(str.isdigit, joined)) and any(map(str.isalpha, joined))
    if not has_both or len(joined) not in _CODE_CHARS or not _CODE.fullmatch(answer):
        return
    code = joined.lower()
    is_sentence = len(tokens) > 1 and answer.upper() != answer
    if is_sentence or any(token[0] == MARK for token in tokens):
        return
    yield (code,)
    parts = tuple(part.lower() for part in _PARTS.split(answer))
    yield parts
    for at in range(1, len(code)):
        yield code[:at], code[at:]
