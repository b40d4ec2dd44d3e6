"""A model that gives again what a real one gave."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from time import sleep
from typing import Any

from memviz.core.errors import NotRecordedError
from memviz.core.messages import Message
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

COMPARED_CHARS = 1_500
"""Of the beginning and of the end of each message: enough to find the nearest, and quick with long ones."""
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
    requests = [one.request for one in recording.replies.values()]
    if not requests:
        return _("It holds no request at all.")
    at = max(
        range(len(requests)), key=lambda number: _likeness(requests[number], request)
    )
    return _(
        "The nearest it holds is request {number} of {all}: {difference}.",
        number=at + 1,
        all=len(requests),
        difference=_difference(requests[at], request),
    )


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
            return _(
                "it has {recorded} messages, this one {asked}",
                recorded=len(recorded.messages),
                asked=len(request.messages),
            )
        if one.role != other.role:
            return _(
                "its message {number} is {role}, here it is {other}",
                number=number,
                role=_(_A_MESSAGE[one.role]),
                other=_(_A_MESSAGE[other.role]),
            )
        if one.content != other.content:
            then, now = _first_difference(one.content, other.content)
            return _(
                "its message {number} ({role}) says “{then}” where this one says “{now}”",
                number=number,
                role=one.role,
                then=then,
                now=now,
            )
        if one.to_request() != other.to_request():
            return _(
                "its message {number} ({role}) has another name or other calls of tools",
                number=number,
                role=one.role,
            )
    if [tool.name for tool in recorded.tools] != [tool.name for tool in request.tools]:
        return _(
            "it was offered {tools}, this one {others}",
            tools=_named(recorded),
            others=_named(request),
        )
    return _("its tools are described in other words, or were to be used otherwise")


def _first_difference(then: str, now: str) -> tuple[str, str]:
    """The place where two texts begin to differ, with a little of what is before it."""
    same = next(
        (at for at, (a, b) in enumerate(zip(then, now, strict=False)) if a != b),
        min(len(then), len(now)),
    )
    start = max(0, same - BEFORE_CHARS)
    return _shown(then, start), _shown(now, start)


def _shown(text: str, start: int) -> str:
    stop = start + SHOWN_CHARS
    shown = " ".join(text[start:stop].split())
    if start > 0:
        shown = f"…{shown}"
    if stop < len(text):
        shown = f"{shown}…"
    return shown


def _named(request: ModelRequest) -> str:
    named = (_("the tool {name}", name=tool.name) for tool in request.tools)
    return _(", ").join(named) or _("no tool")


MOST_SETTINGS = 8
"""Named where a request is not recorded."""
_PIECE = re.compile(r"\S+\s*|\s+")


class RecordedModel(Model):
    """Plays ``recording``: to the same request the same reply, with no key and no network. With ``paced`` a reply takes
    as long as it took, where that was recorded.

    Raises :class:`memviz.core.errors.NotRecordedError` for a request that is not in it,
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
        found = self.recording.replies.get(request.digest)
        return None if found is None else found.reply

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """The recorded reply: a word a piece, and last the whole."""
        reply = self._reply(ModelRequest(tuple(messages), tuple(tools), tool_choice))
        pieces = _PIECE.findall(reply.text)
        pause = (
            (reply.recorded_seconds or 0.0) / max(1, len(pieces)) if self.paced else 0.0
        )
        for piece in pieces:
            if pause:
                sleep(pause)
            yield piece
        yield reply

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """The recorded reply at once, or after the time that it took."""
        reply = self._reply(ModelRequest(tuple(messages), tuple(tools), tool_choice))
        if self.paced:
            sleep(reply.recorded_seconds or 0.0)
        return reply

    @property
    def _way_on(self) -> str:
        own = [
            setting_words(setting.strategy)
            for setting in self.recording.settings.values()
        ]
        if not own:
            return _("Choose another model, or record this too.")
        return _(
            "Choose one of its settings ({settings}), another model, or record this too.",
            settings=_(", ").join(own[:MOST_SETTINGS]),
        )

    def _reply(self, request: ModelRequest) -> Reply:
        reply = self.find(request)
        if reply is None:
            raise NotRecordedError(
                _(
                    "The recording “{name}” holds no reply to this request. {difference} {remedy}",
                    name=self.recording.name,
                    difference=what_changed(self.recording, request),
                    remedy=self._way_on,
                ),
                model=self.name,
            )
        return reply


class RecordedFirst(ModelWrapper):
    """The reply of the first of ``recordings`` that holds the request, else that of ``otherwise``. Whose a reply is,
    the reply says."""

    def __init__(self, recordings: Iterable[Recording], otherwise: Model) -> None:
        super().__init__(otherwise)
        self._recorded = [RecordedModel(recording) for recording in recordings]

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """Those of all."""
        otherwise = self._model.identity
        return (
            None
            if otherwise is None
            else {
                **otherwise,
                "recorded": [dict(one.identity) for one in self._recorded],
            }
        )

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The recorded reply, or that of the other model."""
        return self._of(request).answer(request, meter)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """The recorded summary, or that of the other model."""
        return self._of(ModelRequest(tuple(messages))).summarize(messages)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """The same, with what the prompt was made of."""
        return self._of(ModelRequest(tuple(messages))).summarize_from(messages, source)

    def _of(self, request: ModelRequest) -> Model:
        digest = request.digest
        for one in self._recorded:
            if digest in one.recording.replies:
                return one
        return self._model
