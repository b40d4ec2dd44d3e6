"""The end of a lesson with the class: which of its ideas the class has, and which it has not."""

import streamlit as st

from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.dashboard.lessons.class_at_work import Result
from memviz.dashboard.lessons.lesson import Lesson
from memviz.dashboard.ui.lessons.answering import choices_html, prose
from memviz.dashboard.ui.lessons.state import lessons_state, words_of
from memviz.dashboard.ui.lessons.with_class import Seat, seat_now
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    drawer,
    header,
    popup,
    show_caption,
    show_title,
)
from memviz.dashboard.ui.shell.presenting import presents
from memviz.dashboard.ui.shell.text import plain

KNOWN_SHARE = 0.7
"""The share of right answers from which on the class has an idea."""


def draw_class_results() -> None:
    """Draw how the last lesson with the class was answered, for its teacher and for those who answered; nothing while
    it is open."""
    seat = seat_now()
    if seat is None or seat.shown.lesson is None or seat.shown.is_open:
        return
    results = [result for result in seat.work.results() if _may_see(seat, result)]
    if not results:
        return
    header(_("What the class knows now"))
    show_caption(words_of(seat.shown.lesson.title))
    known = [result for result in results if result.share_right >= KNOWN_SHARE]
    _draw_group(seat, seat.shown.lesson, _("The class has it"), known)
    unknown = [result for result in results if result.share_right < KNOWN_SHARE]
    _draw_group(seat, seat.shown.lesson, _("The class does not have it yet"), unknown)
    if seat.leads and button(_("Put away"), "class-forget", ":material/close:"):
        seat.work.forget()
        lessons_state().ended_with_class = False
        st.rerun()


def _may_see(seat: Seat, result: Result) -> bool:
    has_answered = seat.work.answer_of(seat.visitor.id, result.place) is not None
    return seat.leads or has_answered


def _draw_group(seat: Seat, lesson: Lesson, title: str, results: list[Result]) -> None:
    if not results:
        return
    show_title(title)
    for result in results:
        with box(f"class-result-{result.place.step}"):
            step = lesson.steps[result.place.step]
            _draw_result(seat, words_of(step.title), result)


def _draw_result(seat: Seat, step_title: str, result: Result) -> None:
    words = _(
        "**{share:.0%}** right ({right:,} of {answers:,}): {title}",
        share=result.share_right,
        right=result.right,
        answers=result.answers,
        title=plain(step_title),
    )
    st.markdown(words)
    language = lessons_state().language
    key = f"class-answers-{result.place.step}"
    with drawer(_("The question and its answers"), ":material/bar_chart:", key):
        prose(result.question.text, language)
        st.html(choices_html(result.question, language, counts=result.counts))
    if seat.leads and not presents():
        _draw_names(seat, result)


def _draw_names(seat: Seat, result: Result) -> None:
    """Draw who chose what behind a button: the teacher's screen may be on the projector."""
    names = seat.work.names(result.place)
    if not names:
        return
    key = f"class-names-{result.place.step}"
    with popup(_("Who answered what"), ":material/badge:", key):
        for choice, chosen_by in names.items():
            answer = result.question.choices[choice]
            show_title(words_of(answer))
            show_caption(listed(chosen_by))
