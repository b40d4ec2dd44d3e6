"""A library of the tests: it summarizes all but the newest two messages as soon as it holds more than six."""

from __future__ import annotations

from collections.abc import Sequence

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, FromLibrary, Library, LibraryStrategy


class _Shelf:
    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._held: list[FromLibrary] = []

    def take(self, position: int, message: Message) -> None:
        self._held.append(FromLibrary(message, position))

    def request(self) -> Sequence[FromLibrary]:
        if len(self._held) > 6:
            old, kept = self._held[:-2], self._held[-2:]
            text = self._ask(
                [Message("user", "\n".join(one.message.content for one in old))]
            )
            self._held = [FromLibrary(Message("user", f"So far: {text}")), *kept]
        return list(self._held)


class FakeLibrary(LibraryStrategy):
    """Runs the library of the tests."""

    def open(self, ask: Ask, counter: Counter) -> Library:
        """A new one."""
        return _Shelf(ask)
