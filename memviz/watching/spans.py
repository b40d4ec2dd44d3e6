"""Reads spans of OpenTelemetry traces as exchanges with a model.

Instrumentations name attributes and events differently. ``conventions.toml`` declares under
which names each convention has messages, tokens, tools and ids; ``span_logs`` calls
:func:`read_span` for each span with its events and logs.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from memviz.core.message_fields import role_named
from memviz.core.messages import Message, ToolCall
from memviz.transcripts.base import REASONING
from memviz.transcripts.readers.json_access import value_at
from memviz.watching.exchanges import Exchange, parse_json, read_usage

Attributes = Mapping[str, Any]
MOST_NESTED_NAMES = 12
"""The most parts into which the name of an attribute is split."""
MOST_DIGITS = 6
"""The most digits of a message's number in the name of an attribute."""
MOST_LABEL_CHARS = 40
_JSON_BEGINNINGS = ("[", "{")
_PARTS_BEGINNINGS = ('[{"type"', "[{'type'")


@cache
def _load_conventions() -> dict[str, Any]:
    text = files("memviz.watching").joinpath("conventions.toml").read_text("utf-8")
    return tomllib.loads(text)


def read_span(
    attributes: Attributes, events: Sequence[tuple[str, Attributes]], trace: str
) -> Exchange | None:
    """Return the exchange that a span describes; ``None`` for a span of anything else.

    Args:
        attributes: the attributes of the span, as plain values.
        events: the name and the attributes of each of its events, in order.
        trace: the id of its trace.
    """
    declared = _load_conventions()
    for name, values in declared["requests"].items():
        if attributes.get(name, values[0]) not in values:
            return None
    for event, details in events:
        if event in declared["details"]["names"]:
            attributes = {**attributes, **details}
    tree = _nest_names(attributes)
    lists: dict[str, list[Message]] = {}
    for name, part in declared["messages"].items():
        lists[name] = list(
            _read_messages(_find_first(tree, part["names"]), part["role"])
        )
    for event, details in events:
        part = declared["events"].get(event)
        if part:
            inner = _nest_names(details)
            names = part.get("names")
            messages = _find_first(inner, names) if names else {**inner, **details}
            lists[part["list"]] += _read_messages(messages, part["role"])
    if not lists["sent"] and not lists["reply"]:
        return None
    usage = {
        name: _find_first(tree, names) for name, names in declared["usage"].items()
    }
    span = declared["span"]
    return Exchange(
        (*lists["system"], *lists["sent"]),
        tuple(lists["reply"]),
        str(_find_first(tree, span["conversation"]) or ""),
        trace,
        read_usage(usage),
        tuple(_read_schemas(_find_first(tree, span["tools"]))),
        str(_find_first(tree, span["model"]) or ""),
    )


def is_request(attributes: Attributes) -> bool:
    """Return whether the attributes of a span state that it is a request to a model."""
    requests = _load_conventions()["requests"]
    marks = [name for name in requests if name in attributes]
    return bool(marks) and all(attributes[name] in requests[name] for name in marks)


def holds_request(event: str) -> bool:
    """Return whether an event of this name has the attributes of a whole request and its
    reply, as a span has."""
    return event in _load_conventions()["details"]["names"]


def holds_message(event: str) -> bool:
    """Return whether an event of this name holds a message, or all of a request."""
    return event in _load_conventions()["events"] or holds_request(event)


def holds_reply(event: str) -> bool:
    """Return whether an event of this name holds a reply."""
    declared = _load_conventions()["events"].get(event, {})
    return declared.get("list") == "reply" or holds_request(event)


def _nest_names(attributes: Attributes) -> dict[str, Any]:
    """Return attributes as nested objects: {"a.0.b": 1} -> {"a": {"0": {"b": 1}}}. A value
    beside longer names is under the empty name: {"a": 1, "a.b": 2} -> {"a": {"": 1, "b": 2}}."""
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        *path, last = name.split(".", MOST_NESTED_NAMES)
        node = tree
        for key in path:
            inner = node.setdefault(key, {})
            if not isinstance(inner, dict):
                inner = {"": inner}
                node[key] = inner
            node = inner
        if isinstance(node.get(last), dict):
            node[last][""] = value
        else:
            node[last] = value
    return tree


