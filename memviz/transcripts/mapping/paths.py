"""Finds the values inside rows to which a path of a mapping leads, such as ``messages.*.content``.

A path has names with a dot between them; ``*`` is each item of a list or each value of an object, a number one
item of a list. ``a | b`` is the first of two paths that leads to something, ``a + b`` is what both lead to. A text that
holds JSON, a list of OpenTelemetry's attributes, and flat names with dots (``llm.input_messages.0.role``) are opened
where a path goes through them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any

from memviz.transcripts.document import PlacedValue
from memviz.transcripts.mapping.opening import open_value

EACH = "*"
NUMBER = re.compile(r"-?\d{1,9}")
"""The number of an item in a list, from the end where it is negative: ``0``, ``12``, ``-1``."""
MAX_NAMES = 16
"""The most names of a path that are followed."""
EMPTY: tuple[Any, ...] = (None, "", [], {})


def find_values(
    value: Any, path: str, place: str = "", most: int | None = None
) -> list[PlacedValue]:
    """Return all values that a path leads to, or the first ``most`` of each branch, with their places. Of alternatives
    the first counts that leads to a value which is not empty.

    In ``{"m": [{"t": "a"}, {"t": "b"}]}`` the path ``m.*.t`` leads to ``[("a", "index 0"), ("b", "index 1")]``.
    """
    for branches in parse_path(path):
        values: list[PlacedValue] = []
        for names in branches:
            if _may_lead_on(value, names):
                values += islice(_walk(value, names, place), most)
        if any(inner not in EMPTY for inner, _place in values):
            return values
    return []


def find_value(value: Any, path: str) -> Any:
    """Return the first value that a path leads to and that is not empty; ``None`` where there is none."""
    if type(value) is dict and path in value and _is_plain(path):
        inner = value[path]
        return None if inner in EMPTY else inner
    for branches in parse_path(path):
        for names in branches:
            if not _may_lead_on(value, names):
                continue
            for inner, _place in _walk(value, names, ""):
                if inner not in EMPTY:
                    return inner
    return None


def find_field(row: Any, path: str) -> Any:
    """Return the first value that a path leads to and that is not empty; ``None`` where there is none, or where the
    mapping names no path."""
    return find_value(row, path) if path else None


@lru_cache(maxsize=2_000)
def _is_plain(path: str) -> bool:
    """Return whether a path is one name: most are, and every known mapping asks for some of them in every file."""
    return parse_path(path) == (((path,),),) and path != EACH


@lru_cache(maxsize=2_000)
def parse_path(path: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the alternatives of a path, each with its branches as names:
    ``"a.b | c + d"`` -> ``((("a", "b"),), (("c",), ("d",)))``."""
    alternatives = []
    for alternative in path.split("|"):
        branches = [branch.strip().split(".") for branch in alternative.split(" + ")]
        alternatives.append(tuple(tuple(filter(None, names)) for names in branches))
    return tuple(alternatives)


def _may_lead_on(value: Any, names: Sequence[str]) -> bool:
    """Return false where the first of these names plainly leads nowhere: most paths of most mappings do not fit a file,
    and to see that takes less than to walk them."""
    if not names:
        return True
    if type(value) is dict:
        name = names[0]
        return name == EACH or any(str(key).startswith(name) for key in value)
    return not (value is None or isinstance(value, int | float))


def _walk(value: Any, names: Sequence[str], place: str) -> Iterator[PlacedValue]:
    """Yield the values to which ``names`` lead from ``value``, each with its place."""
    if not names:
        yield value, place
        return
    value = open_value(value)
    name, *rest = names[:MAX_NAMES]
    if name == EACH:
        for key, inner in _items(value):
            if _may_lead_on(inner, rest):
                yield from _walk(inner, rest, f"{place}, {key}" if place else key)
    elif isinstance(value, list):
        if NUMBER.fullmatch(name) and -len(value) <= int(name) < len(value):
            yield from _walk(value[int(name)], rest, place)
    elif isinstance(value, dict):
        count, inner = _look_up_joined_names(value, names)
        if count:
            yield from _walk(inner, names[count:], place)


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each item of a list or an object behind the words for its place: ``index 0`` or ``'name'``."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield f"index {index}", item
    elif isinstance(value, dict):
        for key, item in value.items():
            yield repr(str(key)[:40]), item


def _look_up_joined_names(
    value: Mapping[str, Any], names: Sequence[str]
) -> tuple[int, Any]:
    """Return how many of the names, joined with dots, are a key, and the value under it; 0 if none are.

    ``{"a.b": 1}`` with the names a, b, c: 2 and 1. ``{"a.b": 1, "a.c": 2}`` with the name a: 1 and
    ``{"b": 1, "c": 2}``, for the flat names that begin with it are one object.
    """
    if names[0] in value and (len(names) == 1 or names[1] == EACH):
        return 1, value[names[0]]
    plain_names = list(takewhile(lambda name: name != EACH, names))
    counts = range(len(plain_names), 0, -1)
    for count in counts:
        key = ".".join(plain_names[:count])
        if key in value:
            return count, value[key]
    beginning = names[0] + "."
    if not any(str(key).startswith(beginning) for key in value):
        return 0, None
    for count in counts:
        prefix = ".".join(plain_names[:count]) + "."
        flat = {
            str(key).removeprefix(prefix): item
            for key, item in value.items()
            if str(key).startswith(prefix)
        }
        if flat:
            return count, _nest_names(flat)
    return 0, None


def _nest_names(flat: Mapping[str, Any]) -> Any:
    """Return flat names with dots as objects, and as lists where the names are numbers: ``{"a.0": 1, "a.1": 2}`` ->
    ``{"a": [1, 2]}``."""
    tree: dict[str, Any] = {}
    for key, item in flat.items():
        *above, last = key.split(".")[:MAX_NAMES]
        branch = tree
        for name in above:
            inner = branch.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            branch = inner
        branch[last] = item
    return _make_lists(tree)


def _make_lists(tree: Any) -> Any:
    """Return a tree in which an object whose keys are all numbers is a list, in their order."""
    if not isinstance(tree, dict):
        return tree
    branches = {key: _make_lists(inner) for key, inner in tree.items()}
    if branches and all(map(str.isdecimal, branches)):
        return [branches[key] for key in sorted(branches, key=lambda key: int(key[:9]))]
    return branches
