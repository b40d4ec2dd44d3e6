"""The recorded request that is most like one that is not recorded, and what is different about it."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from memviz.core.messages import Message
from memviz.models.base import ModelRequest
from memviz.models.recordings.recording import Recording

COMPARED_CHARS = 1_500
"""Of the beginning and of the end of each message: enough to find the nearest, and quick with long ones."""
SHOWN_CHARS = 60
BEFORE_CHARS = 15


def what_changed(recording: Recording, request: ModelRequest) -> str:
    """The nearest request of ``recording`` and the first difference from it, as a sentence."""
    requests = [one.request for one in recording.replies.values()]
    if not requests:
        return "It holds no request at all."
    at = max(
        range(len(requests)), key=lambda number: _likeness(requests[number], request)
    )
    return f"The nearest it holds is request {at + 1} of {len(requests)}: {_difference(requests[at], request)}."


def _likeness(recorded: ModelRequest, request: ModelRequest) -> tuple[int, float]:
    """The number of messages that are the same at the beginning, and the likeness of the next ones."""
    pairs = zip(recorded.messages, request.messages, strict=False)
    same = 0
    for one, other in pairs:
        if one.to_request() != other.to_request():
            return same, SequenceMatcher(None, _ends(one), _ends(other)).quick_ratio()
        same += 1
    return same, 1.0 if len(recorded.messages) == len(request.messages) else 0.0


def _ends(message: Message) -> str:
    """The parts of a message that are compared."""
    text = message.content
    return (
        text
        if len(text) <= 2 * COMPARED_CHARS
        else text[:COMPARED_CHARS] + text[-COMPARED_CHARS:]
    )


def _difference(recorded: ModelRequest, request: ModelRequest) -> str:
    for number, (one, other) in enumerate(
        zip_longest(recorded.messages, request.messages), 1
    ):
        if one is None or other is None:
            return f"it has {len(recorded.messages)} messages, this one {len(request.messages)}"
        if one.role != other.role:
            return f"its message {number} is {_article(one.role)}, here it is {_article(other.role)}"
        if one.content != other.content:
            then, now = _first_difference(one.content, other.content)
            return f"its message {number} ({one.role}) says “{then}” where this one says “{now}”"
        if one.to_request() != other.to_request():
            return f"its message {number} ({one.role}) has another name or other calls of tools"
    if [tool.name for tool in recorded.tools] != [tool.name for tool in request.tools]:
        return f"it was offered {_named(recorded)}, this one {_named(request)}"
    return "its tools are described in other words, or were to be used otherwise"


def _first_difference(then: str, now: str) -> tuple[str, str]:
    """The place where two texts begin to differ, with a little of what is before it."""
    same = next(
        (at for at, (a, b) in enumerate(zip(then, now, strict=False)) if a != b),
        min(len(then), len(now)),
    )
    start = max(0, same - BEFORE_CHARS)
    return _shown(then, start), _shown(now, start)


def _shown(text: str, start: int) -> str:
    flat = " ".join(text[start : start + SHOWN_CHARS].split())
    return "…" * (start > 0) + flat + "…" * (start + SHOWN_CHARS < len(text))


def _article(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role} message"


def _named(request: ModelRequest) -> str:
    return ", ".join(f"the tool {tool.name}" for tool in request.tools) or "no tool"
