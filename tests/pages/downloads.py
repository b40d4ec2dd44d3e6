"""The files that a page offers."""

from __future__ import annotations

from collections.abc import Callable


def named(made: dict[str, Callable[[], str | bytes]], ending: str) -> str:
    (name,) = [name for name in made if name.endswith(ending)]
    written = made[name]()
    return written if isinstance(written, str) else written.decode()
