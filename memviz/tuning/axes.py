"""The axes of a sweep, read from what the parameters of a strategy declare about themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor, log10
from typing import Any

from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter

DEFAULT_STEPS = 6
_ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
"""First digits of numbers that people choose."""


def axes(strategy: type[Strategy]) -> tuple[Parameter, ...]:
    """The parameters of a strategy that change what a replay sends, and have values to step through: numbers and
    switches. Parameters of what a model does by itself in a live turn change nothing in a replay."""
    return tuple(
        p
        for p in strategy.parameters()
        if not p.live_only and (p.is_number or p.kind is bool)
    )


def suggested_values(
    parameter: Parameter,
    steps: int = DEFAULT_STEPS,
    largest: Mapping[str, int] | None = None,
) -> tuple[Any, ...]:
    """Values to try: both states of a switch; for a number ``steps`` round ones, evenly by ratio, over the range
    that the parameter suggests, or fewer where it holds fewer.

    ``largest`` are the sizes of a conversation by unit (``{"tokens": 4000, "messages": 92, "turns": 46}``): a
    larger value than that sends what the conversation's own size does, so none is suggested.
    """
    if parameter.kind is bool:
        return (False, True)
    low, high = parameter.suggested or (parameter.default, parameter.default)
    high = max(low, min(high, (largest or {}).get(parameter.unit, high)))
    return spread(low, high, steps)


def recorded_values(
    strategy: type[Strategy], recorded: Iterable[Strategy]
) -> dict[str, tuple[Any, ...]]:
    """The values of each axis that are worth offering because their summaries were ``recorded``: those of the main
    parameter, and of every other parameter that was recorded with several values, such as ``summary_words`` 0 and 120.
    A setting in which any other parameter differs from its default says nothing of the main one."""
    own = [one for one in recorded if one.id == strategy.id]
    found = {
        axis.name: sorted({getattr(one, axis.name) for one in own})
        for axis in axes(strategy)
    }
    varied = {
        name
        for name, values in found.items()
        if len(values) > 1 and name != strategy.main_parameter
    }
    fixed = [
        axis
        for axis in axes(strategy)
        if axis.name not in (*varied, strategy.main_parameter)
    ]
    usual = [
        one
        for one in own
        if all(getattr(one, axis.name) == axis.default for axis in fixed)
    ]
    offered = (axis.name for axis in axes(strategy) if axis not in fixed)
    values = {
        name: tuple(sorted({getattr(one, name) for one in usual})) for name in offered
    }
    return {name: several for name, several in values.items() if several}


def spread(low: int, high: int, steps: int = DEFAULT_STEPS) -> tuple[int, ...]:
    """``low``, ``high`` and round numbers between them, evenly by ratio: ``steps`` in all, or fewer where the range
    holds fewer. Both ends are 1 or more."""
    if steps < 2 or low == high:
        return (low,)
    ratio = (high / low) ** (1 / (steps - 1))
    inner = {
        min(high, max(low, _rounded(low * ratio**step))) for step in range(1, steps - 1)
    }
    return tuple(sorted({low, high} | inner))


def _rounded(value: float) -> int:
    """The number with a first digit that people choose that is next to ``value``."""
    unit = 10.0 ** floor(log10(value))
    near = min(_ROUND, key=lambda digit: abs(digit * unit - value))
    return max(1, round(near * unit))
