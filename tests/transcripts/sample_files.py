"""The synthetic samples beside this file: one or more of every format, each named after the format it is of."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).with_name("samples")


def sample_files() -> dict[str, bytes]:
    """The bytes of every sample by its name, ``<format>__<variant>.<suffix>``. Databases are kept as SQL."""
    return {
        path.name: _bytes_of(path)
        for path in sorted(FOLDER.iterdir())
        if "__" in path.name
    }


def format_of(name: str) -> str:
    """The format that the sample of this name is of."""
    return name.partition("__")[0]


def _bytes_of(path: Path) -> bytes:
    if path.suffix != ".sql":
        return path.read_bytes()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(path.read_text(encoding="utf-8"))
        return connection.serialize()
