"""Imports files in a thread of its own, so that a page can show the progress and offer to stop it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from memviz.core.background import BackgroundWork
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, counter
from memviz.core.errors import MemvizError
from memviz.core.translation import noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import LoadedFile, load_file
from memviz.transcripts.mapping.declaration import FileMapping

TOO_LARGE = Refusal(
    noop("there is not enough memory to read it."), noop("Split the file.")
)


class NamedBytes(NamedTuple):
    """An uploaded file."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one file: its conversations with the tokens of each, or the error."""

    name: str
    loaded: LoadedFile | None = None
    tokens: tuple[int, ...] = ()
    error: MemvizError | None = None


class _CancelledError(Exception):
    """Stops the import of a file inside its thread."""


class BackgroundReading(BackgroundWork):
    """Reads files one after the other. ``outcomes`` grows as they are done; ``done`` and ``total`` count the
    conversations of the current file, ``total`` is 0 while it is being parsed. Where it is cancelled, what was read so
    far stays, and the current file is given up at its next conversation."""

    def __init__(
        self,
        files: Sequence[NamedBytes],
        format: str | None = None,
        limits: Limits | None = None,
        user: str | None = None,
        mapping: FileMapping | None = None,
    ) -> None:
        super().__init__("memviz import")
        self.files = tuple(files)
        self.outcomes: list[Outcome] = []
        self.done = self.total = 0
        self.format = format
        self._user = user
        self._mapping = mapping
        self._limits = limits
        self._begin()

    @property
    def current(self) -> str:
        """The name of the file that is being read; empty when all are done."""
        return (
            self.files[len(self.outcomes)].name
            if len(self.outcomes) < len(self.files)
            else ""
        )

    def _work(self) -> None:
        # Of a file that was given up there is no outcome.
        with suppress(_CancelledError):
            for file in self.files:
                self.outcomes.append(self._import_file(file))

    def _import_file(self, file: NamedBytes) -> Outcome:
        self._advance(0, 0)
        try:
            loaded = load_file(
                file.content,
                self.format,
                name=file.name,
                user=self._user,
                limits=self._limits,
                progress=self._advance,
                mapping=self._mapping,
            )
        except MemvizError as error:
            return Outcome(file.name, error=error)
        except MemoryError:
            return Outcome(file.name, error=TOO_LARGE.error(file.name))
        return Outcome(file.name, loaded, self._count_tokens(loaded.transcripts))

    def _count_tokens(self, transcripts: Sequence[Transcript]) -> tuple[int, ...]:
        """Tokens of each of several conversations, for choosing among them; a single one needs no choice."""
        if len(transcripts) < 2:
            return ()
        tokens = []
        for number, transcript in enumerate(transcripts, 1):
            sums = Log(transcript.messages).token_sums(counter(DEFAULT_COUNTER))
            tokens.append(sums.totals[-1] + sums.call_totals[-1])
            self._advance(number, len(transcripts))
        return tuple(tokens)

    def _advance(self, done: int, total: int) -> None:
        if self.cancelled.is_set():
            raise _CancelledError
        self.done = done
        self.total = total
