"""The memory of this process: how much it takes, and giving back what is no longer needed."""

from __future__ import annotations

import ctypes
import gc
import os
from functools import cache
from pathlib import Path

_STATM = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """What the process takes now; ``None`` where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


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
    except (OSError, AttributeError, TypeError):  # another C library, as on macOS, Windows and Alpine
        return None
