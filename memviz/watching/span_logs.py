"""Joins spans and logs that belong together, whichever comes first.

Some instrumentations send the messages of a request in logs beside its span. ``otlp`` adds
spans and logs as they arrive and takes the exchanges that are complete, or for whose other
half :class:`SpanLogs` has waited long enough.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from operator import attrgetter
from time import monotonic
from typing import NamedTuple

from memviz.core.errors import MemvizError
from memviz.core.recently_used import RecentlyUsed
from memviz.transcripts.times import time_text
from memviz.watching.exchanges import Exchange
from memviz.watching.spans import (
    Attributes,
    holds_message,
    holds_reply,
    holds_request,
    is_request,
    read_span,
)

BATCH_SECONDS = 30.0
"""The longest time between the batches of a span and of its logs."""
REPLY_SECONDS = 900.0
"""The longest time between a question's log and its span, which ends with the reply."""
LATE_SECONDS = 4 * 3600.0
"""The time for which a question that was taken alone still waits for its reply."""
MOST_WAITING = 2_000
MOST_WAITING_CHARS = 64_000_000
MOST_TAKEN = 10_000
"""The number of finished spans that are remembered, to ignore later logs of them."""
MOST_LOGS = 20_000
"""The number of logs that are recognised when an exporter, which got no answer, sends them once more."""
Event = tuple[str, Attributes]
"""The name and the attributes of an event or of a log."""


class SpanId(NamedTuple):
    """The id of a span with that of its trace; both empty for a log that names none."""

    trace: str
    span: str


@dataclass
class SpanParts:
    """The parts of one span that have arrived so far."""

    id: SpanId
    start: int
    """The times of its start and, below, of its end, in nanoseconds since 1970. Before the
    span itself has arrived, those of its first and last log."""
    end: int
    attributes: Attributes | None = None
    """The attributes of the span; ``None`` before the span itself has arrived."""
    events: Sequence[Event] = ()
    logs: list[Event] = field(default_factory=list)
    exchange: Exchange | None = None
    """The exchange that these parts describe."""
    size_chars: int = 0
    due: float = 0.0
    """The time at which it is taken as it is."""
    is_taken: bool = False
    """It was already taken, as a question without its reply."""

    def read(self) -> Exchange | None:
        """Return the exchange of these parts, with its times; ``None`` if they are none. Logs
        are read if the span has no reply: instrumentations send messages in one of both.
        Raises what :func:`read_span` does."""
        exchange = None
        if self.attributes is not None:
            exchange = read_span(self.attributes, self.events, self.id.trace)
        if self.logs and not (exchange is not None and exchange.reply):
            events = [*self.events, *self.logs]
            exchange = read_span(self.attributes or {}, events, self.id.trace)
        if exchange is None:
            return None
        asked_at = time_text(self.start)
        return replace(exchange, asked_at=asked_at, answered_at=time_text(self.end))

    @property
    def has_reply(self) -> bool:
        """True if it has a reply of the model."""
        return self.exchange is not None and bool(self.exchange.reply)

    @property
    def is_news(self) -> bool:
        """True if it is an exchange that was not taken before, or then had no reply."""
        return self.exchange is not None and (self.has_reply or not self.is_taken)

    def wait_seconds(self) -> float:
        """Return the time to wait for its other half; 0 if nothing more is expected."""
        if self.attributes is None:
            has_reply = any(holds_reply(name) for name, _attributes in self.logs)
            return BATCH_SECONDS if has_reply else REPLY_SECONDS
        # A failed request never gets a reply; it is taken when the next batch had its time.
        may_have_logs = bool(self.logs) or is_request(self.attributes)
        return BATCH_SECONDS if may_have_logs and not self.has_reply else 0.0


