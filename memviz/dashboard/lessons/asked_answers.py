"""Records of answers that a model gave to requests with a known recipe, and the measures
that lessons take of them.

A record says who answered, when and how, and holds each answer word for word. The records
come with memviz; ``benchmarks`` has the scripts that make them anew.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from memviz.dashboard.lessons.measure import Measure, Spot, Value

SUFFIX = ".json"
_FOLDER = files("memviz.dashboard.lessons") / "asked"
NEEDLES = "lost-in-the-middle"
FACTS = "in-the-request"
RECORDS = (NEEDLES, FACTS)
"""The records by name."""
Where = Sequence[tuple[str, float | bool | str]]


@cache
def record_of(name: str) -> Mapping[str, Any]:
    """The record of this name: ``about``, its recipe, and its ``answers``."""
    content = (_FOLDER / (name + SUFFIX)).read_text(encoding="utf-8")
    record: Mapping[str, Any] = json.loads(content)
    return record


def answers_of(name: str, where: Where = ()) -> list[Mapping[str, Any]]:
    """The answers of a record whose fields have the values that ``where`` names, such as ``depth`` 50."""
    found = []
    for answer in record_of(name)["answers"]:
        if all(answer[field] == value for field, value in where):
            found.append(answer)
    return found


def _answers(at: Spot) -> list[Mapping[str, Any]]:
    return answers_of(at.point.answers or "", at.point.where)


def _asked(at: Spot) -> Value:
    return len(_answers(at))


def _right(at: Spot) -> Value:
    return len([one for one in _answers(at) if one["right"]])


def _largest_asked(at: Spot) -> Value:
    return max((int(one["request_tokens"]) for one in _answers(at)), default=0)


_RECORD = ("answers",)
ANSWER_MEASURES: Mapping[str, Measure] = {
    "answers_asked": Measure(
        "the number of answers in the record", _asked, needs=_RECORD
    ),
    "answers_right": Measure(
        "the number of right answers in the record", _right, needs=_RECORD
    ),
    "answers_largest_request": Measure(
        "the largest request in the record has, as the model counts,",
        _largest_asked,
        "tokens",
        needs=_RECORD,
    ),
}
"""All of them by name."""
