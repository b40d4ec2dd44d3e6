"""The typed options of a sweep against what it takes."""

from __future__ import annotations

import inspect
from typing import Any, ForwardRef

import pytest

import memviz
from memviz.tuning.sweep import FleetSweepOptions, SweepOptions, sweep

NAMED = {"conversations", "grid", "write"}
"""The parameters that overloads name themselves."""


def types_of(options: Any) -> dict[str, str]:
    """The type of each option as it is written."""
    annotations: dict[str, ForwardRef] = options.__annotations__
    return {name: kind.__forward_arg__ for name, kind in annotations.items()}


def test_typed_options_are_the_parameters_of_a_sweep() -> None:
    parameters = inspect.signature(sweep).parameters
    typed = types_of(SweepOptions) | types_of(FleetSweepOptions)
    assert typed.keys() == parameters.keys() - NAMED
    for name, kind in typed.items():
        # Each sweep has progress of its own.
        if name != "progress":
            assert kind == parameters[name].annotation, name


def test_an_option_that_there_is_not_is_named() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'worker'"):
        memviz.sweep([], {}, worker=2)  # type: ignore[call-overload]
