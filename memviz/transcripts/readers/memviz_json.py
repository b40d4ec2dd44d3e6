"""Files that memviz itself saves: messages with probes, events and a title beside them."""

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.base import MAX_CATEGORY_CHARS, Probe, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch_error
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.readers.json_access import (
    as_list,
    list_at,
    object_at,
    text_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import add_places, tool_schemas
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import moment

LISTS = {"answers": str, "evidence": int, "stale": str}
"""The lists that a probe has, and what is in each."""
BROKEN_PROBE = noop(
    "a fact to ask for that is broken, or whose evidence is missing, was left out"
)
BROKEN_EVENT = noop("an event that is broken was left out")
EXPECTED = noop("an object with a list of messages")


def read_probes(
    value: object, positions: Mapping[int, int], notes: ImportNotes
) -> tuple[Probe, ...]:
    """Parse the probes of a JSON list; broken ones are left out and noted.

    ``positions`` gives the log position for the index of a message in the file, without those that
    were left out.
    """
    items = [] if value is None else as_list(value)
    probes = []
    for item, where in add_places(items, "fact"):
        if _is_probe(item) and positions.keys() >= set(item["evidence"]):
            evidence = [positions[place] for place in item["evidence"]]
            probes.append(Probe.from_dict({**item, "evidence": evidence}))
        else:
            notes.add(BROKEN_PROBE, where)
    return tuple(probes)


def _is_probe(item: Any) -> bool:
    if not isinstance(value_at(item, "question"), str):
        return False
    if not 0 < len(text_at(item, "category")) <= MAX_CATEGORY_CHARS:
        return False
    lists = {"stale": [], **item}
    for key, kind in LISTS.items():
        values = lists.get(key)
        if not isinstance(values, list) or any(
            type(value) is not kind for value in values
        ):
            return False
    return bool(item["answers"])


class MemvizJson(Reader):
    """One object with messages and probes; title, description, language, system_prompt, held_at and events may be
    beside them."""

    name = "memviz"
    title = noop("Conversation saved by memviz")

    def recognise(self, document: Document) -> bool:
        """An object with a list of messages and with probes."""
        return "probes" in document.object and are_messages(
            document.object.get("messages")
        )

    def conversations(self, document: Document) -> Sequence[dict[str, Any]]:
        """One conversation: the object."""
        if not isinstance(document.object.get("messages"), list):
            raise mismatch_error(EXPECTED, document)
        return [document.object]

    def read(self, piece: dict[str, Any], builder: TranscriptBuilder) -> Transcript:
        """The conversation with all that is saved beside it."""
        positions = builder.add_all_json(piece["messages"])
        read_events(piece.get("events"), builder)
        probes = read_probes(piece.get("probes"), positions, builder.notes)
        fields = {
            "held_at": moment(piece.get("held_at")),
            "tools": tool_schemas(piece),
            **read_saved_texts(piece),
        }
        return builder.build(probes=probes, **fields)


def read_saved_texts(saved: dict[str, Any]) -> dict[str, str]:
    """Title, description, language and system prompt of an object, if they are texts."""
    return texts_at(saved, "title", "description", "language", "system_prompt")


def read_events(value: object, builder: TranscriptBuilder) -> None:
    """Add saved events; broken ones are left out and noted."""
    for item, place in add_places(list_at(value), "event"):
        try:
            builder.events.append(RecordedEvent.from_dict(object_at(item)))
        except ValueError:
            builder.note(BROKEN_EVENT, place)
