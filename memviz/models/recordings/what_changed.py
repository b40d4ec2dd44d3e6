"""The difference between a request and the nearest one that a recording holds, as a sentence."""

from difflib import SequenceMatcher
from itertools import zip_longest

from memviz.core.messages import Message
from memviz.core.translation import _, noop
from memviz.models.base import ModelRequest
from memviz.models.recordings.recording import Recording

COMPARED_CHARS = 1_500
"""The characters of the beginning and of the end of each message that are compared: enough to find the nearest, and
quick with long ones."""


SHOWN_CHARS = 60


BEFORE_CHARS = 15


_A_MESSAGE = {
    "system": noop("a system message"),
    "user": noop("a user message"),
    "assistant": noop("an assistant message"),
    "tool": noop("a tool message"),
}


def what_changed(recording: Recording, request: ModelRequest) -> str:
    """The nearest request of ``recording`` and the first difference from it, as a sentence."""
    requests = [reply.request for reply in recording.replies.values()]
    if not requests:
        return _("It holds no request at all.")
    likeness = [_measure_likeness(recorded, request) for recorded in requests]
    index = likeness.index(max(likeness))
    return _(
        "The nearest it holds is request {number} of {all}: {difference}.",
        number=index + 1,
        all=len(requests),
        difference=_describe_difference(requests[index], request),
    )


def _measure_likeness(
    recorded: ModelRequest, request: ModelRequest
) -> tuple[int, float]:
    """The number of messages that are the same at the beginning, and the likeness of the next ones."""
    pairs = zip(recorded.messages, request.messages, strict=False)
    same = 0
    for ours, theirs in pairs:
        if ours.to_request() != theirs.to_request():
            matcher = SequenceMatcher(None, _ends(ours), _ends(theirs))
            return same, matcher.quick_ratio()
        same += 1
    return same, 1.0 if len(recorded.messages) == len(request.messages) else 0.0


def _ends(message: Message) -> str:
    """The parts of a message that are compared."""
    text = message.content
    if len(text) <= 2 * COMPARED_CHARS:
        return text
    return text[:COMPARED_CHARS] + text[-COMPARED_CHARS:]


def _describe_difference(recorded: ModelRequest, request: ModelRequest) -> str:
    """Return the first difference of two requests, as the end of a sentence."""
    pairs = zip_longest(recorded.messages, request.messages)
    for number, (ours, theirs) in enumerate(pairs, 1):
        if ours is None or theirs is None:
            return _(
                "it has {recorded} messages, this one {asked}",
                recorded=len(recorded.messages),
                asked=len(request.messages),
            )
        if ours.role != theirs.role:
            return _(
                "its message {number} is {role}, here it is {other}",
                number=number,
                role=_(_A_MESSAGE[ours.role]),
                other=_(_A_MESSAGE[theirs.role]),
            )
        if ours.content != theirs.content:
            then, now = _find_difference(ours.content, theirs.content)
            return _(
                "its message {number} ({role}) says “{then}” where this one says “{now}”",
                number=number,
                role=ours.role,
                then=then,
                now=now,
            )
        if ours.to_request() != theirs.to_request():
            return _(
                "its message {number} ({role}) has another name or other calls of tools",
                number=number,
                role=ours.role,
            )
    if [tool.name for tool in recorded.tools] != [tool.name for tool in request.tools]:
        return _(
            "it was offered {tools}, this one {others}",
            tools=_name_tools(recorded),
            others=_name_tools(request),
        )
    return _("its tools are described in other words, or were to be used otherwise")


def _find_difference(then: str, now: str) -> tuple[str, str]:
    """The place where two texts begin to differ, with a little of what is before it."""
    same = 0
    for then_char, now_char in zip(then, now, strict=False):
        if then_char != now_char:
            break
        same += 1
    start = max(0, same - BEFORE_CHARS)
    return _cut_excerpt(then, start), _cut_excerpt(now, start)


def _cut_excerpt(text: str, start: int) -> str:
    stop = start + SHOWN_CHARS
    excerpt = " ".join(text[start:stop].split())
    if start > 0:
        excerpt = f"…{excerpt}"
    if stop < len(text):
        excerpt = f"{excerpt}…"
    return excerpt


def _name_tools(request: ModelRequest) -> str:
    names = (_("the tool {name}", name=tool.name) for tool in request.tools)
    return _(", ").join(names) or _("no tool")
