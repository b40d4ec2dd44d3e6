"""Numbers, places, lists and money in sentences, for every page, chart, report and command, in the language of their
reader.

Inside memviz a message is its position in the log, counted from 0. On the screen messages are numbered from 1, as
turns are. :func:`message_number` and :func:`message_position` are the way from one to the other.
"""

from collections.abc import Iterable, Sequence, Sized
from math import floor, log10

from memviz.core.translation import _, ngettext, noop, plural_noop

_VOWELS = "aeiou"
_UNITS = (
    (86400.0, *plural_noop("{number} day", "{number} days")),
    (3600.0, *plural_noop("{number} hour", "{number} hours")),
    (60.0, *plural_noop("{number} min", "{number} min")),
    (1.0, *plural_noop("{number} s", "{number} s")),
)
_COUNTED = (
    plural_noop("{number} more character", "{number} more characters"),
    plural_noop("{number} rare word", "{number} rare words"),
    plural_noop("{number} answer", "{number} answers"),
    plural_noop("{number} call", "{number} calls"),
    plural_noop("{number} change", "{number} changes"),
    plural_noop("{number} character", "{number} characters"),
    plural_noop("{number} clearing", "{number} clearings"),
    plural_noop("{number} conversation", "{number} conversations"),
    plural_noop("{number} entry", "{number} entries"),
    plural_noop("{number} event", "{number} events"),
    plural_noop("{number} fact", "{number} facts"),
    plural_noop("{number} failure", "{number} failures"),
    plural_noop("{number} guessed fact", "{number} guessed facts"),
    plural_noop("{number} heading", "{number} headings"),
    plural_noop("{number} history", "{number} histories"),
    plural_noop("{number} input", "{number} inputs"),
    plural_noop("{number} known fact", "{number} known facts"),
    plural_noop("{number} lesson", "{number} lessons"),
    plural_noop("{number} message", "{number} messages"),
    plural_noop("{number} minute", "{number} minutes"),
    plural_noop("{number} model", "{number} models"),
    plural_noop("{number} more message", "{number} more messages"),
    plural_noop("{number} more note", "{number} more notes"),
    plural_noop("{number} more request", "{number} more requests"),
    plural_noop("{number} more token", "{number} more tokens"),
    plural_noop("{number} more turn", "{number} more turns"),
    plural_noop("{number} new summary", "{number} new summaries"),
    plural_noop("{number} participant", "{number} participants"),
    plural_noop("{number} piece", "{number} pieces"),
    plural_noop("{number} problem", "{number} problems"),
    plural_noop("{number} proposed fact", "{number} proposed facts"),
    plural_noop("{number} question", "{number} questions"),
    plural_noop("{number} reply", "{number} replies"),
    plural_noop("{number} request", "{number} requests"),
    plural_noop("{number} result", "{number} results"),
    plural_noop("{number} round", "{number} rounds"),
    plural_noop("{number} row", "{number} rows"),
    plural_noop("{number} rule", "{number} rules"),
    plural_noop("{number} run", "{number} runs"),
    plural_noop("{number} second", "{number} seconds"),
    plural_noop("{number} setting", "{number} settings"),
    plural_noop("{number} step", "{number} steps"),
    plural_noop("{number} strategy", "{number} strategies"),
    plural_noop("{number} such request", "{number} such requests"),
    plural_noop("{number} summarization", "{number} summarizations"),
    plural_noop("{number} summarizer call", "{number} summarizer calls"),
    plural_noop("{number} summary", "{number} summaries"),
    plural_noop("{number} text", "{number} texts"),
    plural_noop("{number} time", "{number} times"),
    plural_noop("{number} token", "{number} tokens"),
    plural_noop("{number} tool result", "{number} tool results"),
    plural_noop("{number} turn", "{number} turns"),
    plural_noop("{number} visitor", "{number} visitors"),
    plural_noop("{number} warning", "{number} warnings"),
    plural_noop("{number} word", "{number} words"),
)
_FORMS = {one.removeprefix("{number} "): (one, several) for one, several in _COUNTED}
"""What is counted, by its noun: each language says a number of it in its own way."""
_EXACT_BELOW = 1000
"""Smaller numbers of tokens are given exactly, larger ones to three digits."""


def plural(noun: str, number: float = 2) -> str:
    """``turn`` for 1, ``turns`` for any other number; ``summaries``, ``days``. English, whatever is read."""
    if number == 1:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def counted(number: float | Sized, noun: str) -> str:
    """Return a number of things, or as many as there are in a collection: ``1 turn``, ``2 turns``, ``0.4 seconds``."""
    if isinstance(number, Sized):
        number = len(number)
    figures = f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"
    if noun not in _FORMS:
        return f"{figures} {plural(noun, number)}"
    return ngettext(*_FORMS[noun], number, number=figures)


def share_of(part: int, whole: int, noun: str) -> str:
    """``3 of 12 requests``."""
    return _("{part:,} of {counted}", part=part, counted=counted(whole, noun))


def times(number: int) -> str:
    """``once``, ``2 times``."""
    return ngettext("once", "{number:,} times", number)