def _find_first(tree: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first of these attributes that is there; ``None`` for none."""
    for name in names:
        node = value_at(tree, *name.split("."))
        if isinstance(node, Mapping) and "" in node:
            node = node[""]
        if node is not None:
            return node
    return None


def _read_messages(value: Any, role: str) -> Iterator[Message]:
    """Yield the messages of a list, which may be JSON text. A plain text is one message."""
    for item in _list_items(value):
        yield from _read_message(item, role)


def _list_items(value: Any) -> list[Any]:
    """Return the items of a list, of numbered attributes, or of the JSON text of one."""
    if isinstance(value, str) and value.startswith(_JSON_BEGINNINGS):
        value = parse_json(value)
    if isinstance(value, Mapping):
        numbers = [key for key in value if key.isdecimal() and len(key) <= MOST_DIGITS]
        if not numbers:
            return [value]
        return [value[key] for key in sorted(numbers, key=int)]
    if value is None or isinstance(value, list):
        return value or []
    return [value]


def _unwrap(item: Any) -> Any:
    """Return an object with the fields of its wrapper, such as {"message": {...}}, lifted up."""
    if not isinstance(item, Mapping):
        return item
    for wrapper in _load_conventions()["words"]["wrappers"]:
        inner = item.get(wrapper)
        if isinstance(inner, str):
            inner = parse_json(inner)
        if isinstance(inner, Mapping):
            item = {**item, **inner}
    return item


def _find_under_word(item: Mapping[str, Any], word: str) -> Any:
    """Return the value under the first key that the conventions have for a ``word``."""
    for key in _load_conventions()["words"][word]:
        if item.get(key) not in (None, ""):
            return item[key]
    return None


def _read_message(item: Any, role: str) -> Iterator[Message]:
    """Yield the message of an item of a list, after the results of tools that are among its
    parts."""
    item = _unwrap(item)
    if not isinstance(item, Mapping):
        yield Message(role, _write_text(item))
        return
    role = role_named(item.get("role")) or role
    content = _find_under_word(item, "content")
    if isinstance(content, str) and content.startswith(_PARTS_BEGINNINGS):
        content = parse_json(content)
    texts = []
    thoughts = []
    calls = [_read_call(call) for call in _list_items(_find_under_word(item, "calls"))]
    has_results = False
    parts = [content] if isinstance(content, str) else _list_items(content)
    for part in map(_unwrap, parts):
        kind = _kind_of(part)
        if kind == "call":
            calls.append(_read_call(part))
        elif kind == "result":
            has_results = True
            yield _read_result(part)
        elif kind == "thought":
            thoughts.append(_write_text(_find_under_word(part, "text") or ""))
        else:
            texts.append(_part_text(part))
    if texts or calls or any(thoughts) or not (has_results or thoughts):
        meta = {REASONING: "\n".join(thoughts)} if any(thoughts) else None
        tool_call_id = _write_text(item.get("tool_call_id") or "") or None
        if role == "tool" and not tool_call_id:
            tool_call_id = _write_text(item.get("id") or "") or None
        yield Message(
            role, "\n".join(texts), None, tuple(filter(None, calls)), tool_call_id, meta
        )


def _kind_of(part: Any) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(kind, str):
        return "text"
    return str(_load_conventions()["kinds"].get(kind, "other"))


def _part_text(part: Any) -> str:
    """Return the text of a part; of one without a text its kind in brackets."""
    if not isinstance(part, Mapping):
        return _write_text(part)
    text = _find_under_word(part, "text")
    if text is not None:
        return _write_text(text)
    return f"[{_write_text(part.get('type') or 'part')[:MOST_LABEL_CHARS]}]"


def _read_call(call: Any) -> ToolCall | None:
    call = _unwrap(call)
    if not isinstance(call, Mapping):
        return None
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        return None
    arguments = _find_under_word(inner, "arguments")
    id = _write_text(_find_under_word(call, "call_id") or "")
    return ToolCall.of(
        {"id": id, "name": name, "arguments": _write_text(arguments or {})}
    )


def _read_result(part: Mapping[str, Any]) -> Message:
    result = _find_under_word(part, "result")
    call_id = _write_text(_find_under_word(part, "result_of") or "") or None
    return Message(
        "tool", _write_text("" if result is None else result), tool_call_id=call_id
    )


def _read_schemas(value: Any) -> Iterator[str]:
    """Yield the schemas of the tools that were offered, as JSON text."""
    for tool in map(_unwrap, _list_items(value)):
        if isinstance(tool, Mapping):
            yield _write_text(_find_under_word(tool, "schema") or tool)


def _write_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
