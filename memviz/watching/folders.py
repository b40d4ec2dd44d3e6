"""Watches the folders in which programs keep their sessions, and reads on what grows.

``memviz watch`` runs a :class:`FolderWatch`. For each changed file it keeps a reader open: a
``GrowingFile`` for JSON lines, a ``WholeFile`` for JSON that is written anew, an
``OpencodeLibrary`` for a database. Each stores what is new through the ``keeper``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event
from time import monotonic, time
from typing import Protocol

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from memviz.core.errors import MemvizError
from memviz.core.recently_used import RecentlyUsed
from memviz.watching.growing_files import GrowingFile
from memviz.watching.keeper import Keeper
from memviz.watching.opencode import OpencodeLibrary
from memviz.watching.programs import Program, WatchedFolder, name_of, program_of
from memviz.watching.whole_files import WholeFile

GATHER_SECONDS = 0.2
"""Changes within this time are read together."""
LOOK_SECONDS = 15.0
"""The time between two scans of the folders: the system may not report every change."""
RECENT_SECONDS = 24 * 3600.0
"""A session that changed within this time is read when watching begins; an older one
when it grows."""
NO_NOTICES = (
    "The system reports no changes of files, so the folders are looked through every 15 seconds. "
    "On Linux fs.inotify.max_user_watches may be too small."
)
WRITTEN_FIRST = ("-wal", "-shm", "-journal")
"""The endings of the files beside a database that SQLite writes first."""
MAX_OPEN = 200
"""The most readers that are kept open; for others a new one goes on from the library."""


class GrowingSession(Protocol):
    """The reader of one session, or of a database of sessions."""

    @property
    def problem(self) -> str:
        """The reason why a part is not stored as it is in the file; empty for none."""

    def read_on(self) -> bool:
        """Store what is new; return whether anything was read."""


@dataclass(eq=False, repr=False)
class FolderWatch(FileSystemEventHandler):
    """Reads the sessions in some folders as they grow."""

    places: Sequence[WatchedFolder]
    keeper: Keeper
    complain: Callable[[str], object] = lambda sentence: None
    _told: set[str] = field(default_factory=set)
    _open: RecentlyUsed[Path, GrowingSession] = field(
        default_factory=lambda: RecentlyUsed(MAX_OPEN)
    )
    _sizes: dict[Path, tuple[int, float]] = field(default_factory=dict)
    _changed: set[Path] = field(default_factory=set)
    _news: Condition = field(default_factory=Condition)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note which file changed."""
        if event.is_directory or event.event_type in ("opened", "closed_no_write"):
            return
        paths = {str(event.src_path), str(event.dest_path)} - {""}
        with self._news:
            self._changed |= set(map(Path, paths))
            self._news.notify()

    def run(self, stop: Event) -> None:
        """Read until ``stop`` is set, at first what changed within the last day."""
        observer = Observer()
        for place in self.places:
            observer.schedule(self, str(place.folder), recursive=True)
        with suppress(OSError):
            observer.start()
        if not observer.is_alive():
            self._tell(NO_NOTICES)
        try:
            self._look(since=time() - RECENT_SECONDS)
            looked = monotonic()
            while not stop.is_set():
                with self._news:
                    self._news.wait_for(lambda: bool(self._changed), 1.0)
                if self._changed:
                    stop.wait(GATHER_SECONDS)
                self.read_changed()
                if monotonic() - looked > LOOK_SECONDS:
                    self._look()
                    looked = monotonic()
        finally:
            if observer.is_alive():
                observer.stop()
                observer.join()

    def read_changed(self) -> None:
        """Read on all files of which a change was noted."""
        with self._news:
            changed = self._changed
            self._changed = set()
        for path in sorted(changed):
            self._read(path)

    def _look(self, since: float | None = None) -> None:
        """Scan the folders, and read the files whose size or time changed."""
        for place in self.places:
            # A folder that is removed meanwhile ends its scan; the next scan sees the rest.
            with suppress(OSError):
                for path in place.sessions():
                    self._look_at(path, since)

    def _look_at(self, path: Path, since: float | None) -> None:
        with suppress(OSError):
            size, changed_at = _size_and_time_of(path)
            is_older = since is not None and changed_at < since
            is_same = self._sizes.get(path) == (size, changed_at)
            self._sizes[path] = (size, changed_at)
            if not (is_older or is_same):
                self._read(path)

    def _read(self, path: Path) -> None:
        path = _session_of(path)
        try:
            session = self._session_at(path)
            if session is not None:
                session.read_on()
                if session.problem:
                    self._tell(session.problem)
        except MemvizError as error:
            # The library cannot be written now. Without a size the next scan tries again.
            self._tell(str(error))
            self._sizes.pop(path, None)
        except Exception as error:
            # A file may hold anything; the other sessions are still read.
            reason = type(error).__name__
            self._tell(f"What is new in {path.name} cannot be read ({reason}).")
            if isinstance(error, OSError):  # as of a drive that was away
                self._sizes.pop(path, None)

    def _session_at(self, path: Path) -> GrowingSession | None:
        session = self._open.get(path)
        program = None if session else self._program_at(path)
        if program is None:
            return session
        return self._open.put(path, _open_session(path, program, self.keeper))

    def _program_at(self, path: Path) -> Program | None:
        for place in self.places:
            if place.is_session(path):
                return place.program or program_of(path)
        return None

    def _tell(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self.complain(sentence)


def _size_and_time_of(path: Path) -> tuple[int, float]:
    """Return the size of a session's file and the time of its last change. Raises OSError
    if it is gone."""
    status = path.stat()
    size = status.st_size
    changed_at = status.st_mtime
    with suppress(OSError):
        beside = path.with_name(f"{path.name}{WRITTEN_FIRST[0]}").stat()
        size += beside.st_size
        changed_at = max(changed_at, beside.st_mtime)
    return size, changed_at


def _session_of(path: Path) -> Path:
    """Return the file of a session: "opencode.db" of "opencode.db-wal"."""
    for ending in WRITTEN_FIRST:
        if path.name.endswith(ending):
            return path.with_name(path.name.removesuffix(ending))
    return path


def _open_session(path: Path, program: Program, keeper: Keeper) -> GrowingSession:
    if program.id == "opencode":
        return OpencodeLibrary(path, keeper)
    name = name_of(path, program)
    if path.suffix == ".json":
        return WholeFile(path, program.id, name, keeper)
    return GrowingFile(path, program.id, name, keeper)
