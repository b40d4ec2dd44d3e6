"""Turns the words of a command line into strategies, sweeps, recalls and prices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from typer import BadParameter

from memviz.cli.errors import UnknownTargetError
from memviz.core.bounds import MAX_USD, quoted
from memviz.core.conversation import Log
from memviz.core.errors import ParameterError
from memviz.strategies import COMPARED_AT_FIRST, strategy, strategy_class
from memviz.strategies.presets import presets

if TYPE_CHECKING:
    from memviz.code_export import Target
    from memviz.core.conversation import Log
    from memviz.engine.planned_recalls import RequestKey
    from memviz.engine.recall import Recall
    from memviz.strategies.base import Strategy
    from memviz.strategies.parameters import Parameter
    from memviz.transcripts.base import Transcript

    Recalls = tuple[tuple[RequestKey, Recall], ...]

Usd = tuple[float, ...]
"""Prices entered by hand, in US dollars a million tokens: input, output, read from and
written to the cache."""
MAX_PRICES = 4
MAX_STEPS = 100
# "500..4000", or "500..4000/8" for 8 values
_RANGE = re.compile(
    r"\s*(?P<low>\d{1,15})\.\.(?P<high>\d{1,15})(?:/(?P<steps>\d{1,15}))?\s*"
)
# "12" is a turn, "12.3" its third call
_REQUEST = re.compile(r"(?P<turn>\d{1,9})(?:\.(?P<call>\d{1,9}))?")
_ON = ("true", "yes", "on", "1")
_OFF = ("false", "no", "off", "0")


class Assignment(NamedTuple):
    """A value that was typed for a parameter: ``window_size=5``."""

    parameter: str
    typed_value: str


class TypedStrategy(NamedTuple):
    """A strategy that was named on the command line: ``window:window_size=5``."""

    id: str
    assignments: list[Assignment]


def strategies_from(
    strategy_args: Sequence[str], set_args: Sequence[str]
) -> list[Strategy]:
    """Return the strategies of ``--strategy NAME`` or ``NAME:PARAMETER=VALUE,...``.

    ``set_args`` are those of ``--set PARAMETER=VALUE``, each for all strategies with
    that parameter. Without ``strategy_args``, the strategies that Compare shows at
    first.

    Raises :class:`memviz.UnknownStrategyError`, and :class:`memviz.ParameterError`
    also for a parameter that no strategy has.
    """

    defaults = {} if strategy_args else dict(COMPARED_AT_FIRST)
    strategies = []
    for id, assignments in _read_strategies(strategy_args or list(defaults), set_args):
        values = {**defaults.get(id, {}), **_read_values(id, assignments)}
        strategies.append(strategy(id, **values))
    return strategies


def settings_to_try(
    strategy_args: Sequence[str],
    set_args: Sequence[str],
    largest: Mapping[str, int],
    recorded: Sequence[Strategy] | None = None,
) -> tuple[Strategy, ...]:
    """Return all settings that a sweep tries, none twice.

    The arguments are as in :func:`strategies_from`, but with several values: ``2,4,8``,
    or ``500..4000/8`` for 8 round numbers from 500 to 4000, evenly by ratio. Without
    ``strategy_args``, the strategies that the dashboard tries first. A parameter
    without a value has its suggested ones, up to the ``largest`` conversation by unit.

    Where a recording plays the summaries, ``recorded`` are the settings that it holds.
    For a strategy without assignments, the first case that fits:

    1. The recording holds settings of it: those.
    2. It was not named, and it summarizes: none.
    3. Else the suggested values, as without a recording.

    Raises what :func:`strategies_from` does.
    """
    from memviz.tuning.grid import list_first_strategies

    to_try: list[Strategy] = []
    ids = strategy_args or list_first_strategies()
    for id, assignments in _read_strategies(ids, set_args):
        # A recording plays the summaries of the settings that were recorded, and of no others.
        if recorded is not None and not assignments:
            recorded_settings = [setting for setting in recorded if setting.id == id]
            if recorded_settings:
                to_try += recorded_settings
                continue
            if not strategy_args and strategy(id).writes_notes:
                continue
        to_try += _list_settings(id, assignments, largest)
    return tuple(dict.fromkeys(to_try))


def _list_settings(
    id: str, assignments: Sequence[Assignment], largest: Mapping[str, int]
) -> list[Strategy]:
    """Return the settings of one strategy: all combinations of the values that were typed and of those suggested."""
    from memviz.strategies.step_numbers import find_step_numbers
    from memviz.tuning.grid import expand_grid, suggest_values

    if id in presets():
        # It is one setting, and no grid of them.
        return [strategy(id, **_read_values(id, assignments))]
    declared = parameters_of(id)
    values = dict(suggest_values(id, largest=largest))
    # The numbers in the steps of a pipeline are parameters too, named in words.
    if "steps" in declared:
        declared |= find_step_numbers(dict(assignments).get("steps"))
    for name, text in assignments:
        values[name] = tuple(_read_values_to_try(name, declared.get(name), text, id))
    return list(expand_grid({id: values}))


def _read_values(id: str, assignments: Sequence[Assignment]) -> dict[str, Any]:
    """Return the values that were typed for parameters of a strategy, as these take them."""
    declared = parameters_of(id)
    return {name: value_of(declared.get(name), text) for name, text in assignments}


def split_strategy(text: str) -> TypedStrategy:
    """Return the strategy of ``NAME:PARAMETER=VALUE,...``.

    A part without ``=`` goes on with the value before it: in
    ``summary:buffer_size=2,4`` the value is ``2,4``.
    """
    id, colon, typed = text.partition(":")
    parts: list[str] = []
    for part in typed.split(",") if colon else []:
        if "=" in part or not parts:
            parts.append(part)
        else:
            parts[-1] += f",{part}"
    return TypedStrategy(id, [split_assignment(part, "--strategy") for part in parts])


def split_assignment(text: str, option: str) -> Assignment:
    """Return ``PARAMETER=VALUE`` in its two halves."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise BadParameter(
            f"{text!r} is not of the form PARAMETER=VALUE.", param_hint=option
        )
    return Assignment(name.strip(), value)


