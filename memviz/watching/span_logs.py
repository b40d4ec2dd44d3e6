"""Spans, and the logs in which instrumentations send their messages: joined by their ids,
whichever of both comes first."""

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
"""A span and its logs are sent in batches, at most so long after each other."""
REPLY_SECONDS = 900.0
"""A question may be sent when it is asked, and its span when the reply is there."""
LATE_SECONDS = 4 * 3600.0
"""So long a question that was taken without its reply waits for it."""
MOST_WAITING = 2_000
MOST_WAITING_CHARS = 64_000_000
MOST_TAKEN = 10_000
"""Spans that were taken and wait no more: later logs of them say nothing new."""
MOST_LOGS = 20_000
"""Logs that are known again where an exporter, which heard no answer, sends them once more among others."""
Event = tuple[str, Attributes]
"""The name and the attributes of an event, which a log is too."""


class SpanId(NamedTuple):
    """The id of a span with that of its trace; both are empty where a log names none."""

    trace: str
    span: str


@dataclass
class SpanParts:
    """The parts of one span that have come so far."""

    id: SpanId
    start: int
    """When it began and when it ended, in nanoseconds since 1970; as long as only logs of it
    are there, the times of the first and of the last."""
    end: int
    attributes: Attributes | None = None
    """Its own; ``None`` as long as only logs of it are there."""
    events: Sequence[Event] = ()
    logs: list[Event] = field(default_factory=list)
    exchange: Exchange | None = None
    """The one that all of this is."""
    size_chars: int = 0
    due: float = 0.0
    """When it is taken as it is."""
    is_taken: bool = False
    """It was taken before, as a question without its reply."""

    def read(self) -> Exchange | None:
        """Return the exchange that it is, with its times. Logs are read where the span has
        no reply of its own: instrumentations send messages in one way or in the other.
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
        """True if it has what a model answered."""
        return self.exchange is not None and bool(self.exchange.reply)

    @property
    def is_news(self) -> bool:
        """True if it is an exchange that was not taken like this before."""
        return self.exchange is not None and (self.has_reply or not self.is_taken)

    def wait_seconds(self) -> float:
        """Return how long its other half is waited for; 0 where none is to come."""
        if self.attributes is None:
            has_reply = any(holds_reply(name) for name, _attributes in self.logs)
            return BATCH_SECONDS if has_reply else REPLY_SECONDS
        # A request that failed has no reply, and is taken a batch later for it.
        may_have_logs = bool(self.logs) or is_request(self.attributes)
        return BATCH_SECONDS if may_have_logs and not self.has_reply else 0.0


@dataclass(eq=False, repr=False)
class SpanLogs:
    """The spans and logs that wait for each other. One thread at a time."""

    now: Callable[[], float] = monotonic
    unread: int = 0
    """How many could not be read so far."""
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
        """Take in a span, which its logs may have come before."""
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
        """Take in a log. Those without messages are passed over; so are those that came
        in an earlier batch, those of a span that was taken, and outside of spans those
        that hold less than a request."""
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
        """Return whether an earlier batch had the same log. Within one batch two that
        are alike are two messages; one without a time may be said again."""
        if not time:
            return False
        values = json.dumps([id, time, event], default=str, sort_keys=True)
        digest = blake2b(values.encode("utf-8", "replace"), digest_size=16).digest()
        self._logs_of_batch.add(digest)
        return self._logs.get(digest) is not None

    def take(self, *, is_end: bool = False) -> list[Exchange]:
        """Return the exchanges that get no more or are waited for no longer, at the end
        all, in the order of their beginnings. What was added so far is one batch."""
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
        """Read what there is of a span by now, and set how long it waits."""
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
