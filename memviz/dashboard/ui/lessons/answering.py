"""The question of a step: its choices, the answer that was taken, the reason, and the score of a lesson."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from markupsafe import Markup, escape

from memviz.core.text.wording import counted
from memviz.core.text.words import detect_language
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
from memviz.dashboard.ui.lessons.state import Answered, lessons_state, words_of
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.terms import FirstMentions
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import note_new_result, scroll_to_new_result


def ask(lesson: Lesson, question: Question) -> None:
    """Draw a question of a step: its choices, or what became of the answer."""
    state = lessons_state()
    place = (lesson.id, state.step)
    answered = state.answers.get(place)
    with st.container(border=True, gap="xsmall", key="lesson-question"):
        prose(question.text, state.language)
        if answered is not None:
            st.html(choices_html(question, state.language, answered.choice))
            draw_verdict(question, answered)
            return
        key = f"lesson-answer-{lesson.id}-{state.step}"
        take = partial(_take_answer, place, key, question.answer)
        draw_choices(question, key, take)


def draw_choices(question: Question, key: str, take: Callable[[], None]) -> None:
    """Draw the choices of a question as a widget of this key; ``take`` is called when one is taken."""
    choices = [words_of(choice) for choice in question.choices]
    st.radio(
        _("Your answer"),
        range(len(choices)),
        index=None,
        key=key,
        format_func=lambda n: plain(choices[n]),
        label_visibility="collapsed",
        on_change=take,
    )


def choices_html(
    question: Question,
    language: Language,
    chosen: int | None = None,
    *,
    is_explained: bool = True,
    counts: Sequence[int] = (),
) -> Markup:
    """Return the choices with the one that was ``chosen`` marked, by a sign, a colour and a word; once the question
    ``is_explained`` the right one too. With ``counts`` each has the number of those who took it, and a bar."""
    items = []
    for number, choice in enumerate(question.choices):
        is_right = is_explained and number == question.answer
        with use_language(language):
            words = _words_of_choice(is_right=is_right, is_own=number == chosen)
        marks = []
        if is_right:
            marks.append("right")
        elif number == chosen:
            marks.append("wrong" if is_explained else "own")
        style = ""
        if counts:
            words.insert(0, str(counts[number]))
            style = f"--share:{counts[number] / max(1, sum(counts)):.3%}"
            marks.append("counted")
        text = choice.said(language)
        label = element("small", " · ".join(words)) if words else ""
        choice_text = element("span", text, lang=detect_language(text))
        item = element(
            "li", choice_text, " ", label, class_=" ".join(marks), style=style
        )
        items.append(item)
    return element("ul", *items, class_="memviz-answered")


def _words_of_choice(*, is_right: bool, is_own: bool) -> list[str]:
    words = []
    if is_right:
        words.append(pgettext("the right answer", "right"))
    if is_own:
        words.append(_("your answer"))
    return words


def _take_answer(place: tuple[str, int], key: str, right: int) -> None:
    choice = widget_value(key)
    if isinstance(choice, int):
        lessons_state().answers.setdefault(place, Answered(choice, choice == right))
        note_new_result("lesson-verdict")


def draw_verdict(question: Question, answered: Answered) -> None:
    """Draw whether an answer was right, and the reason."""
    state = lessons_state()
    icon = ":material/check:" if answered.is_right else ":material/close:"
    with st.container(gap="xsmall", key="lesson-verdict"):
        scroll_to_new_result("lesson-verdict")
        st.markdown(f"{icon} {verdict(question, answered, state.language)}")
        prose(question.reason, state.language)


def verdict(question: Question, answered: Answered, language: Language) -> str:
    """Return what is said to the choice that was taken, as Markdown: to a wrong one what it was, and the right one."""
    choice = plain(question.choices[answered.choice].said(language))
    right = plain(question.choices[question.answer].said(language))
    with use_language(language):
        if answered.is_right:
            return _(RIGHT)
        return _(NOT_QUITE, said=choice, right=right)


def score_words(lesson: Lesson) -> str:
    """Return how many questions of a lesson were answered, and how many of them rightly; empty before the first."""
    answers = [
        answered.is_right
        for (lesson_id, _step), answered in lessons_state().answers.items()
        if lesson_id == lesson.id
    ]
    if not answers:
        return ""
    return _(
        "{right} of {answers} right",
        right=sum(answers),
        answers=counted(answers, "answer"),
    )


def prose(text: Text, language: Language) -> None:
    """Draw a text in Markdown. In English, words of the glossary explain themselves where it first has them."""
    words = text.said(language)
    if words:
        words_html = FirstMentions().html if language == "en" else escape
        html = as_html(words, words_html)
        st.html(
            element("div", html, class_="memviz-prose", lang=detect_language(words))
        )
