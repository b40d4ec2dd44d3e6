"""Write a lesson as the YAML text that :mod:`memviz.lessons.reading` reads, so that it can be kept, handed on and
worked on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import yaml

from memviz.lessons.lesson import (
    LANGUAGES,
    Claim,
    Highlight,
    Lesson,
    Point,
    Prediction,
    Question,
    Step,
    Study,
    Text,
    View,
)

_EMPTY = Study("", ())
LINE_CHARS = 100
MAX_ID_CHARS = 60


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
    stem = (
        "-".join(re.findall("[a-z0-9]+", title.lower()))[: MAX_ID_CHARS - 5].strip("-")
        or "lesson"
    )
    return next(
        id
        for n in range(1, 10_000)
        if (id := stem if n == 1 else f"{stem}-{n}") not in taken
    )


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
        value["recalls"] = [
            _without_empty({"turn": one.turn, "turns": list(one.turns)})
            | _given("setting", one.setting)
            for one in study.recalls
        ]
    for name in ("counter", "prices_of", "pause_seconds", "writer"):
        if getattr(study, name) != getattr(shared, name):
            value[name] = getattr(study, name)
    return value


def _given(name: str, value: object) -> dict[str, Any]:
    return {} if value is None else {name: value}


def _step(step: Step, shared: Study) -> dict[str, Any]:
    asked = step.asked
    return _without_empty(
        {
            "title": _text(step.title),
            "text": _text(step.text),
            "view": _view(step.view, shared, "stage"),
            "claims": [_claim(claim) for claim in step.claims],
            "question": _question(asked) if isinstance(asked, Question) else None,
            "prediction": _prediction(asked) if isinstance(asked, Prediction) else None,
            "try": [
                {"text": _text(one.text), **_view(one.view, step.view.study, "compare")}
                for one in step.to_try
            ],
            "notes": _text(step.notes),
        }
    )


def _view(view: View, shared: Study, page: str) -> dict[str, Any]:
    named = {
        "page": view.page if view.page != page else None,
        "show": view.show,
        "measure": view.measure if view.measure != "tokens" else None,
        "turn": view.turn,
        "call": view.call,
        "from": view.first_turn,
        "to": view.last_turn,
        "link": dict(view.link),
    }
    highlight = {
        one.name: getattr(view.highlight, one.name) for one in fields(Highlight)
    }
    controls = {} if view.controls is None else {"controls": list(view.controls)}
    pointed = {name: value for name, value in highlight.items() if value is not None}
    return (
        _without_empty(named)
        | controls
        | ({"highlight": pointed} if pointed else {})
        | _study(view.study, shared)
    )


def _claim(claim: Claim) -> dict[str, Any]:
    than = None if claim.than is None else _point(claim.than)
    times = claim.times if claim.times != 1 else None
    given = _given("value", claim.value) | _given("than", than) | _given("times", times)
    return _point(claim.point) | {"relation": claim.relation} | given


def _point(point: Point) -> dict[str, Any]:
    return {name: value for name, value in point._asdict().items() if value is not None}


def _question(asked: Question) -> dict[str, Any]:
    return _without_empty(
        {
            "text": _text(asked.text),
            "choices": [_text(choice) for choice in asked.choices],
            "reason": _text(asked.reason),
        }
    ) | {"answer": asked.answer}


def _prediction(asked: Prediction) -> dict[str, Any]:
    return {"kind": asked.kind, "turn": asked.turn, "setting": asked.setting} | _given(
        "fact", asked.fact
    )
