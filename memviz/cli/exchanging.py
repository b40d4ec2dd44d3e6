"""The library and files: ``memviz import`` and ``memviz export``, ``memviz backup`` and ``memviz check``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Exit, Option

from memviz.cli.errors import FAILED, OutputError, UnknownExportError
from memviz.cli.inputs import check_format, load_all, name_of, source_of
from memviz.cli.mapping import can_be_mapped
from memviz.cli.options import (
    Database,
    FileOrId,
    FormatName,
    MappingFile,
    Number,
    Output,
    UserName,
)
from memviz.cli.output import complain, say, write_text
from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.storage_errors import StorageError
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.storage.store import Store
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
To = Annotated[
    str,
    Option("--to", metavar="NAME", help="openai, finetuning, markdown, csv or memviz."),
]
Copy = Annotated[Path, Argument(metavar="FILE", help="The file to write.")]
Force = Annotated[bool, Option("--force", help="Overwrite FILE if it is there.")]


def import_files(
    files: Files,
    format: FormatName = None,
    user: UserName = None,
    mapping: MappingFile = None,
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
      memviz import tickets.csv --map tickets.yaml
      curl -s https://example.org/chat.json | memviz import -
    """
    from memviz.storage.workspace import Workspace

    if pick and len(files) > 1:
        raise BadParameter("--pick takes numbers of one file. Give one FILE at a time.")
    check_format(format)
    workspace = None if dry_run else Workspace(db)
    is_all_read = True
    # A file that cannot be read keeps no other one from being saved.
    for file in files:
        try:
            loaded = load_all(file, format, user, mapping)
            numbers = _pick_numbers(loaded, pick or ())
        except TranscriptError as error:
            hint = ""
            if not (format or mapping) and can_be_mapped(file):
                hint = f" memviz map {name_of(file)} begins a mapping for it."
            complain(f"Error: {error}{hint}")
            is_all_read = False
            continue
        _import_picked(loaded, numbers, workspace, again=again)
        if loaded.failures:
            is_all_read = False
    if not is_all_read:
        raise Exit(FAILED)


def export_conversation(
    conversation: FileOrId,
    to: To,
    output: Output = None,
    format: FormatName = None,
    user: UserName = None,
    number: Number = None,
    db: Database = None,
) -> None:
    """Write a conversation in another format.

    \b
    Examples:
      memviz export sample-trip --to markdown | less
      memviz export 3f2a91bc --to finetuning -o trip.jsonl
      memviz export chat.txt --to openai > messages.json
    """
    from memviz.transcripts.export import EXPORTS

    if to not in EXPORTS:
        raise UnknownExportError(to, EXPORTS)
    source = source_of(conversation, db, format, number, user)
    write_text(EXPORTS[to].write(source.transcript), output, source.file)


def back_up_library(file: Copy, force: Force = False, db: Database = None) -> None:
    """Copy the library to a file, also while the dashboard is running.

    The copy is whole, is readable by its owner alone, and can be opened with --db like any library.

    \b
    Examples:
      memviz backup ~/memviz-monday.db
      memviz backup copy.db --db ~/chats.db --force
    """
    with closing(open_library(db)) as store:
        # A library on a server is no file, so no file can be the library itself.
        is_file = store.file is not None and file.exists()
        if is_file and os.path.samefile(file, store.path):
            raise OutputError(
                f"{file} is the library itself. Choose another file for the copy."
            )
        store.back_up(file, overwrite=force)
        size = counted(store.count(), "conversation")
        say(f"Wrote {size} of {store.path} to {file}.")


def check_library(db: Database = None) -> None:
    """Check that the library is sound: the database's own checks, and every conversation and run read once.

    Problems are named, one a line, and the exit code is 1.

    \b
    Examples:
      memviz check
      memviz check --db ~/memviz-monday.db
    """
    with closing(open_library(db)) as store:
        problems = store.check()
        for problem in problems:
            say(problem)
        if problems:
            complain(f"{counted(problems, 'problem')} in {store.path}.")
            raise Exit(FAILED)
        size = counted(store.count(), "conversation")
        say(f"{store.path} is sound: {size}, all of them readable.")


def _pick_numbers(loaded: LoadedFile, pick: Sequence[int]) -> list[int]:
    """Return the numbers of the conversations to save, each once: those that are picked, else all."""
    count = len(loaded.transcripts)
    for number in pick:
        if number > count:
            raise TranscriptError(
                f"there is no conversation {number}.",
                place=loaded.name,
                remedy=f"Choose a number from 1 to {count}.",
            )
    return list(dict.fromkeys(pick)) or list(range(1, count + 1))


def _import_picked(
    loaded: LoadedFile,
    numbers: Sequence[int],
    workspace: Workspace | None,
    *,
    again: bool,
) -> None:
    """Save these conversations of a file, unless there is no workspace to save them in, and say what they are."""
    transcripts = [loaded.transcripts[number - 1] for number in numbers]
    ids = ["not saved"] * len(transcripts)
    if workspace:
        ids = _save(workspace, transcripts, again=again)
    for number, transcript, id in zip(numbers, transcripts, ids, strict=True):
        turns = counted(Log(transcript.messages).turn_count, "turn")
        messages = counted(transcript.messages, "message")
        say(
            f"{number} · {transcript.title} · {turns} · {messages} · {transcript.format} · {id}"
        )
        for warning in transcript.warnings:
            complain(f"Warning: {loaded.name}, conversation {number}: {warning}")
    for warning in loaded.warnings:
        complain(f"Warning: {loaded.name}: {warning}")
    for failure in loaded.failures:
        complain(f"Error: {failure}")


def _save(
    workspace: Workspace, transcripts: Sequence[Transcript], *, again: bool
) -> list[str]:
    """Save what is not there, or ``again`` all, and return the ids under which the library has them."""
    if again:
        return [entry.id for entry in workspace.add(transcripts)]
    additions = workspace.add_once(transcripts)
    for transcript, saved in zip(transcripts, additions, strict=True):
        if saved.was_there:
            complain(
                f"Notice: {transcript.title} is in the library already, as {saved.entry.id} ({saved.entry.title}), so "
                "it was not saved a second time. --again saves it."
            )
    return [saved.entry.id for saved in additions]


def open_library(database: str | None) -> Store:
    """The library, which has to be there: an empty one is not worth a copy."""
    from memviz.storage.engine import database_path, is_on_server
    from memviz.storage.store import Store
    from memviz.storage.workspace import DEFAULT_DATABASE

    address = database or DEFAULT_DATABASE
    if is_on_server(address):
        return Store(address)
    path = database_path(address)
    if not Path(path).exists():
        raise StorageError(
            f"There is no file {path}. Name the library's file with --db."
        )
    return Store(path)
