"""A grid of settings: strategies with lists of values for their parameters, multiplied out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod
from typing import Any

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.errors import ParameterError
from memviz.strategies import strategies, strategy
from memviz.strategies.base import Strategy
from memviz.tuning.axes import DEFAULT_STEPS, axes, suggested_values

MAX_SETTINGS = 100_000
"""Of one strategy in one grid: a few long lists of values multiply to more than anybody can wait for."""
Grid = Mapping[str, Mapping[str, Any] | None]
"""Strategy id to parameter name to the values to try: a list, or one value. ``None`` in the place of the
parameters: the suggested values of all. A parameter that is not named keeps its default."""


def refused() -> dict[str, str]:
    """The strategies that cannot be run here, by id, and why: a sentence that says what to do. A sweep offers none of
    them."""
    reasons = {id: _reason(cls) for id, cls in strategies().items()}
    return {id: reason for id, reason in reasons.items() if reason}


def _reason(cls: type[Strategy]) -> str:
    try:
        return cls().can_be_run()
    except ParameterError:  # a parameter has no default, so it cannot say it yet
        return ""


def offered() -> dict[str, type[Strategy]]:
    """The strategies that a sweep can try, by id."""
    cannot = refused()
    return {id: cls for id, cls in strategies().items() if id not in cannot}


def tried_at_first() -> list[str]:
    """The strategies to begin with, by id."""
    return [id for id, cls in offered().items() if cls.tried_at_first]


def settings(grid: Grid) -> tuple[Strategy, ...]:
    """All settings of a grid, in its order, none twice.

    Raises :class:`memviz.UnknownStrategyError`, and :class:`memviz.ParameterError` for a parameter that a
    strategy does not have, a value out of range, an empty list of values, or a strategy that cannot be run here.
    """
    made: dict[tuple[str, str], Strategy] = {}
    cannot = refused()
    for id, given in grid.items():
        if id in cannot:
            raise ParameterError(
                "grid", id, f"a strategy that can be run here. {cannot[id]}"
            )
        values = (
            suggested(id)
            if given is None
            else {name: _listed(id, name, one) for name, one in given.items()}
        )
        _check_number(id, values)
        for combination in product(*values.values()):
            one = strategy(id, **dict(zip(values, combination, strict=True)))
            made.setdefault((id, one.model_dump_json()), one)
    if not made:
        raise ParameterError(
            "grid",
            dict(grid),
            f"at least one strategy out of: {', '.join(strategies())}",
        )
    return tuple(made.values())


def _check_number(id: str, values: Mapping[str, tuple[Any, ...]]) -> None:
    number = prod(len(one) for one in values.values())
    if number > MAX_SETTINGS:
        raise ParameterError(
            "grid",
            f"{number:,} settings",
            f"at most {MAX_SETTINGS:,} of one strategy",
            id,
        )


def suggested(
    id: str, steps: int = DEFAULT_STEPS, largest: Mapping[str, int] | None = None
) -> dict[str, tuple[Any, ...]]:
    """The values to begin with for every axis of a strategy: several of its main parameter, of the others the
    default alone. ``largest``: see :func:`memviz.tuning.axes.suggested_values`."""
    cls = strategies().get(id) or type(strategy(id))
    return {
        axis.name: suggested_values(axis, steps, largest)
        if axis.name == cls.main_parameter
        else (axis.default,)
        for axis in axes(cls)
    }


def largest_sizes(logs: Iterable[Log], counter: Counter) -> dict[str, int]:
    """The sizes of the largest conversation, by unit: no larger values are worth suggesting."""
    sizes = {"tokens": 1, "messages": 1, "turns": 1}
    for log in logs:
        found = {
            "tokens": log.token_sums(counter).totals[-1],
            "messages": len(log),
            "turns": log.turn_count,
        }
        sizes = {unit: max(size, int(found[unit])) for unit, size in sizes.items()}
    return sizes


def _listed(id: str, name: str, given: Any) -> tuple[Any, ...]:
    values = (
        tuple(given)
        if isinstance(given, Iterable) and not isinstance(given, str | Mapping)
        else (given,)
    )
    if not values:
        raise ParameterError(name, "nothing", "at least one value", id)
    return values
