"""A model whose replies are written into a recording as they come."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter

from memviz.models.base import (
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    Reply,
    unmetered,
)
from memviz.models.recordings.files import RecordingFile
from memviz.models.recordings.player import RecordedModel
from memviz.models.recordings.recording import RecordedReply


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
