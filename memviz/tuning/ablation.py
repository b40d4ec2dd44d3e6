"""The parts of a setting, each with the setting that is left without it."""

from dataclasses import dataclass

from memviz.strategies import strategy
from memviz.strategies.base import Strategy
from memviz.strategies.steps import FIRST_STEPS, lines_of

EVERYTHING = "buffer"
"""The strategy that is left where the only part is taken away."""


@dataclass(frozen=True)
class Part:
    """One part of a setting."""

    line: str
    """The line of a pipeline's step; empty for the whole of a strategy."""
    without: Strategy
    """The setting without it."""


def split_into_parts(setting: Strategy) -> tuple[Part, ...]:
    """Return the parts of a setting in their order: the steps of a pipeline; of any other strategy all of it. The full
    buffer has none."""
    if setting.id == EVERYTHING:
        return ()
    values = setting.model_dump()
    lines = [""]
    if "steps" in values:
        lines = lines_of(values["steps"] or FIRST_STEPS)
    if len(lines) == 1:
        return (Part(lines[0], strategy(EVERYTHING)),)
    parts = []
    for number, line in enumerate(lines):
        others = [*lines[:number], *lines[number + 1 :]]
        rest = strategy(setting.id, **{**values, "steps": "\n".join(others)})
        parts.append(Part(line, rest))
    return tuple(parts)
