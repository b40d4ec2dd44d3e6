"""The address of the Lessons page: which lesson is open, at which step and in which language. Nothing else is in it,
and nothing is fetched: a lesson is one of those that come with memviz or are saved on this server."""

from time import monotonic
from urllib.parse import urlencode

import streamlit as st

from memviz.core.bounds import quoted
from memviz.core.errors import LessonError
from memviz.core.translation import _
from memviz.dashboard.lessons.lesson import LANGUAGES, Lesson
from memviz.dashboard.lessons.library import find_lesson
from memviz.dashboard.lessons.playing import Played, lesson_query
from memviz.dashboard.lessons.study import View
from memviz.dashboard.ui.controls.links import follow
from memviz.dashboard.ui.lessons.state import lessons_state
from memviz.dashboard.ui.shell.errors import show_error
from memviz.dashboard.ui.shell.frame import PAGES, workspace
from memviz.dashboard.ui.shell.linked import (
    LINK_OFF,
    address_now,
    keep_in_address,
    note_own,
    value_read,
)
from memviz.dashboard.ui.shell.presenting import presented_parts
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, FACTS_VIEW, ask_view

BEHIND_SECONDS = 5.0
"""So long after a step a browser may still send the address of the step before: it tells of two clicks before it hears
what became of the first."""
LESSON = "lesson"
STEP = "step"
LANGUAGE = "language"


def open_address() -> Lesson | None:
    """The lesson that is played, ``None`` where none is: the address says so, as long as it is not the one that this
    page wrote. To be called before anything is drawn. What it asks for in vain is said."""
    state = lessons_state()
    asked = {
        name: st.query_params[name]
        for name in (LESSON, STEP, LANGUAGE)
        if name in st.query_params
    }
    is_late = (
        asked == state.written_before
        and monotonic() - state.written_at < BEHIND_SECONDS
    )
    if asked and asked != state.written and not is_late:
        _take(asked)
    if state.playing is None:
        return None
    try:
        lesson = find_lesson(state.playing, workspace().store)
    except LessonError as error:
        show_error(error)
        lesson = None
    else:
        if lesson is None:
            sentence = _(
                "The lesson {name} is not on this server, or was removed.",
                name=quoted(state.playing),
            )
            st.warning(plain(sentence), icon=LINK_OFF)
    if lesson is None:
        state.playing = None
        return None
    state.step = min(max(0, state.step), len(lesson.steps) - 1)
    if state.language not in lesson.languages:
        state.language = lesson.languages[0]
    return lesson


def _take(asked: dict[str, str]) -> None:
    language = value_read(asked.get(LANGUAGE, ""), list(LANGUAGES))
    if language is not None:
        lessons_state().language = language
    if LESSON in asked:
        step = value_read(asked.get(STEP, ""), range(1, 1_000))
        lessons_state().begin(asked[LESSON], (step or 1) - 1)


def keep_address() -> None:
    """Write into the address what is open."""
    state = lessons_state()
    shown: dict[str, str] = {}
    if state.playing is not None:
        shown[LESSON] = state.playing
        shown[STEP] = str(state.step + 1)
        shown[LANGUAGE] = state.language
    if shown != state.written:
        state.written_before = state.written
        state.written = shown
        state.written_at = monotonic()
    parts = {name: shown.get(name, "") for name in (LESSON, STEP, LANGUAGE)}
    keep_in_address(parts | dict(presented_parts()))
    note_own(urlencode(address_now(), doseq=True))


_SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}


def page_is_there(view: View) -> bool:
    """Return whether this version has the page."""
    return (PAGES / f"{view.page_file}.py").exists()


def open_view(view: View, played: Played | None = None) -> None:
    """Go to the page of a view."""
    page = view.page_file
    if view.show and page in _SWITCHES:
        ask_view(_SWITCHES[page], view.show)
    follow(page, lesson_query(view, played))
