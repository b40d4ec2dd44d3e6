"""A model that gives again what a real one gave."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import sleep
from typing import Any

from memviz.core.messages import Message
from memviz.core.model_errors import NotRecordedError
from memviz.core.summaries import SummarySource
from memviz.core.translation import _
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
from memviz.models.recordings.what_changed import what_changed
from memviz.models.tools import Tool

MOST_SETTINGS = 8
"""The most settings of a recording that are named where a request is not recorded."""
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
        reply = self._reply(ModelRequest(tuple(messages), tuple(tools), tool_choice))
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
        reply = self._reply(ModelRequest(tuple(messages), tuple(tools), tool_choice))
        if self.paced:
            sleep(reply.recorded_seconds or 0.0)
        return reply

    @property
    def _way_on(self) -> str:
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
        return self._of(request).answer(request, meter)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """The recorded summary, or that of the other model."""
        return self._of(ModelRequest(tuple(messages))).summarize(messages)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """The recorded summary, or that of the other model, which is given what the prompt was made of."""
        return self._of(ModelRequest(tuple(messages))).summarize_from(messages, source)

    def _of(self, request: ModelRequest) -> Model:
        digest = request.digest
        for model in self._recorded:
            if digest in model.recording.replies:
                return model
        return self._model
