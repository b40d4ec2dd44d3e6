"""The forms in which an answer may stand in a text, and words that only their neighbours explain."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from memviz.core.text.letters import MARK, plain_letters, slashed
from memviz.core.text.value_words import (
    AFTER_A_WORD,
    BEFORE_A_MONTH,
    CURRENCIES,
    HAN_KINDS_OF_PLACE,
    JOINING,
    KINDS_OF_PLACE,
    MONTH_NUMBERS,
    MULTIPLES,
    NAMES_THAT_ARE_WORDS,
    ONES,
    PEOPLE,
    PEOPLE_MEASURES,
    SAME_MEASURE,
    SHARED_MONTHS,
    SMALL_NUMBERS,
    TENS,
    TITLES,
    UNITS,
)
from memviz.core.text.values import slashed_date
from memviz.core.text.vocabulary import words

_ALSO_WORDS = ("real", "won", "min", "quid")
KINDS = {
    spelling: name
    for spelling, name in (CURRENCIES | UNITS).items()
    if spelling.isascii()
    and spelling.isalpha()
    and len(spelling) > 2
    and spelling not in _ALSO_WORDS
}
"""Words that say of what an amount is, wherever they stand; shorter ones do so behind a number only."""
NAME_TOKENS = frozenset(
    form for name in NAMES_THAT_ARE_WORDS for form in (name.capitalize(), name.upper())
)
_LARGE = MULTIPLES.keys() | TENS.keys()
READ_IN_CONTEXT = (
    NAME_TOKENS
    | frozenset(form for word in _LARGE for form in (word, word.capitalize()))
    | frozenset(month.capitalize() for month in SHARED_MONTHS)
)
"""Tokens that cannot be read alone: names that are words, numbers in several words, months that are words."""


class AnswerForm(NamedTuple):
    """Tokens to be found one after the other. A *bare* amount is none where its kind, another one, follows, and a date
    without its year none where a year, another one, follows."""

    tokens: tuple[str, ...]
    is_bare: bool = False
    is_yearless: bool = False


def tokens_in_context(tokens: Sequence[str]) -> Iterator[str]:
    """The ``tokens`` of a text; a name or a month that another word spells is told from it by its neighbours, and of a
    number in several words they are one token."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if (
            token not in READ_IN_CONTEXT
            and token.lower() not in ONES
            and token.lower() not in SMALL_NUMBERS
        ):
            yield token
            at += 1
            continue
        length, number = _spoken_number(tokens, at)
        if length > 1:
            yield str(number)
            at += length
            continue
        yield _read_between(
            token,
            tokens[at - 1] if at else "",
            tokens[at + 1] if at + 1 < len(tokens) else "",
        )
        at += 1


def _spoken_number(tokens: Sequence[str], start: int) -> tuple[int, int]:
    """The number of tokens from ``start`` on that say one number, and this number: "three thousand two hundred"."""
    total = group = used = 0
    at = start
    before = ""
    while at < len(tokens):
        word = plain_letters(tokens[at].casefold())
        small = SMALL_NUMBERS.get(word) or (
            ONES.get(word) if before != "small" else None
        )
        if before in ("large", "tens") and word in JOINING:
            if not _begins_with_small_number(tokens[at + 1 :]):
                break
            at += 1
            continue
        if word in MULTIPLES and (before or at > start or tokens[at][:1].islower()):
            if MULTIPLES[word] == 100:
                group = (group or 1) * 100
            else:
                total = total + (group or 1) * MULTIPLES[word]
                group = 0
            before = "large"
        elif word in TENS and before in ("", "large"):
            group = group + TENS[word]
            before = "tens"
        elif (
            small is not None
            and before in ("", "large", "tens")
            and not (before == "tens" and small > 9)
        ):
            group = group + small
            before = "small"
        else:
            break
        at += 1
        used = at - start
    return used, total + group


def _begins_with_small_number(tokens: Sequence[str]) -> bool:
    # ["twenty", "boxes"] -> True; ["thousand"] -> False
    if not tokens:
        return False
    word = plain_letters(tokens[0].casefold())
    return word in SMALL_NUMBERS or word in TENS or word in ONES


def _read_between(token: str, before: str, behind: str) -> str:
    word = token.lower()
    if (
        word in SHARED_MONTHS
        and token[0].isupper()
        and (before.lower() in BEFORE_A_MONTH)
    ):
        return f"{MARK}{MONTH_NUMBERS[word]}"
    if token not in NAME_TOKENS:
        return token
    is_word = (behind.lower() in AFTER_A_WORD and not behind.isupper()) or behind == "I"
    return word if is_word else word.capitalize()


