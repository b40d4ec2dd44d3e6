"""A lesson that a class goes through with its teacher: where it stands, who takes part, and what they answered.

A server has one :class:`ClassAtWork`. What it knows is in memory alone and ends with the server, or all servers of a
class have it in common (:class:`ClassNotes`). It knows no page and no clock. What
comes too late, such as an answer to a question whose answers are shown, changes nothing and is no error: in a class
that happens all the time.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from threading import Lock
from typing import NamedTuple

from memviz.dashboard.lessons.lesson import Lesson, Question

MOST_PARTICIPANTS = 500


class Phase(IntEnum):
    """The part of a question that a class has seen: the question, then how many chose each answer, then which answer is
    right, and why."""

    ASKED = 0
    COUNTED = 1
    EXPLAINED = 2


@dataclass(frozen=True, slots=True)
class ShownPart:
    """The part of a lesson that the pages of a class show. Each change makes a new value, so a page that keeps the one
    it drew sees by comparing whether to draw again."""

    lesson: Lesson | None = None
    """The lesson, also once it has ended; ``None`` before the first one."""
    teacher: str = ""
    """The visitor who opened it, whose library holds its runs."""
    opening: int = 0
    """The number of lessons opened so far: it tells a lesson from the same one opened again."""
    is_open: bool = False
    is_led: bool = True
    """Every page shows the step of the teacher; otherwise each participant walks alone."""
    step: int = 0
    """The step (0-based) of the teacher."""
    phases: tuple[Phase, ...] = ()
    """How far the question of each step is."""

    def for_student(self) -> "ShownPart":
        """Return what counts for a participant: of one who walks alone not the step of the teacher."""
        return self if self.is_led else replace(self, step=0)


class QuestionPlace(NamedTuple):
    """The place of a question: a step (0-based) of the lesson that was opened as number ``opening``. What a page of an
    earlier lesson still says is not taken for the lesson of now."""

    opening: int
    step: int


class Answer(NamedTuple):
    """The choice of a participant, who may change it as long as it is not final: whoever walks alone sees the reason at
    once."""

    choice: int
    is_final: bool


class Result(NamedTuple):
    """The answers of a class to a question: how many took each choice."""

    place: QuestionPlace
    question: Question
    counts: tuple[int, ...]

    @property
    def answers(self) -> int:
        """The number of participants who answered."""
        return sum(self.counts)

    @property
    def right(self) -> int:
        """The number of participants who chose the right answer."""
        return self.counts[self.question.answer]

    @property
    def share_right(self) -> float:
        """The share of right answers among all."""
        return self.right / self.answers


@dataclass
class ClassState:
    """All that is known of the lesson of a class."""

    shown: ShownPart = field(default_factory=ShownPart)
    names: dict[str, str] = field(default_factory=dict)
    """Of all who have taken part in this lesson; empty for those who gave no name."""
    participants: set[str] = field(default_factory=set)
    questions: dict[QuestionPlace, Question] = field(default_factory=dict)
    answers: dict[QuestionPlace, dict[str, Answer]] = field(default_factory=dict)

    def change(self, **changes: object) -> None:
        """Change parts of what is shown."""
        self.shown = replace(self.shown, **changes)  # type: ignore[arg-type]

    def takes_question(self, place: QuestionPlace) -> bool:
        """Return whether a question may be asked at a place: there is such a step in the lesson of now, and nothing was
        asked there."""
        is_there = place.step in range(len(self.shown.phases))
        is_of_now = place.opening == self.shown.opening
        return is_there and is_of_now and place not in self.questions

    def phase(self, place: QuestionPlace) -> Phase:
        """Return how much of a question the class has seen."""
        if place.opening != self.shown.opening or place.step >= len(self.shown.phases):
            return Phase.ASKED
        return self.shown.phases[place.step]

    def counts(self, place: QuestionPlace) -> tuple[int, ...]:
        """Return how many took each choice of a question; empty where none was asked."""
        question = self.questions.get(place)
        if question is None:
            return ()
        answers = self.answers.get(place, {}).values()
        taken = Counter(answer.choice for answer in answers)
        return tuple(taken[choice] for choice in range(len(question.choices)))


class ClassNotes(ABC):
    """The place where the state of a lesson with a class is noted."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[ClassState]:
        """Give the state to a block that only reads it."""

    @abstractmethod
    def changing(self) -> AbstractContextManager[ClassState]:
        """Give the state to a block that may change it. Such blocks come one after the other."""


class MemoryNotes(ClassNotes):
    """The notes of one server, in its memory alone."""

    def __init__(self) -> None:
        self._state = ClassState()
        self._lock = Lock()

    @contextmanager
    def changing(self) -> Iterator[ClassState]:
        """Let one thread at a time use the state."""
        with self._lock:
            yield self._state

    reading = changing


