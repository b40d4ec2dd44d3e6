"""Values inside rows by a path such as ``messages.*.content``: what a mapping says of where things stand.

A path has names with a dot between them; ``*`` is each item of a list or each value of an object, a number one
item of a list. ``a | b`` is the first of two paths that leads to something, ``a + b`` what both lead to. Where a name
is looked for in a text that holds JSON, in a list of OpenTelemetry's attributes, or in flat names with dots
(``llm.input_messages.0.role``), these are opened on the way.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.document import Placed
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.mapping.packed import opened_bytes
from memviz.transcripts.readers.json_access import list_at

EACH = "*"
NUMBER = re.compile(r"-?\d{1,9}")
OTLP_NUMBERS = ("intValue", "doubleValue")
MAX_NAMES = 16
"""Most names of one path."""
EMPTY: tuple[Any, ...] = (None, "", [], {})


def values_at(
    value: Any, path: str, place: str = "", most: int | None = None
) -> list[Placed]:
    """Return all values that a path leads to, or the first ``most`` of them, with their places; the first alternative
    that leads to one counts."""
    for branches in parsed_path(path):
        values: list[Placed] = []
        for names in branches:
            values += islice(_walk(value, names, place), most)
        if any(held not in EMPTY for held, _place in values):
            return values
    return []


def value_at(value: Any, path: str) -> Any:
    """Return the first value that a path leads to and that is not empty; ``None`` where there is none."""
    for branches in parsed_path(path):
        for names in branches:
            for held, _place in _walk(value, names, ""):
                if held not in EMPTY:
                    return held
    return None


def field_at(row: Any, path: str) -> Any:
    """Return the first value that a path leads to, as :func:`value_at`; ``None`` where a mapping names no path."""
    return value_at(row, path) if path else None


@lru_cache(maxsize=2_000)
def parsed_path(path: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the alternatives of a path, each with its branches as names:
    ``"a.b | c + d"`` -> ``((("a", "b"),), (("c",), ("d",)))``."""
    alternatives = []
    for alternative in path.split("|"):
        branches = [branch.strip().split(".") for branch in alternative.split(" + ")]
        alternatives.append(tuple(tuple(filter(None, names)) for names in branches))
    return tuple(alternatives)


def opened(value: Any) -> Any:
    """Return the JSON that a text holds, the object that bytes or a list of attributes stand for; else the value.

    Postgres writes bytes in a text as ``\\x7b7d``.
    """
    if isinstance(value, str) and value.startswith("\\x"):
        with suppress(ValueError):
            inner = opened_bytes(bytes.fromhex(value[2:]))
            # Somebody may have said just that: of words no more comes than a number.
            if isinstance(inner, dict | list):
                return inner
            if isinstance(inner, str) and inner.lstrip()[:1] in ("{", "["):
                value = inner
    if isinstance(value, bytes):
        value = opened_bytes(value)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return _parsed(value)
    if isinstance(value, list) and value and _is_attribute(value[0]):
        named = [item for item in value if _is_attribute(item)]
        return {item["key"]: _plain(item.get("value")) for item in named}
    return value


def _parsed(text: str) -> Any:
    try:
        return JsonParser(ImportNotes()).parse(text)
    except TranscriptError:
        return text


def _is_attribute(item: Any) -> bool:
    return (
        isinstance(item, dict) and isinstance(item.get("key"), str) and "value" in item
    )


def _plain(value: Any) -> Any:
    """Return the plain value of an attribute of OTLP, such as ``{"stringValue": "Hi"}``."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, held = next(iter(value.items()))
    if kind == "arrayValue" and isinstance(held, dict):
        return list(map(_plain, list_at(held, "values")))
    if kind == "kvlistValue" and isinstance(held, dict):
        return opened(held.get("values"))
    if kind in OTLP_NUMBERS and isinstance(held, str) and held.isdecimal():
        return int(held[:18])
    return held if kind.endswith("Value") else value


def _walk(value: Any, names: Sequence[str], place: str) -> Iterator[Placed]:
    if not names:
        yield value, place
        return
    value = opened(value)
    name, *rest = names[:MAX_NAMES]
    if name == EACH:
        for key, held in _items(value):
            yield from _walk(held, rest, f"{place}, {key}" if place else key)
    elif isinstance(value, list):
        number = int(name) if NUMBER.fullmatch(name) else len(value)
        if -len(value) <= number < len(value):
            yield from _walk(value[number], rest, place)
    elif isinstance(value, dict):
        count, held = _named(value, names)
        if count:
            yield from _walk(held, names[count:], place)


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for number, held in enumerate(value):
            yield f"index {number}", held
    elif isinstance(value, dict):
        for key, held in value.items():
            yield repr(str(key)[:40]), held


def _named(value: Mapping[str, Any], names: Sequence[str]) -> tuple[int, Any]:
    """Return how many of the names together are a key, and what stands under it; 0 where none are."""
    if names[0] in value and (len(names) == 1 or names[1] == EACH):
        return 1, value[names[0]]
    plain = list(takewhile(lambda name: name != EACH, names))
    counts = range(len(plain), 0, -1)
    for count in counts:
        key = ".".join(plain[:count])
        if key in value:
            return count, value[key]
    for count in counts:
        beginning = ".".join(plain[:count]) + "."
        flat = {
            str(key).removeprefix(beginning): held
            for key, held in value.items()
            if str(key).startswith(beginning)
        }
        if flat:
            return count, _nested(flat)
    return 0, None


def _nested(flat: Mapping[str, Any]) -> Any:
    """Return flat names with dots as objects, and those that are numbers as lists."""
    tree: dict[str, Any] = {}
    for key, held in flat.items():
        *above, last = key.split(".")[:MAX_NAMES]
        branch = tree
        for name in above:
            inner = branch.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            branch = inner
        branch[last] = held
    return _with_lists(tree)


def _with_lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    branches = {key: _with_lists(inner) for key, inner in tree.items()}
    if branches and all(map(str.isdecimal, branches)):
        return [branches[key] for key in sorted(branches, key=lambda key: int(key[:9]))]
    return branches
