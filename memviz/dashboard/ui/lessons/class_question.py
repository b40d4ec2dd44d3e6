"""The question of a step in a lesson with the class: students answer on their own screens; the teacher sees how many
have, then shows how many chose what, then which answer is right, and why."""

from functools import partial

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.lessons.class_at_work import Phase, QuestionPlace
from memviz.dashboard.lessons.lesson import Lesson, Question
from memviz.dashboard.ui.lessons.answering import (
    choices_html,
    draw_choices,
    draw_verdict,
    prose,
)
from memviz.dashboard.ui.lessons.state import Answered, lessons_state
from memviz.dashboard.ui.lessons.with_class import (
    Seat,
    error_noted,
    place_now,
    show_noted_error,
)
from memviz.dashboard.ui.shell.elements import error_shown, main_button
from memviz.dashboard.ui.shell.state import set_widget, widget_value

COUNT_SECONDS = 1.0


def ask_class(seat: Seat, lesson: Lesson, question: Question) -> None:
    """Draw the question as far as the class, or somebody who walks alone, has come with it."""
    place = place_now()
    seat.work.ask(place, question)
    with st.container(border=True, gap="xsmall", key="lesson-question"):
        prose(question.text, lessons_state().language)
        if seat.leads:
            _draw_for_teacher(seat, place, question)
        else:
            _draw_for_student(seat, place, question, lesson)


def _draw_for_teacher(seat: Seat, place: QuestionPlace, question: Question) -> None:
    state = lessons_state()
    phase = seat.work.phase(place)
    if phase == Phase.ASKED:
        st.html(choices_html(question, state.language, is_explained=False))
        _draw_count(seat, place)
        _draw_reveal(seat, place, _("Show the answers"), Phase.COUNTED)
        return
    is_explained = phase == Phase.EXPLAINED
    with st.container(gap="xsmall", key="lesson-verdict"):
        counts = seat.work.counts(place)
        html = choices_html(
            question, state.language, is_explained=is_explained, counts=counts
        )
        st.html(html)
        if is_explained:
            prose(question.reason, state.language)
        else:
            _draw_reveal(seat, place, _("Show the reason"), Phase.EXPLAINED)


@st.fragment(run_every=COUNT_SECONDS)
def _draw_count(seat: Seat, place: QuestionPlace) -> None:
    with error_shown():
        answers = sum(seat.work.counts(place))
        words = _(
            "**{answers:,}** of {participants:,} have answered",
            answers=answers,
            participants=max(answers, seat.work.participants),
        )
        st.markdown(words)


def _draw_reveal(seat: Seat, place: QuestionPlace, label: str, phase: Phase) -> None:
    icon = ":material/bar_chart:" if phase == Phase.COUNTED else ":material/lightbulb:"
    key = f"class-reveal-{place.opening}-{place.step}-{phase}"
    if main_button(label, key, icon):
        with error_shown():
            seat.work.reveal(place, phase)
            st.rerun()


def _draw_for_student(
    seat: Seat, place: QuestionPlace, question: Question, lesson: Lesson
) -> None:
    state = lessons_state()
    answer = seat.work.answer_of(seat.visitor.id, place)
    chosen = None if answer is None else answer.choice
    if not seat.work.is_explained_to(seat.visitor.id, place):
        if seat.work.phase(place) == Phase.ASKED:
            _draw_choices(seat, place, question)
            return
        st.html(choices_html(question, state.language, chosen, is_explained=False))
        st.caption(_("The answers are closed: see how the class answered."))
        return
    counts: tuple[int, ...] = ()
    if seat.work.phase(place) == Phase.EXPLAINED:
        counts = seat.work.counts(place)
    st.html(choices_html(question, state.language, chosen, counts=counts))
    if chosen is None:
        with st.container(gap="xsmall", key="lesson-verdict"):
            prose(question.reason, state.language)
        return
    answered = Answered(chosen, chosen == question.answer)
    state.answers[lesson.id, place.step] = answered
    draw_verdict(question, answered)


@st.fragment
def _draw_choices(seat: Seat, place: QuestionPlace, question: Question) -> None:
    """Draw the choices. A click on one draws nothing else again, unless the answers are closed or the reason is
    shown."""
    show_noted_error()
    visitor_id = seat.visitor.id
    with error_shown():
        is_asked = seat.work.phase(place) == Phase.ASKED
        if not is_asked or seat.work.is_explained_to(visitor_id, place):
            st.rerun()
        answer = seat.work.answer_of(visitor_id, place)
        key = f"class-answer-{place.opening}-{place.step}"
        set_widget(key, None if answer is None else answer.choice)
        draw_choices(question, key, partial(_take_answer, seat, place, key))
        if answer is not None:
            st.caption(
                _("Your answer is in. You can change it until your teacher goes on.")
            )


def _take_answer(seat: Seat, place: QuestionPlace, key: str) -> None:
    choice = widget_value(key)
    if isinstance(choice, int):
        with error_noted():
            seat.work.answer(seat.visitor.id, place, choice)
