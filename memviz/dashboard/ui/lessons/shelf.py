"""The list of lessons: those that come with memviz and those that were saved here, each to be played, handed on and
printed; above it what is said when one was played to its end."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import streamlit as st

from memviz.core.errors import LessonError, MemvizError
from memviz.core.text.wording import counted, listed
from memviz.core.translation import _, language_now, noop
from memviz.dashboard.lessons.fields import MAX_BYTES
from memviz.dashboard.lessons.lesson import LANGUAGES, Language, Lesson
from memviz.dashboard.lessons.library import (
    SUFFIX,
    bundled_lessons,
    content_of,
    find_lesson,
    saved_lessons,
)
from memviz.dashboard.lessons.playing import follow_fact, play_study
from memviz.dashboard.lessons.reading import read_lesson
from memviz.dashboard.lessons.writing import make_lesson_id, write_yaml
from memviz.dashboard.markup import element
from memviz.dashboard.ui.lessons.answering import score_words
from memviz.dashboard.ui.lessons.player import choose_language, go_on
from memviz.dashboard.ui.lessons.state import (
    lessons_state,
    open_view,
    page_is_there,
    words_of,
)
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    error_shown,
    error_words,
    header,
    level_columns,
    main_button,
    offer_file,
    popup,
    quiet_button,
    right_row,
    row,
    show_caption,
    show_problem,
    show_title,
    show_toast,
)
from memviz.dashboard.ui.shell.frame import store, workspace
from memviz.dashboard.ui.shell.presenting import presents
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import turn_to_top
from memviz.dashboard.words import shorten
from memviz.storage.workspace import Workspace

MAX_SUMMARY_CHARS = 400
UPLOAD_HELP = noop(
    "A lesson as a YAML file, as *Download* on this page or `memviz lessons` has them. It is kept here."
)
IN_ALL = noop("{lessons}, {minutes:,} minutes in all.")
IN_ALL_TO_BEGIN = noop("{lessons}, {minutes:,} minutes in all. Begin with the first.")


def shelf() -> None:
    """Draw one row a lesson. The one to go on with is marked: the first that was not seen to its end."""
    saved, problems = saved_lessons(store())
    bundled = list(bundled_lessons().values())
    if lessons_state().own.steps:
        header(_("All lessons"))
    _draw_head(bundled)
    unfinished = [
        lesson for lesson in bundled if not lessons_state().is_finished(lesson)
    ]
    for lesson in bundled:
        _draw_row(lesson, is_own=False, is_next=lesson in unfinished[:1])
    if saved or problems:
        header(_("Saved here"))
    for problem in problems:
        show_problem(problem)
    for lesson in saved.values():
        _draw_row(lesson, is_own=True)


def is_list_asked_for() -> bool:
    """Return whether the list is to be drawn. At the end of a lesson with the class it waits for a click: then the page
    is about what the class knows, and the pages of all are drawn at once."""
    state = lessons_state()
    if state.ended_with_class and button(
        _("All lessons"), "lessons-all", ":material/list:"
    ):
        state.ended_with_class = False
        st.rerun()
    return not state.ended_with_class


def _draw_head(lessons: list[Lesson]) -> None:
    """Show how much there is, where to begin, and the language of the texts."""
    with row("lessons-head"):
        minutes = sum(lesson.minutes or 0 for lesson in lessons)
        template = IN_ALL if any(lessons_state().seen.values()) else IN_ALL_TO_BEGIN
        st.caption(
            _(template, lessons=counted(lessons, "lesson"), minutes=minutes),
            width="stretch",
        )
        choose_language(list(LANGUAGES))


def upload() -> None:
    """Take a lesson from a file."""
    state = lessons_state()
    file = st.file_uploader(
        _("Open a lesson (*{suffix}*)", suffix=SUFFIX),
        key=f"lessons-upload-{state.uploads}",
        help=_(UPLOAD_HELP),
        max_upload_size=1,
    )
    if file is None:
        return
    with error_shown():
        id = make_lesson_id(file.name.partition(".")[0], {})
        # A larger file is refused for its size, so it need not be read whole.
        content = file.getvalue()[: MAX_BYTES + 1]
        lesson = keep(read_lesson(content, file.name, id))
        # A fresh control, so that nothing is taken twice.
        state.uploads += 1
        show_toast(_("Saved “{title}”.", title=words_of(lesson.title)))
        st.rerun()


def keep(lesson: Lesson) -> Lesson:
    """Save a lesson, under another id where a bundled one has its own. Raises :class:`memviz.MemvizError`."""
    if lesson.id in bundled_lessons():
        lesson = replace(lesson, id=make_lesson_id(lesson.id, used_ids()))
    store().keep("lesson", lesson.id, write_yaml(lesson))
    lessons_state().forget(lesson.id)
    return lesson


def used_ids() -> dict[str, None]:
    """Return the ids of all bundled lessons and of those that were saved here."""
    return dict.fromkeys([*bundled_lessons(), *store().kept_keys("lesson")])


def _draw_row(lesson: Lesson, *, is_own: bool, is_next: bool = False) -> None:
    with box(f"lesson-{lesson.id}"):
        text, buttons = level_columns([5, 2])
        with text, st.container(gap="xxsmall"):
            show_title(words_of(lesson.title))
            if lesson.summary:
                summary = words_of(lesson.summary)
                show_caption(shorten(summary, MAX_SUMMARY_CHARS))
            show_caption(" · ".join(_facts(lesson)))
        with buttons, right_row():
            button(
                _verb(lesson),
                f"play-{lesson.id}",
                ":material/play_arrow:",
                go_on,
                lesson,
                help=plain(words_of(lesson.title)),
                type="primary" if is_next else "secondary",
            )
            if not presents():
                _draw_more(lesson, is_own=is_own)


def _verb(lesson: Lesson) -> str:
    state = lessons_state()
    if not state.steps_seen(lesson):
        return _("Begin")
    return _("Again") if state.is_finished(lesson) else _("Go on")


def _facts(lesson: Lesson) -> Iterator[str]:
    """Yield how long a lesson is, its languages, and how much of it was seen and answered."""
    steps = len(lesson.steps)
    if lesson.minutes:
        yield _("{minutes} min", minutes=lesson.minutes)
    yield counted(steps, "step")
    yield listed(LANGUAGES[code] for code in lesson.languages)
    steps_seen = len(lessons_state().steps_seen(lesson))
    if steps_seen:
        yield _("{seen} of {steps} seen", seen=steps_seen, steps=steps)
    if score := score_words(lesson):
        yield score


def _draw_download_buttons(lesson: Lesson, *, is_own: bool) -> None:
    offer_file(
        _("One file to hand out (HTML)"),
        partial(_html, workspace(), lesson, lessons_state().language),
        f"{lesson.id}.html",
        "text/html",
        f"lesson-html-{lesson.id}",
        width="stretch",
        help=_(
            "The player and the questions in one file that needs no network. Printed from it, every step is on "
            "paper, with the answers at the end."
        ),
    )
    offer_file(
        _("The lesson (YAML)"),
        partial(_yaml, lesson, is_own),
        lesson.id + SUFFIX,
        "application/yaml",
        f"lesson-yaml-{lesson.id}",
        width="stretch",
    )


def _draw_more(lesson: Lesson, *, is_own: bool) -> None:
    # With the number of edits in its key the panel closes once the lesson is taken to be written.
    state = lessons_state()
    with popup(
        _("More of {title}", title=plain(words_of(lesson.title))),
        ":material/more_horiz:",
        f"lesson-more-{lesson.id}-{state.own.edits}",
        help=_("Download, print, change"),
    ):
        _draw_download_buttons(lesson, is_own=is_own)
        if button(
            _("Change it") if is_own else _("Write your own from it"),
            f"lesson-edit-{lesson.id}",
            ":material/edit:",
            width="stretch",
        ):
            state.own.take(lesson, replaces=lesson.id if is_own else "")
            turn_to_top()
            st.rerun()
        if is_own and button(
            _("Remove"),
            f"lesson-remove-{lesson.id}",
            ":material/delete:",
            width="stretch",
        ):
            store().forget("lesson", lesson.id)
            state.forget(lesson.id)
            show_toast(_("Removed “{title}”.", title=words_of(lesson.title)))
            st.rerun()


def _html(workspace: Workspace, lesson: Lesson, language: Language) -> str:
    """The lesson as a file; what hinders it is said in its place."""
    from memviz.dashboard.lessons.html import (
        write_html_lesson,
    )  # its template engine is needed on a click only

    try:
        return write_html_lesson(lesson, workspace, language)
    except MemvizError as error:
        problem = element("p", error_words(error))
    return f'<!DOCTYPE html><html lang="{language_now()}"><title>memviz</title>{problem}</html>'


def _yaml(lesson: Lesson, is_own: bool) -> bytes:
    return write_yaml(lesson).encode() if is_own else content_of(lesson.id)


def draw_closing() -> None:
    """Show what is said at the end of a lesson, above the list; nothing, if none has just ended."""
    lesson = _ended()
    if lesson is None:
        return
    with st.container(border=True, gap="xsmall", key="lesson-closing"):
        score = score_words(lesson)
        template = noop("You have finished **{title}**.")
        if score:
            template = noop("You have finished **{title}**: {score}.")
        title = plain(words_of(lesson.title))
        words = _(template, title=title, score=score)
        st.markdown(f":material/check_circle: {words}")
        following = next_after(lesson)
        with row():
            if following is not None:
                main_button(
                    _(
                        "Next: {title}",
                        title=plain(words_of(following.title)),
                    ),
                    "lesson-following",
                    ":material/arrow_forward:",
                    go_on,
                    following,
                )
            _draw_to_try(lesson)


def _ended() -> Lesson | None:
    state = lessons_state()
    try:
        return find_lesson(state.ended, store()) if state.ended else None
    except LessonError:  # the list below says what is wrong with it
        return None


def next_after(lesson: Lesson) -> Lesson | None:
    """The bundled lesson that comes after one in the list; after one of somebody's own none."""
    for before, following in pairwise(bundled_lessons().values()):
        if before.id == lesson.id:
            return following
    return None


def _draw_to_try(lesson: Lesson) -> None:
    """Show what the last step that has something to try offers."""
    steps = [step for step in lesson.steps if step.to_try]
    for step in steps[-1:]:
        for number, attempt in enumerate(step.to_try):
            words = plain(words_of(attempt.text))
            key = f"lesson-then-{number}"
            if page_is_there(attempt.view) and quiet_button(
                words, key, ":material/science:"
            ):
                with error_shown():
                    open_view(
                        follow_fact(attempt.view, step.view),
                        play_study(step.view.study, workspace(), lesson.id),
                    )
