"""Limits of an imported file. Every limit can be set by an environment variable.

The variable of ``file_bytes`` is ``MEMVIZ_IMPORT_FILE_BYTES``, and so on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from memviz.core.bounds import MAX_DEPTH
from memviz.core.errors import ConfigError

PREFIX = "MEMVIZ_IMPORT_"


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a reader accepts. The defaults hold the exports that people have, and stay below 1 GB of memory."""

    file_bytes: int = 100_000_000
    """Bytes of one file, as it comes."""

    inflated_bytes: int = 200_000_000
    """Bytes that all files inside one archive may have once inflated."""

    archive_files: int = 2_000
    """Files that an archive may list."""

    depth: int = MAX_DEPTH
    """Nesting of lists and objects in JSON. Real conversations stay below 20."""

    conversations: int = 20_000
    """Conversations in one file."""

    messages: int = 500_000
    """Messages in one conversation, and rows that are read of one database table."""

    database_seconds: int = 20
    """Seconds that reading the tables of a database may take."""

    @classmethod
    def from_environment(cls) -> Limits:
        """The limits with what the environment changes. Raises :class:`ConfigError` for what is no number above 0."""
        return cls(
            **{
                field.name: _from_environment(field.name, int(str(field.default)))
                for field in fields(cls)
            }
        )


def _from_environment(name: str, default: int) -> int:
    variable = PREFIX + name.upper()
    text = os.environ.get(variable, "").strip().replace("_", "")
    if not text:
        return default
    if not text.isdecimal() or len(text) > 15 or int(text) < 1:
        raise ConfigError(
            "environment",
            variable,
            0,
            f"is {text[:40]!r}; it has to be a whole number above 0.",
        )
    return int(text)
