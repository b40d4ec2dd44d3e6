"""Ctrl-C that lets work come to a good end: the first one asks it to stop, the second one ends it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

EXIT_CODE = 130
"""What a shell expects of a command that Ctrl-C ended: 128 and the number of the signal."""
STDERR = 2
STOPPING = b"Stopping: what is under way comes to its end. Ctrl-C again ends at once.\n"


@contextmanager
def interrupts(stop: Callable[[], object]) -> Iterator[Event]:
    """Within this a first Ctrl-C calls ``stop`` and sets the event; a second one raises :class:`KeyboardInterrupt`.
    Only the main thread can ask for this."""
    asked = Event()

    def interrupted(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        stop()
        os.write(STDERR, STOPPING)  # a stream must not be written to from within a write to it

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