def parameters_of(id: str) -> dict[str, Parameter]:
    """Return the parameters that a strategy declares, by name.

    Raises :class:`memviz.UnknownStrategyError`.
    """

    return {parameter.name: parameter for parameter in strategy_class(id).parameters()}


def value_of(parameter: Parameter | None, text: str) -> Any:
    """Return the typed value as the parameter takes it: "5" -> 5, "yes" -> True.

    A text that the parameter does not take stays a text, which the strategy refuses.
    """
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


def recalls_of(recall_args: Sequence[str], transcript: Transcript) -> Recalls:
    """Return the recalls of ``TURN=TURNS`` or ``TURN.CALL=TURNS``, in order.

    ``12=1,3-5`` recalls the turns 1, 3, 4 and 5 into turn 12, ``12.3=4`` turn 4 from
    the third call of turn 12 on.

    Raises :class:`memviz.RecallError` for turns that are no list of numbers, and
    BadParameter where the conversation has no such request.
    """
    if not recall_args:
        return ()
    from memviz.engine.recall import Recall, parse_numbers

    recalls = []
    log = Log(transcript.messages)
    for text in recall_args:
        into, equals, turns = text.partition("=")
        numbers = parse_numbers(turns)
        if not (equals and numbers):
            raise _wrong_recall(
                f"{text!r} is not of the form TURN=TURNS or TURN.CALL=TURNS, such as 12=1,3-5 or 12.3=4."
            )
        request = _read_request(into, log)
        # What comes later is the plainer mistake.
        for number in sorted(numbers, reverse=True):
            _check_is_earlier(number, request)
        recalls.append((request, Recall(turns=numbers)))
    return tuple(recalls)


def prices_of(text: str | None, option: str, most: int = MAX_PRICES) -> Usd | None:
    """Return the prices of ``IN,OUT``, or of up to ``most`` numbers: "0.25,2"."""
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


