"""The formats that conversations come in: one module a format, a folder for a vendor that has several.

:func:`find_readers` scans them, and asks the entry points of other packages.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from pkgutil import walk_packages
from typing import Any, TypeVar

from memviz.core.errors import TranscriptError
from memviz.core.translation import Said
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import OTHER_FORMAT, Document, Reader

ENTRY_POINT_GROUP = "memviz.readers"
T = TypeVar("T")
LOGGER = logging.getLogger(__name__)


class OtherPackagesReader(Reader):
    """A reader of another package, of which no error reaches anybody but as a :class:`TranscriptError`.

    Every reader looks at every file, so one that fails would else make all files unreadable.
    """

    name: str  # type: ignore[misc]  # each entry point has its own
    title: str  # type: ignore[misc]

    def __init__(self, name: str, reader: Reader) -> None:
        self.name = name
        self.title = str(reader.title)
        self._reader = reader

    def recognise(self, document: Document) -> bool:
        """Return what the reader says; no, where it fails."""
        try:
            return bool(self._reader.recognise(document))
        except Exception:
            LOGGER.warning(
                "The reader %r failed to look at a file", self.name, exc_info=True
            )
            return False

    def conversations(self, document: Document) -> Sequence[Any]:
        """Return the pieces that the reader finds. Raises :class:`TranscriptError`."""
        return self._asked(lambda: list(self._reader.conversations(document)))

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """Return the transcript that the reader makes. Raises :class:`TranscriptError`."""
        transcript = self._asked(lambda: self._reader.read(piece, builder))
        if not isinstance(transcript, Transcript):
            raise self._failure(TypeError(f"it made a {type(transcript).__name__}"))
        return transcript

    def _asked(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except TranscriptError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> TranscriptError:
        LOGGER.warning("The reader %r failed", self.name, exc_info=error)
        reason = Said(
            "the reader {name!r} of another package failed ({error}).",
            name=self.name,
            error=type(error).__name__,
        )
        return TranscriptError(reason, remedy=OTHER_FORMAT)


def find_readers() -> dict[str, Reader]:
    """Return the reader of every format by its name.

    A reader of another package is left out, with a note in the log, where it cannot be loaded or has the name of one
    that is there already.
    """
    # The mappings are read by a module that itself imports readers.
    from memviz.transcripts.mapping.interpreter import known_readers

    readers = {reader.name: reader for reader in _own_readers()}
    readers.update({reader.name: reader for reader in known_readers()})
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        if entry.name in readers:
            LOGGER.warning(
                "There is a reader %r already: %s is left out", entry.name, entry.value
            )
            continue
        try:
            readers[entry.name] = _load(entry)
        except Exception:
            LOGGER.warning(
                "The reader %r (%s) is left out", entry.name, entry.value, exc_info=True
            )
    return dict(sorted(readers.items()))


def _own_readers() -> Iterator[Reader]:
    for module_info in walk_packages(__path__, f"{__name__}."):
        module = import_module(module_info.name)
        for value in vars(module).values():
            if _is_reader(value) and value.__module__ == module.__name__:
                yield value()


def _load(entry: EntryPoint) -> Reader:
    """Return the reader that an entry point names. Raises whatever its module raises."""
    cls = entry.load()
    if not _is_reader(cls):
        raise TypeError(f"{entry.value} is no class of readers with all methods")
    return OtherPackagesReader(entry.name, cls())


def _is_reader(value: object) -> bool:
    return (
        isinstance(value, type) and issubclass(value, Reader) and not isabstract(value)
    )
