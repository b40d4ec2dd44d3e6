"""Access to untrusted JSON, whose keys may be missing and may hold values of any type. Nothing here raises."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def value_at(value: object, *path: str) -> Any:
    """The value under these keys, one inside the other; ``None`` if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_at(value: object, *path: str) -> str:
    """The text under these keys, one inside the other; empty for anything else."""
    # Every reader asks for texts all the time, so this calls nothing.
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def object_at(value: object, *path: str) -> dict[str, Any]:
    """The object under these keys, one inside the other; empty for anything else."""
    inner = value_at(value, *path)
    return inner if isinstance(inner, dict) else {}


def list_at(value: object, *path: str) -> list[Any]:
    """The list under these keys, one inside the other; empty for anything else."""
    inner = value_at(value, *path)
    return inner if isinstance(inner, list) else []


def objects_at(value: object, *path: str) -> list[dict[str, Any]]:
    """The objects in the list under these keys; without keys, the objects in ``value``, if that is a list."""
    items = value_at(value, *path) if path else value
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, dict)]


def count_at(value: object, *path: str) -> int | None:
    """The number under these keys, if it is a whole number of 0 or more, such as a count of tokens."""
    count = value_at(value, *path)
    return count if type(count) is int and count >= 0 else None


def first_text(record: object, *keys: str) -> str:
    """Return the text under the first of these keys whose text is not blank; empty if all are."""
    for key in keys:
        text = text_at(record, key)
        if text.strip():
            return text
    return ""


def first_value(record: Mapping[str, Any], *keys: str) -> Any:
    """The value under the first of these keys that has one; ``None`` if none has."""
    for key in keys:
        value = record.get(key)
        if value is not None:
            return value
    return None


def texts_at(record: object, *keys: str) -> dict[str, str]:
    """The texts under these keys, by key; without those that are missing or something else."""
    return {
        key: value for key in keys if isinstance(value := value_at(record, key), str)
    }


def json_text(value: object, empty: str = "") -> str:
    """A text as it is, anything else as JSON text; ``empty`` for ``None``."""
    if isinstance(value, str):
        return value
    return empty if value is None else json.dumps(value, ensure_ascii=False)


def id_text(value: object) -> str:
    """An id or a name as text; empty for what can be neither."""
    return str(value) if type(value) in (str, int) else ""


def join_lines(texts: Iterable[str]) -> str:
    """The texts that are not empty, one a line."""
    return "\n".join(text for text in texts if text)


def texts_under(value: object, *paths: str) -> list[str]:
    """The texts under these paths, such as "source.text" or, for each item of a list, "content[].text"; without those
    that are empty, missing or something else."""
    texts = []
    for path in paths:
        if "." not in path:
            texts.append(text_at(value, path))
            continue
        listed, _, key = path.rpartition("[].")
        holders = objects_at(value, *listed.split(".")) if listed else [value]
        texts += [text_at(holder, *key.split(".")) for holder in holders]
    return [text for text in texts if text]


def first_under(value: object, *paths: str) -> str:
    """Return the first of the texts under these paths, see :func:`texts_under`; empty where there is none."""
    return next(iter(texts_under(value, *paths)), "")


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, any other value as the only item of one."""
    return value if isinstance(value, list) else [value]


def items_in(records: Iterable[object], *path: str) -> list[Any]:
    """Return the items of all lists that records have under these keys, such as the citations of all blocks."""
    items = []
    for record in records:
        items += list_at(record, *path)
    return items


def drop_empty(fields: Mapping[str, T]) -> dict[str, T]:
    """Return the fields that have a value: ``{"a": 1, "b": ""}`` -> ``{"a": 1}``."""
    return {name: value for name, value in fields.items() if value}


def pick_fields(record: Mapping[str, T], keys: Iterable[str]) -> dict[str, T]:
    """Return the fields of a record under those of these keys that it has."""
    return {key: record[key] for key in keys if key in record}


def at_least_half(items: Sequence[Any], fits: Callable[[Any], object]) -> bool:
    """Return true if at least half of these items fit, and there are any."""
    if not items:
        return False
    fitting = sum(1 for item in items if fits(item))
    return 2 * fitting >= len(items)