def read_share(text: str) -> float:
    """Return the share that was typed: 0.85 for ``85%`` and for ``0.85``. Raises :class:`ValueError` for no number."""
    number = text.strip()
    if number.endswith("%"):
        return float(number.removesuffix("%")) / 100
    return float(number)


def _read_strategies(
    strategy_args: Sequence[str], set_args: Sequence[str]
) -> list[TypedStrategy]:
    """Return each strategy with the assignments for all that it takes, then its own.

    It takes those for a parameter that it has, and those for one that no strategy has:
    the latter are refused later, with the names that there are.
    """
    for_all = [split_assignment(text, "--set") for text in set_args]
    typed = [split_strategy(text) for text in strategy_args]
    declared_anywhere = set[str]()
    for id, _own in typed:
        declared_anywhere.update(parameters_of(id))
    strategies = []
    for id, own_assignments in typed:
        declared = parameters_of(id)
        assignments = []
        for assignment in for_all:
            name = assignment.parameter
            if name in declared or name not in declared_anywhere:
                assignments.append(assignment)
        strategies.append(TypedStrategy(id, [*assignments, *own_assignments]))
    return strategies


def _read_values_to_try(
    name: str, parameter: Parameter | None, text: str, id: str
) -> list[Any]:
    """Return the values of a parameter that a sweep tries: "2,4" -> 2 and 4.

    A parameter that takes any text has one value, whatever commas are in it.
    """
    if parameter is None:
        return [text]
    has_several = parameter.is_number or parameter.kind is bool or parameter.choices
    if not has_several:
        return [value_of(parameter, text)]
    values: list[Any] = []
    for part in text.split(","):
        matched = _RANGE.fullmatch(part) if parameter.is_number else None
        if matched:
            values += _spread_range(name, part, matched, id)
        else:
            values.append(value_of(parameter, part))
    return values


def _spread_range(
    name: str, text: str, matched: re.Match[str], id: str
) -> tuple[int, ...]:
    """Return the round numbers of a range: "500..4000/8" -> 8 from 500 to 4000."""
    from memviz.tuning.grid import DEFAULT_STEPS, spread_values

    low = int(matched["low"])
    high = int(matched["high"])
    steps = int(matched["steps"] or DEFAULT_STEPS)
    if not 1 <= low <= high or not 2 <= steps <= MAX_STEPS:
        allowed = f"LOW..HIGH/STEPS with LOW from 1 to HIGH and 2 to {MAX_STEPS} steps, such as 500..4000/8"
        raise ParameterError(name, text, allowed, id)
    return spread_values(low, high, steps)


def _read_request(text: str, log: Log) -> RequestKey:
    """Return the request of "12", or of "12.3", the third call of turn 12.

    Raises BadParameter if the conversation has no such turn or call.
    """
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
    call_count = len(log.requests_of(log.turn(turn)))
    if log.pending is not None and log.pending.turn == turn:
        # The last call is the one that nobody has answered yet.
        call_count = log.pending.call
    if not 1 <= call <= call_count:
        raise _wrong_recall(
            f"There is no call {call} of turn {turn} to recall into: it has calls 1 to {call_count}."
        )
    return (turn, call)


def _check_is_earlier(number: int, request: RequestKey) -> None:
    """Raise BadParameter for a turn of which nothing was said before this request.

    It would silently be recalled nowhere.
    """
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


def target_named(text: str) -> Target:
    """Return the target of this name, or the only one whose name begins so: ``langchain`` is ``langchain_middleware``.

    Raises :class:`memviz.cli.errors.UnknownTargetError`.
    """
    from memviz.code_export import targets

    targets_by_name = targets()
    beginning = [name for name in targets_by_name if text and name.startswith(text)]
    if text not in targets_by_name and len(beginning) == 1:
        (text,) = beginning
    if text not in targets_by_name:
        raise UnknownTargetError(text, targets_by_name)
    return targets_by_name[text]
