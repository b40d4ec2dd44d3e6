"""From the words of a command line to values: strategies with parameters, what a sweep tries, recalls and prices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typer import BadParameter

from memviz.core.bounds import MAX_USD, quoted

if TYPE_CHECKING:
    from memviz.core.conversation import Log
    from memviz.engine.recall import Recall, RequestKey
    from memviz.strategies.base import Strategy
    from memviz.strategies.parameters import Parameter
    from memviz.transcripts.base import Transcript

    Recalls = tuple[tuple[RequestKey, Recall], ...]

Setting = tuple[str, str]
"""A parameter's name, and its value as it was typed."""
Usd = tuple[float, ...]
"""Prices entered by hand, in US dollars a million tokens: input, output, read from and written to the cache."""
MAX_PRICES = 4
MAX_STEPS = 100
_RANGE = re.compile(
    r"\s*(?P<low>\d{1,15})\.\.(?P<high>\d{1,15})(?:/(?P<steps>\d{1,15}))?\s*"
)
_REQUEST = re.compile(r"(?P<turn>\d{1,9})(?:\.(?P<call>\d{1,9}))?")
_ON = ("true", "yes", "on", "1")
_OFF = ("false", "no", "off", "0")


def strategies_from(named: Sequence[str], settings: Sequence[str]) -> list[Strategy]:
    """The strategies of ``--strategy NAME`` or ``NAME:PARAMETER=VALUE,...``, with what ``--set`` says; without any
    those that Compare shows at first.

    With several strategies a setting goes to each that has the parameter. Raises :class:`memviz.ParameterError`,
    also for a parameter that none of them has, and :class:`memviz.UnknownStrategyError`.
    """
    from memviz.strategies import COMPARED_AT_FIRST, strategy

    at_first = {} if named else dict(COMPARED_AT_FIRST)
    made = []
    for id, said in _said_of_each(named or list(at_first), settings):
        declared = parameters_of(id)
        values = dict(at_first.get(id, {}))
        for name, text in said:
            values[name] = value_of(declared.get(name), text)
        made.append(strategy(id, **values))
    return made


def settings_to_try(
    named: Sequence[str],
    for_all: Sequence[str],
    largest: Mapping[str, int],
    recorded: Sequence[Strategy] | None = None,
) -> tuple[Strategy, ...]:
    """All settings of ``--strategy NAME`` or ``NAME:PARAMETER=VALUES,...`` with what ``--set`` says, none twice.

    VALUES are ``2,4,8`` or ``500..4000/8`` (8 round numbers from 500 to 4000, evenly by ratio). A parameter of which
    nothing is said has its suggested values, none larger than the ``largest`` conversation by unit. Without
    ``named`` the strategies that the dashboard tries first. Where a recording plays the summaries, ``recorded`` are the
    settings that it holds: of a strategy that summarizes, and of whose parameters nothing is said, those are tried, and
    no strategy of which there are none unless it is ``named``. Raises :class:`memviz.ParameterError`, also for a
    parameter that none of them has, and :class:`memviz.UnknownStrategyError`.
    """
    from memviz.strategies import strategy
    from memviz.tuning.grid import settings, suggested, tried_at_first

    found: list[Strategy] = []
    for id, said in _said_of_each(named or tried_at_first(), for_all):
        declared = parameters_of(id)
        if recorded is not None and not said:
            played = [one for one in recorded if one.id == id]
            if played or (not named and strategy(id).writes_notes):
                found += played
                continue
        values = dict(suggested(id, largest=largest))
        for name, text in said:
            values[name] = tuple(_values_of(name, declared.get(name), text, id))
        found += settings({id: values})
    return tuple(dict.fromkeys(found))


def split_strategy(text: str) -> tuple[str, list[Setting]]:
    """The name and what is said of its parameters; a part without ``=`` goes on with the value before it."""
    id, colon, own = text.partition(":")
    parts: list[str] = []
    for part in own.split(",") if colon else []:
        if "=" in part or not parts:
            parts.append(part)
        else:
            parts[-1] += f",{part}"
    return id, [split_setting(part, "--strategy") for part in parts]


