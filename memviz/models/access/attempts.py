"""Guessing a password takes long: after some wrong attempts each further one has to wait longer."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

FREE_OF_ONE = 3
"""So often may one visitor mistype without a wait."""
LONGEST_WAIT_OF_ONE_SECONDS = 300.0
FREE_OF_ALL = 30
LONGEST_WAIT_OF_ALL_SECONDS = 4.0
"""Short, since it holds up those who know the password too. It is there for guessing from many addresses."""
FORGOTTEN_AFTER_SECONDS = 900.0
_MOST_VISITORS = 10_000


@dataclass(slots=True)
class _Series:
    """Wrong attempts one after the other."""

    free: int
    longest_wait_seconds: float
    wrong: int = 0
    last: float = float("-inf")

    def wait_seconds(self, now: float) -> float:
        if now - self.last > FORGOTTEN_AFTER_SECONDS:
            self.wrong = 0
        if self.wrong < self.free:
            return 0.0
        wait = min(self.longest_wait_seconds, 2.0 ** min(30, self.wrong - self.free))
        return max(0.0, self.last + wait - now)

    def add(self, now: float) -> None:
        self.wrong = self.wrong + 1
        self.last = now


class Attempts:
    """Counts the wrong attempts of each visitor and of all together. An attempt that comes too early is not looked
    at, so that waiting is the only way; nobody who is in already is held up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._all = _Series(FREE_OF_ALL, LONGEST_WAIT_OF_ALL_SECONDS)
        self._visitors: OrderedDict[str, _Series] = OrderedDict()

    def begin(self, address: str) -> float:
        """Ask to make an attempt from ``address``: 0.0, or the seconds to wait before asking again.

        An attempt counts as wrong until :meth:`succeeded`, so that many at once are as slow as one by one.
        """
        now = self._clock()
        visitor = self._visitor(address)
        wait_seconds = max(visitor.wait_seconds(now), self._all.wait_seconds(now))
        if wait_seconds <= 0:
            visitor.add(now)
            self._all.add(now)
        return wait_seconds

    def succeeded(self, address: str) -> None:
        """The last attempt from ``address`` had the right password."""
        self._visitors.pop(_network(address), None)
        self._all.wrong = max(0, self._all.wrong - 1)

    def _visitor(self, address: str) -> _Series:
        name = _network(address)
        if name not in self._visitors:
            self._visitors[name] = _Series(FREE_OF_ONE, LONGEST_WAIT_OF_ONE_SECONDS)
        self._visitors.move_to_end(name)
        if len(self._visitors) > _MOST_VISITORS:
            self._visitors.popitem(last=False)
        return self._visitors[name]


def _network(address: str) -> str:
    """Whoever has one IPv6 address has the 2**64 of its network as well."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(int(parsed) >> 64)
    return str(parsed)
