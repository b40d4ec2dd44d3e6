"""A model that gives again what a real one gave, and models whose replies are noted for that.

Noted are all replies of a session, to be saved afterwards, or one by one into a growing file.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from itertools import zip_longest
from threading import Lock
from time import perf_counter, sleep
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
from memviz.models.recordings.files import RecordingFile
from memviz.models.recordings.recording import RecordedReply, Recording, setting_words
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
MOST_REPLIES = 2_000
"""Noted at once; the oldest go first."""


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


class Notes:
    """The replies of live models, the newest :data:`MOST_REPLIES`. Safe to share between threads."""

    def __init__(self) -> None:
        self._replies: deque[RecordedReply] = deque(maxlen=MOST_REPLIES)
        self._writing = Lock()

    def add(self, reply: RecordedReply) -> None:
        """Note one."""
        with self._writing:
            self._replies.append(reply)

    @property
    def replies(self) -> tuple[RecordedReply, ...]:
        """All that are noted, in order."""
        with self._writing:
            return tuple(self._replies)


class Noted(ModelWrapper):
    """``model``, with every whole reply written into ``notes``. One that was cut off may be whole the next time."""

    def __init__(self, model: Model, notes: Notes) -> None:
        super().__init__(model)
        self.notes = notes

    def limited(self, max_output_tokens: int) -> Model | None:
        """The limited model, noted in the same place."""
        limited = self._model.limited(max_output_tokens)
        return None if limited is None else Noted(limited, self.notes)

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's reply."""
        started = perf_counter()
        for item in self._model.answer(request, meter):
            if isinstance(item, Reply) and item.is_whole:
                self._note(request, item, perf_counter() - started)
            yield item

    def _note(self, request: ModelRequest, reply: Reply, seconds: float) -> None:
        # An answer from the disk took no time, and what it cost was paid before.
        took, cost = (
            (None, None) if reply.cached else (round(seconds, 3), reply.cost_usd)
        )
        kept = replace(
            reply,
            model=reply.model or self.name,
            cached=False,
            recorded=True,
            recorded_seconds=took,
            cost_usd=cost,
        )
        self.notes.add(
            RecordedReply(
                request, kept, datetime.now(UTC).isoformat(timespec="seconds")
            )
        )


class RecordingModel(ModelWrapper):
    """``model``, with every reply written to ``file``. What the file held before is played and not asked for again, so
    that a recorder that was killed pays nothing twice. ``asked`` and ``played`` count both; ``given`` are the marks of
    all replies, in order."""

    def __init__(self, model: Model, file: RecordingFile) -> None:
        super().__init__(model)
        self._file = file
        self._known = RecordedModel(file.recording)
        self._added: dict[str, Reply] = {}
        self.asked = self.played = 0
        self.given: list[str] = []

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's reply, written down when it is whole; or the one on record, of which the meter hears nothing."""
        known = self._known.find(request) or self._added.get(request.digest)
        if known is not None:
            self.played += 1
            self.given.append(RecordedReply(request, known).mark)
            yield known.text
            yield known
            return
        started = perf_counter()
        for item in self._model.answer(request, meter):
            if isinstance(item, Reply):
                self._write(request, item, perf_counter() - started)
            yield item

    def _write(self, request: ModelRequest, reply: Reply, seconds: float) -> None:
        self.asked += 1
        kept = replace(
            reply,
            model=reply.model or self.name,
            recorded=True,
            recorded_seconds=round(seconds, 3),
        )
        self._added[request.digest] = kept
        added = RecordedReply(
            request, kept, datetime.now(UTC).isoformat(timespec="seconds")
        )
        self._file.add(added)
        self.given.append(added.mark)
