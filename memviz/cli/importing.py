"""``memviz import``: files into the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Argument, BadParameter, Exit, Option

from memviz.cli.errors import FAILED
from memviz.cli.inputs import STDIN, content_of
from memviz.cli.options import Database, FormatName, UserName, known_format
from memviz.cli.output import complain, progress_of, say
from memviz.core.errors import TranscriptError
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.storage.workspace import Workspace
    from memviz.transcripts.base import Transcript
    from memviz.transcripts.loading import LoadedFile

Files = Annotated[
    list[str],
    Argument(metavar="FILE...", help="Files to read, archives too; - is stdin."),
]
Picks = Annotated[
    list[int] | None,
    Option(
        "--pick",
        metavar="N",
        min=1,
        help="Only this conversation of the file; can be repeated.",
    ),
]
Again = Annotated[
    bool,
    Option(
        "--again", help="Save a conversation also where the library has it already."
    ),
]
DryRun = Annotated[
    bool,
    Option("--dry-run", help="Show what is in the files, by number, and save nothing."),
]


class Wanted(NamedTuple):
    """How the files are to be read: in which format, and who is the user; ``None`` where that is to be found out.
    ``again``: a conversation that the library has already is saved a second time."""

    format: str | None
    user: str | None
    again: bool = False


def import_files(
    files: Files,
    format: FormatName = None,
    user: UserName = None,
    pick: Picks = None,
    dry_run: DryRun = False,
    again: Again = False,
    db: Database = None,
) -> None:
    """Save the conversations of files in the library.

    A conversation that the library has already is not saved a second time, and that is said.
    One line a conversation: number, title, turns, messages, format, id. A file that cannot be read is told on
    stderr, the others are still imported, and the exit code is 1.

    \b
    Examples:
      memviz import chat.json export.zip
      memviz import conversations.json --dry-run
      memviz import conversations.json --pick 3 --pick 7
      memviz import interview.txt --user Ana
      curl -s https://example.org/chat.json | memviz import -
    """
    if pick and len(files) > 1:
        raise BadParameter("--pick takes numbers of one file. Give one FILE at a time.")
    known_format(format)
    workspace = None if dry_run else _workspace(db)
    results = [
        _import_one(file, Wanted(format, user, again), pick or (), workspace)
        for file in files
    ]
    if not all(results):
        raise Exit(FAILED)


def _workspace(database: str | None) -> Workspace:
    from memviz.storage.workspace import Workspace

    return Workspace(database)


def _import_one(
    file: str, wanted: Wanted, pick: Sequence[int], workspace: Workspace | None
) -> bool:
    """Import one file; whether all of it could be read."""
    try:
        loaded = _load(file, wanted)
        numbers = _picked(loaded, pick)
    except TranscriptError as error:
        complain(f"Error: {error}")
        return False
    chosen = [loaded.transcripts[number - 1] for number in numbers]
    ids = (
        _saved(workspace, chosen, again=wanted.again)
        if workspace
        else ["not saved"] * len(chosen)
    )
    for number, transcript, id in zip(numbers, chosen, ids, strict=True):
        say(_line(number, transcript, id))
        for warning in transcript.warnings:
            complain(f"Warning: {loaded.name}, conversation {number}: {warning}")
    for warning in loaded.warnings:
        complain(f"Warning: {loaded.name}: {warning}")
    for failure in loaded.failures:
        complain(f"Error: {failure}")
    return not loaded.failures


def _saved(
    workspace: Workspace, transcripts: Sequence[Transcript], *, again: bool
) -> list[str]:
    """The ids under which the library has them. One that was there before is told, and saved ``again`` where that is
    wanted."""
    if again:
        return [entry.id for entry in workspace.add(transcripts)]
    added = workspace.add_once(transcripts)
    for transcript, one in zip(transcripts, added, strict=True):
        if one.was_there:
            complain(
                f"Notice: {transcript.title} is in the library already, as {one.entry.id} ({one.entry.title}), so it "
                "was not saved a second time. --again saves it."
            )
    return [one.entry.id for one in added]


def _load(file: str, wanted: Wanted) -> LoadedFile:
    from memviz.transcripts.loading import load_file

    name = "stdin" if file == STDIN else Path(file).name
    with progress_of(f"Reading {name}") as progress:
        return load_file(
            content_of(file),
            wanted.format,
            name=name,
            user=wanted.user,
            progress=progress,
        )


def _picked(loaded: LoadedFile, pick: Sequence[int]) -> list[int]:
    there = len(loaded.transcripts)
    wrong = [number for number in pick if number > there]
    if wrong:
        reason = f"there is no conversation {wrong[0]}."
        raise TranscriptError(
            reason, place=loaded.name, remedy=f"Choose a number from 1 to {there}."
        )
    return list(dict.fromkeys(pick)) or list(range(1, there + 1))


def _line(number: int, transcript: Transcript, id: str) -> str:
    from memviz.core.conversation import Log

    turns, messages = Log(transcript.messages).turn_count, len(transcript.messages)
    sizes = f"{counted(turns, 'turn')} · {counted(messages, 'message')}"
    return f"{number} · {transcript.title} · {sizes} · {transcript.format} · {id}"
