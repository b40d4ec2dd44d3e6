"""A lesson of one's own: steps that were kept on Compare and Facts, named, ordered, worded and saved."""

from dataclasses import replace

import streamlit as st

from memviz.core import page_titles
from memviz.core.translation import _, noop, use_language
from memviz.dashboard.lessons.field_readers import (
    SUMMARY_CHARS,
    TEXT_CHARS,
    TITLE_CHARS,
)
from memviz.dashboard.lessons.lesson import (
    LANGUAGES,
    PAGE_NAMES,
    Language,
    Lesson,
    Step,
    Text,
)
from memviz.dashboard.lessons.library import SUFFIX
from memviz.dashboard.lessons.reading import MAX_MINUTES, read_lesson
from memviz.dashboard.lessons.writing import make_lesson_id, write_yaml
from memviz.dashboard.ui.lessons.asking import Slot, choose_what_is_asked
from memviz.dashboard.ui.lessons.shelf import keep, used_ids
from memviz.dashboard.ui.lessons.state import OwnLesson, lessons_state, words_of
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    buttons_row,
    error_shown,
    header,
    main_button,
    offer_file,
    right_row,
    segments,
    show_caption,
    show_info,
    show_toast,
)

STEP = noop("Step {number}")
OWN = noop("A lesson of my own")
HOW = noop(
    "On {compare} and {facts}, *Keep as a step* keeps what you see as a step of a lesson. "
    "The steps come together here: word and order them, then save the lesson, or download it to hand it on."
)
TEXT_HELP = noop(
    "Markdown: paragraphs, lists, **bold**, *italic*, `code`. No HTML, no images, no links."
)


def own_lesson() -> None:
    """Draw the lesson that is being written."""
    header(_("A lesson of your own"))
    own = lessons_state().own
    if not own.steps:
        how = _(HOW, compare=_(page_titles.COMPARE), facts=_(page_titles.FACTS))
        show_info(how, ":material/edit_note:")
        return
    language = segments(
        _("Write the texts in"),
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key="own-language",
        default=lessons_state().language,
        help=_(
            "A lesson has its texts in one language or in both; where one is missing, the other one is shown."
        ),
    )
    _draw_about(own, language)
    for number in range(len(own.steps)):
        _step(own, number, language)
    _save()


def _draw_about(own: OwnLesson, language: Language) -> None:
    title, minutes = st.columns([4, 1])
    Slot(own, "title").write(
        title.text_input,
        _("Title of the lesson"),
        "title",
        language,
        max_chars=TITLE_CHARS,
    )
    own.minutes = minutes.number_input(
        _("Minutes"),
        1,
        MAX_MINUTES,
        own.minutes,
        key=own.key("minutes"),
        placeholder="?",
    )
    Slot(own, "summary").write(
        st.text_input,
        _("What it is about, in one sentence"),
        "summary",
        language,
        max_chars=SUMMARY_CHARS,
    )


def _step(own: OwnLesson, number: int, language: Language) -> None:
    with box(own.key(f"step-{number}")):
        head, buttons = st.columns([5, 2], vertical_alignment="bottom")
        Slot(own, "title", number).write(
            head.text_input,
            _(STEP, number=number + 1),
            "title",
            language,
            max_chars=TITLE_CHARS,
        )
        with buttons, right_row():
            _draw_order(own, number)
        Slot(own, "text", number).write(
            st.text_area,
            _("Text"),
            "text",
            language,
            max_chars=TEXT_CHARS,
            help=_(TEXT_HELP),
        )
        choose_what_is_asked(own, number, language)
        show_caption(shown_words(own.steps[number]))


def _draw_order(own: OwnLesson, number: int) -> None:
    button(
        "",
        own.key(f"arrow_upward-{number}"),
        ":material/arrow_upward:",
        own.move,
        number,
        -1,
        help=_("Move up step {number}", number=number + 1),
        disabled=number == 0,
    )
    button(
        "",
        own.key(f"arrow_downward-{number}"),
        ":material/arrow_downward:",
        own.move,
        number,
        1,
        help=_("Move down step {number}", number=number + 1),
        disabled=number == len(own.steps) - 1,
    )
    button(
        "",
        own.key(f"remove-{number}"),
        ":material/delete:",
        own.remove,
        number,
        help=_("Remove step {number}", number=number + 1),
    )


def shown_words(step: Step) -> str:
    """Return what a step shows, in a few words."""
    view = step.view
    template = noop("Shows {page} · {settings}")
    if view.turn:
        template = noop("Shows {page}, turn {turn} · {settings}")
    return _(
        template,
        page=_(PAGE_NAMES[view.page]),
        turn=view.turn,
        settings="; ".join(setting.label for setting in view.study.settings),
    )


def _save() -> None:
    own = lessons_state().own
    with buttons_row():
        with error_shown():
            _save_buttons(_check_lesson(own))
        if button(
            _("Put it away"),
            "own-away",
            ":material/close:",
            help=_("What was not saved is gone then."),
        ):
            lessons_state().own = OwnLesson(edits=own.edits + 1)
            st.rerun()


def _save_buttons(lesson: Lesson) -> None:
    state = lessons_state()
    if main_button(_("Save"), "own-save", ":material/save:"):
        kept_lesson = keep(lesson)
        state.own.id = kept_lesson.id
        show_toast(_("Saved “{title}”.", title=words_of(kept_lesson.title)))
        st.rerun()
    offer_file(
        _("Download (YAML)"),
        lambda: write_yaml(lesson),
        lesson.id + SUFFIX,
        "application/yaml",
        "own-download",
    )


def _unnamed(beside: Text, name: str, **values: object) -> Text:
    """Return what has this name as long as nobody named it, in the languages of the text beside it."""
    texts = {}
    for language in beside.languages or ("en",):
        with use_language(language):
            texts[language] = _(name, **values)
    return Text(**texts)


def _check_lesson(own: OwnLesson) -> Lesson:
    """The lesson as it would be read again. Raises :class:`memviz.LessonError` with what is wrong with it."""
    steps = tuple(
        replace(step, title=step.title or _unnamed(step.text, STEP, number=number))
        for number, step in enumerate(own.steps, 1)
    )
    title = own.title or _unnamed(own.steps[0].text, OWN)
    id = own.id or make_lesson_id(title.said("en"), used_ids())
    return read_lesson(
        write_yaml(Lesson(id, title, steps, own.summary, own.minutes)),
        _("Your lesson"),
        id,
    )
