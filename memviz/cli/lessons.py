"""``memviz lessons``: what lessons there are, whether their claims hold, and one as a file to hand out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from typer import Argument, Context, Exit, Option, Typer

from memviz.cli.errors import FAILED
from memviz.cli.options import AsJson, Database, Output
from memviz.cli.output import (
    complain,
    console,
    new_table,
    say,
    write_json,
    write_text,
)
from memviz.core.errors import LessonError

if TYPE_CHECKING:
    from memviz.dashboard.lessons.lesson import Lesson
    from memviz.storage.workspace import Workspace


Files = Annotated[
    list[str],
    Argument(metavar="FILE_OR_ID...", help="Lesson files, or ids of lessons."),
]
FileOrId = Annotated[
    str, Argument(metavar="FILE_OR_ID", help="A lesson file, or the id of a lesson.")
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Say only what does not hold.")]

PLAIN: dict[str, Any] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
    },
}
"""The looks of commands. Plain help is drawn in half the time of the framed one, and tracebacks with local variables
could show keys."""
lessons = Typer(invoke_without_command=True, **PLAIN)


@lessons.callback()
def list_lessons(context: Context, json: AsJson = False, db: Database = None) -> None:
    """List lessons, hold their claims against the runs, or write one as an HTML file.

    \b
    Examples:
      memviz lessons
      memviz lessons check my-lesson.yaml
      memviz lessons export first-look -o first-look.html
    """
    from memviz.dashboard.lessons.library import bundled_lessons, saved_lessons
    from memviz.storage.workspace import Workspace

    # The commands below this one have no --db of their own.
    context.obj = db
    if context.invoked_subcommand is not None:
        return
    saved, problems = saved_lessons(Workspace(db).store)
    for problem in problems:
        complain(f"Warning: {problem}")
    all_lessons = [*bundled_lessons().values(), *saved.values()]
    if json:
        write_json([_as_json(lesson) for lesson in all_lessons])
        return
    columns = ("id", "minutes", "steps", "title")
    table = new_table(*columns, wrapped=columns, overflow="fold")
    for lesson in all_lessons:
        minutes = str(lesson.minutes or "")
        title = lesson.title.said("en")
        table.add_row(lesson.id, minutes, str(len(lesson.steps)), title)
    console().print(table)


@lessons.command("check")
def check_lessons(
    context: Context, files: Files, quiet: Quiet = False, json: AsJson = False
) -> None:
    """Say of every claim whether it holds, and which numbers of a text no claim holds. Exits with 1 where a claim does
    not hold."""
    from memviz.storage.workspace import Workspace

    workspace = Workspace(context.obj)
    rows: list[Row] = []
    for file in files:
        try:
            lesson = _find_lesson(file, workspace)
            rows += _checked(lesson, workspace)
        except LessonError as error:
            rows.append(Row(file, 0, False, str(error)))
    if json:
        write_json([row._asdict() for row in rows])
    else:
        for row in rows:
            if not (quiet and row.held):
                say(f"{row.place}{row.sentence}")
    if any(row.held is False for row in rows):
        raise Exit(FAILED)


@lessons.command("export")
def export_lesson(context: Context, lesson: FileOrId, output: Output = None) -> None:
    """Write a lesson as one HTML file with its player and questions, which needs no network and can be printed."""
    from memviz.dashboard.lessons.html import write_html_lesson
    from memviz.storage.workspace import Workspace

    workspace = Workspace(context.obj)
    text = write_html_lesson(_find_lesson(lesson, workspace), workspace)
    source = lesson if Path(lesson).is_file() else ""
    write_text(text, output, source, what="the lesson")


class Row(NamedTuple):
    """One claim, or one problem, as a check tells it."""

    lesson: str
    step: int
    """0 where it is said of the whole lesson, whose sentence names it."""
    held: bool | None
    """``None`` where nothing is claimed."""
    sentence: str

    @property
    def place(self) -> str:
        """The words before the sentence: the place, and what was found there."""
        if not self.step:
            return ""
        words = {True: "held", False: "NOT HELD", None: "no claim"}
        return f"{self.lesson} step {self.step}: {words[self.held]}: "


def _find_lesson(name: str, workspace: Workspace) -> Lesson:
    from memviz.dashboard.lessons.library import find_lesson, lesson_of

    lesson = None
    if not any(mark in name for mark in "./\\~"):
        lesson = find_lesson(name, workspace.store)
    return lesson or lesson_of(name)


def _as_json(lesson: Lesson) -> dict[str, object]:
    return {
        "id": lesson.id,
        "title": lesson.title.said("en"),
        "minutes": lesson.minutes,
        "steps": len(lesson.steps),
        "languages": list(lesson.languages),
    }


def _checked(lesson: Lesson, workspace: Workspace) -> list[Row]:
    """Return all findings on a lesson; one that it is fine where there is none."""
    from memviz.dashboard.lessons.claims import check_lesson

    id = lesson.id
    rows = [Row(id, *verdict) for verdict in check_lesson(lesson, workspace)]
    fine = f"{id}: nothing is wrong with it, and it claims nothing."
    return rows or [Row(id, 0, True, fine)]
