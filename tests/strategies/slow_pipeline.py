"""A pipeline done the slow way, message by message, and replays of pipelines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import memviz
from memviz import Log, Message

WINDOW = 100


FORMED = {
    "clear tool results": lambda m: (
        replace(m, content="[cleared]") if m.role == "tool" else m
    ),
    "shorten tool results to 4 characters": lambda m: (
        replace(m, content=f"{m.content[:2]}…{m.content[-2:]}")
        if m.role == "tool" and len(m.content) > 5
        else m
    ),
}


def replay(messages: list[Message], steps: str, **parameters: int) -> memviz.Run:
    return memviz.replay(
        messages,
        memviz.strategy("pipeline", steps=steps, **parameters),
        model=memviz.ScriptedModel([f"summary {n}" for n in range(1, 200)]),
        counter="chars4",
    )


def said(number: int) -> list[Message]:
    """A turn of two messages of 10 tokens each."""
    return [
        Message("user", f"question {number:02} ".ljust(40, "q")),
        Message("assistant", f"answer {number:02} ".ljust(40, "a")),
    ]


def contents(run: memviz.Run) -> list[str]:
    """What the last request sent."""
    return [message.content for message in run.requests[-1].context.messages]


@dataclass
class Slow:
    """The same rule, with lists of messages: every request is built, and counted as text."""

    log: list[Message]
    lines: list[tuple[str, int, int, str]]
    """Deed, threshold in tokens, how much is kept, of what."""

    def requests(self) -> list[list[Message]]:
        log = Log(self.log)
        self.marks = [log.system_stop] * len(self.lines)
        self.cursor = log.system_stop
        self.summaries = 0
        return [self._request(log, one.stop) for one in log.requests()]

    def _request(self, log: Log, stop: int) -> list[Message]:
        start = log.input_start(stop)
        for number, (deed, threshold, kept, unit) in enumerate(self.lines):
            if self._tokens(stop) < threshold:
                continue
            limit = min(start, self._kept(log, stop, kept, unit))
            if self._supersedes(number, deed, stop):
                continue
            if deed in FORMED:
                before = max(self.marks[number], self.cursor)
                if any(
                    FORMED[deed](self.log[p]) != self.log[p]
                    for p in range(before, limit)
                ):
                    self.marks[number] = limit
                continue
            while limit > self.cursor and self._parts(log, limit):
                limit -= 1
            if limit > self.cursor:
                self.cursor = limit
                if deed == "summarize":
                    self.summaries += 1
                    break
        head = self._summary()
        return [
            *self.log[: log.system_stop],
            *head,
            *self._history(stop),
        ]

    def _parts(self, log: Log, limit: int) -> bool:
        """Whether a cut there has a result behind it whose call is before it."""
        return (
            limit < len(log)
            and log[limit].role == "tool"
            and log.tools.call_of.get(limit) is not None
        )

    def _kept(self, log: Log, stop: int, kept: int, unit: str) -> int:
        if unit == "messages":
            return stop - kept
        results = [p for p in range(stop) if log[p].role == "tool"]
        return results[-kept] if len(results) > kept else 0

    def _summary(self) -> list[Message]:
        if not self.summaries:
            return []
        text = f"Summary of earlier conversation: summary {self.summaries}"
        return [Message("system", text)]

    def _history(self, stop: int) -> list[Message]:
        return [self._sent(position) for position in range(self.cursor, stop)]

    def _sent(self, position: int) -> Message:
        message = self.log[position]
        for (deed, *_), mark in zip(self.lines, self.marks, strict=True):
            if position < mark:
                message = self._formed(deed, position, mark)(message)
        return message

    def _formed(
        self, deed: str, position: int, mark: int
    ) -> Callable[[Message], Message]:
        return FORMED.get(deed, lambda message: message)

    def _supersedes(self, number: int, deed: str, stop: int) -> bool:
        """Whether a line is about older reads, and was dealt with."""
        return False

    def _tokens(self, stop: int) -> int:
        count = memviz.counter("chars4")
        return sum(count(m.content) for m in [*self._summary(), *self._history(stop)])
