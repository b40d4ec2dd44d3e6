"""Amounts in other units: "90 minutes" is 1.5 h, "80 km/h" is 80 km per h."""

from collections.abc import Iterator
from decimal import Decimal

from memviz.core.text.letters import MARK
from memviz.core.text.value_words import (
    PEOPLE,
    PEOPLE_MEASURES,
    SAME_MEASURE,
    UNITS,
)

Tokens = tuple[str, ...]
"""Normal tokens, see :func:`memviz.core.text.containment.normal_tokens`."""
_PER = "per"
_BETWEEN_UNITS = ((), (_PER,), ("a",), ("an",), ("each",), ("every",))
_UNITS_OF_RATES = ("h", "s", "min", "day", "week", "month", "year")
_SAME_AMOUNT = {
    "kg": (Decimal(2), ("斤",)),
    "斤": (Decimal("0.5"), (f"{MARK}kg",)),
    "年": (Decimal(12), ("个", "月")),
}
"""Units, each with another one and how many of that it is."""


def yield_other_units(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield the same amount in other units.

    "90 minutes" -> 1.5 h; 1 h 30 min. "2 kg" -> 4 斤; 2000 g. "£2" and "2 pounds" are weight or
    money. "20 people" -> 20 guests, 20 visitors and so on.
    """
    if len(tokens) != 2 or not _is_decimal(tokens[0]):
        return
    amount = tokens[0]
    number = Decimal(amount)
    unit = tokens[1].removeprefix(MARK)
    # A pound is money or weight, and only a sign such as £ says which.
    if unit == "gbp" and "pound" in answer.lower():
        yield amount, f"{MARK}lb"
    if unit == "lb":
        yield amount, f"{MARK}gbp"
    if unit in _SAME_AMOUNT:
        factor, other_unit = _SAME_AMOUNT[unit]
        yield _write_number(number * factor), *other_unit
    for words_for_people in (PEOPLE, PEOPLE_MEASURES):
        if unit in words_for_people:
            for other in sorted(words_for_people):
                yield amount, other
    for small, (large, ratio) in SAME_MEASURE.items():
        if unit == small:
            yield from _convert_to_larger_unit(number, small, large, ratio)
        elif unit == large and number * ratio % 1 == 0:
            yield _write_number(number * ratio), _mark_unit(small)
            yield from _convert_to_two_units(number * ratio, small, large, ratio)


def _convert_to_larger_unit(
    number: Decimal, small: str, large: str, ratio: int
) -> Iterator[Tokens]:
    """Yield a number of ``small`` units in the ``large`` one, of ``ratio`` each: 90 min -> 1.5 h, 1 h 30 min."""
    if number < ratio / 2:
        return
    if number == ratio:  # for a year, for an hour
        yield "for", "a", _mark_unit(large)
        yield "for", "an", _mark_unit(large)
    # Any whole number is one of hours or kilograms (93 min is 1.55 h), but of days, weeks
    # and years only quarters are: 30 h is 1.25 days.
    most_parts = ratio if ratio % 10 == 0 else 4
    if number / ratio * most_parts % 1 == 0:
        yield _write_number(number / ratio), _mark_unit(large)
    for tokens in _convert_to_two_units(number, small, large, ratio):
        yield tokens
        if small == "cm":
            yield tokens[:-1]


def _convert_to_two_units(
    number: Decimal, small: str, large: str, ratio: int
) -> Iterator[Tokens]:
    """Yield a number of ``small`` units in both: 90 min -> 1 h 30 min; none where one unit says it."""
    whole, remainder = divmod(number, ratio)
    if whole and remainder:
        yield (
            _write_number(whole),
            _mark_unit(large),
            _write_number(remainder),
            _mark_unit(small),
        )


def yield_other_rates(answer: str, tokens: Tokens) -> Iterator[Tokens]:
    """Yield a rate with every word that may stand between its units.

    "80 km/h" -> 80 km per h, 80 km an h, 80 km each h and so on.
    """
    plain = [token for token in tokens if token != _PER]
    if len(plain) != 3 or plain[1][0] != MARK or not _is_decimal(plain[0]):
        return
    unit = plain[2].removeprefix(MARK)
    if unit in _UNITS_OF_RATES:
        for between in _BETWEEN_UNITS:
            yield *plain[:2], *between, unit
            yield *plain[:2], *between, f"{MARK}{unit}"


def _mark_unit(unit: str) -> str:
    return f"{MARK}{unit}" if unit in UNITS.values() else unit


def _is_decimal(token: str) -> bool:
    return token.replace(".", "", 1).isdigit()


def _write_number(number: Decimal) -> str:
    return f"{number.normalize():f}"
