"""Code fences and code within lines of Markdown, and the markers in the Markdown that memviz writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memviz.transcripts.decoding import pair_with_texts

# A fence of backticks has no backtick behind it, or it would be code within a line. Lists indent their fences.
_FENCE = re.compile(r"^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)


def code_span(text: str) -> str:
    """Return a line as code within a line, between marks that are one longer than any in it.

    find(q) -> `find(q)`; find("a`b") -> `` find("a`b") ``
    """
    longest_inside = max(map(len, re.findall("`+", text)), default=0)
    mark = "`" * (longest_inside + 1)
    gap = " " if "`" in text else ""
    return f"{mark}{gap}{text}{gap}{mark}"


class Fence(NamedTuple):
    """A line that opens a fence, or could close one, with where its text starts and the line ends."""

    mark: str
    start: int
    stop: int
    closes: bool

    def ends(self, opening: Fence) -> bool:
        """Return whether the block that ``opening`` begins ends here."""
        return (
            self.closes
            and self.mark[0] == opening.mark[0]
            and len(self.mark) >= len(opening.mark)
        )


class Fences(NamedTuple):
    """The code blocks of a text as (start, stop) in order, and the fences that are never closed."""

    blocks: tuple[tuple[int, int], ...]
    unclosed: tuple[Fence, ...]


def find_fences(text: str) -> Fences:
    """The code blocks of a text. A fence that is never closed fences nothing: the text after it counts."""
    fences = _find_fences(text)
    blocks = []
    unclosed = []
    position = 0
    hopeless: dict[
        str, int
    ] = {}  # for each mark, the length from which on no fence is closed any more
    while position < len(fences):
        opening = fences[position]
        mark = opening.mark[0]
        length = len(opening.mark)
        end = (
            None
            if length >= hopeless.get(mark, length + 1)
            else _find_closing_fence(fences, position)
        )
        if end is None:
            hopeless[mark] = min(length, hopeless.get(mark, length))
            unclosed.append(opening)
            position += 1
        else:
            blocks.append((opening.start, fences[end].stop))
            position = end + 1
    return Fences(tuple(blocks), tuple(unclosed))


def find_open_fence(text: str) -> str:
    """The fence that would close the code block which is open at the end of a text; empty where none is."""
    opening = None
    for fence in _find_fences(text):
        if opening is None:
            opening = fence
        elif fence.ends(opening):
            opening = None
    return opening.mark if opening else ""


def skip_fenced(
    matches: Iterator[re.Match[str]], fences: Fences
) -> Iterator[re.Match[str]]:
    """Those of the matches, in order, that start in no code block."""
    blocks = iter(fences.blocks)
    start, stop = next(blocks, (0, 0))
    for match in matches:
        while stop and stop < match.start():
            start, stop = next(blocks, (0, 0))
        if not stop or match.start() < start:
            yield match


def _find_fences(text: str) -> list[Fence]:
    return [
        Fence(match[1], match.start(), match.end(), not match[2].strip())
        for match in _FENCE.finditer(text)
    ]


def _find_closing_fence(fences: Sequence[Fence], at: int) -> int | None:
    for number in range(at + 1, len(fences)):
        if fences[number].ends(fences[at]):
            return number
    return None


OPENING = "<!-- memviz:"
_MARKER = re.compile(rf"^{OPENING} (.*) -->[ \t]*$", re.MULTILINE)
_LOOKS_LIKE_ONE = re.compile(rf"^(?=\\*{OPENING})", re.MULTILINE)
_ESCAPED = re.compile(rf"^\\(?=\\*{OPENING})", re.MULTILINE)


class MarkedText(NamedTuple):
    """The JSON text in a marker, the content that belongs to it, and where the marker starts."""

    info: str
    content: str
    start: int


def write_marker(info: Mapping[str, Any]) -> str:
    """The line that says this."""
    text = json.dumps(info)
    for sign in "<>-":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"{OPENING} {text} -->"


def write_marked(info: Mapping[str, Any], shown: str, content: str) -> str:
    """Return a content with its marker, and with the line to show above it."""
    escaped = _LOOKS_LIKE_ONE.sub(r"\\", content)
    return f"{write_marker(info)}\n{shown}\n\n{escaped}\n\n"


def is_marked(text: str) -> bool:
    """Return whether memviz wrote this text."""
    return text.lstrip().startswith(OPENING)


def read_marked(text: str) -> Iterator[MarkedText]:
    """Every marker of a text with the content that belongs to it."""
    if re.match(rf"\s*{OPENING}[^\n]*\r\n", text):  # a program changed all line ends
        text = text.replace("\r\n", "\n")
    for marker, below in pair_with_texts(list(_MARKER.finditer(text)), text):
        _shown, _gap, content = below.removeprefix("\n").partition("\n\n")
        content = _ESCAPED.sub("", content.removesuffix("\n\n"))
        yield MarkedText(marker[1], content, marker.start())
