"""Looking into records of untrusted JSON, whose keys may hold values of any type."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.chat_messages import known_role


def has_roles(items: object) -> bool:
    """Whether at least half of a list are objects with a known role, whatever else is in them."""
    if not isinstance(items, list) or not items:
        return False
    known = sum(isinstance(item, dict) and known_role(item.get("role")) is not None for item in items)
    return 2 * known >= len(items)


def first_text(record: dict[str, Any], *keys: str) -> str:
    """The text under the first of these keys that has one that is not blank; empty if none has."""
    found = (record.get(key) for key in keys)
    return next((value for value in found if isinstance(value, str) and value.strip()), "")


def object_at(value: Any, *keys: str) -> dict[str, Any]:
    """The object that lies under these keys, one inside the other; empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
