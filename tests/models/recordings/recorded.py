"""Recordings for tests, made as ``memviz record`` makes them, of a model that needs no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from memviz.core.messages import Message
from memviz.engine.recording import record
from memviz.engine.replay import Messages
from memviz.models.base import Model, Reply, ToolChoice, Usage
from memviz.models.recordings.files import RecordingFile, read_recording
from memviz.models.recordings.player import RecordedModel
from memviz.models.recordings.recording import About, Recording
from memviz.models.tools import Tool
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe

MODEL = "provider/real"


class RealModel(Model):
    """Numbers its replies, and says what they cost, as a provider does. ``calls`` counts them."""

    name = MODEL

    def __init__(self) -> None:
        self.calls = 0

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """The next numbered reply."""
        self.calls += 1
        text = f"Reply {self.calls} of a real model."
        yield text
        yield Reply(text, usage=Usage(100 + self.calls, 7), cost_usd=0.001, model=MODEL)


def a_recording_of(
    messages: Messages,
    *strategies: Strategy,
    probes: Sequence[Probe] = (),
    path: Path | None = None,
) -> Recording:
    """What :class:`RealModel` answers in replays of ``messages``, and to ``probes`` at their ends."""
    with TemporaryDirectory() as folder:
        place = path or Path(folder) / "test.recording"
        with RecordingFile(
            place, About(title="A test", model=MODEL, made_on="2026-11-23")
        ) as file:
            record(messages, strategies, model=RealModel(), file=file, probes=probes)
        return read_recording(place)


def played(recording: Recording) -> RecordedModel:
    """The model that plays it."""
    return RecordedModel(recording)
