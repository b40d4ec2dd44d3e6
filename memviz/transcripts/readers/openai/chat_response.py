"""Responses of the OpenAI chat API: the reply is the message of the first choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Placed
from memviz.transcripts.readers.json_access import list_at, object_at, value_at
from memviz.transcripts.readers.json_rows import (
    RowReader,
    add_messages,
    inside,
    with_places,
)
from memviz.transcripts.readers.role_lists import FOREIGN_KEYS
from memviz.transcripts.times import moment, with_time


class ChatResponse(RowReader):
    """One response, a list, lines or a page of them. The messages that were asked may be beside the choices."""

    name = "chat_response"
    title = "OpenAI chat response"
    expected = "an object with choices"

    def is_row(self, row: dict[str, Any]) -> bool:
        """Whether an object has choices with a message."""
        return is_response(row)

    def recognise(self, document: Document) -> bool:
        """Objects with choices that have a message, or a page of such."""
        data = page_data(document.object)
        if data:
            return all(isinstance(item, dict) and is_response(item) for item in data)
        return super().recognise(document)

    def conversations(self, document: Document) -> Sequence[Placed]:
        """One conversation for each response."""
        data = page_data(document.object)
        return (
            with_places(data, "data index") if data else super().conversations(document)
        )

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages that were asked, if they are there, and the reply."""
        return read_response(row, place, builder)


def page_data(value: Mapping[str, Any]) -> list[Any]:
    """The items of a page of a list of the OpenAI API; none for anything else."""
    return (
        list_at(value, "data")
        if value.get("object") == "list" or "has_more" in value
        else []
    )


def is_response(value: Mapping[str, Any]) -> bool:
    """Whether an object has choices, and the first of them has a message."""
    if "custom_id" in value or "probes" in value or not FOREIGN_KEYS.isdisjoint(value):
        return False
    return any(_message(choice) is not None for choice in list_at(value, "choices")[:1])


def read_response(
    value: Mapping[str, Any], place: str, builder: TranscriptBuilder
) -> dict[str, Any]:
    """Add the reply of a response; returns what else is known of the conversation."""
    replies = [
        (index, _message(choice))
        for index, choice in _in_order(list_at(value, "choices"))
    ]
    found = [(index, message) for index, message in replies if message is not None]
    if not found:
        raise TranscriptError(
            "it has no choice with a message.",
            place=place,
            remedy="Choose one with a reply.",
        )
    if value.get("messages") is not None:
        add_messages(value["messages"], place, builder, "messages")
    (index, reply), *others = found
    meta = {**with_time(value.get("created")), **object_at(reply, "meta")}
    builder.add_json({**reply, "meta": meta}, inside(place, f"choices index {index}"))
    if others:
        builder.note(f"of {len(found)} choices only the first was imported", place)
    return {"held_at": moment(value.get("created"))}


def _in_order(choices: list[Any]) -> list[tuple[int, Any]]:
    """The choices with their position in the list, the one that calls itself number 0 first."""
    numbered = list(enumerate(choices))
    return sorted(numbered, key=lambda entry: value_at(entry[1], "index") != 0)


def _message(choice: object) -> dict[str, Any] | None:
    message = value_at(choice, "message")
    return message if isinstance(message, dict) else None
