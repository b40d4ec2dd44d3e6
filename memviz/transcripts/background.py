"""Imports files in a thread of its own, so that a page can show the progress and offer to stop it."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, counter
from memviz.core.errors import MemvizError, TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import LoadedFile, load_file


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


class BackgroundReading:
    """Reads files one after the other. ``outcomes`` grows as they are done; ``done`` and ``total`` count the
    conversations of the current file, ``total`` is 0 while it is being parsed."""

    def __init__(
        self,
        files: Sequence[NamedBytes],
        format: str | None = None,
        limits: Limits | None = None,
        user: str | None = None,
    ) -> None:
        self.files = tuple(files)
        self.outcomes: list[Outcome] = []
        self.done = self.total = 0
        self.format = format
        self._user = user
        self._limits = limits
        self._cancelled = Event()
        self._finished = Event()
        Thread(target=self._run, name="memviz import", daemon=True).start()

    @property
    def current(self) -> str:
        """The name of the file that is being read; empty when all are done."""
        return (
            self.files[len(self.outcomes)].name
            if len(self.outcomes) < len(self.files)
            else ""
        )

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; returns whether all files are done."""
        return self._finished.wait(seconds)

    def cancel(self) -> None:
        """Stop. What was read so far stays in ``outcomes``; the current file is given up at its next conversation."""
        self._cancelled.set()

    def _run(self) -> None:
        try:
            for file in self.files:
                self.outcomes.append(self._outcome(file))
        except _CancelledError:
            pass
        finally:
            self._finished.set()

    def _outcome(self, file: NamedBytes) -> Outcome:
        self._advance(0, 0)
        try:
            loaded = load_file(
                file.content,
                self.format,
                name=file.name,
                user=self._user,
                limits=self._limits,
                progress=self._advance,
            )
        except MemvizError as error:
            return Outcome(file.name, error=error)
        except MemoryError:
            reason = "there is not enough memory to read it."
            return Outcome(
                file.name,
                error=TranscriptError(
                    reason, place=file.name, remedy="Split the file."
                ),
            )
        return Outcome(file.name, loaded, self._tokens(loaded.transcripts))

    def _tokens(self, transcripts: Sequence[Transcript]) -> tuple[int, ...]:
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
        if self._cancelled.is_set():
            raise _CancelledError
        self.done = done
        self.total = total
