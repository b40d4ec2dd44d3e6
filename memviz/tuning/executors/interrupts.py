"""Ctrl-C is for the process that the user sees: its workers, which a terminal sends it to as well, never get it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Threads and processes begun in here never get a Ctrl-C, not even before they run any code of their own: what a
    thread holds back, those that it begins hold back for good. This thread gets its own afterwards. Does nothing
    on Windows, where signals cannot be held back."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # where it is begun in here, it lets go of what is held back
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
