"""A model that gives again what a real one gave."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from time import sleep
from typing import Any

from memviz.conversation import Message
from memviz.errors import NotRecordedError
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.names import RECORDING
from memviz.models.recordings.nearest import what_changed
from memviz.models.recordings.recording import RecordedRequest, Recording
from memviz.models.tools import Tool

_PIECE = re.compile(r"\S+\s*|\s+")


class RecordedModel(Model):
    """Plays ``recording``: to the same request the same reply, with no key and no network. With ``paced`` a reply takes
    as long as it took, where that was recorded.

    Raises :class:`memviz.errors.NotRecordedError` for a request that is not in it, which names the nearest one that is
    and what changed.
    """

    def __init__(self, recording: Recording, *, paced: bool = False) -> None:
        self.recording, self.paced = recording, paced
        self.name = RECORDING + recording.name

    @property
    def identity(self) -> Mapping[str, Any]:
        """What it holds."""
        return {"recording": self.recording.digest}

    def find(self, request: RecordedRequest) -> Reply | None:
        """The reply to a request, ``None`` where it is not recorded."""
        found = self.recording.replies.get(request.digest)
        return None if found is None else found.reply

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Iterator[str | Reply]:
        """The recorded reply: a word a piece, and last the whole."""
        reply = self._reply(messages, tools, tool_choice)
        pieces = _PIECE.findall(reply.text)
        pause = (reply.recorded_seconds or 0.0) / max(1, len(pieces)) if self.paced else 0.0
        for piece in pieces:
            if pause:
                sleep(pause)
            yield piece
        yield reply

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Reply:
        """The recorded reply at once, or after the time that it took."""
        reply = self._reply(messages, tools, tool_choice)
        if self.paced:
            sleep(reply.recorded_seconds or 0.0)
        return reply

    def _reply(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> Reply:
        request = RecordedRequest(tuple(messages), tuple(tools), tool_choice)
        reply = self.find(request)
        if reply is None:
            raise NotRecordedError(
                f"The recording “{self.recording.name}” holds no reply to this request. "
                f"{what_changed(self.recording, request)} Choose another model, or record this too.",
                model=self.name,
            )
        return reply
