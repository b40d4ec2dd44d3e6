"""Play a lesson: the text of a step beside the stage, what it asks, what there is to try, and
the way on.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import streamlit as st

from memviz.core.translation import _, pgettext, use_language
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.lessons.answers_shown import (
    answers_chart,
    answers_finding,
    answers_origin,
)
from memviz.dashboard.lessons.lesson import (
    LANGUAGES,
    PAGE_NAMES,
    Language,
    Lesson,
    Prediction,
    Step,
)
from memviz.dashboard.lessons.markdown import as_plain
from memviz.dashboard.lessons.playing import PlayedStudy, follow_fact, play_study
from memviz.dashboard.lessons.questions import prepare_question
from memviz.dashboard.lessons.staging import prepare_stage
from memviz.dashboard.lessons.study import View
from memviz.dashboard.ui.controls.pictures import as_shown
from memviz.dashboard.ui.controls.stage_widget import stage
from memviz.dashboard.ui.lessons.answering import ask, prose, score_words
from memviz.dashboard.ui.lessons.class_question import ask_class
from memviz.dashboard.ui.lessons.state import (
    LED_STEP,
    keep_address,
    lessons_state,
    open_view,
    page_is_there,
    words_of,
)
from memviz.dashboard.ui.lessons.with_class import (
    can_be_opened,
    class_workspace,
    end_with_class,
    is_explained,
    open_with_class,
    seat_in,
)
from memviz.dashboard.ui.shell.elements import (
    button,
    error_shown,
    header,
    main_button,
    popup,
    quiet_button,
    row,
    segments,
    show_title,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.presenting import (
    is_bare,
    note_picture,
    presents,
    speaker_notes,
    take_steps,
)
from memviz.dashboard.ui.shell.state import (
    begin_with,
    heed_clicks,
    set_widget,
    widget_value,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import begin_at_top, turn_to_top

STEP_KEY = "lesson-step"
LANGUAGE_KEY = "lesson-language"


def play_lesson(lesson: Lesson) -> None:
    """Draw the whole lesson, at the step that is shown. A page that the teacher leads draws nothing but this when the
    class goes on, and the class goes on all at once."""
    state = lessons_state()
    draw_step = st.fragment(_draw_step, key=LED_STEP) if state.is_led else _draw_step
    draw_step(lesson, state.language)


def _draw_step(lesson: Lesson, title_language: Language) -> None:
    """Draw the step that is shown, below the title of the lesson, which is in this language."""
    state = lessons_state()
    if state.language != title_language:
        st.rerun()
    begin_at_top()
    if presents() and not state.is_led:
        state.step = min(max(0, state.step + take_steps()), len(lesson.steps) - 1)
    step = lesson.steps[state.step]
    state.seen.setdefault(lesson.id, set()).add(state.step)
    _say_to_speaker(lesson)
    if not is_bare():
        _draw_walk(lesson)
    played = _play_step(step, lesson)
    has_picture = step.view.answers or (step.view.has_stage and played)
    with st.container(key="lesson-played" if has_picture else "lesson-read"):
        with st.container(key="lesson-text"):
            header(plain(words_of(step.title)))
            prose(step.text, state.language)
        # The text names what stands in the picture, so both are in the lesson's language.
        with use_language(state.language):
            if step.view.answers:
                _draw_chart(step)
            elif step.view.has_stage and played:
                _draw_picture(lesson, step, played)
        with st.container(key="lesson-answer"):
            _draw_answer_part(lesson, step, played)
    keep_address()


def _draw_picture(lesson: Lesson, step: Step, played: PlayedStudy) -> None:
    state = lessons_state()
    is_answered = is_explained(lesson)
    with st.container(key="lesson-picture"), error_shown():
        data = played.runs[0].once(
            ("lesson stage", step, is_answered),
            lambda: prepare_stage(step, played, is_answered=is_answered),
            is_picture=True,
        )
        stage({**data, "scene": f"{lesson.id} {state.step}"}, key="lesson-stage")


def _draw_chart(step: Step) -> None:
    """Draw the answers that a model gave, with the date they were given on."""
    record = step.view.answers
    with st.container(key="lesson-picture"):
        st.plotly_chart(
            as_shown(answers_chart(record)),
            key="lesson-chart",
            config=CONFIG,
            alt=answers_finding(record),
        )
        st.caption(answers_origin(record))


def _say_to_speaker(lesson: Lesson) -> None:
    """Say which step the audience sees, which one comes next, and what may be said to it."""
    state = lessons_state()
    step = state.step
    titles = [*(words_of(step.title) for step in lesson.steps), ""]
    note_picture(titles[step], step, len(lesson.steps), titles[step + 1])
    speaker_notes([as_plain(words_of(lesson.steps[step].notes))])


def _draw_walk(lesson: Lesson) -> None:
    """Show where one is, the way to every step, and the language of the texts."""
    state = lessons_state()
    with row("lesson-walk"):
        if not state.is_led:
            if button(_("All lessons"), "lesson-leave", ":material/arrow_back:"):
                state.playing = None
                st.rerun()
            set_widget(STEP_KEY, state.step + 1)
            st.pagination(len(lesson.steps), key=STEP_KEY, on_change=_go_to_chosen)
        words = _(
            "Step {number} of {count}", number=state.step + 1, count=len(lesson.steps)
        )
        score = score_words(lesson)
        st.caption(f"{words} · {score}" if score else words, width="stretch")
        if can_be_opened(lesson) and button(
            _("Open with the class"), "lesson-with-class", ":material/groups:"
        ):
            with error_shown():
                open_with_class(lesson)
                st.rerun()
        if len(lesson.languages) > 1:
            choose_language(lesson.languages)


def choose_language(languages: Sequence[Language]) -> None:
    """Draw the switch between the languages of the texts."""
    set_widget(LANGUAGE_KEY, lessons_state().language)
    segments(
        _("Language of the texts"),
        list(languages),
        format_func=LANGUAGES.__getitem__,
        key=LANGUAGE_KEY,
        label_visibility="collapsed",
        on_change=_take_language,
    )


def _go_to_chosen() -> None:
    _go_to((widget_value(STEP_KEY) or 1) - 1)


def _go_to(step: int) -> None:
    lessons_state().step = step
    turn_to_top()


def _take_language() -> None:
    state = lessons_state()
    state.language = widget_value(LANGUAGE_KEY) or state.language


def _play_step(step: Step, lesson: Lesson) -> PlayedStudy | None:
    """The runs of a step; what hinders them is said."""
    study = step.view.study
    if study.settings and study.conversation:
        # What the teacher's page shows is replayed already.
        waiting: AbstractContextManager[object] = nullcontext()
        if not lessons_state().is_led:
            waiting = st.spinner(_("Replaying the conversation"), show_time=True)
        with error_shown(), waiting:
            return play_study(
                study,
                class_workspace(lesson) or workspace(),
                lesson.id,
                lambda done, total: heed_clicks(),
            )
    return None


def _draw_answer_part(lesson: Lesson, step: Step, played: PlayedStudy | None) -> None:
    """Show what a step asks, and the ways on."""
    is_unknown = isinstance(step.asked, Prediction) and played is None
    with error_shown():
        question = None if is_unknown else prepare_question(step, played)
        seat = seat_in(lesson)
        if question is not None and seat is not None:
            ask_class(seat, lesson, question)
        elif question is not None:
            ask(lesson, question)
    if presents() or lessons_state().is_led:
        return
    _draw_way_on(lesson)
    if is_bare():
        return
    _draw_ways_out(step, played)
    if step.notes:
        with popup(
            _("Notes for the speaker"), ":material/sticky_note_2:", "lesson-notes"
        ):
            prose(step.notes, lessons_state().language)


def _draw_way_on(lesson: Lesson) -> None:
    state = lessons_state()
    is_last = state.step == len(lesson.steps) - 1
    with st.container(horizontal=True, gap="small", key="lesson-onwards"):
        button(
            pgettext("step of a lesson", "Back"),
            "lesson-back",
            ":material/arrow_back:",
            _go_to,
            state.step - 1,
            disabled=state.step == 0,
        )
        if not is_last:
            st.button(
                pgettext("step of a lesson", "Next"),
                icon=":material/arrow_forward:",
                icon_position="right",
                type="primary",
                key="lesson-next",
                on_click=partial(_go_to, state.step + 1),
            )
        elif main_button(_("Done"), "lesson-done", ":material/check:"):
            with error_shown():
                end_with_class(lesson)
                state.end(with_class=state.plays_with_class)
                turn_to_top()
                st.rerun()


def _draw_ways_out(step: Step, played: PlayedStudy | None) -> None:
    """Draw links to the page that the step is about, and what there is to try."""
    if step.to_try:
        show_title(_("Try it"))
    for number, attempt in enumerate(step.to_try, 1):
        words = words_of(attempt.text)
        view = follow_fact(attempt.view, step.view)
        if _is_clicked(view, number, words, ":material/science:"):
            open_view(view, played)
    words = _("Open in {page}", page=_(PAGE_NAMES[step.view.page_file]))
    if _is_clicked(step.view, 0, words, ":material/open_in_new:"):
        open_view(step.view, played)


def _is_clicked(view: View, number: int, words: str, icon: str) -> bool:
    """Draw the button that opens a view, where this version has its page."""
    key = f"lesson-open-{number}"
    return page_is_there(view) and quiet_button(plain(words), key, icon)


def go_on(lesson: Lesson) -> None:
    """Play a lesson from where it was left in this session; one that was seen whole from its beginning, with its
    questions unanswered."""
    state = lessons_state()
    step = max(state.steps_seen(lesson), default=0)
    if state.is_finished(lesson):
        step = 0
        state.forget_answers(lesson.id)
    state.begin(lesson.id, step)
    begin_with(STEP_KEY, step + 1)
    turn_to_top()