def split_setting(text: str, option: str) -> Setting:
    """``PARAMETER=VALUE`` as two texts."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise BadParameter(
            f"{text!r} is not of the form PARAMETER=VALUE.", param_hint=option
        )
    return name.strip(), value


def parameters_of(id: str) -> dict[str, Parameter]:
    """The parameters that a strategy declares, by name. Raises :class:`memviz.UnknownStrategyError`."""
    from memviz.core.errors import UnknownStrategyError
    from memviz.strategies import strategies

    if id not in strategies():
        raise UnknownStrategyError(id, strategies())
    return {parameter.name: parameter for parameter in strategies()[id].parameters()}


def value_of(parameter: Parameter | None, text: str) -> Any:
    """The text as what the parameter takes, or as it is: then the strategy says what is wrong with it."""
    if parameter is None:
        return text
    if parameter.kind is bool:
        word = text.strip().lower()
        return word in _ON if word in _ON + _OFF else text
    if parameter.is_number:
        try:
            return int(text)
        except ValueError:
            return text
    return None if parameter.optional and not text else text


def recalls_of(given: Sequence[str], transcript: Transcript) -> Recalls:
    """The recalls of ``TURN=TURNS``, or of ``TURN.CALL=TURNS`` from one call of a turn on, in order. Raises
    :class:`memviz.RecallError` for turns that are no list of numbers, and BadParameter where the
    conversation has no such request."""
    if not given:
        return ()
    from memviz.core.conversation import Log
    from memviz.engine.recall import Recall, parse_numbers

    found = []
    log = Log(transcript.messages)
    for text in given:
        into, equals, turns = text.partition("=")
        numbers = parse_numbers(turns)
        if not (equals and numbers):
            raise _wrong_recall(
                f"{text!r} is not of the form TURN=TURNS or TURN.CALL=TURNS, such as 12=1,3-5 or 12.3=4."
            )
        request = _request_of(into, log)
        # What comes later is the plainer mistake.
        for number in sorted(numbers, reverse=True):
            _check_is_earlier(number, request)
        found.append((request, Recall(turns=numbers)))
    return tuple(found)


def prices_of(text: str | None, option: str, most: int = MAX_PRICES) -> Usd | None:
    """The prices that are written as ``IN,OUT`` or with more of them, up to ``most``."""
    if text is None:
        return None
    try:
        prices = tuple(float(part) for part in text.split(","))
    except ValueError:
        prices = ()
    are_allowed = all(0 <= usd <= MAX_USD for usd in prices)
    if not (are_allowed and 2 <= len(prices) <= most):
        numbers = "2" if most == 2 else f"2 to {most}"
        raise BadParameter(
            f"{quoted(text)} is not {numbers} prices in US dollars a million tokens.",
            param_hint=option,
        )
    return prices


def _said_of_each(
    named: Sequence[str], for_all: Sequence[str]
) -> list[tuple[str, list[Setting]]]:
    """The strategies with what is said of their parameters. What is said for all goes to each that has the parameter;
    what none of them has goes to all, and is refused with the names that there are."""
    common = [split_setting(text, "--set") for text in for_all]
    chosen = [split_strategy(text) for text in named]
    known = {name for id, _ in chosen for name in parameters_of(id)}
    found = []
    for id, own in chosen:
        declared = parameters_of(id)
        fitting = [one for one in common if one[0] in declared or one[0] not in known]
        found.append((id, [*fitting, *own]))
    return found


def _values_of(name: str, parameter: Parameter | None, text: str, id: str) -> list[Any]:
    """The values of a parameter that a sweep tries. A text is one value, whatever is in it."""
    if parameter is None:
        return [text]
    if not (parameter.is_number or parameter.kind is bool or parameter.choices):
        return [value_of(parameter, text)]
    values: list[Any] = []
    for part in text.split(","):
        matched = _RANGE.fullmatch(part) if parameter.is_number else None
        if matched:
            values += _spread(name, part, matched, id)
        else:
            values.append(value_of(parameter, part))
    return values


def _spread(name: str, text: str, matched: re.Match[str], id: str) -> tuple[int, ...]:
    from memviz.core.errors import ParameterError
    from memviz.tuning.grid import DEFAULT_STEPS, spread

    low = int(matched["low"])
    high = int(matched["high"])
    steps = int(matched["steps"] or DEFAULT_STEPS)
    if not 1 <= low <= high or not 2 <= steps <= MAX_STEPS:
        allowed = f"LOW..HIGH/STEPS with LOW from 1 to HIGH and 2 to {MAX_STEPS} steps, such as 500..4000/8"
        raise ParameterError(name, text, allowed, id)
    return spread(low, high, steps)


def _request_of(text: str, log: Log) -> RequestKey:
    matched = _REQUEST.fullmatch(text.strip())
    if not matched:
        raise _wrong_recall(
            f"{text!r} is no turn and no call of one: write 12, or 12.3 for the third call of turn 12."
        )
    turn = int(matched["turn"])
    if not 1 <= turn <= log.turn_count:
        raise _wrong_recall(
            f"There is no turn {turn} to recall into: the conversation has turns 1 to {log.turn_count}."
        )
    if matched["call"] is None:
        return turn
    call = int(matched["call"])
    made = len(log.requests_of(log.turn(turn)))
    if log.pending is not None and log.pending.turn == turn:
        made = log.pending.call  # the one that nobody has answered yet
    if not 1 <= call <= made:
        raise _wrong_recall(
            f"There is no call {call} of turn {turn} to recall into: it has calls 1 to {made}."
        )
    return (turn, call)


def _check_is_earlier(number: int, request: RequestKey) -> None:
    """Refuse a turn of which nothing was said before this request: it would be recalled nowhere, silently."""
    turn, call = request if isinstance(request, tuple) else (request, 1)
    if number > turn:
        raise _wrong_recall(
            f"Turn {number} comes after turn {turn}, so it cannot be recalled into it: write {number}={turn} to recall "
            f"turn {turn} into turn {number}."
        )
    if number == turn and call == 1:
        raise _wrong_recall(
            f"Turn {turn} cannot be recalled into its own first request: name an earlier turn."
        )


def _wrong_recall(sentence: str) -> BadParameter:
    return BadParameter(sentence, param_hint="--recall")