def answer_forms(
    answer: str, tokens: tuple[str, ...], *, may_omit_year: bool = False
) -> list[AnswerForm]:
    """Every form in which ``answer``, of which these are the normal ``tokens``, may stand in a text, itself first; of a
    date also without its year, if that may be omitted."""
    if not tokens:
        return [AnswerForm(tokens)]
    forms = [AnswerForm(tokens)]
    forms += map(AnswerForm, _dates(tokens))
    if may_omit_year and is_date_with_year(tokens):
        forms += [
            AnswerForm(date, is_yearless=True)
            for date in (tokens[:2], *_dates(tokens[:2]))
        ]
    if len(tokens) == 1:
        forms += map(AnswerForm, _one_word(answer.strip(), tokens[0]))
    if (
        len(tokens) == 2
        and len(tokens[0]) >= _LEAST_BARE_DIGITS
        and _WITH_SYMBOL.fullmatch(answer.strip())
    ):
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
    """An answer without the small words that fit it to its question, "at the Osteria Luca"; empty, if it has none, or
    if hardly anything would be left."""
    start = 0
    while start < len(tokens) - 1 and tokens[start] in _FRAME:
        start += 1
    rest = tokens[start:]
    return rest if start and (len(rest) > 1 or len(rest[0]) > 2) else ()


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
_LISTED = re.compile(r",? and |, | & | und | et | y | e |[和与跟、]")
_LISTED_PART = re.compile(r"[^\W\d_]{3,}(?:[ -][^\W\d_]{2,}){0,2}|[\u4e00-\u9fff]{2,6}")
_LANDS = {
    "United Kingdom": "uk",
    "United States": "usa",
    "San Francisco": "sf",
    "European Union": "eu",
}
_YEAR = re.compile(r"(?:19|20)\d\d")


