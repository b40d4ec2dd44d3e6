"""The sources of conversations: a file, standard input, or the library."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from memviz.cli.errors import UnknownConversationError, UnknownFormatNameError
from memviz.cli.output import Progress, complain, progress_of
from memviz.core.errors import TranscriptError

if TYPE_CHECKING:
    from memviz.cli.arguments import Recalls
    from memviz.engine.run import Run
    from memviz.models.base import Model
    from memviz.models.embedding import KeptVectors
    from memviz.storage.workspace import RunKey, Workspace
    from memviz.strategies.base import Strategy
    from memviz.transcripts.base import Transcript
    from memviz.transcripts.loading import LoadedFile

STDIN = "-"
MAX_NAMED = 5


@dataclass(frozen=True)
class Source:
    """A conversation, and where it was found."""

    transcript: Transcript
    file: str = ""
    """Empty for a conversation of the library, and for standard input."""
    id: str = ""
    """In the library; empty for any other."""
    workspace: Workspace | None = None

    @property
    def kept_vectors(self) -> KeptVectors:
        """The vectors that the library keeps; of a conversation that is not in it those of this command."""
        from memviz.models.embedding import KeptVectors

        return self.workspace.kept_vectors if self.workspace else KeptVectors()

    def run(
        self,
        strategy: Strategy,
        counter: str,
        model: Model,
        progress: Progress | None,
        recalls: Recalls = (),
    ) -> Run:
        """Replay it; a conversation of the library keeps the run, and a run that was kept is not made again."""
        from memviz.engine.replay import replay

        key = self._key(strategy, counter, model, recalls)
        if self.workspace is not None:
            return self.workspace.run(key, model, progress)
        return replay(
            self.transcript,
            strategy,
            model=model,
            counter=counter,
            recalls=key.recalls_by_turn(),
            progress=progress,
        )

    def is_kept(
        self, strategy: Strategy, counter: str, model: Model, recalls: Recalls = ()
    ) -> bool:
        """Return whether the library has this replay, so that nobody is asked for it."""
        if self.workspace is None:
            return False
        key = self._key(strategy, counter, model, recalls)
        return self.workspace.kept_run(key) is not None

    def _key(
        self, strategy: Strategy, counter: str, model: Model, recalls: Recalls
    ) -> RunKey:
        from memviz.storage.workspace import RunKey

        return RunKey(self.id, strategy, counter, model.name, recalls)


def source_of(
    file_or_id: str,
    database: str | None,
    format: str | None = None,
    number: int | None = None,
    user: str | None = None,
) -> Source:
    """Return the conversation of a file or of the library. What was repaired in a file is told on stderr.

    Raises :class:`memviz.TranscriptError`, :class:`memviz.StorageError` and :class:`UnknownConversationError`.
    """
    if is_file(file_or_id):
        from memviz.transcripts.loading import load_transcript

        check_format(format)
        name = name_of(file_or_id)
        transcript = load_transcript(
            content_of(file_or_id),
            format,
            name=name,
            conversation=number or 1,
            user=user,
        )
        for warning in transcript.warnings:
            complain(f"Warning: {name}: {warning}")
        return _from_file(transcript, file_or_id)
    if any(option is not None for option in (format, number, user)):
        raise typer.BadParameter(
            f"--format, --conversation and --user are for files, and there is no file {file_or_id!r}."
        )
    from memviz.storage.workspace import Workspace

    workspace = Workspace(database)
    id = _find_id(workspace, file_or_id)
    return Source(workspace.conversation(id)[0], id=id, workspace=workspace)


def sources_of(
    file_or_id: str,
    database: str | None,
    format: str | None = None,
    user: str | None = None,
) -> list[Source]:
    """The conversations of a file or of a folder, all of them, or the saved one. One that cannot be read is told on
    stderr; the others are there."""
    if os.path.isdir(file_or_id):
        return _read_folder(Path(file_or_id), database, format, user)
    if not is_file(file_or_id):
        return [source_of(file_or_id, database, format, user=user)]
    check_format(format)
    loaded = load_all(file_or_id, format, user)
    warnings = list(loaded.warnings)
    for transcript in loaded.transcripts:
        warnings += transcript.warnings
    for warning in warnings:
        complain(f"Warning: {name_of(file_or_id)}: {warning}")
    # A conversation that cannot be read does not keep the others from being looked at.
    for failure in loaded.failures:
        complain(f"Warning: {name_of(file_or_id)}: left out: {failure}")
    return [_from_file(transcript, file_or_id) for transcript in loaded.transcripts]


def _read_folder(
    folder: Path, database: str | None, format: str | None, user: str | None
) -> list[Source]:
    """The conversations of all files in a folder and in those below it, in the order of their names; without those of
    hidden files."""
    from memviz.transcripts.fleet.addresses import list_folder

    sources = []
    for path in list_folder(folder):
        try:
            sources += sources_of(str(path), database, format, user)
        except TranscriptError as error:
            complain(f"Warning: left out: {error}")
    return sources


def load_all(
    file_or_id: str, format: str | None, user: str | None, mapping: Path | None = None
) -> LoadedFile:
    """All conversations of a file, or of standard input, with what could not be read."""
    from memviz.transcripts.loading import load_file

    name = name_of(file_or_id)
    with progress_of(f"Reading {name}") as progress:
        return load_file(
            content_of(file_or_id),
            format,
            name=name,
            user=user,
            progress=progress,
            mapping=mapping,
        )


def content_of(file_or_id: str) -> str | bytes:
    """A path as it is; of standard input and pipes, which can be read only once, the bytes."""
    from memviz.transcripts.limits import Limits

    # One byte too many, so that the reader sees that it is too large.
    most = Limits.from_environment().file_bytes + 1
    if file_or_id == STDIN:
        return typer.get_binary_stream("stdin").read(most)
    if Path(file_or_id).is_fifo():
        with Path(file_or_id).open("rb") as pipe:
            return pipe.read(most)
    return file_or_id


def name_of(file_or_id: str) -> str:
    """The name of a file for sentences."""
    return "stdin" if file_or_id == STDIN else Path(file_or_id).name


def is_file(file_or_id: str) -> bool:
    """Return whether it is standard input or a file, or is written as one: no id has a dot or a slash."""
    if file_or_id == STDIN or any(mark in file_or_id for mark in "./\\~"):
        return True
    # Unlike a Path, these are false for what is too long for a name, or has NUL in it.
    return os.path.exists(file_or_id) and not os.path.isdir(file_or_id)


def check_format(name: str | None) -> None:
    """Raise :class:`UnknownFormatNameError` where a name is given and no import format has it."""
    from memviz.transcripts.loading import advise_format, formats

    if name is not None and name not in formats():
        raise UnknownFormatNameError(name, formats(), advise_format(name))


def _from_file(transcript: Transcript, file_or_id: str) -> Source:
    return Source(transcript, file="" if file_or_id == STDIN else file_or_id)


def _find_id(workspace: Workspace, file_or_id: str) -> str:
    """The id of the saved conversation whose id this is, or begins with it."""
    # A whole id is one, even where another id begins with it.
    fitting = []
    if file_or_id:
        if workspace.store.exists(file_or_id):
            return file_or_id
        entries = workspace.store.conversations(limit=-1)
        fitting = [entry for entry in entries if entry.id.startswith(file_or_id)]
    if len(fitting) == 1:
        return fitting[0].id
    if fitting:
        shown_names = [f"{entry.id} ({entry.title})" for entry in fitting[:MAX_NAMED]]
        names = ", ".join(shown_names)
        raise UnknownConversationError(
            f"Several ids begin with {file_or_id!r}: {names}. Give more of the one you mean."
        )
    raise UnknownConversationError(
        f"There is no file and no saved conversation {file_or_id!r}. `memviz list` shows what is saved."
    )
