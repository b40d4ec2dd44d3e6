"""Takes the exchanges of all wires and gives their new messages to the keeper.

``threads`` finds what is new in an exchange. Where the library cannot be written, exchanges
wait for the next one.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from memviz.core.errors import MemvizError
from memviz.core.storage_errors import StorageError
from memviz.models.base import Usage
from memviz.watching.exchanges import (
    CACHE_READ_TOKENS,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Exchange,
)
from memviz.watching.keeper import Keeper, find_first_words
from memviz.watching.threads import KeptBeginning, Threads

MOST_REASONS = 100
MOST_WAITING = 64
"""Exchanges that wait for a library that cannot be written; the oldest go first."""
_LOG = logging.getLogger("memviz.watching")


@dataclass(eq=False, repr=False)
class Complaints:
    """Says why something is not kept: each reason once, and not more than can be read."""

    _told: set[str] = field(default_factory=set)

    def tell(self, error: Exception) -> None:
        """Log an error, the same once."""
        reason = f"{type(error).__name__}: {error}"
        if len(self._told) < MOST_REASONS and reason not in self._told:
            self._told.add(reason)
            _LOG.warning("memviz does not keep this: %s", reason)


@dataclass(eq=False, repr=False)
class Recorder:
    """Keeps the exchanges of one source, such as "otlp", in the library of a keeper.
    Several threads may use it."""

    keeper: Keeper
    source: str
    complaints: Complaints = field(default_factory=Complaints)
    _waiting: deque[Exchange] = field(
        default_factory=lambda: deque(maxlen=MOST_WAITING)
    )
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._threads = Threads(self._find_kept)

    def take(self, exchange: Exchange) -> None:
        """Keep what is new in an exchange; where the library cannot be written, say so
        and try again with the next one."""
        with self._lock:
            self._waiting.append(exchange)
            while self._waiting:
                oldest = self._waiting.popleft()
                try:
                    self._keep(oldest)
                except StorageError as error:
                    self._waiting.appendleft(oldest)
                    self.complaints.tell(error)
                    return
                except MemvizError as error:
                    self.complaints.tell(error)

    def _keep(self, exchange: Exchange) -> None:
        """Keep what is new in an exchange. Raises what :meth:`Keeper.append` does."""
        new = self._threads.take(exchange)
        if new is None:
            return
        usage = None
        if INPUT_TOKENS in exchange.usage:
            usage = Usage(
                exchange.usage[INPUT_TOKENS],
                exchange.usage.get(OUTPUT_TOKENS, 0),
                exchange.usage.get(CACHE_READ_TOKENS, 0),
            )
        is_first = new.prompt is not None
        try:
            self.keeper.append(
                self.source,
                new.conversation,
                new.messages,
                keys=new.keys,
                usage=usage,
                compaction=new.compaction,
                title=find_first_words(new.messages) if is_first else "",
                system_prompt=new.prompt or None,
                tools=exchange.tools if is_first else (),
                model=exchange.model,
            )
        except Exception:
            self._threads.take_back(new)
            raise

    def _find_kept(self, said: Sequence[bytes]) -> KeptBeginning | None:
        """Return the longest conversation of this source that a history goes on from, of
        the newest ones without a compaction; ``None`` where there is none."""
        history = [digest.hex() for digest in said]
        best = None
        for watched in self.keeper.store.newest_watched():
            source, _, conversation = watched.key.partition("/")
            keys = watched.state.get("keys", ())
            count = watched.message_count
            if source != self.source or watched.event_count or count != len(keys):
                continue
            digests = [str(key).partition(".")[0] for key in keys]
            is_longer = best is None or count > best.messages
            if is_longer and count < len(history) and history[:count] == digests:
                best = KeptBeginning(conversation, count)
        return best
