"""The question of a step with its choices, and once one is taken the answer with its reason and the score."""

from functools import partial

import streamlit as st
from markupsafe import Markup, escape

from memviz.core.text.language import language as language_of
from memviz.core.text.wording import counted
from memviz.core.translation import _, pgettext, use_language
from memviz.dashboard.lessons.lesson import (
    NOT_QUITE,
    RIGHT,
    Language,
    Lesson,
    Question,
    Text,
)
from memviz.dashboard.lessons.markdown import as_html
from memviz.dashboard.markup import element
from memviz.dashboard.ui.lessons.state import Answered, lessons_state
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.terms import FirstMentions
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import result_begins, result_is_new


def ask(lesson: Lesson, question: Question) -> None:
    """Draw it."""
    state = lessons_state()
    place = (lesson.id, state.step)
    taken = state.answers.get(place)
    with st.container(border=True, gap="xsmall", key="lesson-question"):
        prose(question.text, state.language)
        if taken is not None:
            st.html(answered_html(question, taken, state.language))
            _verdict(question, taken)
            return
        key = f"lesson-answer-{lesson.id}-{state.step}"
        said = [choice.said(state.language) for choice in question.choices]
        st.radio(
            _("Your answer"),
            range(len(said)),
            index=None,
            key=key,
            format_func=lambda n: plain(said[n]),
            label_visibility="collapsed",
            on_change=partial(_take, place, key, question.answer),
        )


def answered_html(question: Question, taken: Answered, language: Language) -> Markup:
    """Return the choices with the right one and the one that was taken marked, by a sign,
    a colour and a word."""
    with use_language(language):
        right_one = pgettext("the right answer", "right")
        yours = _("your answer")
    items = []
    for number, choice in enumerate(question.choices):
        words = []
        if number == question.answer:
            words.append(right_one)
        if number == taken.choice:
            words.append(yours)
        mark = ""
        if number == question.answer:
            mark = "right"
        elif number == taken.choice:
            mark = "wrong"
        text = choice.said(language)
        label = element("small", " · ".join(words)) if words else ""
        said = element("span", text, lang=language_of(text))
        items.append(element("li", said, " ", label, class_=mark))
    return element("ul", *items, class_="memviz-answered")


def _take(place: tuple[str, int], key: str, right: int) -> None:
    choice = widget_value(key)
    if isinstance(choice, int):
        lessons_state().answers.setdefault(place, Answered(choice, choice == right))
        result_is_new("lesson-verdict")


def _verdict(question: Question, taken: Answered) -> None:
    state = lessons_state()
    icon = ":material/check:" if taken.is_right else ":material/close:"
    with st.container(gap="xsmall", key="lesson-verdict"):
        result_begins("lesson-verdict")
        st.markdown(f"{icon} {verdict(question, taken, state.language)}")
        prose(question.reason, state.language)


def verdict(question: Question, taken: Answered, language: Language) -> str:
    """Return what is said to the choice that was taken, as Markdown: to a wrong one what it was, and the right one."""
    with use_language(language):
        if taken.is_right:
            return _(RIGHT)
    said = plain(question.choices[taken.choice].said(language))
    right = plain(question.choices[question.answer].said(language))
    with use_language(language):
        return _(NOT_QUITE, said=said, right=right)


def score_words(lesson: Lesson) -> str:
    """Return how many questions of a lesson were answered, and how many of them rightly; empty before the first."""
    taken = []
    for (lesson_id, _step), answered in lessons_state().answers.items():
        if lesson_id == lesson.id:
            taken.append(answered.is_right)
    if not taken:
        return ""
    return _(
        "{right} of {answers} right",
        right=sum(taken),
        answers=counted(len(taken), "answer"),
    )


def prose(text: Text, language: Language) -> None:
    """A text in Markdown. In English, words of the glossary explain themselves where it first has them."""
    said = text.said(language)
    if not said:
        return
    words_html = FirstMentions().html if language == "en" else escape
    html = as_html(said, words_html)
    st.html(element("div", html, class_="memviz-prose", lang=language_of(said)))
