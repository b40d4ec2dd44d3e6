"""The libraries of a server on which each visitor has one of their own, kept apart so that nobody reaches another's.

The dashboard asks :class:`OwnLibraries` for the library of whoever visits; it keeps the newest ones open.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from memviz.models.visitor_limits import VisitorLimits
from memviz.storage.engine import is_on_server
from memviz.storage.library_places import LibraryFolder, LibraryPlaces
from memviz.storage.limits import Limits
from memviz.storage.workspace import Workspace

OF_ONE_VISITOR = Limits.of_visitor(VisitorLimits())
MOST_VISITORS = 500
MOST_OPEN = 60
"""Libraries that stay open, each with what was replayed in it; the one that was asked for the longest ago is opened
again if it is needed."""


def library_places(database: str, folder: Path) -> LibraryPlaces:
    """Return the places of a class: schemas of the database where it is on a server, else files in the folder. Raises
    :class:`memviz.core.storage_errors.StorageError` for an address that cannot be read."""
    if not is_on_server(database):
        return LibraryFolder(folder)
    from memviz.storage.library_schemas import LibrarySchemas

    return LibrarySchemas(database)


class OpenLibrary(NamedTuple):
    """A library that is open in this process."""

    workspace: Workspace
    made_at: float | None
    """When it was made, as :meth:`LibraryPlaces.made_at` has it."""


class OwnLibraries:
    """The libraries of one class. Safe to share between threads: while a library is opened or deleted, others who ask
    for the same one wait."""

    def __init__(
        self,
        places: LibraryPlaces,
        limits: Limits = OF_ONE_VISITOR,
        *,
        most_visitors: int = MOST_VISITORS,
        at_opening: Callable[[Workspace], object] = lambda _: None,
    ) -> None:
        self._places = places
        self._limits = limits
        self._most_visitors = most_visitors
        self._at_opening = at_opening
        self._open: OrderedDict[str, OpenLibrary] = OrderedDict()
        self._lock = Lock()
        """Guards the fields of this object; nothing slow is done while it is held."""
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        """A lock for each visitor: a library is opened or deleted under it."""

    def has(self, visitor: str) -> bool:
        """Return whether a visitor has a library."""
        return self._places.has(visitor)

    def open(self, visitor: str) -> Workspace:
        """Return the library of a visitor, a new one with the bundled conversations where there is none. Raises
        :class:`memviz.core.storage_errors.FullLibraryError` where there are too many visitors for a new one, and
        :class:`memviz.core.storage_errors.StorageError` for one that cannot be used."""
        library = self._open.get(visitor)
        if library is None or library.made_at != self._places.made_at(visitor):
            library = self._open_anew(visitor, library)
        with self._lock:
            if visitor in self._open:
                self._open.move_to_end(visitor)
        return library.workspace

    def _open_anew(self, visitor: str, outdated: OpenLibrary | None) -> OpenLibrary:
        with self._lock_of(visitor):
            library = self._open.get(visitor)
            if library is not None and library is not outdated:
                return library  # another thread has opened it meanwhile
            if not self._places.has(visitor):
                self._places.make(visitor, self._most_visitors)
            made_at = self._places.made_at(visitor)
            library = OpenLibrary(self._places.open(visitor, self._limits), made_at)
            self._at_opening(library.workspace)
            with self._lock:
                self._open[visitor] = library
                if len(self._open) > MOST_OPEN:
                    self._open.popitem(last=False)
            return library

    def _lock_of(self, visitor: str) -> Lock:
        with self._lock:
            return self._locks[visitor]

    def note_visit(self, visitor: str) -> None:
        """Note that a library is in use."""
        self._places.note_visit(visitor)

    def delete(self, visitor: str) -> None:
        """Delete a visitor's library. Whoever still has it open saves nothing more in it."""
        with self._lock_of(visitor):
            self._forget(visitor)
            self._places.delete(visitor)

    def delete_idle(self, seconds: float) -> None:
        """Delete the libraries that nobody has opened for so long."""
        for visitor in self._places.idle_visitors(seconds):
            with self._lock_of(visitor):
                if self._places.delete_idle(visitor, seconds):
                    self._forget(visitor)

    def _forget(self, visitor: str) -> None:
        # Another thread may just have seen that it is open, and be about to note that it was asked for.
        with self._lock:
            self._open.pop(visitor, None)
