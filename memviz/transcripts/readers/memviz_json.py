"""What memviz itself saves: messages with probes, events and a title beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.document import Document, Format, mismatch
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.readers.saved_probes import read_probes
from memviz.transcripts.reading import Reading
from memviz.transcripts.times import moment


class MemvizJson(Format):
    """One object with messages and probes; title, description, language, system_prompt, held_at and events may be
    beside them."""

    name = "memviz"
    title = "Conversation saved by memviz"

    def recognise(self, document: Document) -> bool:
        """An object with a list of messages and with probes."""
        return "probes" in document.object and are_messages(document.object.get("messages"))

    def conversations(self, document: Document) -> Sequence[dict[str, Any]]:
        """One conversation: the object."""
        if not isinstance(document.object.get("messages"), list):
            raise mismatch("an object with a list of messages", document)
        return [document.object]

    def read(self, piece: dict[str, Any], reading: Reading) -> Transcript:
        """The conversation with all that is saved beside it."""
        positions = reading.take_all(piece["messages"])
        read_events(piece.get("events"), reading)
        probes = read_probes(piece.get("probes"), positions, reading.findings)
        return reading.transcript(probes=probes, held_at=moment(piece.get("held_at")), **saved_texts(piece))


def saved_texts(saved: dict[str, Any]) -> dict[str, str]:
    """Title, description, language and system prompt of an object, those that are texts."""
    names = ("title", "description", "language", "system_prompt")
    return {name: saved[name] for name in names if isinstance(saved.get(name), str)}


def read_events(value: object, reading: Reading) -> None:
    """Take over saved events; one that is broken is left out and noted."""
    for index, item in enumerate(value if isinstance(value, list) else []):
        try:
            reading.happened(RecordedEvent.from_dict(item if isinstance(item, dict) else {}))
        except ValueError:
            reading.note("an event that is broken was left out", f"event {index}")
