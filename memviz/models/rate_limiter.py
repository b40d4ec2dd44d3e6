"""Holding back together: when a provider refuses one call as too many, all calls with the same key wait.

Without it every thread of a sweep finds the limit out for itself, and is refused for it. The gate does two things:
nobody passes before the wait that a refusal asks for is over, and after it callers pass one by one, at a pace that
halves with each further refusal and quickens again with the answers. That is how a sender of packets finds its rate
on a line that it shares (additive increase is left to the answers, which come the faster the more pass).
"""

import time
from collections.abc import Callable
from functools import lru_cache
from math import inf
from threading import Lock

FIRST_PACE_SECONDS = 0.05
"""Between two callers after the first refusal."""
LONGEST_PACE_SECONDS = 10.0
SPEED_UP = 0.95
"""What each answer leaves of the pace."""


class RateLimiter:
    """The gate that all callers of one provider with one key pass before a request. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.now = clock
        self._lock = Lock()
        self._held_until = self._next_at = self._slowed_at = float("-inf")
        self._pace_seconds = 0.0
        self._holds = 0

    @property
    def pace_seconds(self) -> float:
        """The seconds between two callers at present; 0 while nobody is slowed down."""
        return self._pace_seconds

    def wait(
        self,
        sleep: Callable[[float], object],
        at_least_seconds: float = 0.0,
        at_most_seconds: float = inf,
    ) -> None:
        """Wait for one's turn, but ``at_least_seconds``. Anew, if somebody is refused in the meantime. Who has waited
        ``at_most_seconds`` goes ahead, and may be refused: a chat is not to hang on what a sweep is willing to wait.
        """
        holds = -1
        while holds != self._holds:
            wait_seconds, holds = self._turn(at_least_seconds)
            if wait_seconds > 0:
                sleep(min(wait_seconds, max(at_least_seconds, at_most_seconds)))
            at_least_seconds = 0.0

    def refused(self, began_at: float, seconds: float) -> None:
        """A request made at ``began_at`` was refused: nobody passes for ``seconds``, and slower after that."""
        with self._lock:
            now = self.now()
            if (
                began_at >= self._slowed_at
            ):  # others were on their way together with the one that slowed it down
                self._pace_seconds = min(
                    LONGEST_PACE_SECONDS,
                    max(FIRST_PACE_SECONDS, 2 * self._pace_seconds),
                )
                self._slowed_at = now
            if now + seconds > self._held_until:
                self._held_until = self._next_at = (
                    now + seconds
                )  # those who wait take their turns again
                self._holds += 1

    def answered(self) -> None:
        """A request was answered: the pace may quicken."""
        if self._pace_seconds:
            with self._lock:
                faster = self._pace_seconds * SPEED_UP
                self._pace_seconds = faster if faster > FIRST_PACE_SECONDS / 10 else 0.0

    def _turn(self, at_least_seconds: float) -> tuple[float, int]:
        """Take the next turn: how long to wait for it, and how often the gate had been closed by then."""
        with self._lock:
            now = self.now()
            wait_seconds = max(at_least_seconds, self._next_at - now)
            self._next_at = (
                max(self._next_at, now + wait_seconds if self._pace_seconds else now)
                + self._pace_seconds
            )
            return wait_seconds, self._holds


@lru_cache(maxsize=256)
def gate_of(whom: int) -> RateLimiter:
    """The gate of this provider, address and key, which are only known here by their hash."""
    return RateLimiter()
