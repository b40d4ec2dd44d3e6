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
        self._holds = 0
        self.pace_seconds = 0.0
        """The seconds between two callers at present; 0 while nobody is slowed down."""

    def wait(
        self,
        sleep: Callable[[float], object],
        at_least_seconds: float = 0.0,
        at_most_seconds: float = inf,
    ) -> None:
        """Wait for the caller's turn, ``at_least_seconds``, and for a new turn if a request is refused meanwhile.

        After ``at_most_seconds`` the caller goes ahead, and may be refused: a chat must not hang for as long as a sweep
        is willing to wait.
        """
        holds = -1
        while holds != self._holds:
            wait_seconds, holds = self._take_turn(at_least_seconds)
            if wait_seconds > 0:
                sleep(min(wait_seconds, max(at_least_seconds, at_most_seconds)))
            at_least_seconds = 0.0

    def note_refusal(self, began_at: float, seconds: float) -> None:
        """Let nobody pass for ``seconds``, and callers more slowly after that: the request made at ``began_at`` was
        refused."""
        with self._lock:
            now = self.now()
            # A request that was on its way when the pace last fell is no reason to slow down again.
            if began_at >= self._slowed_at:
                slower = max(FIRST_PACE_SECONDS, 2 * self.pace_seconds)
                self.pace_seconds = min(LONGEST_PACE_SECONDS, slower)
                self._slowed_at = now
            if now + seconds > self._held_until:
                # Those who wait take their turns again.
                self._held_until = self._next_at = now + seconds
                self._holds += 1

    def note_answer(self) -> None:
        """Quicken the pace: a request was answered."""
        if self.pace_seconds:
            with self._lock:
                faster = self.pace_seconds * SPEED_UP
                self.pace_seconds = faster if faster > FIRST_PACE_SECONDS / 10 else 0.0

    def _take_turn(self, at_least_seconds: float) -> tuple[float, int]:
        """Return the seconds to wait for the next turn, which is the caller's now, and how often the gate was closed so
        far."""
        with self._lock:
            now = self.now()
            wait_seconds = max(at_least_seconds, self._next_at - now)
            passes_at = now + wait_seconds if self.pace_seconds else now
            self._next_at = max(self._next_at, passes_at) + self.pace_seconds
            return wait_seconds, self._holds


@lru_cache(maxsize=256)
def gate_of(whom: int) -> RateLimiter:
    """Return the gate of a provider, address and key, which are known here only by the hash of all three."""
    return RateLimiter()
