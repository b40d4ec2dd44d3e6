"""A model that replays a recording, so that pages and tests get real replies with no key and no network.

A request that the recording does not hold is an error, which names the nearest request that it does hold and the
first difference from it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from time import sleep
from typing import Any

from memviz.core.messages import Message
from memviz.core.model_errors import NotRecordedError
from memviz.core.summaries import SummarySource
from memviz.core.translation import _, noop
from memviz.models.base import (
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    Reply,
    ToolChoice,
    unmetered,
)
from memviz.models.names import RECORDING
from memviz.models.recordings.recording import Recording, setting_words
from memviz.models.tools import Tool

MOST_SETTINGS = 8
"""The most settings of a recording that are named where a request is not recorded."""
COMPARED_CHARS = 1_500
"""The characters of the beginning and of the end of each message that are compared: enough to find the nearest, and
quick with long ones."""
SHOWN_CHARS = 60
"""The characters of each text that the first difference is shown with."""
BEFORE_CHARS = 15
"""Of them, those in front of the difference."""
_A_MESSAGE = {
    "system": noop("a system message"),
    "user": noop("a user message"),
    "assistant": noop("an assistant message"),
    "tool": noop("a tool message"),
}
# a word with the space behind it
_PIECE = re.compile(r"\S+\s*|\s+")


class RecordedModel(Model):
    """Plays ``recording``: to the same request the same reply, with no key and no network. With ``paced`` a reply takes
    as long as it took, where that was recorded.

    Raises :class:`memviz.core.model_errors.NotRecordedError` for a request that is not in it,
    which names the nearest one that is and what changed.
    """

    def __init__(self, recording: Recording, *, paced: bool = False) -> None:
        self.recording = recording
        self.paced = paced
        self.name = RECORDING + recording.name

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the recording that is played."""
        return {"recording": self.recording.digest}

    def find(self, request: ModelRequest) -> Reply | None:
        """The reply to a request, ``None`` where it is not recorded."""
        recorded = self.recording.replies.get(request.digest)
        return None if recorded is None else recorded.reply

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """The recorded reply: a word a piece, and last the whole."""
        reply = self._find_reply(
            ModelRequest(tuple(messages), tuple(tools), tool_choice)
        )
        pieces = _PIECE.findall(reply.text)
        pause_seconds = 0.0
        if self.paced and pieces:
            pause_seconds = (reply.recorded_seconds or 0.0) / len(pieces)
        for piece in pieces:
            if pause_seconds:
                sleep(pause_seconds)
            yield piece
        yield reply

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """The recorded reply at once, or after the time that it took."""
        reply = self._find_reply(
            ModelRequest(tuple(messages), tuple(tools), tool_choice)
        )
        if self.paced:
            sleep(reply.recorded_seconds or 0.0)
        return reply

    @property
    def _remedy(self) -> str:
        own_settings = [
            setting_words(setting.strategy)
            for setting in self.recording.settings.values()
        ]
        if not own_settings:
            return _("Choose another model, or record this too.")
        return _(
            "Choose one of its settings ({settings}), another model, or record this too.",
            settings=_(", ").join(own_settings[:MOST_SETTINGS]),
        )

    def _find_reply(self, request: ModelRequest) -> Reply:
        reply = self.find(request)
        if reply is None:
            raise NotRecordedError(
                _(
                    "The recording “{name}” holds no reply to this request. {difference} {remedy}",
                    name=self.recording.name,
                    difference=describe_nearest_request(self.recording, request),
                    remedy=self._remedy,
                ),
                model=self.name,
            )
        return reply


class RecordedFirst(ModelWrapper):
    """Gives the reply of the first of ``recordings`` that holds the request, else that of the model ``otherwise``. A
    reply names the model that it came from."""

    def __init__(self, recordings: Iterable[Recording], otherwise: Model) -> None:
        super().__init__(otherwise)
        self._recorded = [RecordedModel(recording) for recording in recordings]

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """The identity of the other model, with those of all recordings."""
        otherwise = self._model.identity
        if otherwise is None:
            return None
        recorded = [dict(model.identity) for model in self._recorded]
        return {**otherwise, "recorded": recorded}

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The recorded reply, or that of the other model."""
        return self._find_model(request).answer(request, meter)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """The recorded summary, or that of the other model."""
        return self._find_model(ModelRequest(tuple(messages))).summarize(messages)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """The recorded summary, or that of the other model, which is given what the prompt was made of."""
        return self._find_model(ModelRequest(tuple(messages))).summarize_from(
            messages, source
        )

    def _find_model(self, request: ModelRequest) -> Model:
        digest = request.digest
        for model in self._recorded:
            if digest in model.recording.replies:
                return model
        return self._model


def describe_nearest_request(recording: Recording, request: ModelRequest) -> str:
    """Return a sentence on the nearest request of ``recording`` and the first difference from it."""
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
    """Return the number of equal messages at the beginning, and the likeness (0 to 1) of the first that differ."""
    pairs = zip(recorded.messages, request.messages, strict=False)
    same = 0
    for ours, theirs in pairs:
        if ours.to_request() != theirs.to_request():
            matcher = SequenceMatcher(None, _join_ends(ours), _join_ends(theirs))
            return same, matcher.quick_ratio()
        same += 1
    return same, 1.0 if len(recorded.messages) == len(request.messages) else 0.0


def _join_ends(message: Message) -> str:
    """Return the parts of a message that are compared: its beginning and its end, or all of a short one."""
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
    """Return excerpts of two texts from shortly before the place where they begin to differ."""
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
