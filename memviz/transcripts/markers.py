"""Comments by which memviz finds its own messages again in Markdown; a page that shows the text does not show them.

A text that memviz wrote starts with a marker, and another stands before every message: a line with a JSON object in
an HTML comment. Below it are a line for the eye, a blank line, and the content as it is. Nothing in the object can
close the comment, and a line of a content that looks like a marker gets a backslash in front.
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
    """What a marker says, as JSON text; the content that belongs to it; and where the marker starts."""

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
    """A content with its marker and the line that is shown above it, which has to be one line."""
    return f"{marker(info)}\n{shown}\n\n{_LOOKS_LIKE_ONE.sub(chr(92) * 2, content)}\n\n"


def is_marked(text: str) -> bool:
    """Whether memviz wrote this text."""
    return text.lstrip().startswith(OPENING)


def read_marked(text: str) -> Iterator[Marked]:
    """Every marker of a text with the content that belongs to it."""
    if re.match(rf"\s*{OPENING}[^\n]*\r\n", text):  # a program that writes other line ends wrote all of them anew
        text = text.replace("\r\n", "\n")
    markers = list(_MARKER.finditer(text))
    if not markers:
        return
    stops = [found.start() for found in markers[1:]] + [len(text)]
    for found, stop in zip(markers, stops, strict=True):
        _shown, _, content = text[found.end() : stop].removeprefix("\n").partition("\n\n")
        yield Marked(found[1], _ESCAPED.sub("", content.removesuffix("\n\n")), found.start())
