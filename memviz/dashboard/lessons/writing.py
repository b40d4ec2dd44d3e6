"""Write a lesson as the YAML text that :mod:`memviz.dashboard.lessons.reading` reads,
so that it can be kept, handed on and worked on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import yaml

from memviz.dashboard.lessons.lesson import (
    LANGUAGES,
    Claim,
    Lesson,
    Question,
    Step,
    Text,
)
from memviz.dashboard.lessons.study import Study, View

_EMPTY = Study("", ())
LINE_CHARS = 100
MAX_ID_CHARS = 60
VIEW_FIELDS = {
    "page": "page", "show": "show", "measure": "measure", "turn": "turn", "call": "call", "from": "first_turn",
    "to": "last_turn",
}  # fmt: skip
"""What a file calls the parts of a view."""


def as_yaml(lesson: Lesson) -> str:
    """The lesson as YAML; reading it gives an equal one."""
    shared = lesson.steps[0].view.study if lesson.steps else _EMPTY
    value = {
        "id": lesson.id,
        "order": lesson.order,
        "minutes": lesson.minutes,
        "title": _text(lesson.title),
        "summary": _text(lesson.summary),
        **_study(shared, _EMPTY),
        "steps": [_step(step, shared) for step in lesson.steps],
    }
    text: str = yaml.dump(
        _without_empty(value),
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=LINE_CHARS,
    )
    return text


def id_of(title: str, taken: Mapping[str, object]) -> str:
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


def _represented(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _represented)


def _without_empty(value: dict[str, Any]) -> dict[str, Any]:
    return {
        name: one for name, one in value.items() if one not in (None, "", (), [], {})
    }


def _text(text: Text) -> dict[str, str]:
    return {code: getattr(text, code) for code in LANGUAGES if getattr(text, code)}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are there at all."""
    return {name: value for name, value in values.items() if value is not None}


def _study(study: Study, shared: Study) -> dict[str, Any]:
    """Return what of a study differs from ``shared``."""
    value: dict[str, Any] = {}
    if study.conversation != shared.conversation:
        value["conversation"] = study.conversation
    if study.settings != shared.settings:
        value["settings"] = [
            {"strategy": one.id, **one.model_dump(exclude_defaults=True)}
            for one in study.settings
        ]
    if study.recalls != shared.recalls or (study.recalls and "settings" in value):
        value["recalls"] = [_given(one._asdict()) for one in study.recalls]
    for name in ("counter", "prices_of", "pause_seconds", "writer"):
        if getattr(study, name) != getattr(shared, name):
            value[name] = getattr(study, name)
    return value


def _step(step: Step, shared: Study) -> dict[str, Any]:
    value = {
        "title": _text(step.title),
        "text": _text(step.text),
        "view": _view(step.view, View(shared)),
        "claims": [_claim(claim) for claim in step.claims],
    }
    if isinstance(step.asked, Question):
        value["question"] = _question(step.asked)
    elif step.asked is not None:
        value["prediction"] = _given(asdict(step.asked))
    usual = View(step.view.study, page="compare")
    value["try"] = [
        {"text": _text(one.text), **_view(one.view, usual)} for one in step.to_try
    ]
    value["notes"] = _text(step.notes)
    return _without_empty(value)


def _view(view: View, usual: View) -> dict[str, Any]:
    """Return what of a view differs from the ``usual`` one."""
    value: dict[str, Any] = {}
    for name, attribute in VIEW_FIELDS.items():
        shown = getattr(view, attribute)
        if shown != getattr(usual, attribute):
            value[name] = shown
    if view.link:
        value["link"] = dict(view.link)
    if view.controls is not None:
        value["controls"] = list(view.controls)
    highlight = _given(asdict(view.highlight))
    if highlight:
        value["highlight"] = highlight
    return value | _study(view.study, usual.study)


def _claim(claim: Claim) -> dict[str, Any]:
    compared = {
        "value": claim.value,
        "than": None if claim.than is None else _given(claim.than._asdict()),
        "times": None if claim.times == 1 else claim.times,
    }
    point = _given(claim.point._asdict())
    return point | {"relation": claim.relation} | _given(compared)


def _question(asked: Question) -> dict[str, Any]:
    value = {
        "text": _text(asked.text),
        "choices": [_text(choice) for choice in asked.choices],
        "reason": _text(asked.reason),
    }
    return _without_empty(value) | {"answer": asked.answer}
