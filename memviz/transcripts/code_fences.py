"""Code fences of Markdown. The text between them is code, even if it looks like a line that names a speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A fence of backticks has no backtick behind it, or it would be code within a line. Lists indent their fences.
_FENCE = re.compile(r"^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)


class Fence(NamedTuple):
    """A line that opens a fence, or could close one, with where its text starts and the line ends."""

    mark: str
    start: int
    stop: int
    closes: bool

    def ends(self, opening: Fence) -> bool:
        """Whether the block that ``opening`` begins ends here."""
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
    found = [
        Fence(m[1], m.start(), m.end(), not m[2].strip()) for m in _FENCE.finditer(text)
    ]
    blocks, unclosed = [], []
    at = 0
    hopeless: dict[
        str, int
    ] = {}  # for each mark, the length from which on no fence is closed any more
    while at < len(found):
        opening = found[at]
        mark, length = opening.mark[0], len(opening.mark)
        end = None if length >= hopeless.get(mark, length + 1) else _closing(found, at)
        if end is None:
            hopeless[mark] = min(length, hopeless.get(mark, length))
            unclosed.append(opening)
            at += 1
        else:
            blocks.append((opening.start, found[end].stop))
            at = end + 1
    return Fences(tuple(blocks), tuple(unclosed))


def left_open(text: str) -> str:
    """The fence that would close the code block which is open at the end of a text; empty where none is."""
    opening: Fence | None = None
    for m in _FENCE.finditer(text):
        fence = Fence(m[1], m.start(), m.end(), not m[2].strip())
        if opening is None:
            opening = fence
        elif fence.ends(opening):
            opening = None
    return opening.mark if opening else ""


def outside(
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


def _closing(found: Sequence[Fence], at: int) -> int | None:
    return next(
        (n for n in range(at + 1, len(found)) if found[n].ends(found[at])), None
    )
