"""Where a conversation comes from: a file, standard input, or the library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from memviz.cli.errors import UnknownConversationError
from memviz.cli.options import known_format
from memviz.cli.output import Progress, complain, progress_of

if TYPE_CHECKING:
    from memviz.cli.recalls import Recalls
    from memviz.engine.run import Run
    from memviz.models.base import Model
    from memviz.storage.workspace import Workspace
    from memviz.strategies.base import Strategy
    from memviz.transcripts.base import Transcript

STDIN = "-"
MAX_NAMED = 5


@dataclass(frozen=True)
class Source:
    """A conversation, and where it was found. ``file`` is empty for one of the library, ``id`` for any other."""

    transcript: Transcript
    file: str = ""
    id: str = ""
    workspace: Workspace | None = None

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
        from memviz.storage.workspace import RunKey

        key = RunKey(self.id, strategy, counter, model.name, recalls)
        if self.workspace is None:
            wanted = key.recalls_by_turn()
            return replay(
                self.transcript,
                strategy,
                model=model,
                counter=counter,
                recalls=wanted,
                progress=progress,
            )
        return self.workspace.run(key, model, progress)

    def is_kept(
        self, strategy: Strategy, counter: str, model: Model, recalls: Recalls = ()
    ) -> bool:
        """Whether the library has this replay, so that nobody is asked for it."""
        from memviz.storage.workspace import RunKey

        if self.workspace is None:
            return False
        return (
            self.workspace.kept_run(
                RunKey(self.id, strategy, counter, model.name, recalls)
            )
            is not None
        )


def source_of(
    given: str,
    database: str | None,
    format: str | None = None,
    number: int | None = None,
    user: str | None = None,
) -> Source:
    """The conversation that ``given`` names. What was repaired in a file is told on stderr.

    Raises :class:`memviz.TranscriptError`, :class:`memviz.StorageError` and :class:`UnknownConversationError`.
    """
    if given == STDIN or _is_path(given):
        return _from_file(given, known_format(format), number, user)
    if any(option is not None for option in (format, number, user)):
        raise typer.BadParameter(
            f"--format, --conversation and --user are for files, and there is no file {given!r}."
        )
    from memviz.storage.workspace import Workspace

    workspace = Workspace(database)
    id = _saved(workspace, given)
    return Source(workspace.conversation(id)[0], id=id, workspace=workspace)


def sources_of(
    given: str, database: str | None, format: str | None = None, user: str | None = None
) -> list[Source]:
    """As :func:`source_of`, but all conversations of a file. One that cannot be read is told on stderr; the others
    are there."""
    if not (given == STDIN or _is_path(given)):
        return [source_of(given, database, format, user=user)]
    from memviz.transcripts.loading import load_file

    name = "stdin" if given == STDIN else Path(given).name
    with progress_of(f"Reading {name}") as progress:
        loaded = load_file(
            content_of(given),
            known_format(format),
            name=name,
            user=user,
            progress=progress,
        )
    for warning in [
        *loaded.warnings,
        *(warning for one in loaded.transcripts for warning in one.warnings),
    ]:
        complain(f"Warning: {name}: {warning}")
    for failure in loaded.failures:
        complain(f"Warning: {name}: left out: {failure}")
    return [
        Source(transcript, file="" if given == STDIN else given)
        for transcript in loaded.transcripts
    ]


def content_of(given: str) -> str | bytes:
    """A path as it is; of standard input and pipes, which can be read only once, the bytes."""
    from memviz.transcripts.limits import Limits

    one_too_many = (
        Limits.from_environment().file_bytes + 1
    )  # so that the reader sees that it is too large
    if given == STDIN:
        return typer.get_binary_stream("stdin").read(one_too_many)
    if Path(given).is_fifo():
        with Path(given).open("rb") as pipe:
            return pipe.read(one_too_many)
    return given


def _from_file(
    given: str, format: str | None, number: int | None, user: str | None
) -> Source:
    from memviz.transcripts.loading import load_transcript

    content = content_of(given)
    name = "stdin" if given == STDIN else Path(given).name
    transcript = load_transcript(
        content, format, name=name, conversation=number or 1, user=user
    )
    for warning in transcript.warnings:
        complain(f"Warning: {name}: {warning}")
    return Source(transcript, file="" if given == STDIN else given)


def _is_path(given: str) -> bool:
    """Whether it is a file, or written as one: no id has a dot or a slash."""
    try:
        return any(mark in given for mark in "./\\~") or (
            Path(given).exists() and not Path(given).is_dir()
        )
    except (OSError, ValueError):  # too long for a name, or with NUL in it
        return False


def _saved(workspace: Workspace, given: str) -> str:
    if given and workspace.store.exists(given):
        return given
    found = [
        entry
        for entry in workspace.store.conversations(limit=-1)
        if given and entry.id.startswith(given)
    ]
    if len(found) == 1:
        return found[0].id
    if found:
        names = ", ".join(f"{entry.id} ({entry.title})" for entry in found[:MAX_NAMED])
        raise UnknownConversationError(
            f"Several ids begin with {given!r}: {names}. Give more of the one you mean."
        )
    raise UnknownConversationError(
        f"There is no file and no saved conversation {given!r}. `memviz list` shows what is saved."
    )