def listed(items: Iterable[object]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, last = [str(item) for item in items] or [""]
    if not first:
        return last
    return _("{first} and {last}", first=_(COMMA).join(first), last=last)


def comma_list(items: Iterable[str]) -> str:
    """Return ``a, b, c``."""
    return _(COMMA).join(items)


COMMA = noop(", ")
"""Between the items of a list."""
SEMICOLON = noop("; ")
"""Between the parts of a sentence."""


def message_number(position: int) -> int:
    """The number that a reader sees of the message at this log position."""
    return position + 1


def message_position(number: int) -> int:
    """The log position of the message that a reader knows by this number."""
    return number - 1


_MESSAGES = noop("message {number:,}"), noop("messages {first:,} to {last:,}")
_TURNS = noop("turn {number:,}"), noop("turns {first:,} to {last:,}")
_AT_TURNS = noop("at turn {number:,}"), noop("from turn {first:,} to {last:,}")


def _range_words(words: tuple[str, str], first: int, last: int) -> str:
    of_one, of_several = words
    if first == last:
        return _(of_one, number=last)
    return _(of_several, first=first, last=last)


def message_range(positions: range) -> str:
    """The messages at these log positions: ``message 3``, ``messages 3 to 9``."""
    return _range_words(_MESSAGES, message_number(positions.start), positions.stop)


def message_list(positions: Sequence[int]) -> str:
    """The messages at single log positions: ``message 3``, ``messages 3 and 9``."""
    numbers = _figures(map(message_number, positions))
    return ngettext("message {list}", "messages {list}", len(positions), list=numbers)


def turn_range(first: int, last: int) -> str:
    """``turn 3``, ``turns 3 to 9``."""
    return _range_words(_TURNS, first, last)


def turn_span(first: int, last: int) -> str:
    """``at turn 3``, ``from turn 3 to 9``: when something was so."""
    return _range_words(_AT_TURNS, first, last)


def turn_list(turns: Sequence[int], most: int | None = None) -> str:
    """``turn 3``, ``turns 3, 4 and 9``; of more than ``most`` only the first: ``turns 3, 4, …``."""
    if most is not None and len(turns) > most:
        numbers = _(COMMA).join(f"{turn:,}" for turn in turns[:most])
        return _("turns {first}, …", first=numbers)
    return ngettext("turn {list}", "turns {list}", len(turns), list=_figures(turns))


def _figures(numbers: Iterable[int]) -> str:
    return listed(f"{number:,}" for number in numbers)


def dollars(usd: float) -> str:
    """An amount of money: cents, or as many digits as it takes to show two that are not zero."""
    digits = 2 if usd == 0 else max(2, 1 - floor(log10(abs(usd))))
    text = f"{usd:,.{digits}f}"
    needless = len(text) - len(text.rstrip("0"))
    return f"${text[: len(text) - min(needless, digits - 2)]}"


NOT_RECORDED = noop("not recorded")
"""In place of seconds and dollars that nobody measured when a recording was made."""


def seconds_words(seconds: float | None) -> str:
    """The seconds that a call took, in words."""
    if seconds is None:
        return _(NOT_RECORDED)
    return _("{seconds:.2f} s", seconds=seconds)


def took_words(seconds: float | None) -> str:
    """The seconds that a call took, where nothing beside them says what is meant: ``1.20 s``,
    ``seconds not recorded``."""
    if seconds is None:
        return _("seconds not recorded")
    return seconds_words(seconds)


def cost_words(usd: float | None, *, recorded: bool) -> str:
    """The cost of a call, of which its provider may have said nothing, or the recording that it is played from."""
    if usd is not None:
        return dollars(usd)
    return _(NOT_RECORDED) if recorded else _("unknown")


def price_words(usd: float | None, *, recorded: bool = False) -> str:
    """The cost of a call as a part of a sentence: ``cost $0.01``, ``no cost``."""
    if usd == 0:
        return _("no cost")
    return _("cost {amount}", amount=cost_words(usd, recorded=recorded))


def effort_words(seconds: float | None, usd: float | None, *, recorded: bool) -> str:
    """Time and cost of a call: ``1.20 s, cost $0.01``, ``0.02 s, no cost``, ``seconds and cost not recorded``."""
    if recorded and seconds is None and usd is None:
        return _("seconds and cost not recorded")
    time = took_words(seconds)
    cost = price_words(usd, recorded=recorded)
    return _("{time}, {cost}", time=time, cost=cost)


def duration_words(seconds: float) -> str:
    """``30 s``, ``5 min``, ``1 hour``, in the largest unit of which it is at least one."""
    fitting_units = [unit for unit in _UNITS if seconds >= unit[0]]
    size, singular, plural = fitting_units[0] if fitting_units else _UNITS[-1]
    number = seconds / size
    figures = f"{number:,.4g}"
    return ngettext(singular, plural, number, number=figures)


def rounded_tokens(number: int) -> str:
    """A number of tokens: small ones exactly, large ones to three digits."""
    digits = 0 if number < _EXACT_BELOW else 2 - floor(log10(number))
    return f"{round(number, digits):,}"


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, numbered where two are the same: a, b, a becomes a, b, a (2)."""
    counts: dict[str, int] = {}
    distinct = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        distinct.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return distinct


def request_name(turn: int, call: int, calls: int) -> str:
    """A request as people name it: ``turn 3``, and where its turn took several ``calls`` of the model ``turn 3, call
    1``."""
    if calls == 1:
        return _("turn {number:,}", number=turn)
    return _("turn {turn:,}, call {call:,}", turn=turn, call=call)


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
        return _(
            "turn {turn:,}, calls {first:,} to {last:,}",
            turn=first[0],
            first=first[1],
            last=last[1],
        )
    return _("{first} to {last}", first=request_name(*first), last=request_name(*last))


def request_span(first: RequestPlace, last: RequestPlace) -> str:
    """The requests during which something was so: ``at turn 3``, ``from turn 3 to 5``, ``at turn 3, calls 2 to 4``,
    ``from turn 3, call 2 to turn 5, call 1``."""
    if _are_whole_turns(first, last):
        return turn_span(first[0], last[0])
    place = request_range(first, last)
    if first[0] == last[0]:
        return _("at {place}", place=place)
    return _("from {place}", place=place)


def _are_whole_turns(first: RequestPlace, last: RequestPlace) -> bool:
    return first[1] == 1 and last[1] == last[2]