def _measures(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The same amount in the next larger or smaller unit, pounds as weight or money, and people by another word."""
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
    """So much of one unit in another: 80 km/h is 80 kilometres per hour."""
    plain = [one for one in tokens if one != _PER]
    if (
        len(plain) != 3
        or not plain[0].replace(".", "", 1).isdigit()
        or plain[1][0] != MARK
    ):
        return
    unit = plain[2].removeprefix(MARK)
    if unit in ("h", "s", "min", "day", "week", "month", "year"):
        yield from (
            (*plain[:2], *between, other)
            for between in ((), (_PER,), ("a",), ("an",), ("each",), ("every",))
            for other in (unit, f"{MARK}{unit}")
        )


_ORDINALS = {
    word: str(number)
    for number, word in enumerate(
        [
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        start=3,
    )
}
"""Not first and second, which are other words as well."""
_ORDINAL_WORDS = {number: word for word, number in _ORDINALS.items()}
_IS_ORDINAL = re.compile(r"\b\d{1,2}(?:rd|th)\b", re.IGNORECASE)


def _ordinals(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Third floor for 3rd floor, and the other way round."""
    if len(tokens) > 1 and not _ORDINALS.keys().isdisjoint(tokens):
        yield tuple(_ORDINALS.get(token, token) for token in tokens)
    if len(tokens) > 1 and _IS_ORDINAL.search(answer):
        yield tuple(_ORDINAL_WORDS.get(token, token) for token in tokens)


def _marked(unit: str) -> str:
    return f"{MARK}{unit}" if unit in UNITS.values() else unit


def _number(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _short_names(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The initials of a name in three words or more, and a car or the like by its year and model alone."""
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
        yield from (rest for rest in (tokens[1:],) if tokens[0] in KINDS_OF_PLACE)
        yield from (rest for rest in (tokens[:-1],) if tokens[-1] in KINDS_OF_PLACE)
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
    """Of two or three things that are listed every order, whatever joins them: "ivory with sage green"; and of a time
    its day and hour: "Friday at noon", "noon on Friday"."""
    for joining in (_LISTING, _WHEN):
        joint = next(
            (
                at
                for at, token in enumerate(tokens)
                if token in joining and 0 < at < len(tokens) - 1
            ),
            None,
        )
        if joint is None:
            continue
        first = tokens[:joint]
        last = tokens[joint + 1 :]
        for one, other in ((first, last), (last, first)):
            yield one + other
            yield from ((*one, word, *other) for word in joining)


_WITH_SYMBOL = re.compile(
    r"[$€£¥₹₩][\d.,]+k?|(?:[\d.,]+[k千万]?|[一二两三四五六七八九十百千万]+) ?(?:[$€£¥₹₩]|元|块钱?)"
)
_LEAST_BARE_DIGITS = 3
"""A shorter amount without its currency may be any number."""
_THOUSANDS = re.compile(r"\d{1,3}(?: \d{3})+")
_PHONE_DIGITS = range(9, 13)
_SLASHED = re.compile(rf"(?P<year>\d{{4}}){MARK}(?P<first>\d+){MARK}(?P<second>\d+)")
_TWO_PARTS = re.compile(rf"{MARK}(\d+){MARK}(\d+)")
_TIME = re.compile(rf"(?P<hour>\d{{1,2}}){MARK}(?P<minute>\d\d)")
_HALF_SAID = re.compile(
    r"[ap]\.?m|上午|下午|早上|晚上|凌晨|傍晚|中午|uhr|^\s*0\d|h\b", re.IGNORECASE
)
_CODE = re.compile(r"[A-Z0-9]+(?:[ -][A-Z0-9]+)*|[A-Za-z0-9]+")
_CODE_CHARS = range(4, 21)
_PARTS = re.compile(r"[ -]")


def is_date_with_year(tokens: tuple[str, ...]) -> bool:
    """Return whether these normal tokens are a day, a month and a year."""
    if len(tokens) != 3 or not tokens[0].isdigit() or not _YEAR.fullmatch(tokens[2]):
        return False
    return tokens[1][0] == MARK and tokens[1][1:].isdigit()


def list_parts(answer: str) -> tuple[str, ...]:
    """The two or three things that ``answer`` lists, such as ``cashews`` and ``pistachios``; empty where it is no such
    list. Numbers are none: the parts of "2 and 3" stand in many texts."""
    parts = [part.strip() for part in _LISTED.split(answer.strip().rstrip("."))]
    if len(parts) not in (2, 3) or not all(
        _LISTED_PART.fullmatch(part) for part in parts
    ):
        return ()
    return tuple(parts)


def _dates(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A date that may be written with slashes, whose day or month comes first."""
    if (
        len(tokens) == 2
        and tokens[1][0] == MARK
        and tokens[1][1:].isdigit()
        and tokens[0].isdigit()
    ):
        day = int(tokens[0])
        month = int(tokens[1][1:])
        yield from ((slashed(day, month),), (slashed(month, day),))
    elif len(tokens) == 1 and (parts := _TWO_PARTS.fullmatch(tokens[0])):
        one = int(parts[1])
        other = int(parts[2])
        yield from (
            (str(day), f"{MARK}{month}")
            for day, month in ((one, other), (other, one))
            if 0 < month <= 12
        )
    if (
        len(tokens) == 3
        and tokens[1][0] == MARK
        and tokens[1][1:].isdigit()
        and tokens[0].isdigit()
    ):
        day = int(tokens[0])
        month = int(tokens[1][1:])
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
    """A telephone number in one word, and with its area in brackets before it."""
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
    if token in NAMES_THAT_ARE_WORDS and answer.islower():
        yield (token.capitalize(),)
    month = token.lower()
    if month in SHARED_MONTHS and answer[:1].isupper():
        yield (f"{MARK}{MONTH_NUMBERS[month]}",)
    if (
        (time := _TIME.fullmatch(token))
        and int(time["hour"]) < 12
        and not _HALF_SAID.search(answer)
    ):
        yield (f"{int(time['hour']) + 12}{MARK}{time['minute']}",)
    if "." in token and token[-1] == "0" and token.replace(".", "").isdigit():
        shorter = token.rstrip("0").rstrip(".")
        for kind in dict.fromkeys(CURRENCIES.values()):
            yield shorter, f"{MARK}{kind}"


def _codes(answer: str, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A code in one word, in the parts that it is written with, and in any two."""
    joined = _PARTS.sub("", answer)
    has_both = any(map(str.isdigit, joined)) and any(map(str.isalpha, joined))
    if not has_both or len(joined) not in _CODE_CHARS or not _CODE.fullmatch(answer):
        return
    code = joined.lower()
    if any(token[0] == MARK for token in tokens) or (
        len(tokens) > 1 and answer.upper() != answer
    ):
        return
    yield (code,)
    parts = tuple(part.lower() for part in _PARTS.split(answer))
    yield parts
    for at in range(1, len(code)):
        yield code[:at], code[at:]
