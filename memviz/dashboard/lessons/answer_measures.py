"""The measures of a record of answers that a model gave."""

from collections.abc import Mapping
from typing import Any

from memviz.dashboard.lessons.asked_answers import answers_of
from memviz.dashboard.lessons.measure import Measure, Spot, Value


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
