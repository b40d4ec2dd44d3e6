"""A grid of settings: strategies with lists of values for their parameters, multiplied out; and the values that are
worth trying, read from what the parameters declare about themselves."""

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
"""First digits of numbers that people choose."""
MAX_SETTINGS = 100_000
"""Of one strategy in one grid: a few long lists of values multiply to more than anybody can wait for."""
Grid = Mapping[str, Mapping[str, Any] | None]
"""Strategy id to parameter name to the values to try: a list, or one value. ``None`` in the place of the
parameters: the suggested values of all. A parameter that is not named keeps its default."""
Values = dict[str, tuple[Any, ...]]
"""By the name of a parameter the values to try."""


def axes(strategy: type[Strategy]) -> tuple[Parameter, ...]:
    """Return the parameters of a strategy that change what a replay sends, and have values to step through: numbers
    and switches. Parameters of what a model does by itself in a live turn change nothing in a replay."""
    stepped = []
    for parameter in strategy.parameters():
        has_steps = parameter.is_number or parameter.kind is bool
        if has_steps and not parameter.live_only:
            stepped.append(parameter)
    return tuple(stepped)


def suggested_values(
    parameter: Parameter,
    steps: int,
    largest: Mapping[str, int] | None = None,
) -> tuple[Any, ...]:
    """Return values to try: both states of a switch; for a number ``steps`` round ones, evenly by ratio, over the range
    that the parameter suggests, or fewer where it holds fewer.

    ``largest`` are the sizes of a conversation by unit (``{"tokens": 4000, "messages": 92, "turns": 46}``): a
    larger value than that sends what the conversation's own size does, so none is suggested.
    """
    if parameter.kind is bool:
        return (False, True)
    low, high = parameter.suggested or (parameter.default, parameter.default)
    if largest is not None:
        high = min(high, largest.get(parameter.unit, high))
    return spread(low, max(low, high), steps)


def recorded_values(strategy: type[Strategy], recorded: Iterable[Strategy]) -> Values:
    """Return the values of each axis that are worth offering because their summaries were ``recorded``: those of the
    main parameter, and of every other parameter that was recorded with several values, such as ``summary_words`` 0 and
    120. A setting in which any other parameter differs from its default says nothing of the main one."""
    recorded_settings = [setting for setting in recorded if setting.id == strategy.id]
    offered = []
    usual = recorded_settings
    for axis in axes(strategy):
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


def spread(low: int, high: int, steps: int = DEFAULT_STEPS) -> tuple[int, ...]:
    """Return ``low``, ``high`` and round numbers between them, evenly by ratio: ``steps`` in all, or fewer where the
    range holds fewer. Of a range that begins with 0 the rest is spread so."""
    if steps < 2 or low == high:
        return (low,)
    if not low:
        return (0, high) if steps == 2 else (0, *spread(1, high, steps - 1))
    ratio = (high / low) ** (1 / (steps - 1))
    numbers = {low, high}
    for step in range(1, steps - 1):
        between = _rounded(low * ratio**step)
        numbers.add(min(high, max(low, between)))
    return tuple(sorted(numbers))


def _rounded(value: float) -> int:
    """Return the number with a first digit that people choose that is next to ``value``."""
    unit = 10.0 ** floor(log10(value))
    near = min(_ROUND, key=lambda digit: abs(digit * unit - value))
    return max(1, round(near * unit))


def refused() -> dict[str, str]:
    """Return the strategies that cannot be run here, by id, and why: a sentence that says what to do. A sweep offers
    none of them."""
    reasons = {id: _refusal(cls) for id, cls in strategies().items()}
    return {id: reason for id, reason in reasons.items() if reason}


def _refusal(cls: type[Strategy]) -> str:
    """Return the sentence that says why a strategy cannot be run here; empty where it can be, or where a parameter has
    no default, so that it cannot say it yet."""
    try:
        return cls().reason_not_to_run()
    except ParameterError:
        return ""


def offered() -> dict[str, type[Strategy]]:
    """Return the strategies that a sweep can try, by id."""
    cannot = refused()
    return {id: cls for id, cls in strategies().items() if id not in cannot}


def tried_at_first() -> list[str]:
    """Return the strategies to begin with, by id.

    Those that look messages up are left out: what a request of theirs holds was looked up
    for its question, so the share of all facts that is kept on average says little of it.
    """
    return [
        id for id, cls in offered().items() if cls.tried_at_first and not cls.looks_up
    ]


def settings(grid: Grid) -> tuple[Strategy, ...]:
    """Return all settings of a grid, in its order, none twice.

    Raises :class:`memviz.UnknownStrategyError`, and :class:`memviz.ParameterError` for a parameter that a
    strategy does not have, a value out of range, an empty list of values, or a strategy that cannot be run here.
    """
    settings_by_key: dict[tuple[str, str], Strategy] = {}
    for id, own_values in grid.items():
        reason = _refusal(strategy_class(id))
        if reason:
            allowed = _("a strategy that can be run here. {cannot}", cannot=reason)
            raise ParameterError("grid", id, allowed)
        if own_values is None:
            values = suggested(id)
        else:
            values = {
                name: _listed(id, name, value) for name, value in own_values.items()
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


def suggested(id: str, largest: Mapping[str, int] | None = None) -> Values:
    """Return the values to begin with for every axis of a strategy: several of its main parameter, of the others the
    default alone. ``largest``: see :func:`suggested_values`."""
    cls = strategies().get(id) or type(strategy(id))
    values: Values = {axis.name: (axis.default,) for axis in axes(cls)}
    for axis in axes(cls):
        if axis.name == cls.main_parameter:
            values[axis.name] = suggested_values(axis, DEFAULT_STEPS, largest)
    return values


def largest_sizes(logs: Iterable[Log], counter: Counter) -> dict[str, int]:
    """Return the sizes of the largest conversation, by unit: no larger values are worth suggesting."""
    sizes = {"tokens": 1, "messages": 1, "turns": 1}
    for log in logs:
        tokens = int(log.token_sums(counter).totals[-1])
        log_sizes = {"tokens": tokens, "messages": len(log), "turns": log.turn_count}
        sizes = {unit: max(size, log_sizes[unit]) for unit, size in sizes.items()}
    return sizes


def _listed(id: str, name: str, values_or_one: Any) -> tuple[Any, ...]:
    if not isinstance(values_or_one, Iterable) or isinstance(
        values_or_one, str | Mapping
    ):
        return (values_or_one,)
    values = tuple(values_or_one)
    if not values:
        raise ParameterError(name, "nothing", _("at least one value"), id)
    return values
