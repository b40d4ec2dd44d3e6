"""Read a lesson: YAML to the values of :mod:`memviz.dashboard.lessons.lesson`, judged field by field.

A lesson is data. Nothing in it is run, no path or address in it is opened, and what is wrong with it is one sentence
that names file, line, step and field. ``docs/lessons.md`` says how one is written.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from memviz.core.bounds import quoted
from memviz.core.counters import counter
from memviz.core.errors import MemvizError, ParameterError
from memviz.core.text.vocabulary import words
from memviz.core.translation import _
from memviz.dashboard.lessons.claim_reading import read_claim
from memviz.dashboard.lessons.field_readers import (
    MAX_PLACE,
    MAX_TURN,
    TEXT_CHARS,
    read_fact,
    read_name,
    read_pause,
    read_place,
    read_prose,
    read_sentence,
    read_title,
    read_turn,
)
from memviz.dashboard.lessons.fields import (
    Field,
    Readers,
    read_each,
    read_mapping,
    read_number,
    read_root,
    read_values,
    read_word,
)
from memviz.dashboard.lessons.lesson import (
    CONTROLS,
    MEASURED_IN,
    PAGES,
    PREDICTIONS,
    Lesson,
    Prediction,
    Question,
    Step,
    Try,
)
from memviz.dashboard.lessons.measure import RECORDS
from memviz.dashboard.lessons.study import (
    MAX_RECALLS,
    MAX_SETTINGS,
    Highlight,
    RecalledTurns,
    Study,
    View,
)
from memviz.dashboard.lessons.writing import STUDY_FIELDS, VIEW_FIELDS
from memviz.strategies import strategy
from memviz.strategies.base import Strategy

MAX_STEPS = 60
MAX_CLAIMS = 40
MAX_CHOICES = 6
MAX_TRIES = 6
CHOICE_CHARS = 300
MAX_MINUTES = 600
MAX_LINKED = 20
NEVER_LINKED = words(
    "summarizer chat-model replies take conversation setting turn call recall"
)
"""Parts of an address that a lesson does not give by hand: models, for it asks none, and what it has fields for."""
VIEW_NAMES = (*STUDY_FIELDS, *VIEW_FIELDS)
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_STEP = ("title", "text", "view", "claims", "question", "prediction", "try", "notes")


def read_lesson(content: bytes | str, file: str, id: str | None = None) -> Lesson:
    """The lesson that this YAML text holds. ``file`` is what errors call it, and ``id`` what it is called where it does
    not name itself. Raises :class:`LessonError` with a sentence."""
    whole = read_root(content, file)
    readers: Readers = {
        "title": read_title,
        "summary": read_sentence,
        "minutes": read_number(1, MAX_MINUTES),
        "order": read_number(0, MAX_PLACE),
    }
    fields = whole.fields(("id", *readers, "steps", *STUDY_FIELDS), ("title", "steps"))
    named = _id(fields["id"]) if "id" in fields else id or ""
    if not _ID.fullmatch(named):
        whole.fail(_("has no id; give it one of small letters, digits and hyphens."))
    study = _study(fields, Study())
    about = read_values(fields, readers)
    steps = fields["steps"].each("step", partial(_step, study=study), MAX_STEPS)
    return Lesson(id=named, steps=steps, **about)


def _id(field: Field) -> str:
    text = read_name(field)
    if not _ID.fullmatch(text):
        field.fail(
            _(
                "is {text}; an id has small letters, digits and hyphens, at most 60.",
                text=quoted(text),
            )
        )
    return text


def _study(fields: Mapping[str, Field], before: Study) -> Study:
    """Return what is replayed, as far as ``fields`` say it; the rest is as in ``before``."""
    readers: Readers = {
        "conversation": read_name,
        "settings": read_each("setting", _setting, MAX_SETTINGS),
        "counter": _counter,
        "prices_of": read_name,
        "pause_seconds": read_pause,
        "writer": read_name,
    }
    study = replace(before, **read_values(fields, readers))
    if "recalls" in fields:
        read = partial(_recall, settings=len(study.settings))
        recalls = fields["recalls"].each("recall", read, MAX_RECALLS, 0)
        return replace(study, recalls=recalls)
    if "settings" in fields:
        return replace(study, recalls=())
    return study


def _setting(field: Field) -> Strategy:
    entries = dict(field.entries())
    if "strategy" not in entries:
        field.fail(
            _(
                "names no strategy; write strategy: summary, with its parameters beside it."
            )
        )
    id = read_name(entries.pop("strategy"))
    values = {name: entry.value() for name, entry in entries.items()}
    try:
        return strategy(id, **values)
    except ParameterError as error:
        (entries.get(error.name) or field).fail(_("is wrong. {error}", error=error))
    except MemvizError as error:
        field.fail(_("is wrong. {error}", error=error))


def _counter(field: Field) -> str:
    name = read_name(field)
    try:
        return counter(name).name
    except MemvizError as error:
        field.fail(_("is wrong. {error}", error=error))


def _recall(field: Field, settings: int) -> RecalledTurns:
    readers: Readers = {
        "turn": read_turn,
        "turns": read_each("turn", read_turn, MAX_RECALLS),
        "setting": read_number(0, max(0, settings - 1)),
    }
    return RecalledTurns(**read_mapping(field, readers, ("turn", "turns")))


def _step(field: Field, study: Study) -> Step:
    fields = field.fields(_STEP, ("title", "text"))
    view = View(study)
    if "view" in fields:
        own = fields["view"]
        view = _view(own, own.fields(VIEW_NAMES), study, "stage")
    if view.has_stage and not (view.study.conversation and view.study.settings):
        field.fail(
            _(
                "shows no conversation under a setting; give conversation and settings, in the lesson or its view."
            )
        )
    if "question" in fields and "prediction" in fields:
        fields["prediction"].fail(_("stands beside a question; a step asks one thing."))
    claim = partial(read_claim, view=view)
    to_try = partial(_try, view=view)
    readers: Readers = {
        "title": read_title,
        "text": read_prose,
        "claims": read_each("claim", claim, MAX_CLAIMS, 0),
        "question": _question,
        "prediction": partial(_prediction, view=view),
        "try": read_each("try", to_try, MAX_TRIES),
        "notes": read_prose,
    }
    values = read_values(fields, readers)
    asks = values.pop("question", None) or values.pop("prediction", None)
    return Step(view=view, asked=asks, to_try=values.pop("try", ()), **values)


def _view(field: Field, fields: Mapping[str, Field], study: Study, page: str) -> View:
    own = _study(fields, study)
    readers: Readers = {
        "page": read_word(PAGES),
        "show": read_name,
        "measure": read_word(MEASURED_IN),
        "turn": read_turn,
        "call": read_turn,
        "from": read_turn,
        "to": read_turn,
        "highlight": partial(_highlight, study=own),
        "controls": read_each("control", read_word(CONTROLS), len(CONTROLS), 0),
        "link": _link,
        "answers": read_word(RECORDS),
    }
    values: dict[str, Any] = {"page": page}
    for name, value in read_values(fields, readers).items():
        values[VIEW_FIELDS[name]] = value
    view = View(own, **values)
    first = view.first_turn or 1
    last = view.last_turn or MAX_TURN
    if view.turn is not None and not first <= view.turn <= last:
        field.fail(_("has a turn outside of from and to; it has to lie between them."))
    return view


def _link(field: Field) -> tuple[tuple[str, str], ...]:
    parts = list(field.entries(MAX_LINKED))
    for name, entry in parts:
        if name in NEVER_LINKED:
            entry.fail(
                _(
                    "does not belong here; lessons ask no model, and the rest has fields of its own."
                )
            )
    return tuple((name, entry.line(TEXT_CHARS)) for name, entry in parts)


def _highlight(field: Field, study: Study) -> Highlight:
    readers: Readers = {
        "setting": partial(read_place, study=study),
        "fact": read_fact,
        "message": read_turn,
    }
    return Highlight(**read_mapping(field, readers))


def _question(field: Field) -> Question:
    choice = partial(Field.text, most_chars=CHOICE_CHARS)
    readers: Readers = {
        "choices": read_each("choice", choice, MAX_CHOICES, 2),
        "text": read_prose,
        "reason": read_prose,
    }
    fields = field.fields(
        ("text", "choices", "answer", "reason"), ("text", "choices", "answer")
    )
    values = read_values(fields, readers)
    answer = fields["answer"].number(0, len(values["choices"]) - 1)
    return Question(answer=answer, **values)


def _prediction(field: Field, view: View) -> Prediction:
    fields = field.fields(("kind", "turn", "setting", "fact"), ("kind", "turn"))
    kind = fields["kind"].word(PREDICTIONS)
    fact = read_fact(fields["fact"]) if "fact" in fields else view.highlight.fact
    if not view.study.settings:
        field.fail(
            _(
                "asks of a run, and there is none; give settings in the lesson or the view."
            )
        )
    if kind == "knows" and fact is None:
        field.fail(_("asks what is known, and needs a fact; give it beside the kind."))
    if kind == "cheapest" and len(view.study.settings) < 2:
        field.fail(
            _(
                "asks for the cheapest setting, and there is one alone; give at least two."
            )
        )
    setting = read_place(fields["setting"], view.study) if "setting" in fields else 0
    return Prediction(kind, read_turn(fields["turn"]), setting, fact)


def _try(field: Field, view: View) -> Try:
    fields = field.fields((*VIEW_NAMES, "text"), ("text",))
    return Try(
        read_sentence(fields["text"]), _view(field, fields, view.study, "compare")
    )
