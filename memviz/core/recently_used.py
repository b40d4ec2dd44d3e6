"""A dictionary that keeps what was used last, so that memory does not grow with every conversation looked at."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentlyUsed(Generic[K, V]):
    """Keeps the ``size`` entries that were read or written last, or fewer: together they weigh ``most_weight`` at most,
    the last one aside. Safe to share between threads."""

    def __init__(
        self,
        size: int,
        most_weight: float = float("inf"),
        weigh: Callable[[V], float] = lambda value: 0,
    ) -> None:
        self._size = size
        self._lock = Lock()
        self._most_weight = most_weight
        self._weigh = weigh
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """The value of ``key``, if it is still kept."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: K, value: V) -> V:
        """Keep ``value`` and return it; the entry that was not used for the longest time makes room."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > 1 and self._is_full():
                self._entries.popitem(last=False)
        return value

    def _is_full(self) -> bool:
        return (
            len(self._entries) > self._size
            or sum(map(self._weigh, self._entries.values())) > self._most_weight
        )

    def keys_where(self, is_wanted: Callable[[V], bool]) -> list[K]:
        """The keys of all values that are wanted."""
        with self._lock:
            return [key for key, value in self._entries.items() if is_wanted(value)]

    def remove_where(self, is_unwanted: Callable[[K], bool]) -> list[V]:
        """Forget every key that ``is_unwanted``; returns their values."""
        with self._lock:
            return [
                self._entries.pop(key)
                for key in list(self._entries)
                if is_unwanted(key)
            ]

    def change(self, key: K, changed: Callable[[V], V]) -> None:
        """Put what ``changed`` makes of the value in its place, if ``key`` is kept. No other thread comes between."""
        with self._lock:
            if key in self._entries:
                self._entries[key] = changed(self._entries[key])

    def remove(self, key: K) -> None:
        """Forget ``key``; one that is not kept is no error."""
        with self._lock:
            self._entries.pop(key, None)
