"""Models whose replies are noted: all of a session, to be saved afterwards, or one by one into a growing file."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from threading import Lock
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

MOST_REPLIES = 2_000
"""The most replies that are noted at once; the oldest go first."""


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
        recorded = _as_recorded(reply, self.name, seconds)
        if reply.cached:
            # An answer from the disk took no time, and what it cost was paid before.
            recorded = replace(
                recorded, cached=False, recorded_seconds=None, cost_usd=None
            )
        self.notes.add(RecordedReply(request, recorded, _now()))


class RecordingModel(ModelWrapper):
    """``model``, with every reply written to ``file``. What the file held before is played and not asked for again, so
    that a recorder that was killed pays nothing twice."""

    def __init__(self, model: Model, file: RecordingFile) -> None:
        super().__init__(model)
        self._file = file
        self._known = RecordedModel(file.recording)
        self._added: dict[str, Reply] = {}
        self.asked = 0
        """The number of requests that the model was asked."""
        self.played = 0
        """The number of requests that the file held already."""
        self.given: list[str] = []
        """The marks of all replies, in order."""

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's reply, written down when it is whole; or the one on record, of which the meter hears nothing."""
        recorded = self._known.find(request) or self._added.get(request.digest)
        if recorded is not None:
            self.played += 1
            self.given.append(RecordedReply(request, recorded).mark)
            yield recorded.text
            yield recorded
            return
        started = perf_counter()
        for item in self._model.answer(request, meter):
            if isinstance(item, Reply):
                self._write(request, item, perf_counter() - started)
            yield item

    def _write(self, request: ModelRequest, reply: Reply, seconds: float) -> None:
        self.asked += 1
        recorded = _as_recorded(reply, self.name, seconds)
        self._added[request.digest] = recorded
        entry = RecordedReply(request, recorded, _now())
        self._file.add(entry)
        self.given.append(entry.mark)


def _as_recorded(reply: Reply, model: str, seconds: float) -> Reply:
    """The reply of the model of this name as it is played later; it took so many ``seconds``."""
    name = reply.model or model
    return replace(reply, model=name, recorded=True, recorded_seconds=round(seconds, 3))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
