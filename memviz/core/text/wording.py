"""Numbers, places, lists and money in sentences, for every page, chart, report and command.

Inside memviz a message is its position in the log, counted from 0. On the screen messages are numbered from 1, as
turns are. :func:`message_number` and :func:`message_position` are the way from one to the other.
"""

from collections.abc import Iterable, Sequence
from math import floor, log10

_VOWELS = "aeiou"
_UNITS = (
    (86400.0, "day", "days"),
    (3600.0, "hour", "hours"),
    (60.0, "min", "min"),
    (1.0, "s", "s"),
)
_EXACT_BELOW = 1000
"""Smaller numbers of tokens are given exactly, larger ones to three digits."""


def plural(noun: str, number: float = 2) -> str:
    """``turn`` for 1, ``turns`` for any other number; ``summaries``, ``days``."""
    if number == 1:
        return noun
    return (
        f"{noun[:-1]}ies"
        if noun.endswith("y") and noun[-2:-1] not in _VOWELS
        else f"{noun}s"
    )


def counted(number: float, noun: str) -> str:
    """``1 turn``, ``2 turns``, ``3 summaries``, ``0.4 seconds``."""
    return (
        f"{number:,} {plural(noun, number)}"
        if isinstance(number, int)
        else f"{number:,.6g} {plural(noun, number)}"
    )


def share_of(part: int, whole: int, noun: str) -> str:
    """``3 of 12 requests``."""
    return f"{part:,} of {counted(whole, noun)}"


def times(number: int) -> str:
    """``once``, ``2 times``."""
    return "once" if number == 1 else f"{number:,} times"


def listed(items: Iterable[object]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, last = [str(item) for item in items] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def message_number(position: int) -> int:
    """The number that a reader sees of the message at this log position."""
    return position + 1


def message_position(number: int) -> int:
    """The log position of the message that a reader knows by this number."""
    return number - 1


def message_range(positions: range) -> str:
    """The messages at these log positions: ``message 3``, ``messages 3 to 9``."""
    return _range("message", message_number(positions.start), positions.stop)


def message_list(positions: Sequence[int]) -> str:
    """The messages at single log positions: ``message 3``, ``messages 3 and 9``."""
    return _list("message", map(message_number, positions), len(positions))


def turn_range(first: int, last: int) -> str:
    """``turn 3``, ``turns 3 to 9``."""
    return _range("turn", first, last)


def turn_span(first: int, last: int) -> str:
    """``at turn 3``, ``from turn 3 to 9``: when something was so."""
    return f"at turn {last:,}" if first == last else f"from turn {first:,} to {last:,}"


def turn_list(turns: Sequence[int], most: int | None = None) -> str:
    """``turn 3``, ``turns 3, 4 and 9``; of more than ``most`` only the first: ``turns 3, 4, …``."""
    if most is not None and len(turns) > most:
        return f"{plural('turn')} {', '.join(f'{turn:,}' for turn in turns[:most])}, …"
    return _list("turn", turns, len(turns))


def _range(noun: str, first: int, last: int) -> str:
    return (
        f"{noun} {last:,}" if first == last else f"{plural(noun)} {first:,} to {last:,}"
    )


def _list(noun: str, numbers: Iterable[int], count: int) -> str:
    return f"{plural(noun, count)} {listed(f'{number:,}' for number in numbers)}"


def dollars(usd: float) -> str:
    """An amount of money: cents, or as many digits as it takes to show two that are not zero."""
    digits = 2 if usd == 0 else max(2, 1 - floor(log10(abs(usd))))
    text = f"{usd:,.{digits}f}"
    needless = len(text) - len(text.rstrip("0"))
    return f"${text[: len(text) - min(needless, digits - 2)]}"


NOT_RECORDED = "not recorded"
"""In place of seconds and dollars that nobody measured when a recording was made."""


def seconds_words(seconds: float | None) -> str:
    """The seconds that a call took, in words."""
    return NOT_RECORDED if seconds is None else f"{seconds:.2f} s"


def took_words(seconds: float | None) -> str:
    """The same where nothing beside it says what is meant."""
    return f"seconds {NOT_RECORDED}" if seconds is None else seconds_words(seconds)


def cost_words(usd: float | None, *, recorded: bool) -> str:
    """The cost of a call, of which its provider may have said nothing, or the recording that it is played from."""
    return dollars(usd) if usd is not None else NOT_RECORDED if recorded else "unknown"


def price_words(usd: float | None, *, recorded: bool = False) -> str:
    """The same as a part of a sentence: ``cost $0.01``, ``no cost``."""
    return "no cost" if usd == 0 else f"cost {cost_words(usd, recorded=recorded)}"


def effort_words(seconds: float | None, usd: float | None, *, recorded: bool) -> str:
    """Time and cost of a call: ``1.20 s, cost $0.01``, ``0.02 s, no cost``, ``seconds and cost not recorded``."""
    if recorded and seconds is None and usd is None:
        return f"seconds and cost {NOT_RECORDED}"
    return f"{took_words(seconds)}, {price_words(usd, recorded=recorded)}"


def duration_words(seconds: float) -> str:
    """``30 s``, ``5 min``, ``1 hour``, in the largest unit of which it is at least one."""
    size, one, several = next(
        (unit for unit in _UNITS if seconds >= unit[0]), _UNITS[-1]
    )
    number = seconds / size
    return f"{number:,.4g} {one if number == 1 else several}"


def rounded_tokens(number: int) -> str:
    """A number of tokens: small ones exactly, large ones to three digits."""
    digits = 0 if number < _EXACT_BELOW else 2 - floor(log10(number))
    return f"{round(number, digits):,}"


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, numbered where two are the same."""
    return [
        name if names.index(name) == at else f"{name} ({names[: at + 1].count(name)})"
        for at, name in enumerate(names)
    ]


def request_name(turn: int, call: int, calls: int) -> str:
    """A request as people name it: ``turn 3``, and where its turn took several ``calls`` of the model ``turn 3, call
    1``."""
    return f"turn {turn:,}" if calls == 1 else f"turn {turn:,}, call {call:,}"


RequestPlace = tuple[int, int, int]
"""A request as its turn, which call of it it is, and how many calls the turn took."""


def request_range(first: RequestPlace, last: RequestPlace) -> str:
    """``turn 3``, ``turns 3 to 5``, ``turn 3, calls 2 to 4``, ``turn 3, call 2 to turn 5, call 1``: turns alone where
    all of their calls are meant."""
    if _are_whole_turns(first, last):
        return turn_range(first[0], last[0])
    if first[:2] == last[:2]:
        return request_name(*first)
    if first[0] == last[0]:
        return f"turn {first[0]:,}, calls {first[1]:,} to {last[1]:,}"
    return f"{request_name(*first)} to {request_name(*last)}"


def request_span(first: RequestPlace, last: RequestPlace) -> str:
    """The same as a time when something was so: ``at turn 3``, ``from turn 3 to 5``, ``at turn 3, calls 2 to 4``,
    ``from turn 3, call 2 to turn 5, call 1``."""
    if _are_whole_turns(first, last):
        return turn_span(first[0], last[0])
    return f"{'at' if first[0] == last[0] else 'from'} {request_range(first, last)}"


def _are_whole_turns(first: RequestPlace, last: RequestPlace) -> bool:
    return first[1] == 1 and last[1] == last[2]
