"""Markers in the Markdown that memviz writes, by which it reads its own messages again without loss.

A marker is a line with a JSON object in an HTML comment, so a page that shows the text does not show it. The text
starts with one, and each message has one: below it are a line for human readers, a blank line, and the content as it
is. Nothing in the object can close the comment, and a line of a content that looks like a marker gets a backslash.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

OPENING = "<!-- memviz:"
_MARKER = re.compile(rf"^{OPENING} (.*) -->[ \t]*$", re.MULTILINE)
_LOOKS_LIKE_ONE = re.compile(rf"^(?=\\*{OPENING})", re.MULTILINE)
_ESCAPED = re.compile(rf"^\\(?=\\*{OPENING})", re.MULTILINE)


class Marked(NamedTuple):
    """The JSON text in a marker, the content that belongs to it, and where the marker starts."""

    info: str
    content: str
    start: int


def marker(info: Mapping[str, Any]) -> str:
    """The line that says this."""
    text = json.dumps(info)
    for sign in "<>-":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"{OPENING} {text} -->"


def marked(info: Mapping[str, Any], shown: str, content: str) -> str:
    """A content with its marker, and with the line to show above it."""
    return f"{marker(info)}\n{shown}\n\n{_LOOKS_LIKE_ONE.sub(chr(92) * 2, content)}\n\n"


def is_marked(text: str) -> bool:
    """Whether memviz wrote this text."""
    return text.lstrip().startswith(OPENING)


def read_marked(text: str) -> Iterator[Marked]:
    """Every marker of a text with the content that belongs to it."""
    if re.match(rf"\s*{OPENING}[^\n]*\r\n", text):  # a program changed all line ends
        text = text.replace("\r\n", "\n")
    markers = list(_MARKER.finditer(text))
    if not markers:
        return
    stops = [found.start() for found in markers[1:]] + [len(text)]
    for found, stop in zip(markers, stops, strict=True):
        _shown, _, content = (
            text[found.end() : stop].removeprefix("\n").partition("\n\n")
        )
        yield Marked(
            found[1], _ESCAPED.sub("", content.removesuffix("\n\n")), found.start()
        )
