"""Write a lesson as one HTML file that needs no network and no memviz: teachers hand it out.

The runs of each step are replayed here, and their data go into the file, where the script of the stage plays them. On
paper every step is printed. ``memviz lessons`` and the page *Lessons* offer the file.
"""

from dataclasses import asdict
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Template
from markupsafe import Markup, escape

from memviz.core.messages import clean_text
from memviz.core.text.wording import listed
from memviz.core.translation import _, ngettext, pgettext, script_words, use_language
from memviz.dashboard.lessons.answers_shown import (
    Table,
    answers_origin,
    answers_table,
)
from memviz.dashboard.lessons.lesson import (
    LANGUAGES,
    NOT_QUITE,
    PAGE_NAMES,
    RIGHT,
    Language,
    Lesson,
    Question,
    Step,
    Text,
    apply_in_languages,
)
from memviz.dashboard.lessons.markdown import as_html
from memviz.dashboard.lessons.playing import (
    PlayedStudy,
    follow_fact,
    format_address,
    play_view,
)
from memviz.dashboard.lessons.questions import prepare_question
from memviz.dashboard.lessons.staging import prepare_stage
from memviz.dashboard.lessons.still import Still, still
from memviz.dashboard.reporting.themes import html_environment
from memviz.dashboard.stage.files import copy_script, own_text, script
from memviz.dashboard.words import bundled_words
from memviz.metrics.summaries.events import Author, list_authors
from memviz.storage.workspace import Workspace

_PACKAGE = "memviz.dashboard.lessons"
_ENDS = "\n;\n"
_COMMAND = Markup("<code>memviz ui</code>")


class Suggestion(NamedTuple):
    """Something that a step suggests to try: a sentence, and the address that opens it on any memviz (empty where it
    has none)."""

    text: Text
    address: str


class StepPage(NamedTuple):
    """A step with all that the file shows of it. Either it has a stage with a still picture, or a table of answers."""

    step: Step
    question: Question | None
    address: str
    """The address of the dashboard's page that shows the same."""
    tried: tuple[Suggestion, ...]
    still: Still | None = None
    """The picture that is printed in place of the stage."""
    stages: tuple[Any, ...] = ()
    """The data of the stage before and after the answer, or once where both are the same."""
    table: Table | None = None
    origin: str = ""
    """A sentence on who gave the answers in the table."""


def write_html_lesson(
    lesson: Lesson, workspace: Workspace, language: Language = "en"
) -> str:
    """Return the text of the HTML file, to be written as UTF-8. It opens in ``language``, and readers can switch.

    Its content security policy lets a browser load nothing, and run only the file's own script, known by its hash.
    Raises :class:`memviz.LessonError` where the lesson's conversation is missing.
    """
    if language not in lesson.languages:
        language = lesson.languages[0]
    with use_language(language):
        return _render(lesson, workspace, language)


def _render(lesson: Lesson, workspace: Workspace, language: Language) -> str:
    played = [play_view(step.view, workspace, lesson.id) for step in lesson.steps]
    steps = []
    for step, played_step in zip(lesson.steps, played, strict=True):
        steps.append(_show_step(step, played_step))
    replayed = [played_step for played_step in played if played_step]
    titles = [bundled_words(played_step.transcript.title) for played_step in replayed]
    labels = [label for played_step in replayed for label in played_step.labels]
    runs = [run for played_step in replayed for run in played_step.runs]
    authors = frozenset[Author]().union(*map(list_authors, runs))
    html = _template().render(
        lesson=lesson,
        steps=steps,
        language=language,
        languages=[(code, LANGUAGES[code]) for code in lesson.languages],
        conversations=list(dict.fromkeys(titles)),
        settings=list(dict.fromkeys(labels)),
        authors=listed(_(author.value) for author in Author if author in authors),
        pages=PAGE_NAMES,
        verdicts={
            "right": asdict(apply_in_languages(lambda: _(RIGHT))),
            "notQuite": asdict(apply_in_languages(lambda: _(NOT_QUITE))),
        },
        words=script_words(_script()),
        _=_,
        ngettext=ngettext,
        pgettext=pgettext,
        stages=[list(played_step.stages) for played_step in steps],
    )
    return clean_text(html)


def _show_step(step: Step, played: PlayedStudy | None) -> StepPage:
    view = step.view
    tried = []
    for attempt in step.to_try:
        followed = follow_fact(attempt.view, view)
        tried.append(Suggestion(attempt.text, format_address(followed, played)))
    shown = StepPage(
        step, prepare_question(step, played), format_address(view, played), tuple(tried)
    )
    if view.answers:
        table = answers_table(view.answers)
        return shown._replace(table=table, origin=answers_origin(view.answers))
    if played is None or not view.has_stage:
        return shown
    stages = [prepare_stage(step, played, is_answered=True)]
    before = prepare_stage(step, played, is_answered=False)
    if before != stages[0]:
        stages.insert(0, before)
    return shown._replace(still=still(step, played), stages=tuple(stages))


@cache
def _template() -> Template:
    environment = html_environment(
        _PACKAGE,
        "lesson.css",
        [_script()],
        images="data:",
        filters={"markdown": as_html, "said": _say_in_languages, "filled": _fill_in},
    )
    return environment.get_template("lesson.html")


def _script() -> str:
    return _ENDS.join([script(), copy_script(), own_text(_PACKAGE, "lesson.js")])


def _fill_in(text: str, **values: str | Markup) -> Markup:
    """The text with values that may be HTML in its braces; ``{command}`` is the command that starts memviz."""
    return escape(text).format(command=_COMMAND, **values)


def _say_in_languages(text: Text) -> list[tuple[str, str, str]]:
    """The text as it is shown in each language: that language, the one that it is in, and the text."""
    return [
        (code, code if getattr(text, code) else text.languages[0], text.said(code))
        for code in LANGUAGES
        if text
    ]
