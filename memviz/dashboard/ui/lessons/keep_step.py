"""Keep what a page shows as a step of the lesson that is being written: on Compare and Facts, beside the link."""

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from memviz.core import page_titles
from memviz.core.errors import LessonError
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop, use_language
from memviz.dashboard.lessons.field_readers import TEXT_CHARS, TITLE_CHARS
from memviz.dashboard.lessons.lesson import (
    LANGUAGES,
    Language,
    Lesson,
    Question,
    Step,
    Text,
)
from memviz.dashboard.lessons.reading import (
    CHOICE_CHARS,
    MAX_CHOICES,
    MAX_LINKED,
    MAX_STEPS,
    NEVER_LINKED,
    read_lesson,
)
from memviz.dashboard.lessons.study import HELD_CHAT, Highlight, View
from memviz.dashboard.lessons.writing import write_yaml
from memviz.dashboard.ui.controls.links import SUMMARIZER
from memviz.dashboard.ui.controls.pickers import ModelChoice, model_name_in
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.selected_request import chosen_call, chosen_turn
from memviz.dashboard.ui.controls.study import CompareState, compare_state
from memviz.dashboard.ui.lessons.state import lessons_state
from memviz.dashboard.ui.shell.elements import drawer, error_shown, segments
from memviz.dashboard.ui.shell.linked import shown_parts
from memviz.dashboard.ui.shell.presenting import PRESENTED_PARTS, VIEW
from memviz.dashboard.ui.shell.text import plain
from memviz.models.names import RECORDING

OWN_FIELDS = (
    *NEVER_LINKED,
    *PRESENTED_PARTS,
    VIEW,
    "fact",
    "prices",
    "pause",
    "counter",
    "look",
    "as-written",
)
"""Parts of an address for which a view has fields of its own, or that no lesson holds."""
HELP = noop(
    "What you see becomes a step of a lesson of your own, which comes together on the page {lessons}. "
    "There an animation plays it, from this request on, and a button opens it here as it is now."
)
MEASURES = {"dollars": "dollars", "memory_map": "memory"}
"""The amounts in the lanes of the stage, by view; tokens on all others."""


def keep_as_step(
    page: str, view: str, summarizer: ModelChoice, fact: int | None = None
) -> None:
    """Draw the part of the menu that shares a page, which asks for the title and the text of the step. ``fact`` is the
    number of the one that is looked at. What a lesson shows otherwise than the page, with these settings and this
    ``summarizer``, is said."""
    with drawer(_("Keep as a step"), ":material/bookmark_add:", f"{page}-keep-step"):
        st.caption(_(HELP, lessons=_(page_titles.LESSONS)))
        for difference in differences(compare_state(), summarizer):
            st.warning(difference, icon=":material/difference:")
        with st.form(f"{page}-step", clear_on_submit=True, border=False):
            language = segments(
                _("Written in"),
                list(LANGUAGES),
                format_func=LANGUAGES.__getitem__,
                default=lessons_state().language,
            )
            title = st.text_input(_("Title of the step"), max_chars=TITLE_CHARS)
            text = st.text_area(
                _("Text"),
                max_chars=TEXT_CHARS,
                help=_("Markdown without HTML, images and links."),
            )
            question = _question_fields()
            if st.form_submit_button(
                _("Keep"), type="primary", icon=":material/bookmark_add:"
            ):
                _keep(_view(page, view, fact), language, title, text, question)


def _question_fields() -> tuple[str, str, str]:
    """Draw the fields of a question; returns it, its right answer, and the wrong ones, one
    a line."""
    question = st.text_input(_("Question (if you like)"), max_chars=CHOICE_CHARS)
    right = st.text_input(_("Its right answer"), max_chars=CHOICE_CHARS)
    wrong = st.text_area(
        _("Other answers, one a line"),
        max_chars=MAX_CHOICES * CHOICE_CHARS,
        height=68,
    )
    return question, right, wrong


def differences(state: CompareState, summarizer: ModelChoice) -> Iterator[str]:
    """Yield what a lesson shows otherwise than the page: it holds settings, and no model's own words."""
    if state.free_run:
        yield _(
            "A lesson shows the replies of the conversation, not those of this free run."
        )
    if not summarizer.recorded_first:
        yield _(
            "A lesson plays recorded summaries where there are any, and asks the built-in model elsewhere, "
            "whatever model is chosen here."
        )
    is_reworded = False
    for key, edits in state.edits.items():
        if edits and key.conversation_id == state.conversation_id:
            is_reworded = True
    if is_reworded and not all(setting.as_written for setting in state.settings):
        yield _(
            "A lesson shows summaries as they were written, not as you reworded them."
        )


def _keep(
    view: View | None,
    language: Language,
    title: str,
    text: str,
    question: tuple[str, str, str],
) -> None:
    if view is None:
        return
    own = lessons_state().own
    if len(own.steps) >= MAX_STEPS:
        st.warning(
            _(
                "A lesson has at most {most} steps. Save it in {lessons}, and begin another one.",
                most=MAX_STEPS,
                lessons=_(page_titles.LESSONS),
            )
        )
        return
    heading = " ".join(title.split())
    if not heading:
        with use_language(language):
            heading = _("Step {number}", number=len(own.steps) + 1)
    with error_shown():
        step = Step(
            Text(**{language: heading}),
            Text(**{language: text.strip() or heading}),
            view,
            asked=_question(language, *question),
        )
        # As it is read from a file, where it may be refused.
        lesson_yaml = write_yaml(Lesson("step", Text(en="A step"), (step,)))
        own.steps += read_lesson(lesson_yaml, _("The step")).steps
        st.success(
            plain(
                _(
                    "{steps} kept. They come together on the page {lessons}.",
                    steps=counted(own.steps, "step"),
                    lessons=_(page_titles.LESSONS),
                )
            )
        )


def _question(language: Language, text: str, right: str, wrong: str) -> Question | None:
    """The question with its right answer among the others, in the order of the letters. Raises
    :class:`memviz.LessonError`."""
    if not text.strip():
        return None
    right = right.strip()
    choices = sorted({right, *map(str.strip, wrong.splitlines())} - {""})
    if not right or len(choices) < 2:
        raise LessonError(
            _("The question"), _("it needs its right answer and at least one other.")
        )
    texts = tuple(Text(**{language: choice}) for choice in choices)
    return Question(Text(**{language: text.strip()}), texts, choices.index(right))


def _view(page: str, show: str, fact: int | None) -> View | None:
    """Return the view that the page shows; ``None`` where a setting is not allowed, which is said."""
    with error_shown():
        for setting in compare_state().settings:
            setting.build()
        view = compare_state().view(chosen_turn(), chosen_call())
        prices = prices_in_force()
        study = replace(view.study, pause_seconds=prices.pause_seconds)
        if prices.main is not None:
            study = replace(study, prices_of=prices.main.model)
        writer = model_name_in(SUMMARIZER)
        if writer.startswith(RECORDING):
            study = replace(study, writer=writer.removeprefix(RECORDING))
        looked_at = view.highlight.setting
        if looked_at == HELD_CHAT:
            looked_at = None
        return replace(
            view,
            study=study,
            page=page,
            show=show,
            measure=MEASURES.get(show, "tokens"),
            highlight=Highlight(looked_at, fact),
            link=tuple(_link())[:MAX_LINKED],
        )
    return None


def _link() -> Iterator[tuple[str, str]]:
    """Yield the other parts that are open on the page."""
    for name, text in shown_parts():
        flat = " ".join(text.split())
        if name not in OWN_FIELDS and 0 < len(flat) <= TEXT_CHARS:
            yield name, flat
