"""A measure as a value: its words and unit, how it is taken, and the spot where it is.

Some are taken of records of answers: what a model answered to requests with a known recipe.
A record says who answered, when and how, and holds each answer word for word. The records
come with memviz; ``benchmarks`` has the scripts that make them anew.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from memviz.dashboard.lessons.lesson import Point
from memviz.dashboard.lessons.playing import PlayedStudy, Spot

Value = float | bool | str
SUFFIX = ".json"
_FOLDER = files("memviz.dashboard.lessons") / "asked"
NEEDLES = "lost-in-the-middle"
FACTS = "in-the-request"
RECORDS = (NEEDLES, FACTS)
"""The records by name."""
Where = Sequence[tuple[str, float | bool | str]]


class Kind(Enum):
    """The kinds of value that measures give."""

    NUMBER = "number"
    YES_OR_NO = "yes or no"
    WORD = "word"
    SETTING = "setting"


Taken = Callable[[Spot], Value]


class Measure(NamedTuple):
    """A measure. ``words`` say what is measured, in a sentence "At turn 13 of …, {words} …". ``unit`` is ``tokens``,
    ``dollars``, ``percent`` or empty; ``needs`` are the fields of a point that it cannot do without."""

    words: str
    measured: Taken
    unit: str = ""
    kind: Kind = Kind.NUMBER
    needs: tuple[str, ...] = ()

    def take(self, played: PlayedStudy, point: Point) -> Value:
        """Measure at a point of runs. Raises :class:`memviz.LessonError` where there is nothing to measure."""
        return self.measured(Spot(played, point))


@cache
def record_of(name: str) -> Mapping[str, Any]:
    """The record of this name: ``about``, its recipe, and its ``answers``."""
    content = (_FOLDER / (name + SUFFIX)).read_text(encoding="utf-8")
    record: Mapping[str, Any] = json.loads(content)
    return record


def answers_of(name: str, where: Where = ()) -> list[Mapping[str, Any]]:
    """The answers of a record whose fields have the values that ``where`` names, such as ``depth`` 50."""
    answers = []
    for answer in record_of(name)["answers"]:
        if all(answer[field] == value for field, value in where):
            answers.append(answer)
    return answers


def _answers(at: Spot) -> list[Mapping[str, Any]]:
    return answers_of(at.point.answers or "", at.point.where)


_RECORD = ("answers",)

ANSWER_MEASURES: Mapping[str, Measure] = {
    "answers_asked": Measure(
        "the number of answers in the record",
        lambda at: len(_answers(at)),
        needs=_RECORD,
    ),
    "answers_right": Measure(
        "the number of right answers in the record",
        lambda at: sum(bool(answer["right"]) for answer in _answers(at)),
        needs=_RECORD,
    ),
    "answers_largest_request": Measure(
        "the largest request in the record has, as the model counts,",
        lambda at: max(
            (answer["request_tokens"] for answer in _answers(at)), default=0
        ),
        "tokens",
        needs=_RECORD,
    ),
}
"""The measures of recorded answers by name."""
