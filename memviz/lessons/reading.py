"""Read a lesson: YAML to the values of :mod:`memviz.lessons.lesson`, judged field by field.

A lesson is data. Nothing in it is run, no path or address in it is opened, and what is wrong with it is one sentence
that names file, line, step and field. ``docs/lessons.md`` says how one is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from memviz.bounds import LARGEST_NUMBER, MAX_QUOTED_CHARS, MAX_SECONDS, quoted
from memviz.counters import counter
from memviz.errors import LessonError, MemvizError, ParameterError
from memviz.lessons.fields import Field
from memviz.lessons.lesson import (
    CONTROLS,
    MEASURED_IN,
    PAGES,
    PREDICTIONS,
    RELATIONS,
    Claim,
    Highlight,
    Lesson,
    Point,
    Prediction,
    Question,
    RecalledTurns,
    Step,
    Study,
    Text,
    Try,
    View,
)
from memviz.lessons.measures import MEASURES, Kind
from memviz.plain_yaml import PlainYamlError, composed
from memviz.strategies import strategy
from memviz.strategies.base import Strategy

MAX_BYTES = 500_000
"""Of a file: a lesson of sixty steps in two languages has a tenth of it."""
MAX_STEPS, MAX_CLAIMS, MAX_CHOICES, MAX_TRIES, MAX_SETTINGS, MAX_RECALLS = (
    60,
    40,
    6,
    6,
    6,
    100,
)
TITLE_CHARS, SUMMARY_CHARS, CHOICE_CHARS, TEXT_CHARS = 120, 400, 300, 6_000
MAX_MINUTES, MAX_TURN, MAX_PLACE, MAX_TIMES, MAX_LINKED = (
    600,
    1_000_000,
    100_000,
    1e6,
    20,
)
NEVER_LINKED = (
    "summarizer",
    "chat-model",
    "replies",
    "take",
    "conversation",
    "setting",
    "turn",
    "call",
    "recall",
)
"""Parts of an address that a lesson does not give by hand: models, for it asks none, and what it has fields for."""
YAML_HINT = "put texts with a colon, a comma, a question mark or a # in quotes, and indent with spaces."
LEVELS_WORDS = "a lesson is eight levels deep"
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_STUDY = (
    "conversation",
    "settings",
    "recalls",
    "counter",
    "prices_of",
    "pause_seconds",
    "writer",
)
_VIEW = (
    *_STUDY,
    "page",
    "show",
    "measure",
    "turn",
    "call",
    "from",
    "to",
    "highlight",
    "controls",
    "link",
)
_POINT = (
    "measure",
    "setting",
    "turn",
    "call",
    "fact",
    "message",
    "pause_seconds",
    "prices_of",
)
_T = TypeVar("_T")


def read_lesson(content: bytes | str, file: str, id: str | None = None) -> Lesson:
    """The lesson that this YAML text holds. ``file`` is what errors call it, and ``id`` what it is called where it does
    not name itself. Raises :class:`LessonError` with a sentence."""
    content = (
        content.encode("utf-8", "replace") if isinstance(content, str) else content
    )
    if len(content) > MAX_BYTES:
        raise LessonError(
            file, f"has more than {MAX_BYTES:,} bytes; a lesson is a short YAML file."
        )
    try:
        root = composed(content, 20, LEVELS_WORDS)
    except UnicodeDecodeError:
        raise LessonError(
            file, "is not a text in UTF-8; a lesson is a YAML file."
        ) from None
    except PlainYamlError as error:
        raise LessonError(
            file, f"is not valid YAML: {error}; {YAML_HINT}", line=error.line
        ) from None
    if root is None:
        raise LessonError(file, "is empty; a lesson has a title and steps.")
    return _lesson(Field(file, root), id)


def _lesson(whole: Field, id: str | None) -> Lesson:
    fields = whole.fields(
        ("id", "title", "summary", "minutes", "order", "steps", *_STUDY),
        ("title", "steps"),
    )
    named = _maybe(fields, "id", _id) or id or ""
    if not _ID.fullmatch(named):
        whole.fail("has no id; give it one of small letters, digits and hyphens.")
    study = _study(fields, None)
    return Lesson(
        id=named,
        title=fields["title"].text(TITLE_CHARS),
        summary=_maybe(fields, "summary", lambda field: field.text(SUMMARY_CHARS))
        or Text(),
        minutes=_maybe(fields, "minutes", lambda field: field.number(1, MAX_MINUTES)),
        order=_maybe(fields, "order", lambda field: field.number(0, MAX_PLACE)),
        steps=tuple(
            _step(field, study) for field in fields["steps"].items("step", MAX_STEPS)
        ),
    )


def _id(field: Field) -> str:
    text = field.line(MAX_QUOTED_CHARS)
    if not _ID.fullmatch(text):
        field.fail(
            f"is {quoted(text)}; an id has small letters, digits and hyphens, at most 60."
        )
    return text


def _maybe(
    fields: Mapping[str, Field], name: str, read: Callable[[Field], _T]
) -> _T | None:
    return read(fields[name]) if name in fields else None


def _study(fields: Mapping[str, Field], before: Study | None) -> Study:
    """What is replayed, as far as ``fields`` say it; the rest is as in ``before``."""
    study = before or Study("", ())
    given: dict[str, Any] = {
        "conversation": _maybe(
            fields, "conversation", lambda field: field.line(MAX_QUOTED_CHARS)
        ),
        "settings": _maybe(fields, "settings", _settings),
        "counter": _maybe(fields, "counter", _counter),
        "prices_of": _maybe(
            fields, "prices_of", lambda field: field.line(MAX_QUOTED_CHARS)
        ),
        "pause_seconds": _maybe(fields, "pause_seconds", _pause),
        "writer": _maybe(fields, "writer", lambda field: field.line(MAX_QUOTED_CHARS)),
    }
    study = replace(
        study, **{name: value for name, value in given.items() if value is not None}
    )
    if "recalls" in fields:
        read = [
            _recall(one, len(study.settings))
            for one in fields["recalls"].items("recall", MAX_RECALLS, 0)
        ]
        study = replace(study, recalls=tuple(read))
    elif "settings" in fields:
        study = replace(study, recalls=())
    return study


def _settings(field: Field) -> tuple[Strategy, ...]:
    return tuple(_setting(one) for one in field.items("setting", MAX_SETTINGS))


def _setting(field: Field) -> Strategy:
    given = dict(field.entries())
    if "strategy" not in given:
        field.fail(
            "names no strategy; write strategy: summary, with its parameters beside it."
        )
    id = given.pop("strategy").line(MAX_QUOTED_CHARS)
    values: dict[str, Any] = {name: one.value() for name, one in given.items()}
    try:
        return strategy(id, **values)
    except ParameterError as error:
        (given.get(error.name) or field).fail(f"is wrong. {error}")
    except MemvizError as error:
        field.fail(f"is wrong. {error}")


def _counter(field: Field) -> str:
    name = field.line(MAX_QUOTED_CHARS)
    try:
        return counter(name).name
    except MemvizError as error:
        field.fail(f"is wrong. {error}")


def _pause(field: Field) -> float:
    return field.amount(0, MAX_SECONDS)


def _recall(field: Field, settings: int) -> RecalledTurns:
    fields = field.fields(("turn", "turns", "setting"), ("turn", "turns"))
    turns = [
        one.number(1, MAX_TURN) for one in fields["turns"].items("turn", MAX_RECALLS)
    ]
    setting = _maybe(fields, "setting", lambda one: one.number(0, max(0, settings - 1)))
    return RecalledTurns(_turn(fields["turn"]), tuple(turns), setting)


def _turn(field: Field) -> int:
    return field.number(1, MAX_TURN)


def _step(field: Field, study: Study) -> Step:
    known = (
        "title",
        "text",
        "view",
        "claims",
        "question",
        "prediction",
        "try",
        "notes",
    )
    fields = field.fields(known, ("title", "text"))
    view = _view(fields["view"], study, "stage") if "view" in fields else View(study)
    if view.has_stage and not (view.study.conversation and view.study.settings):
        field.fail(
            "shows no conversation under a setting; give conversation and settings, in the lesson or its view."
        )
    if "question" in fields and "prediction" in fields:
        fields["prediction"].fail("stands beside a question; a step asks one thing.")
    claims = (
        fields["claims"].items("claim", MAX_CLAIMS, 0) if "claims" in fields else []
    )
    return Step(
        title=fields["title"].text(TITLE_CHARS),
        text=fields["text"].text(TEXT_CHARS, is_markdown=True),
        view=view,
        claims=tuple(_claim(one, view) for one in claims),
        asked=_maybe(fields, "question", _question)
        or _maybe(fields, "prediction", lambda one: _predicted(one, view)),
        to_try=tuple(_try(one, view) for one in fields["try"].items("try", MAX_TRIES))
        if "try" in fields
        else (),
        notes=_maybe(
            fields, "notes", lambda one: one.text(TEXT_CHARS, is_markdown=True)
        )
        or Text(),
    )


def _view(field: Field, study: Study, page: str) -> View:
    return _view_of(field, field.fields(_VIEW), study, page)


def _view_of(
    field: Field, fields: Mapping[str, Field], study: Study, page: str
) -> View:
    own = _study(fields, study)
    view = View(
        own,
        page=_maybe(fields, "page", lambda one: one.word(PAGES)) or page,
        show=_maybe(fields, "show", lambda one: one.line(MAX_QUOTED_CHARS)) or "",
        measure=_maybe(fields, "measure", lambda one: one.word(MEASURED_IN))
        or "tokens",
        turn=_maybe(fields, "turn", _turn),
        call=_maybe(fields, "call", _turn),
        first_turn=_maybe(fields, "from", _turn),
        last_turn=_maybe(fields, "to", _turn),
        highlight=_maybe(fields, "highlight", lambda one: _highlight(one, own))
        or Highlight(),
        controls=_maybe(fields, "controls", _controls),
        link=_maybe(fields, "link", _link) or (),
    )
    if (view.first_turn or 1) > (view.turn or MAX_TURN) or (view.turn or 1) > (
        view.last_turn or MAX_TURN
    ):
        field.fail("has a turn outside of from and to; it has to lie between them.")
    return view


def _controls(field: Field) -> tuple[str, ...]:
    return tuple(one.word(CONTROLS) for one in field.items("control", len(CONTROLS), 0))


def _link(field: Field) -> tuple[tuple[str, str], ...]:
    parts = [(name, one) for name, one in field.entries(MAX_LINKED)]
    for name, one in parts:
        if name in NEVER_LINKED:
            one.fail(
                "does not belong here; lessons ask no model, and the rest has fields of its own."
            )
    return tuple((name, one.line(TEXT_CHARS)) for name, one in parts)


def _highlight(field: Field, study: Study) -> Highlight:
    fields = field.fields(("setting", "fact", "message"))
    return Highlight(
        _maybe(fields, "setting", lambda one: _place(one, study)),
        _maybe(fields, "fact", _fact),
        _maybe(fields, "message", _turn),
    )


def _place(field: Field, study: Study) -> int:
    """The place of a setting."""
    if not study.settings:
        field.fail(
            "names a setting, and there are none; give settings in the lesson or the view."
        )
    return field.number(0, len(study.settings) - 1)


def _fact(field: Field) -> int | str:
    value = field.value()
    if isinstance(value, int) and not isinstance(value, bool):
        return field.number(0, MAX_PLACE)
    return field.line(SUMMARY_CHARS)


def _claim(field: Field, view: View) -> Claim:
    fields = field.fields(
        (*_POINT, "relation", "value", "than", "times"), ("measure", "relation")
    )
    point = _point(fields, view, None)
    kind = MEASURES[point.measure].kind
    relation = fields["relation"].word(RELATIONS)
    if kind is not Kind.NUMBER and relation not in ("=", "!="):
        fields["relation"].fail(
            f"is {quoted(relation)}; what {point.measure} gives is no number, so = or != is meant."
        )
    if ("value" in fields) == ("than" in fields):
        field.fail("needs either a value or than, with which it is compared.")
    than = _maybe(fields, "than", lambda one: _point(one.fields(_POINT), view, point))
    times = _maybe(fields, "times", lambda one: one.amount(0, MAX_TIMES))
    value = _maybe(fields, "value", lambda one: _value(one, kind, view))
    return Claim(point, relation, value, than, 1.0 if times is None else times)


def _value(field: Field, kind: Kind, view: View) -> float | bool | str:
    if kind is Kind.YES_OR_NO:
        value = field.value()
        if not isinstance(value, bool):
            field.fail(f"is {quoted(value)}; it has to be true or false.")
        return value
    if kind is Kind.SETTING:
        return _place(field, view.study)
    if kind is Kind.WORD:
        return field.line(MAX_QUOTED_CHARS)
    return field.amount(-LARGEST_NUMBER, LARGEST_NUMBER)


def _point(fields: Mapping[str, Field], view: View, before: Point | None) -> Point:
    """Where something is measured; what ``fields`` do not say is as in ``before``, or as the step shows it."""
    point = before or Point("", turn=view.turn, call=view.call)
    given: dict[str, Any] = {
        "measure": _maybe(fields, "measure", lambda one: one.word(MEASURES)),
        "setting": _maybe(fields, "setting", lambda one: _place(one, view.study)),
        "turn": _maybe(fields, "turn", _turn),
        "call": _maybe(fields, "call", _turn),
        "fact": _maybe(fields, "fact", _fact),
        "message": _maybe(fields, "message", _turn),
        "pause_seconds": _maybe(fields, "pause_seconds", _pause),
        "prices_of": _maybe(
            fields, "prices_of", lambda one: one.line(MAX_QUOTED_CHARS)
        ),
    }
    if given["turn"] is not None and given["call"] is None:
        given["call"] = None
        point = point._replace(call=None)
    point = point._replace(
        **{name: value for name, value in given.items() if value is not None}
    )
    if point.fact is None:
        point = point._replace(fact=view.highlight.fact)
    if point.message is None:
        point = point._replace(message=view.highlight.message)
    _judge_point(fields, point, view)
    return point


def _judge_point(fields: Mapping[str, Field], point: Point, view: View) -> None:
    field = fields.get("measure") or next(iter(fields.values()))
    if not view.study.settings:
        field.fail(
            "measures a run, and there is none; give settings in the lesson or the view."
        )
    for name in MEASURES[point.measure].needs:
        if getattr(point, name) is None:
            field.fail(
                f"is {point.measure}, which needs a {name}; give it beside the measure."
            )


def _question(field: Field) -> Question:
    fields = field.fields(
        ("text", "choices", "answer", "reason"), ("text", "choices", "answer")
    )
    choices = tuple(
        one.text(CHOICE_CHARS)
        for one in fields["choices"].items("choice", MAX_CHOICES, 2)
    )
    return Question(
        text=fields["text"].text(TEXT_CHARS, is_markdown=True),
        choices=choices,
        answer=fields["answer"].number(0, len(choices) - 1),
        reason=_maybe(
            fields, "reason", lambda one: one.text(TEXT_CHARS, is_markdown=True)
        )
        or Text(),
    )


def _predicted(field: Field, view: View) -> Prediction:
    fields = field.fields(("kind", "turn", "setting", "fact"), ("kind", "turn"))
    kind = fields["kind"].word(PREDICTIONS)
    fact = _maybe(fields, "fact", _fact)
    fact = view.highlight.fact if fact is None else fact
    if not view.study.settings:
        field.fail(
            "asks of a run, and there is none; give settings in the lesson or the view."
        )
    if kind == "knows" and fact is None:
        field.fail("asks what is known, and needs a fact; give it beside the kind.")
    if kind == "cheapest" and len(view.study.settings) < 2:
        field.fail(
            "asks for the cheapest setting, and there is one alone; give at least two."
        )
    setting = _maybe(fields, "setting", lambda one: _place(one, view.study))
    return Prediction(kind, _turn(fields["turn"]), setting or 0, fact)


def _try(field: Field, view: View) -> Try:
    fields = field.fields((*_VIEW, "text"), ("text",))
    return Try(
        fields["text"].text(SUMMARY_CHARS),
        _view_of(field, fields, view.study, "compare"),
    )
