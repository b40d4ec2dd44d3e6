"""The page Lessons: the shelf of lessons, or the lesson that is played."""

from memviz.core.translation import _
from memviz.dashboard.ui.lessons.class_line import class_line, place_of_line
from memviz.dashboard.ui.lessons.class_results import draw_class_results
from memviz.dashboard.ui.lessons.player import play_lesson
from memviz.dashboard.ui.lessons.shelf import (
    draw_closing,
    is_list_asked_for,
    shelf,
    upload,
)
from memviz.dashboard.ui.lessons.state import (
    keep_address,
    lesson_playing,
    lessons_state,
    take_address,
)
from memviz.dashboard.ui.lessons.with_class import follow_class, lead_class
from memviz.dashboard.ui.lessons.writing import own_lesson
from memviz.dashboard.ui.shell.elements import errors_shown
from memviz.dashboard.ui.shell.frame import open_page
from memviz.dashboard.ui.shell.presenting import presents
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import Lost, begin_at_top

state = lessons_state()
place = place_of_line()
with errors_shown():
    take_address()
    follow_class()
    lesson = lesson_playing()
if lesson is not None:
    open_page(
        plain(lesson.title.said(state.language)),
        "",
        Lost(
            _(
                "Look first at the text of the step, then at the picture that it speaks of."
            ),
            _("Answer the question before you look, press Play, and go on with Next."),
            _(
                "It answers one question about memory, on a real conversation, in a few minutes."
            ),
        ),
    )
    play_lesson(lesson)
else:
    open_page(
        _("What do you want to learn?"),
        _(
            "A few minutes each: predict what a memory does, then see it on a real conversation. Or write a "
            "lesson of your own."
        ),
        Lost(
            _(
                "Look first at the first lesson: each builds on none of the others, and says how long it takes."
            ),
            _("Begin one, and choose its language there."),
            _("It answers how memory strategies work, one idea at a time."),
        ),
    )
    begin_at_top()
    # A lesson that is being written stands above the list, which is longer than a window.
    is_written = bool(state.own.steps)
    if is_written and not presents():
        own_lesson()
    draw_closing()
    draw_class_results()
    if is_list_asked_for():
        shelf()
        if not is_written and not presents():
            own_lesson()
        if not presents():
            upload()
    keep_address()
lead_class()
with place:
    class_line(is_lessons=True)
