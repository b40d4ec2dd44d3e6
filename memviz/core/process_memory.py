"""The memory of this process: how much it takes, and giving back what is no longer needed."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock

_STATM = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """The bytes that the process takes now; ``None`` where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


@dataclass
class _Pause:
    """The number of threads that build at the moment, and whether the collector was on before the first of them."""

    lock: Lock = field(default_factory=Lock)
    builders: int = 0
    was_on: bool = False


_pause = _Pause()


@contextmanager
def uncollected() -> Iterator[None]:
    """Build a great many objects without looking for garbage among them. None of them is garbage yet, and Python's
    collector would go through all of them again and again: a third of the time in which a long conversation is read."""
    # Several threads may build at once: the first one switches the collector off, the last one on again.
    with _pause.lock:
        if not _pause.builders:
            _pause.was_on = gc.isenabled()
            gc.disable()
        _pause.builders += 1
    try:
        yield
    finally:
        with _pause.lock:
            _pause.builders -= 1
            if not _pause.builders and _pause.was_on:
                gc.enable()


def give_back() -> None:
    """Collect what nobody refers to, and let the C library return its free pages: glibc keeps them otherwise, so a
    server would stay as large as the largest conversation that was ever opened in it."""
    gc.collect()
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> ctypes._NamedFuncPointer | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        # There is another C library, as on macOS, Windows and Alpine.
        return None
