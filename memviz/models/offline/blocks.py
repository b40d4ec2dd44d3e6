"""Blocks of memory: what a prompt asks to keep of the user in one, and of how to behave in the other."""

import re
from collections.abc import Callable, Sequence

from memviz.core.messages import Message
from memviz.models.offline.summarizer import best_lines
from memviz.models.offline.summary_request import Entry, instruction_of
from memviz.models.offline.worth import is_rule

_TAG = re.compile(r"</?(?:human|persona)>")


def asks_for_blocks(messages: Sequence[Message]) -> bool:
    """Return true if the prompt ``messages`` asks for the blocks *human* and *persona*."""
    return "<human>\n...\n</human>" in instruction_of(messages)


def write_blocks(
    entries: Sequence[Entry], most: int, count: Callable[[str], int]
) -> str:
    """Return the best clauses of ``entries``, together at most ``most`` of whatever ``count`` counts: standing rules as
    the persona's, all others as the user's."""
    plain = [Entry(entry.role, _TAG.sub("", entry.text).strip()) for entry in entries]
    statements = [entry for entry in plain if entry.text]
    lines = best_lines(statements, most, count)
    rules = [line for line in lines if is_rule(line)]
    other_lines = [line for line in lines if line not in rules]
    human = "\n".join(f"- {line}" for line in other_lines)
    persona = "\n".join(f"- {line}" for line in rules)
    return f"<human>\n{human}\n</human>\n<persona>\n{persona}\n</persona>"
