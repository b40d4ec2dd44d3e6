"""New visitors of a class, counted by the network that they come from: cookies are free, and places are not."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from memviz.models.access import network_of

AT_ONCE = 200
"""So many new visitors of one network may come one after the other: a school has one address."""
SECONDS_A_PLACE = 600.0
"""After so long one more may come."""
_MOST_NETWORKS = 10_000


class Newcomers:
    """Counts the new visitors of each network. Who is in already is not counted again."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, at_once: int = AT_ONCE
    ) -> None:
        self._clock = clock
        self._at_once = at_once
        self._all_free_at: OrderedDict[str, float] = OrderedDict()

    def admit(self, address: str) -> float:
        """Count one more new visitor from ``address`` and return 0.0, or count nobody and return the seconds to
        wait."""
        now = self._clock()
        network = network_of(address)
        # Each newcomer takes a place, and a place comes free every SECONDS_A_PLACE: so all are free at this time.
        all_free_at = max(now, self._all_free_at.get(network, now)) + SECONDS_A_PLACE
        wait_seconds = all_free_at - now - self._at_once * SECONDS_A_PLACE
        if wait_seconds > 0:
            return wait_seconds
        self._all_free_at[network] = all_free_at
        self._all_free_at.move_to_end(network)
        if len(self._all_free_at) > _MOST_NETWORKS:
            self._all_free_at.popitem(last=False)
        return 0.0
