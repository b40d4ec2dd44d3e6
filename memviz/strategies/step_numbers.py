"""The numbers in the steps of a pipeline, each named in words, so that a sweep can try others."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from memviz.core.translation import _
from memviz.strategies.parameters import Parameter
from memviz.strategies.steps import FIRST_STEPS, lines_of

PLACE = "N"
"""Stands in a name for the number itself."""
# "0.8 of the window", "10,000"; what stands in quotation marks is a text
_NUMBER = re.compile(
    r'"[^"]*"|(?<![\w.])(?P<number>\d*\.\d+|\d+(?:,\d{3})*)(?P<share> of the window)?'
)
_CLAUSE_BEGINS = re.compile(r", |\n| (?=at (?!most))")
_CLAUSE_ENDS = re.compile(r", |\n| at (?!most)|$")


@dataclass(frozen=True, slots=True)
class StepNumber(Parameter):
    """One number of a pipeline's steps. Its name says where it stands, as in ``step 2 keep N messages``; a share of the
    window is in percent."""

    step: int = 0
    clause: str = ""

    @property
    def title(self) -> str:
        """The name as a person reads it."""
        return _("Step {number}: {clause}", number=self.step, clause=self.clause)

    def shown(self, value: Any) -> str:
        """The clause with this number."""
        clause = self.clause.replace(PLACE, f"{value:,}", 1)
        return _("step {number}: {clause}", number=self.step, clause=clause)


def step_numbers(steps: str | None) -> dict[str, StepNumber]:
    """Return the numbers of these steps by their names, in their order, with their values as defaults."""
    text = "\n".join(lines_of(steps or FIRST_STEPS))
    numbers = {}
    for match in _numbers_in(text):
        before = text[: match.start()]
        begins = [begin.end() for begin in _CLAUSE_BEGINS.finditer(before)]
        start = begins[-1] if begins else 0
        end = _CLAUSE_ENDS.search(text, match.end())
        assert end is not None  # noqa: S101 - a text has an end
        share = "% of the window" if match["share"] else ""
        clause = before[start:] + PLACE + share + text[match.end() : end.start()]
        step = before.count("\n") + 1
        name = f"step {step} {clause}"
        numbers[name] = StepNumber(
            name,
            int,
            _value_of(match),
            help=_("A number in a step of the pipeline."),
            unit="%" if share else "",
            minimum=1,
            step=step,
            clause=clause,
        )
    return numbers


def with_numbers(steps: str | None, values: Mapping[str, float]) -> str | None:
    """Return these steps with other numbers, by their names; as they are where all are the same."""
    names = list(step_numbers(steps))
    text = "\n".join(lines_of(steps or FIRST_STEPS))
    pieces = []
    behind = 0
    for name, match in zip(names, _numbers_in(text), strict=True):
        value = values.get(name, _value_of(match))
        if value != _value_of(match):
            written = f"{value / 100:g}" if match["share"] else f"{value:,}"
            pieces += [text[behind : match.start("number")], written]
            behind = match.end("number")
    if not pieces:
        return steps
    return "".join([*pieces, text[behind:]])


def spread_numbers(
    steps: Sequence[str | None], values: Mapping[str, tuple[Any, ...]]
) -> dict[str, tuple[Any, ...]]:
    """Return the ``values`` of a grid with all steps that the values of their numbers make, in place of the numbers."""
    numbers = step_numbers(steps[0])
    names = [name for name in values if name in numbers]
    if not names:
        return dict(values)
    grid = {name: tried for name, tried in values.items() if name not in numbers}
    texts = []
    for text in steps:
        for row in product(*(values[name] for name in names)):
            texts.append(with_numbers(text, dict(zip(names, row, strict=True))))
    grid["steps"] = tuple(texts)
    return grid


def numbers_like(steps: str | None, other: str | None) -> dict[str, float] | None:
    """Return the numbers of ``other`` steps by the names that those of ``steps`` have; ``None`` where they differ in
    more than numbers."""
    if _without_numbers(steps) != _without_numbers(other):
        return None
    own = step_numbers(other).values()
    pairs = zip(step_numbers(steps), own, strict=True)
    return {name: number.default for name, number in pairs}


class OwnSteps(Parameter):
    """The steps of a pipeline, said by the numbers in which they differ from those of which nothing is said."""

    def shown(self, value: Any) -> str:
        """``step 2: keep 5 messages``; of other steps that they are own ones."""
        words = [number.shown(amount) for number, amount in _changed(value)]
        return " · ".join(words) or Parameter.shown(self, value)

    def in_code(self, value: Any) -> str:
        """``step 2 keep N messages=5``."""
        words = [f"{number.name}={amount:g}" for number, amount in _changed(value)]
        return " · ".join(words) or Parameter.in_code(self, value)


def _changed(steps: str) -> list[tuple[StepNumber, float]]:
    values = numbers_like(None, steps) or {}
    changed = []
    for name, number in step_numbers(None).items():
        if name in values and values[name] != number.default:
            changed.append((number, values[name]))
    return changed


def _without_numbers(steps: str | None) -> str:
    text = "\n".join(lines_of(steps or FIRST_STEPS))
    return _NUMBER.sub(_placed, text)


def _placed(match: re.Match[str]) -> str:
    return f"{PLACE}{match['share'] or ''}" if match["number"] else match[0]


def _numbers_in(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _NUMBER.finditer(text) if match["number"])


def _value_of(match: re.Match[str]) -> float:
    number = float(match["number"].replace(",", ""))
    if match["share"]:
        number = round(100 * number, 6)
    return int(number) if number == int(number) else number
