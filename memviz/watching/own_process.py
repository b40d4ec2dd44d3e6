"""Stores the exchanges of one's own program in a thread, so that the program neither waits
nor fails. The callbacks and the transport that ``memviz.watching`` offers use it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from memviz.core.errors import MemvizError
from memviz.storage.store import Store
from memviz.storage.workspace import DATABASE_VARIABLE, DEFAULT_DATABASE
from memviz.watching.exchanges import Exchange
from memviz.watching.keeper import Keeper
from memviz.watching.recorder import Complaints, Recorder

MOST_WAITING = 256
"""Exchanges that wait to be kept."""
MOST_WAITING_BYTES = 128_000_000
"""Of all of them together; a single one may be larger where no other waits."""
CONVERSATION_NAMES = ("conversation_id", "session_id", "thread_id")
"""The names under which programs put the id of a conversation into the metadata of a call."""


class TooManyWaitingError(MemvizError):
    """The library is slower than the program, so an exchange was dropped."""

    def __init__(self) -> None:
        limit = MOST_WAITING_BYTES // 1_000_000
        super().__init__(
            f"An exchange was dropped, and so will be others: {MOST_WAITING} of them, or {limit} MB, "
            "wait for the library."
        )


@dataclass(eq=False, repr=False)
class _WaitingRoom:
    """The exchanges that wait to be kept, by their number and their bytes."""

    _lock: Lock = field(default_factory=Lock)
    _count: int = 0
    _size_bytes: int = 0

    def enter(self, size_bytes: int) -> None:
        """Count one more. Raises :class:`TooManyWaitingError` where it is too much."""
        with self._lock:
            total_bytes = self._size_bytes + size_bytes
            is_too_large = self._count > 0 and total_bytes > MOST_WAITING_BYTES
            if is_too_large or self._count >= MOST_WAITING:
                raise TooManyWaitingError
            self._count += 1
            self._size_bytes = total_bytes

    def leave(self, size_bytes: int) -> None:
        """Count one less."""
        with self._lock:
            self._count -= 1
            self._size_bytes -= size_bytes


@dataclass(eq=False, repr=False)
class BackgroundRecorder:
    """Keeps exchanges in the order in which they are given, beside the program."""

    source: str
    database: str | Path | None
    """The library's file: that of ``MEMVIZ_DB``, or ``memviz.db`` here, unless it is given.
    It is opened when the first exchange comes."""
    complaints: Complaints = field(default_factory=Complaints)
    _recorder: Recorder | None = None
    _of_parent: Recorder | None = None

    def __post_init__(self) -> None:
        database_of_environment = os.environ.get(DATABASE_VARIABLE)
        self._path = self.database or database_of_environment or DEFAULT_DATABASE
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        # SQLite's connections are not to be closed by a child of their process.
        self._of_parent = self._recorder
        self._recorder = None
        self._room = _WaitingRoom()
        # Python waits for its work before the program ends.
        self._worker = ThreadPoolExecutor(1, "memviz-watching")

    def _begin_in_child(self) -> None:
        """Begin anew in a worker of a server that forks: threads stay with its parent."""
        if self._process != os.getpid():
            self._begin()

    def keep(self, read: Callable[[], Exchange | None], size_bytes: int = 0) -> None:
        """Keep the exchange that ``read`` returns, which is called later; say it once
        where that fails, and raise nothing. ``size_bytes`` is what waits until then."""
        try:
            self._begin_in_child()
            self._room.enter(size_bytes)
            try:
                self._worker.submit(self._keep, read, size_bytes)
            except RuntimeError:  # the program is ending
                self._keep(read, size_bytes)
        except Exception as error:
            self.complaints.tell(error)

    def wait(self) -> None:
        """Return when everything that was given so far is kept."""
        self._begin_in_child()
        done: Future[None] = self._worker.submit(lambda: None)
        done.result()

    def _keep(self, read: Callable[[], Exchange | None], size_bytes: int) -> None:
        try:
            exchange = read()
            if exchange is None:
                return
            if self._recorder is None:
                keeper = Keeper(Store(self._path))
                self._recorder = Recorder(keeper, self.source, self.complaints)
            self._recorder.take(exchange)
        except Exception as error:
            self.complaints.tell(error)
        finally:
            self._room.leave(size_bytes)


def find_conversation_id(metadata: object) -> str:
    """Return the id of the conversation in the metadata of a call; empty if there is none."""
    if isinstance(metadata, Mapping):
        for name in CONVERSATION_NAMES:
            if metadata.get(name):
                return str(metadata[name])
    return ""


def write_json(value: Any) -> bytes:
    """Return a value as JSON. It is written now because the program may change it later."""
    return json.dumps(value, default=_dump_object).encode()


def _dump_object(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump() if dump else str(value)
