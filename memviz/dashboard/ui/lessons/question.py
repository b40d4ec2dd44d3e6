"""The question of a step with its choices, and once one is taken the answer with its reason and the score."""

from functools import partial
from html import escape

import streamlit as st

from memviz.core.text.language import lang_attribute
from memviz.core.text.wording import counted
from memviz.dashboard.lessons.lesson import (
    NOT_QUITE,
    RIGHT,
    Language,
    Lesson,
    Question,
    Text,
)
from memviz.dashboard.lessons.markdown import as_html
from memviz.dashboard.ui.lessons.state import Answered, lessons_state
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.terms import FirstMentions
from memviz.dashboard.ui.shell.text import plain


def ask(lesson: Lesson, question: Question) -> None:
    """Draw it."""
    state = lessons_state()
    place = (lesson.id, state.step)
    taken = state.answers.get(place)
    with st.container(border=True, gap="xsmall", key="lesson-question"):
        prose(question.text, state.language)
        key = f"lesson-answer-{lesson.id}-{state.step}"
        said = [choice.said(state.language) for choice in question.choices]
        if taken is not None:
            set_widget(key, taken.choice)
        st.radio(
            "Your answer",
            range(len(said)),
            index=None,
            key=key,
            format_func=lambda n: plain(said[n]),
            disabled=taken is not None,
            label_visibility="collapsed",
            on_change=partial(_take, place, key, question.answer),
        )
        if taken is not None:
            _verdict(question, taken)


def _take(place: tuple[str, int], key: str, right: int) -> None:
    choice = widget_value(key)
    if isinstance(choice, int):
        lessons_state().answers.setdefault(place, Answered(choice, choice == right))


def _verdict(question: Question, taken: Answered) -> None:
    state = lessons_state()
    icon = ":material/check:" if taken.is_right else ":material/close:"
    with st.container(gap="xsmall", key="lesson-verdict"):
        st.markdown(f"{icon} {verdict(question, taken, state.language)}")
        prose(question.reason, state.language)


def verdict(question: Question, taken: Answered, language: Language) -> str:
    """Return what is said to the choice that was taken, as Markdown: to a wrong one what it was, and the right one."""
    if taken.is_right:
        return RIGHT[language]
    said = plain(question.choices[taken.choice].said(language))
    right = plain(question.choices[question.answer].said(language))
    return NOT_QUITE[language].format(said=said, right=right)


def score_words(lesson: Lesson) -> str:
    """Return how many questions of a lesson were answered, and how many of them rightly; empty before the first."""
    taken = []
    for (lesson_id, _), answered in lessons_state().answers.items():
        if lesson_id == lesson.id:
            taken.append(answered.is_right)
    if not taken:
        return ""
    return f"{sum(taken)} of {counted(len(taken), 'answer')} right"


def prose(text: Text, language: Language) -> None:
    """A text in Markdown. In English, words of the glossary explain themselves where it first has them."""
    said = text.said(language)
    if not said:
        return
    words_html = FirstMentions().html if language == "en" else escape
    html = as_html(said, words_html)
    st.html(f'<div class="memviz-prose"{lang_attribute(said)}>{html}</div>')
