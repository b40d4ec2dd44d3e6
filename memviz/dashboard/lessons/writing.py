"""Write a lesson as the YAML text that :mod:`memviz.dashboard.lessons.reading` reads,
so that it can be kept, handed on and worked on."""

import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass, replace
from typing import Any

import yaml

from memviz.dashboard.lessons.lesson import (
    Claim,
    Lesson,
    Point,
    Question,
    Step,
    Text,
)
from memviz.dashboard.lessons.study import RecalledTurns, Study, View
from memviz.strategies.base import Strategy

LINE_CHARS = 100
MAX_ID_CHARS = 60
STUDY_FIELDS = (
    "conversation", "settings", "recalls", "counter", "prices_of", "pause_seconds", "writer",
)  # fmt: skip
VIEW_FIELDS = {
    "page": "page", "show": "show", "measure": "measure", "turn": "turn", "call": "call", "from": "first_turn",
    "to": "last_turn", "link": "link", "controls": "controls", "highlight": "highlight",
    "answers": "answers",
}  # fmt: skip
"""The names of the parts of a view in a file, and in the view."""


def write_yaml(lesson: Lesson) -> str:
    """The lesson as YAML; reading it gives an equal one."""
    shared = lesson.steps[0].view.study if lesson.steps else Study()
    value = {
        "id": lesson.id,
        "order": lesson.order,
        "minutes": lesson.minutes,
        "title": _to_plain_value(lesson.title),
        "summary": _to_plain_value(lesson.summary),
        **_study(shared, Study()),
        "steps": [_step(step, shared) for step in lesson.steps],
    }
    return yaml.dump(
        _drop_empty(value),
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=LINE_CHARS,
    )


def make_lesson_id(title: str, taken: Mapping[str, object]) -> str:
    """An id for a lesson of this title that none of the ``taken`` ones has."""
    words = re.findall("[a-z0-9]+", title.lower())
    stem = "-".join(words)[: MAX_ID_CHARS - 5].strip("-") or "lesson"
    id = stem
    number = 1
    while id in taken:
        number += 1
        id = f"{stem}-{number}"
    return id


class _Dumper(yaml.SafeDumper):
    """Texts of several lines stand behind ``|``; nothing is an alias, for none is read."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _represent_text)


def _drop_empty(value: dict[str, Any]) -> dict[str, Any]:
    empty: tuple[Any, ...] = (None, "", (), [], {})
    return {name: part for name, part in value.items() if part not in empty}


def _to_plain_value(value: Any) -> Any:
    """Return a value of a lesson as YAML has it: texts by their language, records by their fields."""
    if isinstance(value, Strategy):
        return {"strategy": value.id, **value.model_dump(exclude_defaults=True)}
    if isinstance(value, Text):
        return _drop_empty(asdict(value))
    if is_dataclass(value) and not isinstance(value, type):
        return _drop_none(asdict(value))
    if isinstance(value, RecalledTurns):
        return _drop_none(value._asdict())
    if isinstance(value, Point):
        return _drop_none({**value._asdict(), "where": dict(value.where) or None})
    if isinstance(value, tuple):
        return [_to_plain_value(item) for item in value]
    return value


def _drop_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are there at all."""
    return {name: value for name, value in values.items() if value is not None}


def _changed_fields(
    values: Study | View, usual: Study | View, names: Mapping[str, str]
) -> dict[str, Any]:
    """Return what differs from the ``usual`` one, by the names of a file."""
    value = {}
    for name, attribute in names.items():
        own = getattr(values, attribute)
        if own != getattr(usual, attribute):
            value[name] = _to_plain_value(own)
    return value


def _study(study: Study, shared: Study) -> dict[str, Any]:
    if study.recalls and study.settings != shared.settings:
        # Other settings in a file are without the recalls that were shared.
        shared = replace(shared, recalls=())
    return _changed_fields(study, shared, {name: name for name in STUDY_FIELDS})


def _step(step: Step, shared: Study) -> dict[str, Any]:
    value = {
        "title": _to_plain_value(step.title),
        "text": _to_plain_value(step.text),
        "view": _view(step.view, View(shared)),
        "claims": [_claim(claim) for claim in step.claims],
    }
    if isinstance(step.asked, Question):
        value["question"] = _question(step.asked)
    elif step.asked is not None:
        value["prediction"] = _to_plain_value(step.asked)
    usual = View(step.view.study, page="compare")
    value["try"] = [
        {"text": _to_plain_value(attempt.text), **_view(attempt.view, usual)}
        for attempt in step.to_try
    ]
    value["notes"] = _to_plain_value(step.notes)
    return _drop_empty(value)


def _view(view: View, usual: View) -> dict[str, Any]:
    value = _changed_fields(view, usual, VIEW_FIELDS)
    if view.link:
        value["link"] = dict(view.link)
    return value | _study(view.study, usual.study)


def _claim(claim: Claim) -> dict[str, Any]:
    compared = {
        "value": claim.value,
        "than": _to_plain_value(claim.than),
        "times": None if claim.times == 1 else claim.times,
    }
    return {
        **_to_plain_value(claim.point),
        "relation": claim.relation,
        **_drop_none(compared),
    }


def _question(question: Question) -> dict[str, Any]:
    value = {
        "text": _to_plain_value(question.text),
        "choices": _to_plain_value(question.choices),
        "reason": _to_plain_value(question.reason),
    }
    return {**_drop_empty(value), "answer": question.answer}
