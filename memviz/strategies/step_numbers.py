"""Finds the numbers in the steps of a pipeline and names each, so that a sweep can try others.

The steps are one text. Its numbers become parameters of their own here: "keep 5 messages" in line 2 has the number
``step 2 keep N messages`` with the default 5. The tuning room makes grids of them, and the name of a setting says only
the numbers in which it differs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from memviz.core.translation import _
from memviz.strategies.parameters import Parameter
from memviz.strategies.steps import FIRST_STEPS, lines_of

PLACEHOLDER = "N"
"""Stands for the number in its name."""
# "0.8 of the window", "10,000"; what stands in quotation marks is a text
_NUMBER = re.compile(
    r'"[^"]*"|(?<![\w.])(?P<number>\d*\.\d+|\d+(?:,\d{3})*)(?P<share> of the window)?'
)
_CLAUSE_BEGINS = re.compile(r", |\n| (?=at (?!most))")
_CLAUSE_ENDS = re.compile(r", |\n| at (?!most)|$")


@dataclass(frozen=True, slots=True)
class StepNumber(Parameter):
    """One number in a pipeline's steps, such as ``step 2 keep N messages``. A share of the window is in percent."""

    step: int = 0
    clause: str = ""

    @property
    def title(self) -> str:
        """The name for people: ``Step 2: keep N messages``."""
        return _("Step {number}: {clause}", number=self.step, clause=self.clause)

    def shown(self, value: Any) -> str:
        """Return the clause with the number ``value``: ``step 2: keep 5 messages``."""
        clause = self.clause.replace(PLACEHOLDER, f"{value:,}", 1)
        return _("step {number}: {clause}", number=self.step, clause=clause)


def find_step_numbers(steps: str | None) -> dict[str, StepNumber]:
    """Return the numbers of these steps by their names, in their order, with their values as defaults."""
    text = "\n".join(lines_of(steps or FIRST_STEPS))
    numbers = {}
    for match in _find_numbers(text):
        before = text[: match.start()]
        clause_starts = [begin.end() for begin in _CLAUSE_BEGINS.finditer(before)]
        start = clause_starts[-1] if clause_starts else 0
        end = _CLAUSE_ENDS.search(text, match.end())
        assert end is not None  # noqa: S101 - a text has an end
        share = "% of the window" if match["share"] else ""
        clause = before[start:] + PLACEHOLDER + share + text[match.end() : end.start()]
        step = before.count("\n") + 1
        name = f"step {step} {clause}"
        numbers[name] = StepNumber(
            name,
            int,
            _read_value(match),
            help=_("A number in a step of the pipeline."),
            unit="%" if share else "",
            minimum=1,
            step=step,
            clause=clause,
        )
    return numbers


def replace_numbers(steps: str | None, values: Mapping[str, float]) -> str | None:
    """Return the steps with the numbers ``values``, by their names. If none changes, ``steps`` is returned as it is."""
    names = list(find_step_numbers(steps))
    text = "\n".join(lines_of(steps or FIRST_STEPS))
    pieces = []
    copied_to = 0
    for name, match in zip(names, _find_numbers(text), strict=True):
        value = values.get(name, _read_value(match))
        if value != _read_value(match):
            written = f"{value / 100:g}" if match["share"] else f"{value:,}"
            pieces += [text[copied_to : match.start("number")], written]
            copied_to = match.end("number")
    if not pieces:
        return steps
    return "".join([*pieces, text[copied_to:]])


def expand_number_grid(
    steps: Sequence[str | None], values: Mapping[str, tuple[Any, ...]]
) -> dict[str, tuple[Any, ...]]:
    """Return a grid in which the numbers of steps are replaced by ``steps``: one text for each combination of numbers.

    ``{"step 1 keep N messages": (5, 10)}`` becomes ``{"steps": ("... keep 5 messages", "... keep 10 messages")}``.
    """
    numbers = find_step_numbers(steps[0])
    names = [name for name in values if name in numbers]
    if not names:
        return dict(values)
    grid = {name: tried for name, tried in values.items() if name not in numbers}
    texts = []
    for text in steps:
        for row in product(*(values[name] for name in names)):
            texts.append(replace_numbers(text, dict(zip(names, row, strict=True))))
    grid["steps"] = tuple(texts)
    return grid


def match_numbers(steps: str | None, other: str | None) -> dict[str, float] | None:
    """Return the numbers of ``other`` steps under the names of those of ``steps``. ``None`` if the texts differ in more
    than numbers."""
    if _replace_by_placeholders(steps) != _replace_by_placeholders(other):
        return None
    other_numbers = find_step_numbers(other).values()
    pairs = zip(find_step_numbers(steps), other_numbers, strict=True)
    return {name: number.default for name, number in pairs}


class OwnSteps(Parameter):
    """The ``steps`` of a pipeline, shown as the numbers in which they differ from the default steps."""

    def shown(self, value: Any) -> str:
        """Return ``step 2: keep 5 messages``; for steps of another form the words for own steps."""
        words = [
            number.shown(amount) for number, amount in _list_changed_numbers(value)
        ]
        return " · ".join(words) or Parameter.shown(self, value)

    def in_code(self, value: Any) -> str:
        """Return ``step 2 keep N messages=5``."""
        words = [
            f"{number.name}={amount:g}"
            for number, amount in _list_changed_numbers(value)
        ]
        return " · ".join(words) or Parameter.in_code(self, value)


def _list_changed_numbers(steps: str) -> list[tuple[StepNumber, float]]:
    values = match_numbers(None, steps) or {}
    changed = []
    for name, number in find_step_numbers(None).items():
        if name in values and values[name] != number.default:
            changed.append((number, values[name]))
    return changed


def _replace_by_placeholders(steps: str | None) -> str:
    text = "\n".join(lines_of(steps or FIRST_STEPS))
    return _NUMBER.sub(_write_placeholder, text)


def _write_placeholder(match: re.Match[str]) -> str:
    return f"{PLACEHOLDER}{match['share'] or ''}" if match["number"] else match[0]


def _find_numbers(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _NUMBER.finditer(text) if match["number"])


def _read_value(match: re.Match[str]) -> float:
    number = float(match["number"].replace(",", ""))
    if match["share"]:
        number = round(100 * number, 6)
    return int(number) if number == int(number) else number
