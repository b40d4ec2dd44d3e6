"""A dictionary that keeps what was used last, so that memory does not grow with every conversation looked at."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from math import inf
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(eq=False, repr=False)
class RecentlyUsed(Generic[K, V]):
    """The entries that were read or written last.

    When there are more than ``size`` of them, or together they weigh more than
    ``most_weight``, the entry that was not used for the longest time goes. The newest entry
    stays, whatever it weighs. Safe to share between threads.
    """

    size: int
    most_weight: float = inf
    weigh: Callable[[V], float] = lambda value: 0
    """Returns the weight of a value; by default nothing weighs anything."""
    _lock: Lock = field(default_factory=Lock, init=False)
    _entries: OrderedDict[K, V] = field(default_factory=OrderedDict, init=False)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """Return the value of ``key``, or ``None`` if it is not kept any more."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def peek(self, key: K) -> V | None:
        """Return the value of ``key`` without counting that as a use, or ``None`` if it is not kept any more.

        Takes no lock, so that threads which ask a thousand times a second do not wait for each other.
        """
        return self._entries.get(key)

    def put(self, key: K, value: V) -> V:
        """Keep ``value`` and return it. Old entries make room for it."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > 1 and self._is_too_much():
                self._entries.popitem(last=False)
        return value

    def _is_too_much(self) -> bool:
        if len(self._entries) > self.size:
            return True
        if self.most_weight == inf:
            return False
        # Weighed anew each time, because values grow while they are kept: a chat's log does.
        weight = sum(self.weigh(value) for value in self._entries.values())
        return weight > self.most_weight

    def values(self) -> list[V]:
        """Return all values, the one that was used last at the end."""
        with self._lock:
            return list(self._entries.values())

    def keys_where_value(self, is_wanted: Callable[[V], bool]) -> list[K]:
        """Return the keys of the values that ``is_wanted`` accepts."""
        with self._lock:
            return [key for key, value in self._entries.items() if is_wanted(value)]

    def remove_where_key(self, is_unwanted: Callable[[K], bool]) -> list[V]:
        """Forget the keys that ``is_unwanted`` accepts, and return their values."""
        with self._lock:
            unwanted_keys = [key for key in self._entries if is_unwanted(key)]
            return [self._entries.pop(key) for key in unwanted_keys]

    def change(self, key: K, update: Callable[[V], V]) -> None:
        """Replace the value of ``key`` by ``update(value)``, if ``key`` is kept.

        Other threads wait meanwhile, so none of their changes is lost.
        """
        with self._lock:
            if key in self._entries:
                self._entries[key] = update(self._entries[key])

    def remove(self, key: K) -> None:
        """Forget ``key``; one that is not kept is no error."""
        with self._lock:
            self._entries.pop(key, None)
