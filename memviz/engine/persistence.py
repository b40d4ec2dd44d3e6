"""The places where memories are kept: what ``persistence`` may be, in ``configs/memory.yaml`` and in Python."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memviz.core.errors import ParameterError

BACKENDS = ("memory", "sqlite", "postgresql")
"""The places where memories can be kept: nowhere but in the memory of the process, in a file of SQLite, or on a server
of PostgreSQL."""
KEYS = ("enabled", "backend", "connection_string")
"""The keys of ``persistence`` where it is a mapping."""
ALLOWED = (
    "memory, the path of a file, a URL such as sqlite:///memory.db or postgresql+psycopg://user@host/database, or a "
    "mapping such as "
    "{enabled: true, backend: sqlite, connection_string: sqlite:///memory.db}"
)


def database_of(persistence: str | Path | Mapping[str, Any] | None) -> str | None:
    """The path or URL of the database that ``persistence`` names; ``None`` for ``memory``.

    Raises :class:`ParameterError` for a wrong type, an unknown key, or a backend that there is not.
    """
    if persistence is None:
        return None
    if isinstance(persistence, Mapping):
        return _database_of_mapping(persistence)
    is_path = isinstance(persistence, str | Path) and str(persistence).strip()
    if not is_path or persistence == "sqlite":
        raise ParameterError("persistence", persistence, ALLOWED)
    text = str(persistence)
    if "\x00" in text:
        raise ParameterError("persistence", text, "a path without a zero character")
    if "://" in text:
        scheme = text.partition("://")[0]
        _expect_backend(scheme.partition("+")[0], "persistence")
    return None if text in ("memory", ":memory:") else text


def _database_of_mapping(mapping: Mapping[str, Any]) -> str | None:
    for key in mapping:
        if key not in KEYS:
            allowed = f"a mapping with the keys {', '.join(KEYS)}, not {key}"
            raise ParameterError("persistence", list(mapping), allowed)
    enabled = mapping.get("enabled", True)
    if not isinstance(enabled, bool):
        raise ParameterError("persistence.enabled", enabled, "true or false")
    if not enabled:
        return None
    backend = mapping.get("backend", "sqlite")
    _expect_backend(backend, "persistence.backend")
    if backend == "memory":
        return None
    place = mapping.get("connection_string")
    if not isinstance(place, str):
        allowed = "a path, or a URL such as sqlite:///memory.db"
        raise ParameterError("persistence.connection_string", place, allowed)
    return database_of(place)


def _expect_backend(backend: Any, name: str) -> None:
    if backend not in BACKENDS:
        allowed = f"one of the backends that memviz has: {', '.join(BACKENDS)}"
        raise ParameterError(name, backend, allowed)
