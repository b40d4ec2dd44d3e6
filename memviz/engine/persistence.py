"""Where memories are kept: what ``persistence`` may be, in ``configs/memory.yaml`` and in Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memviz.core.errors import ParameterError

BACKENDS = ("memory", "sqlite")
"""Where memories can be kept: nowhere but in the memory of the process, or in a file of SQLite."""
KEYS = ("enabled", "backend", "connection_string")
"""Keys of the mapping."""
ALLOWED = (
    "memory, the path of a file, a URL such as sqlite:///memory.db, or a mapping such as "
    "{enabled: true, backend: sqlite, connection_string: sqlite:///memory.db}"
)


def database_of(persistence: str | Path | Mapping[str, Any] | None) -> str | None:
    """The path or URL of the database that ``persistence`` names; ``None`` for ``memory``.

    Raises :class:`ParameterError` for a wrong type, an unknown key, or a backend that there is not.
    """
    if persistence is None:
        return None
    if isinstance(persistence, Mapping):
        return _of_mapping(persistence)
    if (
        not isinstance(persistence, str | Path)
        or not str(persistence).strip()
        or persistence == "sqlite"
    ):
        raise ParameterError("persistence", persistence, ALLOWED)
    given = str(persistence)
    if "\x00" in given:
        raise ParameterError("persistence", given, "a path without a zero character")
    _expect_backend(
        given.partition("://")[0].partition("+")[0] if "://" in given else "sqlite"
    )
    return None if given in ("memory", ":memory:") else given


def _of_mapping(given: Mapping[str, Any]) -> str | None:
    unknown = [key for key in given if key not in KEYS]
    if unknown:
        raise ParameterError(
            "persistence",
            list(given),
            f"a mapping with the keys {', '.join(KEYS)}, not {unknown[0]}",
        )
    enabled, backend, place = (
        given.get("enabled", True),
        given.get("backend", "sqlite"),
        given.get("connection_string"),
    )
    if not isinstance(enabled, bool):
        raise ParameterError("persistence.enabled", enabled, "true or false")
    if not enabled:
        return None
    _expect_backend(backend, "persistence.backend")
    if backend == "memory":
        return None
    if not isinstance(place, str):
        raise ParameterError(
            "persistence.connection_string",
            place,
            "a path, or a URL such as sqlite:///memory.db",
        )
    return database_of(place)


def _expect_backend(backend: Any, name: str = "persistence") -> None:
    if backend not in BACKENDS:
        raise ParameterError(
            name, backend, f"one of the backends that memviz has: {', '.join(BACKENDS)}"
        )
