"""How a measured number may stand to the one that is claimed."""

from __future__ import annotations

from collections.abc import Callable

NEARLY = 0.1
"""The share by which a number may miss one that it is said to be *about*."""
_ROUNDING = 1e-9

RELATIONS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "=": (
        "is",
        lambda one, other: abs(one - other) <= _ROUNDING * max(1.0, abs(other)),
    ),
    "!=": (
        "is not",
        lambda one, other: abs(one - other) > _ROUNDING * max(1.0, abs(other)),
    ),
    "<": ("is less than", lambda one, other: one < other),
    "<=": ("is at most", lambda one, other: one <= other),
    ">": ("is more than", lambda one, other: one > other),
    ">=": ("is at least", lambda one, other: one >= other),
    "about": ("is about", lambda one, other: abs(one - other) <= NEARLY * abs(other)),
}
"""Each relation with its words and its rule."""
