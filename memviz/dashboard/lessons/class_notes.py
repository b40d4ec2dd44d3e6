"""The notes of a class that several servers serve: one JSON text in the database that they have in common.

``{"lesson": "id: first-look ...", "shown": {"teacher": "3f9a...", "step": 2, ...}, "names": {"3f9a...": "Ana"},
"participants": ["3f9a..."], "questions": [{"place": [1, 2], ...}], "answers": [{"place": [1, 2], "of": {"3f9a...":
[0, false]}}]}``, where the lesson is its YAML text, and a place is the number of an opening and that of a step.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from memviz.dashboard.lessons.class_at_work import (
    Answer,
    ClassNotes,
    ClassState,
    Phase,
    QuestionPlace,
    ShownPart,
)
from memviz.dashboard.lessons.lesson import Lesson, Question, Text
from memviz.dashboard.lessons.reading import read_lesson
from memviz.dashboard.lessons.writing import write_yaml
from memviz.storage.store import Store

LESSON_KEY = "lesson"


class StoredNotes(ClassNotes):
    """The notes in a database, which are there after a restart of a server too."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def reading(self) -> Iterator[ClassState]:
        """Give the state as it was noted last, by whichever server. Raises
        :class:`memviz.core.storage_errors.StorageError`."""
        yield _read_once(self._store.class_text(LESSON_KEY))

    @contextmanager
    def changing(self) -> Iterator[ClassState]:
        """Let one server at a time change the state. Raises :class:`memviz.core.storage_errors.StorageError`."""
        with self._store.changing_class_text(LESSON_KEY) as changing:
            state = read_state(changing.text)
            yield state
            changing.text = write_state(state)


def write_state(state: ClassState) -> str:
    """Return the state as a JSON text."""
    lesson = state.shown.lesson
    shown = {
        name: getattr(state.shown, name)
        for name in ShownPart.__slots__
        if name != "lesson"
    }
    questions = [
        {"place": place, **asdict(question)}
        for place, question in state.questions.items()
    ]
    answers = [
        {"place": place, "of": by_visitor}
        for place, by_visitor in state.answers.items()
    ]
    value = {
        "lesson": None if lesson is None else _yaml_of(lesson),
        "shown": shown,
        "names": state.names,
        "participants": sorted(state.participants),
        "questions": questions,
        "answers": answers,
    }
    return json.dumps(value)


def read_state(text: str | None) -> ClassState:
    """Return the state that was written; that of a class without a lesson where nothing was."""
    if text is None:
        return ClassState()
    value = json.loads(text)
    shown = value["shown"]
    phases = tuple(map(Phase, shown.pop("phases")))
    lesson = None if value["lesson"] is None else _read_lesson(value["lesson"])
    answers = {}
    for row in value["answers"]:
        by_visitor = {visitor: Answer(*row["of"][visitor]) for visitor in row["of"]}
        answers[QuestionPlace(*row["place"])] = by_visitor
    return ClassState(
        shown=ShownPart(lesson=lesson, phases=phases, **shown),
        names=value["names"],
        participants=set(value["participants"]),
        questions={
            QuestionPlace(*row["place"]): _question(row) for row in value["questions"]
        },
        answers=answers,
    )


@lru_cache(2)
def _read_once(text: str | None) -> ClassState:
    """Return the state of a text, which is to be read alone: every look of every page asks for it."""
    return read_state(text)


@lru_cache(2)
def _read_lesson(text: str) -> Lesson:
    """Return the lesson of a YAML text, the same one as long as it is open."""
    return read_lesson(text, LESSON_KEY)


@lru_cache(2)
def _yaml_of(lesson: Lesson) -> str:
    return write_yaml(lesson)


def _question(row: Mapping[str, Any]) -> Question:
    choices = tuple(Text(**choice) for choice in row["choices"])
    return Question(
        Text(**row["text"]), choices, row["answer"], reason=Text(**row["reason"])
    )
