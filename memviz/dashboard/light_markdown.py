"""The Markdown that models write without being asked: emphasis, lists, headings and code. It is taken apart into text
and style; links, images, HTML and whatever else there is stay the text that they are."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from markupsafe import Markup

Style = Literal["", "strong", "em", "code"]
BULLET = "• "
_FENCE = re.compile(r"^[ \t]*```[^\n]*(?:\n|\Z)", re.MULTILINE)
_LINE = re.compile(r"(?P<indent>[ \t]*)(?:(?P<heading>#{1,6})[ \t]+|[-*+][ \t]+)(?=\S)")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\*\*(?P<strong>(?=[^\s*])[^*\n]+(?<=\S))\*\*"
    r"|(?<![\w*])\*(?P<em>(?=[^\s*])[^*\n]+(?<=\S))\*(?![\w*])"
)


class Run(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Style = ""


def styled(text: str) -> Iterator[Run]:
    """Take ``text`` apart. Its lines stay lines; items of lists begin with a bullet."""
    parts = _FENCE.split(text)
    if len(parts) % 2 == 0:  # a fence that is never closed is none
        parts = [text]
    for number, part in enumerate(parts):
        if number % 2:
            yield Run(part, "code")
        else:
            for line in part.splitlines(keepends=True):
                yield from _styled_line(line)


def without_marks(text: str) -> str:
    """``text`` as one reads it: without the marks of styles."""
    return "".join(run.text for run in styled(text))


def has_marks(text: str) -> bool:
    """Return whether ``text`` has a style anywhere."""
    return without_marks(text) != text


def as_html(text: str) -> Markup:
    """``text`` in its styles, every letter of it escaped, for an element that keeps line breaks."""
    parts: list[str] = []
    for run in styled(text):
        part = run.text
        if run.style:
            part = Markup("<{0}>{1}</{0}>").format(run.style, run.text)
        parts.append(part)
    return Markup("").join(parts)


def _styled_line(line: str) -> Iterator[Run]:
    begun = _LINE.match(line)
    if begun is None:
        yield from _inline(line)
    elif begun["heading"]:
        rest = line[begun.end() :]
        words = rest.rstrip("\n")
        yield Run("".join(run.text for run in _inline(words)), "strong")
        yield Run(rest[len(words) :])
    else:
        yield Run(begun["indent"] + BULLET)
        yield from _inline(line[begun.end() :])


def _inline(text: str) -> Iterator[Run]:
    at = 0
    for found in _INLINE.finditer(text):
        yield Run(text[at : found.start()])
        style: Style = found.lastgroup  # type: ignore[assignment]  # the groups are named by their styles
        yield Run(found[style], style)
        at = found.end()
    yield Run(text[at:])
