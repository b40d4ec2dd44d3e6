"""The Library of a browser session: files that are read, and what became of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memviz.dashboard.ui.shell.state import of_session
from memviz.storage.entries import ConversationEntry
from memviz.transcripts.background import BackgroundReading, NamedBytes, Outcome
from memviz.transcripts.document import Document
from memviz.transcripts.mapping.declaration import FileMapping
from memviz.transcripts.mapping.places import ListPlace


@dataclass
class Import:
    """The fate of a file: why it was not read, what was saved, or a choice that is still to be made."""

    outcome: Outcome
    file: NamedBytes | None = None
    """To be read again once it is said who the user is."""
    format: str | None = None
    """The format that was chosen for it."""
    saved: list[ConversationEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left: bool = False

    def let_go(self) -> None:
        """Keep the conversations that were read no longer: only what is to be said of the file."""
        if self.outcome.loaded is not None:
            self.outcome = replace(
                self.outcome,
                loaded=replace(self.outcome.loaded, transcripts=()),
                tokens=(),
            )


@dataclass
class Mapped:
    """A file that is mapped by hand."""

    document: Document
    places: list[ListPlace]
    shape: str
    """By which files of one shape are known."""
    first: FileMapping
    """The mapping to begin with."""
    problem: str = ""
    """The reason why nothing was guessed; empty where something was."""


@dataclass
class LibraryState:
    """The Library of a browser session."""

    deleted: tuple[str, str] | None = None
    """Id and title of the conversation that was deleted last."""
    uploads: int = 0
    reading: BackgroundReading | None = None
    """The files that are being read."""
    imports: list[Import] = field(default_factory=list)
    """The files that were read last, each with its outcome."""
    shown: str | None = None
    """The conversation that is shown whole."""
    shared: str | None = None
    """The token of the conversation of this class that is shown whole, see :mod:`memviz.storage.class_shelf`."""
    is_opened: bool = False
    """The page was opened before in this session."""

    mapped: dict[str, Mapped] = field(default_factory=dict)
    """The files that are mapped by hand, by the key of their controls."""
    mappings: dict[str, FileMapping] = field(default_factory=dict)
    """The mappings that were used, by the shape of the file."""

    def read(
        self,
        files: Sequence[NamedBytes],
        format: str | None,
        mapping: FileMapping | None = None,
    ) -> None:
        """Begin to read files; what became of those before is no longer shown."""
        self.reading = BackgroundReading(files, format, mapping=mapping)
        self.imports = []
        self.mapped = {}
        self.uploads += 1  # fresh widgets, so that nothing is imported twice


def library_state() -> LibraryState:
    """The library page's state."""
    return of_session("library", LibraryState)
