"""The replays of one library that are at work, or ended a short while ago."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from memviz.core.conversation import Log
from memviz.core.recently_used import RecentlyUsed
from memviz.engine.background_replay import BackgroundReplay
from memviz.models.visitor_limits import MOST_REPLAYS
from memviz.storage.store import Store

K = TypeVar("K", bound=Hashable)
"""The key of a run."""


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

    @property
    def has_room(self) -> bool:
        """True if another one may begin."""
        limits = self._store.limits
        return limits is None or limits.has_room_for_replay(self._list())

    def expect_room(self) -> None:
        """Raise :class:`memviz.core.errors.BusyError` where no other one may begin."""
        if self._store.limits is not None:
            self._store.limits.expect_room_for_replay(self._list())

    def forget(self, is_forgotten: Callable[[K], bool]) -> list[BackgroundReplay]:
        """Forget the replays of these keys and return them: those at work go on, and nobody finds them any more."""
        forgotten = self._replays.remove_where_key(is_forgotten)
        return [replay for _log, replay in forgotten]

    def _list(self) -> list[BackgroundReplay]:
        return [replay for _log, replay in self._replays.values()]
