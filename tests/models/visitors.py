"""A visitor who waits for a model, and may stop it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

SILENCE_SECONDS = 45

SOON_SECONDS = 3.0
"""Generous for a busy machine; against the silence it is clear."""


class Stopped(BaseException):
    """What a page raises where its visitor clicked Stop."""


class Visitor:
    """Looks on, and says stop when ``wants`` says so."""

    def __init__(self, wants: Callable[[], bool] = lambda: False) -> None:
        self.wants, self.looks, self.stopped_at = wants, 0, 0.0

    def look_up(self) -> None:
        self.looks += 1
        if self.wants():
            self.stopped_at = self.stopped_at or monotonic()
            raise Stopped