class ClassAtWork:
    """The lesson of a class. Safe to share between threads. At most ``most_participants`` take part in a lesson, those
    who left among them."""

    def __init__(
        self,
        most_participants: int = MOST_PARTICIPANTS,
        *,
        notes: ClassNotes,
    ) -> None:
        self._most_participants = most_participants
        self._notes = notes

    @property
    def shown(self) -> ShownPart:
        """The lesson as the pages show it now."""
        with self._notes.reading() as state:
            return state.shown

    # What the teacher does.

    def open(self, lesson: Lesson, teacher: str, step: int = 0) -> None:
        """Open a lesson at a step. Whoever took part in the one before takes part in this one."""
        with self._notes.changing() as state:
            state.shown = ShownPart(
                lesson=lesson,
                teacher=teacher,
                opening=state.shown.opening + 1,
                is_open=True,
                is_led=state.shown.is_led,
                step=_nearest_step(lesson, step),
                phases=(Phase.ASKED,) * len(lesson.steps),
            )
            state.names = {id: state.names[id] for id in state.participants}
            state.questions = {}
            state.answers = {}

    def go_to(self, place: QuestionPlace) -> None:
        """Note the step that the teacher is at."""
        with self._notes.changing() as state:
            shown = state.shown
            is_of_now = shown.is_open and place.opening == shown.opening
            if shown.lesson is not None and is_of_now:
                state.change(step=_nearest_step(shown.lesson, place.step))

    def lead(self, *, is_led: bool) -> None:
        """Let all pages follow the teacher, or each participant walk alone. An answer that was given before somebody
        walks alone is final: its reason is shown from then on."""
        with self._notes.changing() as state:
            state.change(is_led=is_led)
            if not is_led:
                for answers in state.answers.values():
                    for visitor, answer in answers.items():
                        answers[visitor] = answer._replace(is_final=True)

    def ask(self, place: QuestionPlace, question: Question) -> None:
        """Note a question, as the run of its step gives it. The first one of a place stays."""
        with self._notes.reading() as state:
            if not state.takes_question(place):
                return  # every page of the class asks, and one is first
        with self._notes.changing() as state:
            if state.takes_question(place):
                state.questions[place] = question

    def reveal(self, place: QuestionPlace, phase: Phase) -> None:
        """Show more of a question. Nothing that was shown is hidden again, and from then on no answer is taken."""
        with self._notes.changing() as state:
            if state.shown.is_open and place in state.questions:
                phases = list(state.shown.phases)
                phases[place.step] = max(phases[place.step], phase)
                state.change(phases=tuple(phases))

    def end(self) -> None:
        """End the lesson. Its answers stay until the next one is opened."""
        with self._notes.changing() as state:
            state.change(is_open=False)
            state.participants.clear()

    def forget(self) -> None:
        """Forget the lesson that has ended, and its answers."""
        with self._notes.changing() as state:
            if not state.shown.is_open:
                shown = state.shown
                state.shown = ShownPart(opening=shown.opening, is_led=shown.is_led)
                state.names = {}
                state.questions = {}
                state.answers = {}

    # What a student does.

    def join(self, visitor: str, name: str) -> bool:
        """Let a visitor take part; return whether there is still room."""
        with self._notes.changing() as state:
            is_full = len(state.names) >= self._most_participants
            if not state.shown.is_open or (is_full and visitor not in state.names):
                return False
            state.names[visitor] = name
            state.participants.add(visitor)
            return True

    def leave(self, visitor: str) -> None:
        """Let a visitor go. What they answered still counts, and is there when they come back."""
        with self._notes.changing() as state:
            state.participants.discard(visitor)

    def answer(self, visitor: str, place: QuestionPlace, choice: int) -> bool:
        """Take the answer of a participant in place of the one before; return whether it counts."""
        with self._notes.changing() as state:
            question = state.questions.get(place)
            if question is None or choice not in range(len(question.choices)):
                return False
            is_asked = state.shown.is_open and state.phase(place) == Phase.ASKED
            if not is_asked or visitor not in state.participants:
                return False
            answers = state.answers.setdefault(place, {})
            if visitor in answers and answers[visitor].is_final:
                return False
            answers[visitor] = Answer(choice, is_final=not state.shown.is_led)
            return True

    # What pages ask for.

    def has(self, visitor: str) -> bool:
        """Return whether a visitor takes part."""
        with self._notes.reading() as state:
            return visitor in state.participants

    @property
    def participants(self) -> int:
        """The number of visitors who take part."""
        with self._notes.reading() as state:
            return len(state.participants)

    def phase(self, place: QuestionPlace) -> Phase:
        """Return how much of a question the class has seen."""
        with self._notes.reading() as state:
            return state.phase(place)

    def answer_of(self, visitor: str, place: QuestionPlace) -> Answer | None:
        """Return what a visitor answered; ``None`` before that."""
        with self._notes.reading() as state:
            return state.answers.get(place, {}).get(visitor)

    def is_explained_to(self, visitor: str, place: QuestionPlace) -> bool:
        """Return whether a visitor is shown the right answer and its reason."""
        answer = self.answer_of(visitor, place)
        has_final_answer = answer is not None and answer.is_final
        return has_final_answer or self.phase(place) == Phase.EXPLAINED

    def counts(self, place: QuestionPlace) -> tuple[int, ...]:
        """Return how many took each choice of a question; empty where none was asked."""
        with self._notes.reading() as state:
            return state.counts(place)

    def results(self) -> list[Result]:
        """Return how each question that somebody answered was answered, the one with the largest share of right answers
        first."""
        with self._notes.reading() as state:
            results = [
                Result(place, state.questions[place], state.counts(place))
                for place in sorted(state.answers)
            ]
        return sorted(results, key=lambda result: -result.share_right)

    def names(self, place: QuestionPlace) -> Mapping[int, list[str]]:
        """Return the names of those who took each choice, in alphabetical order, where they gave one. For the teacher
        alone."""
        names: dict[int, list[str]] = {}
        with self._notes.reading() as state:
            for visitor, answer in state.answers.get(place, {}).items():
                if state.names[visitor]:
                    names.setdefault(answer.choice, []).append(state.names[visitor])
        return {choice: sorted(names[choice]) for choice in sorted(names)}


def _nearest_step(lesson: Lesson, step: int) -> int:
    return min(max(0, step), len(lesson.steps) - 1)
