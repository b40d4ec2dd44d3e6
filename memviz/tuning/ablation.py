"""The ablation of a setting: its parts, each with the setting that is left without that part.

``memviz design`` measures these settings too, to show what each part of the recommended one contributes.
"""

from dataclasses import dataclass

from memviz.strategies import strategy
from memviz.strategies.base import Strategy
from memviz.strategies.steps import FIRST_STEPS, lines_of

EVERYTHING = "buffer"
"""The strategy that is left when the only part is removed: the full buffer, which sends everything."""


@dataclass(frozen=True)
class Part:
    """A part of a setting."""

    line: str
    """The line of a step of a pipeline; empty for a strategy that has no parts."""
    without: Strategy
    """The setting without this part."""


def split_into_parts(setting: Strategy) -> tuple[Part, ...]:
    """Return the parts of a setting in their order.

    A pipeline has its steps, any other strategy has itself as the only part, and the full buffer has none.
    """
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
        other_lines = [*lines[:number], *lines[number + 1 :]]
        values_without = {**values, "steps": "\n".join(other_lines)}
        parts.append(Part(line, strategy(setting.id, **values_without)))
    return tuple(parts)
