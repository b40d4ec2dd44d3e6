"""The lessons of a browser session: the one that is played, and the one that is being written."""

from dataclasses import dataclass, field
from typing import NamedTuple

from memviz.dashboard.lessons.lesson import (
    Language,
    Lesson,
    Step,
    Text,
    language_of_reader,
)
from memviz.dashboard.ui.shell.state import of_session


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
    """What the page wrote into its address."""
    written_before: dict[str, str] = field(default_factory=dict)
    written_at: float = 0.0
    """When that was, in seconds of a clock that only goes forward."""
    ended: str | None = None
    """The lesson that was played to its end just now."""
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

    def begin(self, lesson_id: str, step: int = 0) -> None:
        """Play a lesson from a step on."""
        self.playing = lesson_id
        self.step = step
        self.ended = None

    def end(self) -> None:
        """The lesson that is played has come to its end."""
        self.ended = self.playing
        self.playing = None

    def forget(self, lesson_id: str) -> None:
        """Progress and answers of a lesson that is another one now."""
        self.seen.pop(lesson_id, None)
        self.forget_answers(lesson_id)

    def forget_answers(self, lesson_id: str) -> None:
        """The questions of a lesson are asked again."""
        self.answers = {
            place: choice
            for place, choice in self.answers.items()
            if place[0] != lesson_id
        }


def lessons_state() -> LessonsState:
    """The state of the Lessons page."""
    return of_session("lessons", LessonsState)
