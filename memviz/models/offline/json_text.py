"""JSON, as tools answer it, into short statements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

MAX_FACTS = 500


def json_facts(text: str) -> list[str]:
    """One line ``key key: value`` for each value of the JSON object or list ``text``; empty if it is none."""
    try:
        return list(islice(_facts(json.loads(text), ()), MAX_FACTS))
    except (ValueError, RecursionError):
        return []


def _facts(value: object, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _facts(item, (*path, str(key).replace("_", " ")))
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield from _facts(item, path)
    elif value is not None and value != "" and value != []:
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield f"{' '.join(path)}: {shown}" if path else shown
