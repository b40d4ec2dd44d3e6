"""A lesson of one's own: steps that were kept on Compare and Facts, named, ordered, worded and saved."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from memviz.core import page_titles
from memviz.dashboard.lessons.lesson import LANGUAGES, Language, Lesson, Step, Text
from memviz.dashboard.lessons.library import SUFFIX, bundled_lessons
from memviz.dashboard.lessons.reading import (
    MAX_MINUTES,
    SUMMARY_CHARS,
    TEXT_CHARS,
    TITLE_CHARS,
    read_lesson,
)
from memviz.dashboard.lessons.writing import as_yaml, id_of
from memviz.dashboard.ui.lessons.asking import Slot, asked_in
from memviz.dashboard.ui.lessons.shelf import keep
from memviz.dashboard.ui.lessons.state import OwnLesson, lessons_state
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain

HOW = (
    f"On {page_titles.COMPARE} and {page_titles.FACTS}, *Keep as a step* keeps what you see as a "
    "step of a lesson. The steps come together here: "
    "word and order them, then save the lesson, or download it to hand it on."
)
TEXT_HELP = "Markdown: paragraphs, lists, **bold**, *italic*, `code`. No HTML, no images, no links."


def own_lesson() -> None:
    """Draw the lesson that is being written."""
    st.header("A lesson of your own", anchor=False)
    own = lessons_state().own
    if not own.steps:
        st.info(HOW, icon=":material/edit_note:")
        return
    language = st.segmented_control(
        "Write the texts in",
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key="own-language",
        default=lessons_state().language,
        required=True,
        help="A lesson has its texts in one language or in both; where one is missing, the other one is shown.",
    )
    title, minutes = st.columns([4, 1])
    Slot(own, "title").write(
        title.text_input,
        "Title of the lesson",
        "title",
        language,
        max_chars=TITLE_CHARS,
    )
    own.minutes = minutes.number_input(
        "Minutes", 1, MAX_MINUTES, own.minutes, key=own.key("minutes"), placeholder="?"
    )
    Slot(own, "summary").write(
        st.text_input,
        "What it is about, in one sentence",
        "summary",
        language,
        max_chars=SUMMARY_CHARS,
    )
    for number in range(len(own.steps)):
        _step(own, number, language)
    _save()


def _step(own: OwnLesson, number: int, language: Language) -> None:
    with st.container(border=True, key=own.key(f"step-{number}")):
        head, buttons = st.columns([5, 2], vertical_alignment="bottom")
        Slot(own, "title", number).write(
            head.text_input,
            f"Step {number + 1}",
            "title",
            language,
            max_chars=TITLE_CHARS,
        )
        with (
            buttons,
            st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"),
        ):
            _order(own, number)
        Slot(own, "text", number).write(
            st.text_area,
            "Text",
            "text",
            language,
            max_chars=TEXT_CHARS,
            help=TEXT_HELP,
        )
        asked_in(own, number, language)
        st.caption(plain(shown_words(own.steps[number])))


def _order(own: OwnLesson, number: int) -> None:
    up = partial(own.move, number, -1)
    down = partial(own.move, number, 1)
    is_last = number == len(own.steps) - 1
    _order_button(own, number, "arrow_upward", "Move up", up, is_off=number == 0)
    _order_button(own, number, "arrow_downward", "Move down", down, is_off=is_last)
    _order_button(own, number, "delete", "Remove", partial(own.remove, number))


def _order_button(
    own: OwnLesson,
    number: int,
    icon: str,
    verb: str,
    do: Callable[[], None],
    *,
    is_off: bool = False,
) -> None:
    name = "remove" if icon == "delete" else icon
    st.button(
        "",
        icon=f":material/{icon}:",
        help=f"{verb} step {number + 1}",
        key=own.key(f"{name}-{number}"),
        disabled=is_off,
        on_click=do,
    )


def shown_words(step: Step) -> str:
    """Return what a step shows, in a few words."""
    view = step.view
    turn = f", turn {view.turn}" if view.turn else ""
    settings = "; ".join(setting.label for setting in view.study.settings)
    return f"Shows {view.page.capitalize()}{turn} · {settings}"


def _save() -> None:
    own = lessons_state().own
    with st.container(horizontal=True, gap="small"):
        with error_shown():
            _save_buttons(_judged(own))
        if st.button(
            "Put it away",
            icon=":material/close:",
            key="own-away",
            help="What was not saved is gone then.",
        ):
            lessons_state().own = OwnLesson(edits=own.edits + 1)
            st.rerun()


def _save_buttons(lesson: Lesson) -> None:
    state = lessons_state()
    if st.button("Save", icon=":material/save:", type="primary", key="own-save"):
        kept = keep(lesson)
        state.own.id = kept.id
        st.toast(plain(f"Saved “{kept.title.said(state.language)}”."))
        st.rerun()
    st.download_button(
        "Download (YAML)",
        as_yaml(lesson),
        lesson.id + SUFFIX,
        "application/yaml",
        icon=":material/download:",
        key="own-download",
        on_click="ignore",
    )


def _judged(own: OwnLesson) -> Lesson:
    """The lesson as it would be read again. Raises :class:`memviz.LessonError` with what is wrong with it."""
    steps = tuple(
        replace(step, title=step.title or Text(en=f"Step {number}"))
        for number, step in enumerate(own.steps, 1)
    )
    taken = dict.fromkeys([*bundled_lessons(), *workspace().store.kept_keys("lesson")])
    title = own.title or Text(en="A lesson of my own")
    id = own.id or id_of(title.said("en"), taken)
    return read_lesson(
        as_yaml(Lesson(id, title, steps, own.summary, own.minutes)), "Your lesson", id
    )
