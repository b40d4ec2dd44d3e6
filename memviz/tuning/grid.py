"""Grids of settings for a sweep, such as ``{"window": {"window_size": [5, 10, 20]}}``.

:func:`expand_grid` multiplies the lists of values out to settings. The other functions suggest strategies and values
to try, from what parameters declare about themselves; Tune and the command line offer them to the user.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from math import floor, log10, prod
from typing import Any

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.errors import ParameterError
from memviz.core.translation import _
from memviz.strategies import strategies, strategy, strategy_class
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.strategies.step_numbers import expand_number_grid

DEFAULT_STEPS = 6
_ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
"""First digits of the round numbers that people choose."""
MAX_SETTINGS = 100_000
"""The most settings of one strategy in a grid: a few long lists multiply to more than anybody can wait for."""
Grid = Mapping[str, Mapping[str, Any] | None]
"""By strategy id and parameter name the values to try: a list, or one value.

``None`` instead of the parameters stands for the suggested values. A parameter that is not named keeps its default.
"""
Values = dict[str, tuple[Any, ...]]
"""The values to try by the name of the parameter."""


def list_axes(strategy: type[Strategy]) -> tuple[Parameter, ...]:
    """Return the parameters of a strategy that a grid can vary: numbers and switches that change a replay.

    Parameters that only matter in a live turn are left out.
    """
    stepped = []
    for parameter in strategy.parameters():
        has_steps = parameter.is_number or parameter.kind is bool
        if has_steps and not parameter.live_only:
            stepped.append(parameter)
    return tuple(stepped)


def suggest_parameter_values(
    parameter: Parameter,
    steps: int,
    largest: Mapping[str, int] | None = None,
) -> tuple[Any, ...]:
    """Return values to try of one parameter: both states of a switch, or about ``steps`` round numbers.

    The numbers lie evenly by ratio in the range that the parameter suggests. ``largest`` are the sizes of a
    conversation by unit, such as ``{"tokens": 4000, "messages": 92, "turns": 46}``: no larger number is suggested,
    because it would send the whole conversation as well.
    """
    if parameter.kind is bool:
        return (False, True)
    low, high = parameter.suggested or (parameter.default, parameter.default)
    if largest is not None:
        high = min(high, largest.get(parameter.unit, high))
    return spread_values(low, max(low, high), steps)


def list_recorded_values(
    strategy: type[Strategy], recorded: Iterable[Strategy]
) -> Values:
    """Return the values of each parameter for which a recording has the summaries.

    A recording plays the summaries of the settings in ``recorded`` only. Offered are the values of the main parameter,
    and of every parameter that was recorded with several values, such as ``summary_words`` 0 and 120. Settings in which
    another parameter differs from its default are left out.
    """
    recorded_settings = [setting for setting in recorded if setting.id == strategy.id]
    offered = []
    usual = recorded_settings
    for axis in list_axes(strategy):
        recorded_numbers = {
            getattr(setting, axis.name) for setting in recorded_settings
        }
        if len(recorded_numbers) > 1 or axis.name == strategy.main_parameter:
            offered.append(axis.name)
        else:
            usual = [
                setting
                for setting in usual
                if getattr(setting, axis.name) == axis.default
            ]
    if not usual:
        return {}
    return {
        name: tuple(sorted({getattr(setting, name) for setting in usual}))
        for name in offered
    }


def spread_values(low: int, high: int, steps: int = DEFAULT_STEPS) -> tuple[int, ...]:
    """Return ``low``, ``high`` and round numbers between them, evenly by ratio: at most ``steps`` in all.

    From 100 to 10,000 in 5 steps: 100, 300, 1,000, 3,000, 10,000. A range that begins with 0 has 0, and the rest is
    spread from 1 on.
    """
    if steps < 2 or low == high:
        return (low,)
    if not low:
        return (0, high) if steps == 2 else (0, *spread_values(1, high, steps - 1))
    ratio = (high / low) ** (1 / (steps - 1))
    numbers = {low, high}
    for step in range(1, steps - 1):
        between = _round_to_usual_number(low * ratio**step)
        numbers.add(min(high, max(low, between)))
    return tuple(sorted(numbers))


def _round_to_usual_number(value: float) -> int:
    """Return the round number nearest to ``value``: 330 -> 300"""
    unit = 10.0 ** floor(log10(value))
    near = min(_ROUND, key=lambda digit: abs(digit * unit - value))
    return max(1, round(near * unit))


def find_refused_strategies() -> dict[str, str]:
    """Return the strategies that cannot be run here, by id, each with a sentence that says why and what to do."""
    reasons = {id: _find_refusal(cls) for id, cls in strategies().items()}
    return {id: reason for id, reason in reasons.items() if reason}


def _find_refusal(cls: type[Strategy]) -> str:
    """Return the sentence that says why a strategy cannot be run here; empty where it can be.

    A strategy with a parameter that has no default cannot be asked yet, and counts as one that can be run.
    """
    try:
        return cls().reason_not_to_run()
    except ParameterError:
        return ""


def list_offered_strategies() -> dict[str, type[Strategy]]:
    """Return the strategies that a sweep can try, by id."""
    cannot = find_refused_strategies()
    return {id: cls for id, cls in strategies().items() if id not in cannot}


def list_first_strategies() -> list[str]:
    """Return the ids of the strategies that a sweep tries unless the user chooses others.

    Those that look messages up are left out: their requests only hold what fits the question, so the share of all facts
    that they keep on average says little about them.
    """
    return [
        id
        for id, cls in list_offered_strategies().items()
        if cls.tried_at_first and not cls.looks_up
    ]


def expand_grid(grid: Grid) -> tuple[Strategy, ...]:
    """Return all settings of ``grid``, in its order, each once.

    ``{"window": {"window_size": [5, 10]}}`` gives the strategy ``window`` with 5 and with 10 messages.

    Raises :class:`memviz.UnknownStrategyError`, and :class:`memviz.ParameterError` for a parameter that a
    strategy does not have, a value out of range, an empty list of values, or a strategy that cannot be run here.
    """
    settings_by_key: dict[tuple[str, str], Strategy] = {}
    for id, own_values in grid.items():
        reason = _find_refusal(strategy_class(id))
        if reason:
            allowed = _("a strategy that can be run here. {cannot}", cannot=reason)
            raise ParameterError("grid", id, allowed)
        if own_values is None:
            values = suggest_values(id)
        else:
            values = {
                name: _list_values(id, name, value)
                for name, value in own_values.items()
            }
        number = prod(map(len, values.values()))
        if number > MAX_SETTINGS:
            allowed = _("at most {number:,} of one strategy", number=MAX_SETTINGS)
            raise ParameterError(
                "grid", _("{number:,} settings", number=number), allowed, id
            )
        if "steps" in strategy_class(id).model_fields:
            steps = values.get("steps") or (strategy(id).model_dump()["steps"],)
            values = expand_number_grid(steps, values)
        for combination in product(*values.values()):
            setting = strategy(id, **dict(zip(values, combination, strict=True)))
            settings_by_key.setdefault((id, setting.model_dump_json()), setting)
    if not settings_by_key:
        allowed = _(
            "at least one strategy out of: {list}", list=", ".join(strategies())
        )
        raise ParameterError("grid", dict(grid), allowed)
    return tuple(settings_by_key.values())


def suggest_values(id: str, largest: Mapping[str, int] | None = None) -> Values:
    """Return values to try of a strategy: several of its main parameter, and the default of each other one.

    ``largest``: see :func:`suggest_parameter_values`.
    """
    cls = strategies().get(id) or type(strategy(id))
    values: Values = {axis.name: (axis.default,) for axis in list_axes(cls)}
    for axis in list_axes(cls):
        if axis.name == cls.main_parameter:
            values[axis.name] = suggest_parameter_values(axis, DEFAULT_STEPS, largest)
    return values


def find_largest_sizes(logs: Iterable[Log], counter: Counter) -> dict[str, int]:
    """Return the size of the largest conversation in tokens, in messages and in turns."""
    sizes = {"tokens": 1, "messages": 1, "turns": 1}
    for log in logs:
        tokens = int(log.token_sums(counter).totals[-1])
        log_sizes = {"tokens": tokens, "messages": len(log), "turns": log.turn_count}
        sizes = {unit: max(size, log_sizes[unit]) for unit, size in sizes.items()}
    return sizes


def _list_values(id: str, name: str, values_or_one: Any) -> tuple[Any, ...]:
    if not isinstance(values_or_one, Iterable) or isinstance(
        values_or_one, str | Mapping
    ):
        return (values_or_one,)
    values = tuple(values_or_one)
    if not values:
        raise ParameterError(name, "nothing", _("at least one value"), id)
    return values
