"""``memviz lessons``: what lessons there are, whether their claims hold, and one as a file to hand out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Exit, Option, Typer

from memviz.cli.errors import FAILED
from memviz.cli.options import AsJson, Database
from memviz.cli.output import complain, console, say, write_json, write_text

if TYPE_CHECKING:
    from memviz.lessons.lesson import Lesson
    from memviz.workspace import Workspace

Files = Annotated[
    list[str],
    Argument(metavar="FILE_OR_ID...", help="Lesson files, or ids of lessons."),
]
FileOrId = Annotated[
    str, Argument(metavar="FILE_OR_ID", help="A lesson file, or the id of a lesson.")
]
Out = Annotated[
    Path | None,
    Option(
        "--output", "-o", metavar="OUT", help="The file to write. [default: stdout]"
    ),
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Say only what does not hold.")]

lessons = Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@lessons.callback()
def list_lessons(context: Context, json: AsJson = False, db: Database = None) -> None:
    """List lessons, hold their claims against the runs, or write one as an HTML file.

    \b
    Examples:
      memviz lessons
      memviz lessons check my-lesson.yaml
      memviz lessons export first-look -o first-look.html
    """
    context.obj = db
    if context.invoked_subcommand is not None:
        return
    found = _all(db)
    if json:
        write_json([_row(lesson) for lesson in found])
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("id", "minutes", "steps", "title"):
        table.add_column(title, overflow="fold")
    for lesson in found:
        table.add_row(
            lesson.id,
            str(lesson.minutes or ""),
            str(len(lesson.steps)),
            lesson.title.said("en"),
        )
    console().print(table)


@lessons.command("check")
def check_lessons(
    context: Context, files: Files, quiet: Quiet = False, json: AsJson = False
) -> None:
    """Say of every claim whether it holds, and which numbers of a text no claim holds. Exits with 1 where a claim does
    not hold."""
    from memviz.errors import LessonError

    workspace, rows, failed = _workspace(context.obj), list[dict[str, object]](), False
    for file in files:
        try:
            lesson = _lesson(file, workspace)
            found = _checked(lesson, workspace) or [_fine(lesson)]
        except LessonError as error:
            found = [{"lesson": file, "step": 0, "held": False, "sentence": str(error)}]
        rows += found
        failed = failed or any(row["held"] is False for row in found)
    if json:
        write_json(rows)
    else:
        for row in rows:
            _tell(row, quiet=quiet)
    if failed:
        raise Exit(FAILED)


@lessons.command("export")
def export_lesson(context: Context, lesson: FileOrId, output: Out = None) -> None:
    """Write a lesson as one HTML file with its player and questions, which needs no network and can be printed."""
    from memviz.lessons.html import html_lesson

    workspace, source = (
        _workspace(context.obj),
        lesson if Path(lesson).is_file() else "",
    )
    write_text(
        html_lesson(_lesson(lesson, workspace), workspace),
        output,
        source,
        what="the lesson",
    )


def _workspace(db: str | None) -> Workspace:
    from memviz.workspace import Workspace

    return Workspace(db)


def _all(db: str | None) -> list[Lesson]:
    from memviz.lessons.library import bundled_lessons, saved_lessons

    saved, problems = saved_lessons(_workspace(db).store)
    for problem in problems:
        complain(f"Warning: {problem}")
    return [*bundled_lessons().values(), *saved.values()]


def _lesson(given: str, workspace: Workspace) -> Lesson:
    from memviz.lessons.library import find_lesson, lesson_of

    found = (
        None
        if any(mark in given for mark in "./\\~")
        else find_lesson(given, workspace.store)
    )
    return found or lesson_of(given)


def _row(lesson: Lesson) -> dict[str, object]:
    return {
        "id": lesson.id,
        "title": lesson.title.said("en"),
        "minutes": lesson.minutes,
        "steps": len(lesson.steps),
        "languages": list(lesson.languages),
    }


def _checked(lesson: Lesson, workspace: Workspace) -> list[dict[str, object]]:
    from memviz.lessons.claims import held, problems, unheld

    rows: list[dict[str, object]] = [
        {
            "lesson": lesson.id,
            "step": one.step,
            "held": one.held,
            "sentence": one.sentence,
        }
        for one in held(lesson, workspace)
    ]
    rows += (
        {"lesson": lesson.id, "step": n, "held": False, "sentence": text}
        for n, text in problems(lesson, workspace)
    )
    rows += (
        {"lesson": lesson.id, "step": n, "held": None, "sentence": text}
        for n, text in unheld(lesson, workspace)
    )
    return rows


def _fine(lesson: Lesson) -> dict[str, object]:
    sentence = f"{lesson.id}: nothing is wrong with it, and it claims nothing."
    return {"lesson": lesson.id, "step": 0, "held": True, "sentence": sentence}


def _tell(row: dict[str, object], *, quiet: bool) -> None:
    word = {True: "held", False: "NOT HELD", None: "no claim"}[row["held"]]  # type: ignore[index]
    where = (
        f"{row['lesson']} step {row['step']}: {word}: " if row["step"] else ""
    )  # else the sentence names the file
    if not (quiet and row["held"]):
        say(f"{where}{row['sentence']}")
