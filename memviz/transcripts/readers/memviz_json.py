"""What memviz itself saves: messages with probes, events and a title beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.base import MAX_CATEGORY_CHARS, Probe, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.readers.json_access import list_at, object_at, texts_at
from memviz.transcripts.readers.json_rows import tool_schemas
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import moment


def read_probes(
    value: object, positions: Mapping[int, int], notes: ImportNotes
) -> tuple[Probe, ...]:
    """Parse the probes of a JSON list; broken ones are left out and noted.

    ``positions`` gives the log position for the index of a message in the file, without those that
    were left out.
    """
    items = value if isinstance(value, list) else [value]
    if value is None:
        items = []
    probes = []
    for index, item in enumerate(items):
        if _is_probe(item) and all(place in positions for place in item["evidence"]):
            evidence = [positions[place] for place in item["evidence"]]
            probes.append(Probe.from_dict({**item, "evidence": evidence}))
        else:
            notes.add(
                "a probe that is broken, or whose evidence is missing, was left out",
                f"probe {index}",
            )
    return tuple(probes)


def _is_probe(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("question"), str)
        and isinstance(item.get("category"), str)
        and 0 < len(item["category"]) <= MAX_CATEGORY_CHARS
        and _are(str, item.get("answers"))
        and _are(int, item.get("evidence"))
        and _are(str, item.get("stale", []))
        and bool(item["answers"])
    )


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


class MemvizJson(Reader):
    """One object with messages and probes; title, description, language, system_prompt, held_at and events may be
    beside them."""

    name = "memviz"
    title = "Conversation saved by memviz"

    def recognise(self, document: Document) -> bool:
        """An object with a list of messages and with probes."""
        return "probes" in document.object and are_messages(
            document.object.get("messages")
        )

    def conversations(self, document: Document) -> Sequence[dict[str, Any]]:
        """One conversation: the object."""
        if not isinstance(document.object.get("messages"), list):
            raise mismatch("an object with a list of messages", document)
        return [document.object]

    def read(self, piece: dict[str, Any], builder: TranscriptBuilder) -> Transcript:
        """The conversation with all that is saved beside it."""
        positions = builder.add_all_json(piece["messages"])
        read_events(piece.get("events"), builder)
        probes = read_probes(piece.get("probes"), positions, builder.notes)
        known = {
            "held_at": moment(piece.get("held_at")),
            "tools": tool_schemas(piece),
            **saved_texts(piece),
        }
        return builder.build(probes=probes, **known)


def saved_texts(saved: dict[str, Any]) -> dict[str, str]:
    """Title, description, language and system prompt of an object, if they are texts."""
    return texts_at(saved, "title", "description", "language", "system_prompt")


def read_events(value: object, builder: TranscriptBuilder) -> None:
    """Add saved events; broken ones are left out and noted."""
    for index, item in enumerate(list_at(value)):
        try:
            builder.events.append(RecordedEvent.from_dict(object_at(item)))
        except ValueError:
            builder.note("an event that is broken was left out", f"event {index}")
