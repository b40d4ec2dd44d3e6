"""The accumulated summaries of a context: which turn has which."""

import re
from collections.abc import Iterator, Sequence

from memviz.core.messages import Message

_HEADING = re.compile(r"\s*=== .* ===[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(r"^\[Turn ([0-9]{1,9})\](?: |$)", re.MULTILINE)


def turn_summaries(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """Turn number and text, which may have several lines, of each summary of a turn."""
    last = 0
    for message in messages:
        if message.role != "system" or not _HEADING.match(message.content):
            continue
        # numbers only grow, so a line of a summary that quotes an earlier mark begins no entry
        marks = []
        for mark in _ENTRY.finditer(message.content):
            if int(mark.group(1)) > last:
                last = int(mark.group(1))
                marks.append(mark)
        for at, mark in enumerate(marks):
            stop = (
                marks[at + 1].start() if at + 1 < len(marks) else len(message.content)
            )
            yield int(mark.group(1)), message.content[mark.end() : stop]
