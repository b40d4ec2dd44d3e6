"""The lessons of a browser session: the one that is played, and the one that is being
written; and the address of the page.

The address says which lesson is open, at which step and in which language. Nothing else
is in it, and nothing is fetched: a lesson is one of those that come with memviz or are
saved on this server.
"""

from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from memviz.core.bounds import quoted
from memviz.core.errors import LessonError, MemvizError
from memviz.core.translation import _
from memviz.dashboard.lessons.class_at_work import ShownPart
from memviz.dashboard.lessons.lesson import (
    LANGUAGES,
    Language,
    Lesson,
    Step,
    Text,
    language_of_reader,
)
from memviz.dashboard.lessons.library import find_lesson
from memviz.dashboard.lessons.playing import PlayedStudy, lesson_query
from memviz.dashboard.lessons.study import View
from memviz.dashboard.ui.controls.links import follow
from memviz.dashboard.ui.shell.elements import show_error
from memviz.dashboard.ui.shell.frame import PAGES, store
from memviz.dashboard.ui.shell.linked import (
    address_now,
    keep_in_address,
    note_own_address,
    parse_value,
    show_not_there,
)
from memviz.dashboard.ui.shell.presenting import presented_parts
from memviz.dashboard.ui.shell.state import of_session

BEHIND_SECONDS = 5.0
"""So long after a step a browser may still send the address of the step before: it tells of two clicks before it hears
what became of the first."""
LESSON = "lesson"
STEP = "step"
LANGUAGE = "language"
LED_STEP = "led-step"
"""The key of the fragment that draws the step of a lesson which the teacher leads."""
WITH_CLASS = "class"
"""The part of the address that is there while the lesson is played with the class."""


@dataclass
class OwnLesson:
    """The lesson that is being written."""

    title: Text = field(default_factory=Text)
    summary: Text = field(default_factory=Text)
    minutes: int | None = None
    steps: list[Step] = field(default_factory=list)
    """They were kept on other pages."""
    id: str = ""
    """The saved lesson that it takes the place of, empty for a new one."""
    edits: int = 0
    """Changes of the order, after which controls are new."""

    def key(self, name: str) -> str:
        """The key of a control of the lesson as it is ordered now."""
        return f"own-{self.edits}-{name}"

    def take(self, lesson: Lesson, replaces: str = "") -> None:
        """Work on a lesson; saved, it takes the place of the one of the id ``replaces``."""
        self.title = lesson.title
        self.summary = lesson.summary
        self.minutes = lesson.minutes
        self.steps = list(lesson.steps)
        self.id = replaces
        self.edits += 1

    def move(self, number: int, by: int) -> None:
        """Move a step (0-based) forward or back."""
        to = min(max(0, number + by), len(self.steps) - 1)
        self.steps.insert(to, self.steps.pop(number))
        self.edits += 1

    def remove(self, number: int) -> None:
        """Take a step away."""
        del self.steps[number]
        self.edits += 1


class Answered(NamedTuple):
    """An answer to a question of a lesson: the place of the ``choice``, and whether it ``is_right``."""

    choice: int
    is_right: bool


@dataclass
class LessonsState:
    """The Lessons page of a browser session."""

    playing: str | None = None
    """The lesson that is played."""
    step: int = 0
    """The step (0-based) at which it is."""
    chosen_language: Language | None = None
    """The language of the lessons' texts that was asked for, if any."""
    seen: dict[str, set[int]] = field(default_factory=dict)
    """Steps that were seen, by the lesson's id."""
    answers: dict[tuple[str, int], Answered] = field(default_factory=dict)
    """Choices that were taken, by the lesson's id and the step."""
    written: dict[str, str] = field(default_factory=dict)
    """The parts that the page wrote into its address."""
    written_before: dict[str, str] = field(default_factory=dict)
    written_at: float = 0.0
    """The time at which the page wrote them, in seconds of a clock that only goes forward."""
    class_lesson: Lesson | None = None
    """The lesson that the class of this visitor has open, where they take part."""
    class_opening: int = 0
    """The number of the lesson with the class that this session shows; 0 while it shows none."""
    class_step: int = 0
    """The step of the teacher that this session has followed."""
    class_drawn: ShownPart | None = None
    """What was shown of the lesson with the class when the page was drawn last."""
    asks_for_class_lesson: bool = False
    """A click asked for the lesson of the class, and the page has not turned to it yet."""
    is_led: bool = False
    """The teacher says at which step the lesson is."""
    ended: str | None = None
    """The lesson that was played to its end just now."""
    ended_with_class: bool = False
    """It was played with the class, and the list of all lessons was not asked for since."""
    error: MemvizError | None = None
    """What went wrong in a callback, until it is shown."""
    uploads: int = 0
    own: OwnLesson = field(default_factory=OwnLesson)
    """The lesson that is being written."""

    @property
    def language(self) -> Language:
        """The language of the lessons' texts: that of the pages, as long as nobody asked for another one."""
        if self.chosen_language is not None:
            return self.chosen_language
        return language_of_reader()

    @language.setter
    def language(self, language: Language) -> None:
        self.chosen_language = language

    def steps_seen(self, lesson: Lesson) -> set[int]:
        """Return the steps (0-based) of a lesson that were seen."""
        return self.seen.get(lesson.id, set())

    def is_finished(self, lesson: Lesson) -> bool:
        """Return whether the last step of a lesson was seen."""
        return len(lesson.steps) - 1 in self.steps_seen(lesson)

    @property
    def plays_with_class(self) -> bool:
        """Return whether the lesson that is played is the one that the class has open."""
        lesson = self.class_lesson
        return lesson is not None and self.playing == lesson.id

    def begin(self, lesson_id: str, step: int = 0) -> None:
        """Play a lesson from a step on."""
        self.playing = lesson_id
        self.step = step
        self.ended = None
        self.ended_with_class = False

    def end(self, *, with_class: bool) -> None:
        """Note that the lesson that is played, by oneself or with the class, has come to its end."""
        self.ended = self.playing
        self.ended_with_class = with_class
        self.playing = None

    def forget(self, lesson_id: str) -> None:
        """Progress and answers of a lesson that is another one now."""
        self.seen.pop(lesson_id, None)
        self.forget_answers(lesson_id)

    def forget_answers(self, lesson_id: str) -> None:
        """Forget the answers to the questions of a lesson, so that they are asked again."""
        self.answers = {
            place: choice
            for place, choice in self.answers.items()
            if place[0] != lesson_id
        }


