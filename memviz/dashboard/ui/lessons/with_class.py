"""The lesson with the class, for the visitor whose page runs: their seat in it, and how their page follows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.translation import _
from memviz.dashboard.lessons.class_at_work import (
    ClassAtWork,
    MemoryNotes,
    QuestionPlace,
    ShownPart,
)
from memviz.dashboard.lessons.class_notes import StoredNotes
from memviz.dashboard.lessons.lesson import Lesson
from memviz.dashboard.ui.lessons.state import WITH_CLASS, lessons_state
from memviz.dashboard.ui.shell.elements import show_error
from memviz.dashboard.ui.shell.frame import own_libraries
from memviz.dashboard.ui.shell.linked import show_not_there
from memviz.dashboard.ui.shell.server.checks import (
    has_own_libraries,
    own_places,
    visitor_now,
)
from memviz.dashboard.ui.shell.views import turn_to_top
from memviz.models.class_door import Visitor
from memviz.storage.workspace import Workspace


@cache
def class_at_work() -> ClassAtWork:
    """Return the lesson of the class that this server serves, and other servers with it."""
    store = own_places().notes
    notes = MemoryNotes() if store is None else StoredNotes(store)
    return ClassAtWork(notes=notes)


@dataclass(frozen=True, slots=True)
class Seat:
    """The place of a visitor in the lesson of their class, which is ``shown`` so."""

    work: ClassAtWork
    visitor: Visitor
    shown: ShownPart

    @property
    def leads(self) -> bool:
        """Return whether the visitor is a teacher, whose step the others follow."""
        return self.visitor.is_teacher

    @property
    def takes_part(self) -> bool:
        """Return whether the lesson with the class is open, and the visitor is in it."""
        is_in = self.leads or self.work.has(self.visitor.id)
        return self.shown.is_open and is_in

    @property
    def page_shows(self) -> ShownPart | None:
        """The value that the Lessons page of the visitor depends on: when it is another one, the page is drawn again.
        ``None`` for somebody who takes no part."""
        if not self.takes_part:
            return None
        return self.shown if self.leads else self.shown.for_student()


def seat_now() -> Seat | None:
    """Return the seat of the visitor whose page runs; ``None`` on a server without a class. Raises
    :class:`memviz.core.errors.AccessError` for somebody who is not in the class."""
    if not has_own_libraries():
        return None
    work = class_at_work()
    return Seat(work, visitor_now(), work.shown)


def seat_in(lesson: Lesson) -> Seat | None:
    """Return the seat of the visitor where this lesson is played with the class."""
    state = lessons_state()
    if not state.plays_with_class or state.class_lesson is not lesson:
        return None
    return seat_now()


def place_now() -> QuestionPlace:
    """Return the place of the question of the step that is shown. Its lesson is that of this page: the class may have
    another one open by now, until the page is drawn again."""
    state = lessons_state()
    return QuestionPlace(state.class_opening, state.step)


def is_explained(lesson: Lesson) -> bool:
    """Return whether the answer to the question of the step is shown."""
    seat = seat_in(lesson)
    if seat is not None:
        return seat.work.is_explained_to(seat.visitor.id, place_now())
    state = lessons_state()
    return (lesson.id, state.step) in state.answers


def class_workspace(lesson: Lesson) -> Workspace | None:
    """Return the library that a lesson with the class is replayed in, that of the teacher: once for all, and with what
    it shows of a saved conversation. ``None`` for any other lesson."""
    seat = seat_in(lesson)
    return None if seat is None else own_libraries().open(seat.shown.teacher)


def can_be_opened(lesson: Lesson) -> bool:
    """Return whether the visitor is a teacher, and the class has another lesson open, or none."""
    seat = seat_now()
    return seat is not None and seat.leads and seat_in(lesson) is None


def open_with_class(lesson: Lesson) -> None:
    """Open a lesson with the class, at the step that is shown."""
    seat = seat_now()
    if seat is not None and seat.leads:
        seat.work.open(lesson, seat.visitor.id, lessons_state().step)


def end_with_class(lesson: Lesson) -> None:
    """End a lesson with the class, where a teacher is through with it."""
    seat = seat_in(lesson)
    if seat is not None and seat.leads:
        seat.work.end()


def follow_class() -> None:
    """Show the lesson of the class at the step of the teacher, as far as the visitor takes part and is led. To be
    called before the page is drawn."""
    state = lessons_state()
    seat = seat_now()
    if seat is None:
        return
    played_with_class = state.plays_with_class
    state.class_lesson = None
    state.is_led = False
    state.class_drawn = None
    if seat.takes_part:
        take_step(seat)
        return
    if played_with_class and not seat.shown.is_open:
        state.end(with_class=True)
        turn_to_top()
    elif state.class_opening == 0 and not seat.shown.is_open:
        _say_restart()
    state.class_opening = 0


def take_step(seat: Seat) -> None:
    """Show the lesson of the class to somebody who takes part, at the step of the teacher where they are led."""
    state = lessons_state()
    shown = seat.shown
    state.class_drawn = seat.page_shows
    assert shown.lesson is not None  # noqa: S101 - a lesson that is open is there
    state.class_lesson = shown.lesson
    state.is_led = shown.is_led and not seat.leads
    is_new_here = state.class_opening != shown.opening
    # A teacher may have two browsers: each shows the step of the other one, unless it was moved itself.
    follows_other_browser = (
        seat.leads
        and state.plays_with_class
        and state.step == state.class_step != shown.step
    )
    if not (is_new_here or state.is_led or follows_other_browser):
        return
    if is_new_here or shown.step != state.step:
        turn_to_top()
    state.begin(shown.lesson.id, shown.step)
    state.class_opening = shown.opening
    state.class_step = shown.step


def is_led_on(seat: Seat) -> bool:
    """Return whether the page is led through the lesson of the class already, and goes on being led."""
    state = lessons_state()
    is_same_lesson = (
        state.plays_with_class and state.class_opening == seat.shown.opening
    )
    return state.is_led and is_same_lesson and seat.takes_part and seat.shown.is_led


def _say_restart() -> None:
    """Say that the lesson is gone which the address of the page shows with the class."""
    if WITH_CLASS in st.query_params:
        show_not_there(
            _(
                "The class has no lesson open: it has ended, or the server was started anew. Your teacher can open it "
                "again; until then you walk alone."
            )
        )


def lead_class() -> None:
    """Tell the class where its teacher went on this page. To be called at its end: what the step shows was worked out
    then, once for all."""
    state = lessons_state()
    has_moved = state.plays_with_class and state.step != state.class_step
    if state.is_led or not has_moved or state.class_drawn is None:
        return
    seat = seat_now()
    if seat is not None and seat.leads:
        seat.work.go_to(place_now())
        state.class_drawn = replace(state.class_drawn, step=state.step)
        state.class_step = state.step


@contextmanager
def error_noted() -> Iterator[None]:
    """Note an error of memviz that a callback raises, for ``show_noted_error``: Streamlit has no place for words that a
    callback of a fragment would show."""
    try:
        yield
    except MemvizError as error:
        lessons_state().error = error


def show_noted_error() -> None:
    """Show what went wrong in the callback before this run, if anything did."""
    state = lessons_state()
    if state.error is not None:
        show_error(state.error)
        state.error = None


def leave_class() -> None:
    """Leave the lesson of the class, for the list of all lessons. A callback."""
    state = lessons_state()
    with error_noted():
        seat = seat_now()
        if seat is not None:
            seat.work.leave(seat.visitor.id)
            if state.plays_with_class:
                state.playing = None
