"""The line at the top of every page of a class: the invitation to its lesson, and the way back and out; for a teacher
how many take part, and whether they follow.

The line looks by itself whether something has changed. A look costs the server a few milliseconds, so those who wait
for nothing look less often.

A click may come while the page begins anew, and that run may end before it reaches the line. What a click does is
therefore done by a callback, which comes first. No callback can turn to another page: it notes that the lesson is
asked for, and the line turns to it when it is drawn next.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.dashboard.ui.lessons.state import LED_STEP, lessons_state, words_of
from memviz.dashboard.ui.lessons.with_class import (
    Seat,
    error_noted,
    is_led_on,
    leave_class,
    seat_now,
    show_noted_error,
    take_step,
)
from memviz.dashboard.ui.shell.elements import (
    button,
    error_shown,
    main_button,
    row,
    segments,
)
from memviz.dashboard.ui.shell.presenting import presenting
from memviz.dashboard.ui.shell.server.checks import has_own_libraries
from memviz.dashboard.ui.shell.state import run_fragment, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import turn_to_top

TEACHER_SECONDS = 1.0
PARTICIPANT_SECONDS = 1.5
INVITED_SECONDS = 5.0
"""So often those who take no part look whether a lesson was opened."""
LEADING_KEY = "class-leading"
PAGE = "pages/lessons.py"
ICON = ":material/groups:"


def place_of_line() -> AbstractContextManager[object]:
    """Return the place of the line on the Lessons page, which draws it at its end: what the page does moves the
    class."""
    return nullcontext() if not has_own_libraries() else st.container()


def class_line(*, is_lessons: bool = False) -> None:
    """Draw the line. On the Lessons page it draws the page again once the class is elsewhere."""
    seat = seat_now()
    if seat is None or presenting().is_minimal:
        return
    seconds = INVITED_SECONDS
    if seat.leads:
        seconds = TEACHER_SECONDS
    elif seat.takes_part:
        seconds = PARTICIPANT_SECONDS
    look_again = st.fragment(_draw_line, run_every=seconds)
    look_again(is_lessons=is_lessons)


def _draw_line(*, is_lessons: bool) -> None:
    with error_shown():
        seat = seat_now()
        if seat is None:
            return
        if lessons_state().asks_for_class_lesson:
            _turn_to_lesson()
        if is_lessons and seat.page_shows != lessons_state().class_drawn:
            _follow(seat)
        show_noted_error()
        if not seat.shown.is_open:
            return
        with row("class-line"):
            if seat.leads:
                _draw_for_teacher(seat, is_lessons=is_lessons)
            elif seat.takes_part:
                _draw_for_participant(seat, is_lessons=is_lessons)
            else:
                _draw_invitation(seat)


def _follow(seat: Seat) -> NoReturn:
    """Draw the page as the class is now: of one that is led through the lesson nothing but the step."""
    if is_led_on(seat):
        take_step(seat)
        run_fragment(LED_STEP)
    st.rerun()


def _title(seat: Seat) -> str:
    lesson = seat.shown.lesson
    return "" if lesson is None else plain(words_of(lesson.title))


def _draw_invitation(seat: Seat) -> None:
    words = _("Your teacher has opened **{title}** for the class.", title=_title(seat))
    st.markdown(f"{ICON} {words}")
    main_button(_("Join"), "class-join", ":material/login:", _join, seat)


def _join(seat: Seat) -> None:
    with error_noted():
        if not seat.work.join(seat.visitor.id, seat.visitor.name):
            raise MemvizError(_("The lesson has just ended, or it is full."))
        lessons_state().asks_for_class_lesson = True


def _draw_for_participant(seat: Seat, *, is_lessons: bool) -> None:
    words = _("Your class is in **{title}**.", title=_title(seat))
    if is_lessons and lessons_state().plays_with_class:
        words = _("With the class, each at their own pace")
        if seat.shown.is_led:
            words = _("With the class: your teacher leads")
    else:
        _draw_way_back(seat)
    st.markdown(f"{ICON} {words}")
    button(_("Leave the lesson"), "class-leave", ":material/logout:", leave_class)


def _draw_for_teacher(seat: Seat, *, is_lessons: bool) -> None:
    participants = counted(seat.work.participants, "participant")
    words = _(
        "**{title}** with the class: {participants}",
        title=_title(seat),
        participants=participants,
    )
    st.markdown(f"{ICON} {words}")
    if not (is_lessons and lessons_state().plays_with_class):
        _draw_way_back(seat)
    set_widget(LEADING_KEY, seat.shown.is_led)
    names = {True: _("All follow me"), False: _("Each walks alone")}
    segments(
        _("Who goes on"),
        list(names),
        format_func=names.__getitem__,
        key=LEADING_KEY,
        label_visibility="collapsed",
        on_change=_take_leading,
        args=(seat,),
    )
    button(_("End for all"), "class-end", ":material/stop_circle:", _end_for_all, seat)


def _take_leading(seat: Seat) -> None:
    with error_noted():
        seat.work.lead(is_led=bool(widget_value(LEADING_KEY)))


def _end_for_all(seat: Seat) -> None:
    with error_noted():
        seat.work.end()


def _draw_way_back(seat: Seat) -> None:
    button(_("Back to the lesson"), "class-back", ":material/school:", _go_back, seat)


def _go_back(seat: Seat) -> None:
    state = lessons_state()
    if seat.shown.lesson is not None and not state.plays_with_class:
        state.begin(seat.shown.lesson.id, seat.shown.step)
    state.asks_for_class_lesson = True


def _turn_to_lesson() -> NoReturn:
    lessons_state().asks_for_class_lesson = False
    turn_to_top()
    st.switch_page(PAGE)
