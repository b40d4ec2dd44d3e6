"""Responses of the OpenAI chat API: the reply is the message of the first choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.json_rows import Row, inside, most_rows, row_object, rows, take_messages
from memviz.transcripts.readers.role_lists import FOREIGN_KEYS
from memviz.transcripts.times import moment, with_time


class ChatResponse(Reader):
    """One response, a list, lines or a page of them. The messages that were asked may stand beside the choices."""

    name = "chat_response"
    title = "OpenAI chat response"

    def recognise(self, document: Document) -> bool:
        """Objects with choices that have a message, or a page of such."""
        data = page_data(document.object)
        if data:
            return all(isinstance(item, dict) and is_response(item) for item in data)
        return most_rows(document, is_response)

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each response."""
        data = page_data(document.object)
        if data:
            return [(item, f"data index {index}") for index, item in enumerate(data)]
        return rows(document, "an object with choices")

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """The messages that were asked, if they are there, and the reply."""
        row, place = piece
        return builder.build(**read_response(row_object(row, place), place, builder))


def page_data(value: Mapping[str, Any]) -> list[Any]:
    """The items of a page of a list of the OpenAI API; none for anything else."""
    data = value.get("data")
    is_page = isinstance(data, list) and (value.get("object") == "list" or "has_more" in value)
    return data if is_page and isinstance(data, list) else []


def is_response(value: Mapping[str, Any]) -> bool:
    """Whether an object has choices of which the first has a message."""
    if "custom_id" in value or "probes" in value or not FOREIGN_KEYS.isdisjoint(value):
        return False
    choices = value.get("choices")
    return isinstance(choices, list) and bool(choices) and _message(choices[0]) is not None


def read_response(value: Mapping[str, Any], place: str, builder: TranscriptBuilder) -> dict[str, Any]:
    """Take the reply of a response; returns what else is known of the conversation."""
    choices = value.get("choices")
    replies = [(index, _message(choice)) for index, choice in _in_order(choices if isinstance(choices, list) else [])]
    found = [(index, message) for index, message in replies if message is not None]
    if not found:
        raise TranscriptError("it has no choice with a message.", place=place, remedy="Choose one with a reply.")
    if value.get("messages") is not None:
        take_messages(value["messages"], place, builder, "messages")
    (index, reply), *others = found
    meta = reply.get("meta")
    said = {**with_time(value.get("created")), **(meta if isinstance(meta, dict) else {})}
    where = inside(place, f"choices index {index}")
    builder.add_json({**reply, "meta": said}, where)
    if others:
        builder.note(f"of {len(found)} choices only the first was imported", place)
    return {"held_at": moment(value.get("created"))}


def _in_order(choices: list[Any]) -> list[tuple[int, Any]]:
    """The choices with their position in the list, the one that calls itself number 0 first."""
    numbered = list(enumerate(choices))
    is_first = [isinstance(choice, dict) and choice.get("index") == 0 for choice in choices]
    return sorted(numbered, key=lambda entry: not is_first[entry[0]])


def _message(choice: object) -> dict[str, Any] | None:
    message = choice.get("message") if isinstance(choice, dict) else None
    return message if isinstance(message, dict) else None
