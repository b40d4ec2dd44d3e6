"""A lesson that a class goes through with its teacher: where it stands, who takes part, and what they answered.

A server has one :class:`ClassAtWork`, in memory alone: it ends with the server. It knows no page and no clock. What
comes too late, such as an answer to a question whose answers are shown, changes nothing and is no error: in a class
that happens all the time.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
class Shown:
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

    def for_student(self) -> "Shown":
        """Return what counts for a participant: of one who walks alone not the step of the teacher."""
        return self if self.is_led else replace(self, step=0)


class Place(NamedTuple):
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

    place: Place
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


class ClassAtWork:
    """The lesson of a class. Safe to share between threads. At most ``most_participants`` take part in a lesson, those
    who left among them."""

    def __init__(self, most_participants: int = MOST_PARTICIPANTS) -> None:
        self._most_participants = most_participants
        self._lock = Lock()
        self._shown = Shown()
        self._names: dict[str, str] = {}
        """Of all who have taken part in this lesson; empty for those who gave no name."""
        self._participants: set[str] = set()
        self._questions: dict[Place, Question] = {}
        self._answers: dict[Place, dict[str, Answer]] = {}

    @property
    def shown(self) -> Shown:
        """The lesson as the pages show it now."""
        return self._shown

    # What the teacher does.

    def open(self, lesson: Lesson, teacher: str, step: int = 0) -> None:
        """Open a lesson at a step. Whoever took part in the one before takes part in this one."""
        with self._lock:
            self._shown = Shown(
                lesson=lesson,
                teacher=teacher,
                opening=self._shown.opening + 1,
                is_open=True,
                is_led=self._shown.is_led,
                step=_nearest_step(lesson, step),
                phases=(Phase.ASKED,) * len(lesson.steps),
            )
            self._names = {id: self._names[id] for id in self._participants}
            self._questions = {}
            self._answers = {}

    def go_to(self, place: Place) -> None:
        """Note the step that the teacher is at."""
        with self._lock:
            is_of_now = self._shown.is_open and place.opening == self._shown.opening
            if self._shown.lesson is not None and is_of_now:
                nearest = _nearest_step(self._shown.lesson, place.step)
                self._change(step=nearest)

    def lead(self, *, is_led: bool) -> None:
        """Let all pages follow the teacher, or each participant walk alone. An answer that was given before somebody
        walks alone is final: its reason is shown from then on."""
        with self._lock:
            self._change(is_led=is_led)
            if not is_led:
                for answers in self._answers.values():
                    for visitor, answer in answers.items():
                        answers[visitor] = answer._replace(is_final=True)

    def ask(self, place: Place, question: Question) -> None:
        """Note a question, as the run of its step gives it. The first one of a place stays."""
        with self._lock:
            is_there = place.step in range(len(self._shown.phases))
            if is_there and place.opening == self._shown.opening:
                self._questions.setdefault(place, question)

    def reveal(self, place: Place, phase: Phase) -> None:
        """Show more of a question. Nothing that was shown is hidden again, and from then on no answer is taken."""
        with self._lock:
            if self._shown.is_open and place in self._questions:
                phases = list(self._shown.phases)
                phases[place.step] = max(phases[place.step], phase)
                self._change(phases=tuple(phases))

    def end(self) -> None:
        """End the lesson. Its answers stay until the next one is opened."""
        with self._lock:
            self._change(is_open=False)
            self._participants.clear()

    def forget(self) -> None:
        """Forget the lesson that has ended, and its answers."""
        with self._lock:
            if not self._shown.is_open:
                opening = self._shown.opening
                self._shown = Shown(opening=opening, is_led=self._shown.is_led)
                self._names = {}
                self._questions = {}
                self._answers = {}

    # What a student does.

    def join(self, visitor: str, name: str) -> bool:
        """Let a visitor take part; return whether there is still room."""
        with self._lock:
            is_full = len(self._names) >= self._most_participants
            if not self._shown.is_open or (is_full and visitor not in self._names):
                return False
            self._names[visitor] = name
            self._participants.add(visitor)
            return True

    def leave(self, visitor: str) -> None:
        """Let a visitor go. What they answered still counts, and is there when they come back."""
        with self._lock:
            self._participants.discard(visitor)

    def answer(self, visitor: str, place: Place, choice: int) -> bool:
        """Take the answer of a participant in place of the one before; return whether it counts."""
        with self._lock:
            question = self._questions.get(place)
            if question is None or choice not in range(len(question.choices)):
                return False
            is_asked = self._shown.is_open and self.phase(place) == Phase.ASKED
            if not is_asked or visitor not in self._participants:
                return False
            answers = self._answers.setdefault(place, {})
            if visitor in answers and answers[visitor].is_final:
                return False
            answers[visitor] = Answer(choice, is_final=not self._shown.is_led)
            return True

    # What pages ask for.

    def has(self, visitor: str) -> bool:
        """Return whether a visitor takes part."""
        return visitor in self._participants

    @property
    def participants(self) -> int:
        """The number of visitors who take part."""
        return len(self._participants)

    def phase(self, place: Place) -> Phase:
        """Return how much of a question the class has seen."""
        shown = self._shown
        if place.opening != shown.opening or place.step >= len(shown.phases):
            return Phase.ASKED
        return shown.phases[place.step]

    def answer_of(self, visitor: str, place: Place) -> Answer | None:
        """Return what a visitor answered; ``None`` before that."""
        return self._answers.get(place, {}).get(visitor)

    def is_explained_to(self, visitor: str, place: Place) -> bool:
        """Return whether a visitor is shown the right answer and its reason."""
        answer = self.answer_of(visitor, place)
        has_final_answer = answer is not None and answer.is_final
        return has_final_answer or self.phase(place) == Phase.EXPLAINED

    def counts(self, place: Place) -> tuple[int, ...]:
        """Return how many took each choice of a question; empty where none was asked."""
        with self._lock:
            return self._counts(place)

    def results(self) -> list[Result]:
        """Return how each question that somebody answered was answered, the one with the largest share of right answers
        first."""
        with self._lock:
            results = []
            for place in sorted(self._answers):
                question = self._questions[place]
                results.append(Result(place, question, self._counts(place)))
        return sorted(results, key=lambda result: -result.share_right)

    def names(self, place: Place) -> Mapping[int, list[str]]:
        """Return the names of those who took each choice, in alphabetical order, where they gave one. For the teacher
        alone."""
        names: dict[int, list[str]] = {}
        with self._lock:
            for visitor, answer in self._answers.get(place, {}).items():
                if self._names[visitor]:
                    names.setdefault(answer.choice, []).append(self._names[visitor])
        return {choice: sorted(names[choice]) for choice in sorted(names)}

    def _counts(self, place: Place) -> tuple[int, ...]:
        question = self._questions.get(place)
        if question is None:
            return ()
        answers = self._answers.get(place, {}).values()
        taken = Counter(answer.choice for answer in answers)
        return tuple(taken[choice] for choice in range(len(question.choices)))

    def _change(self, **changes: object) -> None:
        self._shown = replace(self._shown, **changes)  # type: ignore[arg-type]


def _nearest_step(lesson: Lesson, step: int) -> int:
    return min(max(0, step), len(lesson.steps) - 1)
