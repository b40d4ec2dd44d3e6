"""The Library of a browser session: files that are read, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memviz.storage.entries import ConversationEntry
from memviz.transcripts.background import BackgroundReading, NamedBytes, Outcome
from memviz.ui.shell.state import of_session


@dataclass
class Import:
    """The fate of a file: why not, what was saved, or (nothing saved yet) a choice that is still to be made.

    ``file`` with the ``format`` that was chosen for it: to be read again once it is said who the user is. ``secret``
    is the name under which the file is kept on disk while the choice is still to be made.
    """

    outcome: Outcome
    file: NamedBytes | None = None
    format: str | None = None
    saved: list[ConversationEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left: bool = False
    secret: str = ""

    def let_go(self) -> None:
        """Keep the conversations that were read no longer: only what is to be said of the file."""
        if self.outcome.loaded is not None:
            self.outcome = replace(
                self.outcome,
                loaded=replace(self.outcome.loaded, transcripts=()),
                tokens=(),
            )


@dataclass
class LibraryState:
    """What was deleted last (id and title), the files that are being read, what became of those read last, the
    conversation that is shown whole, and whether the page was opened before in this session."""

    deleted: tuple[str, str] | None = None
    uploads: int = 0
    reading: BackgroundReading | None = None
    imports: list[Import] = field(default_factory=list)
    shown: str | None = None
    is_opened: bool = False

    def read(self, files: Sequence[NamedBytes], format: str | None) -> None:
        """Begin to read files; what became of those before is no longer shown."""
        self.reading, self.imports = BackgroundReading(files, format), []
        self.uploads += 1  # fresh widgets, so that nothing is imported twice


def library_state() -> LibraryState:
    """The library page's state."""
    return of_session("library", LibraryState)
