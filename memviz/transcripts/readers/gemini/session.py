"""A session of the Gemini CLI as its file leaves it, after all rewinds and corrections."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memviz.transcripts.document import Placed
from memviz.transcripts.readers.gemini.parts import instruction_text
from memviz.transcripts.readers.json_access import id_text, list_at, value_at
from memviz.transcripts.readers.json_rows import with_places

SUMMARIES = ("<state_snapshot>", "<compressed_history>", "<compressed_chat_history>")
REWOUND = "messages that the user went back on were left out"
REPLACED = "messages that the program replaced by others were left out"
UNKNOWN_REWIND = "a rewind to a message that is not in the file was passed over"


@dataclass(slots=True)
class Session:
    """What is known of a session, and its messages after all rewinds and corrections."""

    metadata: dict[str, Any] = field(default_factory=dict)
    messages: list[Placed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of_object(cls, found: Mapping[str, Any]) -> Session:
        """A session that was saved as one object."""
        return cls(dict(found), with_places(list_at(found, "messages")))

    @classmethod
    def of_rows(cls, rows: Sequence[Placed]) -> Session:
        """A session that was saved row by row: a row with the id of an earlier one replaces it."""
        session, order = cls(), dict[str, Placed]()
        for number, (row, place) in enumerate(rows):
            if not isinstance(row, dict):
                order[f"#{number}"] = (row, place)
            elif "$rewindTo" in row:
                session._rewind(order, row["$rewindTo"])
            elif isinstance(row.get("$set"), dict):
                session._set(order, row["$set"], place)
            elif isinstance(row.get("id"), str) or "type" in row:
                order[id_text(row.get("id")) or f"#{number}"] = (row, place)
            else:
                session._set(order, row, place)
        session.messages = list(order.values())
        return session

    def _rewind(self, order: dict[str, Placed], id: object) -> None:
        ids = list(order)
        if id not in ids:
            self.notes.append(UNKNOWN_REWIND)
            return
        gone = ids[ids.index(str(id)) :]
        self.notes += [REWOUND] * len(gone)
        for key in gone:
            del order[key]

    def _set(
        self, order: dict[str, Placed], changes: Mapping[str, Any], place: str
    ) -> None:
        self.metadata.update(changes)
        messages = changes.get("messages")
        if not isinstance(messages, list):
            return
        keyed = {
            id_text(value_at(item, "id")) or f"{place} #{n}": (item, place)
            for n, item in enumerate(messages)
        }
        if any(
            _is_summary(item) for item, _ in keyed.values()
        ):  # the messages that the summary replaced stay
            said = {_content(item) for item, _ in order.values()}
            keyed = {
                id: new
                for id, new in keyed.items()
                if id not in order and _content(new[0]) not in said
            }
        else:
            kept = {_content(item) for item, _ in keyed.values()}
            gone = [
                id
                for id, (old, _) in order.items()
                if id not in keyed and _content(old) not in kept
            ]
            self.notes += [REPLACED] * len(gone)
            order.clear()
        order.update(keyed)


def text_of(item: object) -> str:
    """The text of a content or a record; parts that are no text are passed over."""
    parts = (
        value_at(item, "parts")
        if value_at(item, "parts") is not None
        else value_at(item, "content")
    )
    return instruction_text(parts, lambda _: None) or ""


def _is_summary(item: object) -> bool:
    return value_at(item, "type") == "user" and text_of(item).lstrip().startswith(
        SUMMARIES
    )


def _content(item: object) -> str:
    return json.dumps(
        [value_at(item, "type"), value_at(item, "content")], ensure_ascii=False
    )