@dataclass(eq=False, repr=False)
class SpanLogs:
    """The spans and logs that wait for each other. Not safe for several threads at a time."""

    now: Callable[[], float] = monotonic
    unread: int = 0
    """The number of items so far that could not be read."""
    _waiting: OrderedDict[SpanId, SpanParts] = field(default_factory=OrderedDict)
    _waiting_chars: int = 0
    _touched: set[SpanId] = field(default_factory=set)
    _alone: list[SpanParts] = field(default_factory=list)
    _taken: RecentlyUsed[SpanId, SpanId] = field(
        default_factory=lambda: RecentlyUsed(MOST_TAKEN)
    )

    _logs: RecentlyUsed[bytes, bytes] = field(
        default_factory=lambda: RecentlyUsed(MOST_LOGS)
    )
    """The digests of logs of earlier batches."""
    _logs_of_batch: set[bytes] = field(default_factory=set)

    def add_span(self, span: SpanParts) -> None:
        """Add a span, whose logs may have arrived before it."""
        before = self._waiting.get(span.id)
        if before is not None and before.attributes is None:
            span.logs = before.logs
            span.is_taken = before.is_taken
            self._remove(before)
        elif before is not None or not span.id.span:
            self._alone.append(span)
            return
        self._waiting[span.id] = span
        self._touched.add(span.id)

    def add_log(self, id: SpanId, event: Event, time: int) -> None:
        """Add a log. Ignored are logs without a message, logs of an earlier batch, logs of a
        span that was taken, and logs without a span that are not a whole request."""
        name, attributes = event
        if not holds_message(name) or self._came_before(id, event, time):
            return
        if not id.span:
            if holds_request(name):
                self._alone.append(SpanParts(id, time, time, attributes, [event]))
        elif id in self._waiting or not self._taken.get(id):
            span = self._waiting.setdefault(id, SpanParts(id, time, time))
            if span.attributes is None:
                span.end = max(span.end, time)
            span.logs.append(event)
            self._touched.add(id)

    def _came_before(self, id: SpanId, event: Event, time: int) -> bool:
        """Return whether an earlier batch had the same log. Within one batch two equal logs
        are two messages, and a log without a time may be said again."""
        if not time:
            return False
        values = json.dumps([id, time, event], default=str, sort_keys=True)
        digest = blake2b(values.encode("utf-8", "replace"), digest_size=16).digest()
        self._logs_of_batch.add(digest)
        return self._logs.get(digest) is not None

    def take(self, *, is_end: bool = False) -> list[Exchange]:
        """Return the exchanges that are complete or have waited long enough, in the order of
        their beginnings; with ``is_end`` all. The items added so far are one batch."""
        for digest in self._logs_of_batch:
            self._logs.put(digest, digest)
        self._logs_of_batch.clear()
        now = self.now()
        ready = self._alone
        self._alone = []
        for span in ready:
            self._read(span)
        for id in self._touched:
            self._settle(self._waiting[id], now)
        self._touched.clear()
        for span in list(self._waiting.values()):
            is_pushed_out = is_end or self._is_too_much()
            if not is_pushed_out and span.due > now:
                continue
            ready.append(span)
            is_question = span.attributes is None and not span.has_reply
            if is_question and span.is_news and not is_pushed_out:
                span.due = now + LATE_SECONDS
            else:
                self._remove(span)
        ready.sort(key=attrgetter("start"))
        exchanges = []
        for span in ready:
            if span.exchange is not None and span.is_news:
                exchanges.append(span.exchange)
                span.is_taken = True
                self._taken.put(span.id, span.id)
        return exchanges

    def _settle(self, span: SpanParts, now: float) -> None:
        """Read the parts of a span that have arrived, and set the time that it waits."""
        self._read(span)
        seconds = span.wait_seconds()
        span.due = now + seconds
        if seconds:
            parts = [span.attributes, span.events, span.logs]
            size_chars = len(json.dumps(parts, default=str))
            self._waiting_chars += size_chars - span.size_chars
            span.size_chars = size_chars

    def _read(self, span: SpanParts) -> None:
        try:
            span.exchange = span.read()
        except (MemvizError, ValueError, TypeError, RecursionError):
            self.unread += 1
            span.exchange = None

    def _is_too_much(self) -> bool:
        is_too_many = len(self._waiting) > MOST_WAITING
        return is_too_many or self._waiting_chars > MOST_WAITING_CHARS

    def _remove(self, span: SpanParts) -> None:
        del self._waiting[span.id]
        self._waiting_chars -= span.size_chars
