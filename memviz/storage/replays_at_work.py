"""The replays of one library that are at work, or ended a short while ago."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakSet

from memviz.core.background import BackgroundWork
from memviz.core.conversation import Log
from memviz.core.errors import BusyError
from memviz.core.recently_used import RecentlyUsed
from memviz.engine.background_replay import BackgroundReplay
from memviz.models.visitor_limits import MOST_REPLAYS
from memviz.storage.store import Store

K = TypeVar("K", bound=Hashable)
"""The key of a run."""


class WorkOfAll:
    """The replays and free sweeps of all libraries of this server, as long as somebody has them."""

    def __init__(self) -> None:
        self._works: WeakSet[BackgroundWork] = WeakSet()
        self._lock = Lock()

    def note(self, work: BackgroundWork) -> None:
        """Note that work has begun."""
        with self._lock:
            self._works.add(work)

    def works(self) -> list[BackgroundWork]:
        """Return all of it."""
        with self._lock:
            return list(self._works)


WORK_OF_ALL = WorkOfAll()


class ReplaysAtWork(Generic[K]):
    """They are found by the key of the run that they make. A library with limits has only so many at work at once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._replays: RecentlyUsed[K, tuple[Log, BackgroundReplay]] = RecentlyUsed(
            MOST_REPLAYS
        )

    def find(
        self, key: K, log: Log, *, with_failed: bool = False
    ) -> BackgroundReplay | None:
        """Return the replay of this key over this log that is at work, or ``with_failed`` has failed; ``None`` where
        none is."""
        log_and_replay = self._replays.get(key)
        if log_and_replay is None:
            return None
        replayed_log, replay = log_and_replay
        has_failed = with_failed and replay.error is not None
        is_wanted = has_failed or not replay.is_over
        return replay if replayed_log is log and is_wanted else None

    def note(self, key: K, log: Log, replay: BackgroundReplay) -> None:
        """Keep a replay that has begun."""
        self._replays.put(key, (log, replay))
        WORK_OF_ALL.note(replay)

    def note_sweep(self, sweep: BackgroundWork) -> None:
        """Keep in mind that a free sweep has begun, which takes room of all libraries."""
        WORK_OF_ALL.note(sweep)

    def go_on(self, replay: BackgroundReplay) -> None:
        """Have a replay work on from where it was left. Raises :class:`memviz.core.errors.BusyError` where it has
        stopped, and others have taken its room."""
        if not replay.is_at_work and not replay.is_over:
            self.expect_room()
        replay.go_on()

    @property
    def has_room(self) -> bool:
        """True if another one, or a sweep, may begin."""
        try:
            self.expect_room()
        except BusyError:
            return False
        return True

    def expect_room(self) -> None:
        """Raise :class:`memviz.core.errors.BusyError` where no other one, nor a sweep, may begin."""
        if self._store.limits is not None:
            self._store.limits.expect_room(self._list(), WORK_OF_ALL.works())

    def forget(self, is_forgotten: Callable[[K], bool]) -> list[BackgroundReplay]:
        """Forget the replays of these keys and return them: those at work go on, and nobody finds them any more."""
        forgotten = self._replays.remove_where_key(is_forgotten)
        return [replay for _log, replay in forgotten]

    def _list(self) -> list[BackgroundReplay]:
        return [replay for _log, replay in self._replays.values()]
