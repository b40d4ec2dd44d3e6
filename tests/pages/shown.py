"""Every text that a page or a file has to be read, out of the elements, charts and data for scripts that it consists
of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest

CODE = {"Code"}
"""Elements that show code."""
UNREAD = {
    "js_content",
    "css_content",
    "html_content",
    "source",
    "author",
    "kind",
    "uirevision",
}
"""Parts of elements, charts and data that nobody reads."""
OWN_WORDS = {"default", "value"}
"""Parts of a field that hold what somebody wrote into it."""
FIELDS = {"TextInput", "TextArea"}
_SCRIPT = re.compile(r"(?s)<(script|style)\b[^>]*>(.*?)</\1>")
_SPOKEN = re.compile(r'\b(?:aria-label|title|alt|placeholder)="([^"]*)"')


def shown_texts(session: AppTest) -> Iterator[str]:
    """The texts of all elements of a page: labels, help, HTML, charts, and what scripts get to show."""
    for block in session._tree.children.values():
        yield from _of_node(block)


def texts_of_html(html: str) -> Iterator[str]:
    """What stands between the tags, what is read out, and the texts of data for scripts."""
    for _kind, script in _SCRIPT.findall(html):
        yield from _of_json(script)
    without_scripts = _SCRIPT.sub("", html)
    yield from map(unescape, _SPOKEN.findall(without_scripts))
    yield from map(unescape, re.split(r"<[^>]*>", without_scripts))


def _of_node(node: Any) -> Iterator[str]:
    if node.proto is not None:
        yield from _of_message(node.proto)
    for child in getattr(node, "children", {}).values():
        yield from _of_node(child)


def _of_message(message: Any) -> Iterator[str]:
    kind = message.DESCRIPTOR.name
    if kind in CODE:
        return
    for field, value in message.ListFields():
        if field.name in UNREAD or (kind in FIELDS and field.name in OWN_WORDS):
            continue
        is_many = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        for one in value if is_many else [value]:
            if hasattr(one, "ListFields"):
                yield from _of_message(one)
            elif isinstance(one, str):
                yield from _of_text(one)


def _of_text(text: str) -> Iterator[str]:
    if text.startswith(("{", "[")) and text.endswith(("}", "]")):
        found = list(_of_json(text))
        yield from found or [text]
    elif "<" in text:
        yield from texts_of_html(text)
    else:
        yield text


def _of_json(text: str) -> Iterator[str]:
    try:
        yield from _of_value(json.loads(text))
    except ValueError:
        return


def _of_value(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        is_silent = value.get("hoverinfo") == "skip"
        has_no_name = not value.get("showlegend", not is_silent)
        for key, one in value.items():
            if key not in UNREAD and not (key == "name" and has_no_name):
                yield from _of_value(one)
    elif isinstance(value, list):
        for one in value:
            yield from _of_value(one)
    elif isinstance(value, str):
        yield from _of_text(value)
