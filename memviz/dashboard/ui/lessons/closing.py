"""A lesson was played to its end: the score, what to try next, and the next lesson."""

from __future__ import annotations

from functools import partial

import streamlit as st

from memviz.core.errors import LessonError
from memviz.dashboard.lessons.address import followed
from memviz.dashboard.lessons.lesson import Lesson
from memviz.dashboard.lessons.library import bundled_lessons, find_lesson
from memviz.dashboard.lessons.playing import play
from memviz.dashboard.ui.lessons.opening import open_view, page_is_there
from memviz.dashboard.ui.lessons.player import go_on
from memviz.dashboard.ui.lessons.question import score_words
from memviz.dashboard.ui.lessons.state import LessonsState
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.workspace import Workspace


def closing(workspace: Workspace, state: LessonsState) -> None:
    """What is said at the end of a lesson, above the list; nothing, if none has just ended."""
    lesson = _ended(workspace, state)
    if lesson is None:
        return
    with st.container(border=True, gap="xsmall", key="lesson-closing"):
        score = score_words(state, lesson)
        title = f"**{plain(lesson.title.said(state.language))}**"
        st.markdown(
            f":material/check_circle: You have finished {title}{f': {score}' if score else ''}."
        )
        following = next_after(lesson)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if following is not None:
                st.button(
                    f"Next: {plain(following.title.said(state.language))}",
                    icon=":material/arrow_forward:",
                    type="primary",
                    key="lesson-following",
                    on_click=partial(go_on, state, following),
                )
            _to_try(workspace, state, lesson)


def _ended(workspace: Workspace, state: LessonsState) -> Lesson | None:
    try:
        return find_lesson(state.ended, workspace.store) if state.ended else None
    except LessonError:  # the list below says what is wrong with it
        return None


def next_after(lesson: Lesson) -> Lesson | None:
    """The bundled lesson that comes after one in the list; after one of somebody's own none."""
    lessons = list(bundled_lessons().values())
    ids = [one.id for one in lessons]
    return (
        next(iter(lessons[ids.index(lesson.id) + 1 :]), None)
        if lesson.id in ids
        else None
    )


def _to_try(workspace: Workspace, state: LessonsState, lesson: Lesson) -> None:
    """What the last step that has something to try offers."""
    for step in [one for one in lesson.steps if one.to_try][-1:]:
        for number, one in enumerate(step.to_try):
            words, key = plain(one.text.said(state.language)), f"lesson-then-{number}"
            if page_is_there(one.view) and st.button(
                words, icon=":material/science:", key=key, type="tertiary"
            ):
                with error_shown():
                    open_view(
                        workspace,
                        followed(one.view, step.view),
                        play(step.view.study, workspace, lesson.id),
                    )