def lessons_state() -> LessonsState:
    """The state of the Lessons page."""
    return of_session("lessons", LessonsState)


def words_of(text: Text) -> str:
    """Return what a text says in the language of the lessons' texts."""
    return text.said(lessons_state().language)


def take_address() -> None:
    """Play what the address asks for, as long as it is not the one that this page wrote. To be called before anything
    is drawn."""
    state = lessons_state()
    parts = st.query_params.to_dict()
    asked = {name: parts[name] for name in (LESSON, STEP, LANGUAGE) if name in parts}
    written_seconds_ago = monotonic() - state.written_at
    is_late = asked == state.written_before and written_seconds_ago < BEHIND_SECONDS
    if asked and asked != state.written and not is_late:
        _take(asked)


def lesson_playing() -> Lesson | None:
    """Return the lesson that is played, ``None`` where none is. One that is not there is said."""
    state = lessons_state()
    if state.playing is None:
        return None
    lesson = _find_playing(state.playing)
    if lesson is None:
        state.playing = None
        return None
    state.step = min(max(0, state.step), len(lesson.steps) - 1)
    if state.language not in lesson.languages:
        state.language = lesson.languages[0]
    return lesson


def _find_playing(lesson_id: str) -> Lesson | None:
    """Return the lesson of this id; ``None`` where it is not there or cannot be read, which is said. One that a class
    has open may be saved in the library of its teacher alone."""
    class_lesson = lessons_state().class_lesson
    if class_lesson is not None and class_lesson.id == lesson_id:
        return class_lesson
    try:
        lesson = find_lesson(lesson_id, store())
    except LessonError as error:
        show_error(error)
        return None
    if lesson is None:
        name = quoted(lesson_id)
        show_not_there(
            _("The lesson {name} is not on this server, or was removed.", name=name)
        )
    return lesson


def _take(asked: dict[str, str]) -> None:
    language = parse_value(asked.get(LANGUAGE, ""), list(LANGUAGES))
    if language is not None:
        lessons_state().language = language
    if LESSON in asked:
        step = parse_value(asked.get(STEP, ""), range(1, 1_000))
        lessons_state().begin(asked[LESSON], (step or 1) - 1)


def keep_address() -> None:
    """Write into the address what is open."""
    state = lessons_state()
    shown: dict[str, str] = {}
    if state.playing is not None:
        shown[LESSON] = state.playing
        shown[STEP] = str(state.step + 1)
        shown[LANGUAGE] = state.language
    if shown != state.written:
        state.written_before = state.written
        state.written = shown
        state.written_at = monotonic()
    parts = {name: shown.get(name, "") for name in (LESSON, STEP, LANGUAGE)}
    parts[WITH_CLASS] = "on" if state.plays_with_class else ""
    keep_in_address(parts | dict(presented_parts()))
    note_own_address(urlencode(address_now(), doseq=True))


def page_is_there(view: View) -> bool:
    """Return whether this version has the page."""
    return (PAGES / f"{view.page_file}.py").exists()


def open_view(view: View, played: PlayedStudy | None = None) -> None:
    """Go to the page of a view."""
    follow(view.page_file, lesson_query(view, played), view.show)
