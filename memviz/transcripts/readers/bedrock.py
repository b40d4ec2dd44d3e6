"""Amazon Bedrock's Converse API: requests, responses, lists of messages, tuning rows, and logs of model calls.

A message has blocks without a type: each is an object whose key says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    NOT_TEXT,
    UNKNOWN_KIND,
    Note,
    content_text,
    kept_beside,
    stand_in,
)
from memviz.transcripts.document import HEAD_ITEMS, Placed
from memviz.transcripts.readers.json_access import (
    joined,
    json_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import ExchangeReader, inside, with_places
from memviz.transcripts.readers.message_parts import (
    Part,
    add_parts,
    call_part,
    result_part,
)
from memviz.transcripts.readers.role_lists import has_roles, is_bedrock
from memviz.transcripts.readers.tool_schemas import tool_schemas
from memviz.transcripts.times import moment

FILES = {"image": "image", "video": "video", "audio": "audio", "document": "file"}
SILENT = frozenset({"cachePoint"})
"""Blocks that say something to the server and show nothing."""


class Bedrock(ExchangeReader):
    """What is sent to Converse, what it answers, or both."""

    name = "bedrock"
    title = "Amazon Bedrock Converse messages"
    expected = "messages with blocks, or an object with messages or an output,"

    def are_messages(self, items: list[Any]) -> bool:
        """Messages with blocks that have no type."""
        return _are_messages(items)

    def is_message(self, item: object) -> bool:
        """An object with such blocks."""
        return isinstance(item, dict) and is_bedrock(item)

    def is_exchange(self, row: object) -> bool:
        """What is sent to Converse, what it answers, or an entry of a log with either."""
        return _is_exchange(row)

    def read(
        self, piece: Placed | list[Placed], builder: TranscriptBuilder
    ) -> Transcript:
        """The messages that were sent, and the reply."""
        if isinstance(piece, list):
            for item, place in piece:
                _add_message(item, place, builder)
            return builder.build()
        row, place = piece
        request, reply = _request(row), _reply(row)
        messages = list_at(request, "messages")
        if not messages and reply is None:
            raise TranscriptError(
                "it has no messages.", place=place, remedy="Choose another one."
            )
        for item, where in with_places(messages):
            _add_message(item, inside(place, where), builder)
        if reply is not None:
            _add_message(reply, inside(place, "output"), builder)
        system = joined(
            [_text(block, builder.note) for block in _blocks(request.get("system"))]
        )
        held_at = moment(value_at(row, "timestamp"))
        return builder.build(
            system_prompt=system or None, held_at=held_at, tools=tool_schemas(request)
        )


def _request(row: object) -> dict[str, Any]:
    """The request that an entry of a log is about; any other object is it."""
    return object_at(row, "input", "inputBodyJson") or object_at(row)


def _reply(row: object) -> dict[str, Any] | None:
    """The message of a response, or of the one in an entry of a log."""
    message = value_at(
        row, "output", "outputBodyJson", "output", "message"
    ) or value_at(row, "output", "message")
    return message if isinstance(message, dict) else None


def _is_exchange(row: object) -> bool:
    reply = _reply(row)
    is_reply = reply is not None and (
        is_bedrock(reply) or "stopReason" in object_at(row)
    )
    return is_reply or _are_messages(list_at(_request(row), "messages")[:HEAD_ITEMS])


def _are_messages(items: list[Any]) -> bool:
    return has_roles(items) and any(map(is_bedrock, objects_at(items)))


def _blocks(content: object) -> list[Any]:
    return (
        content if isinstance(content, list) else [] if content is None else [content]
    )


def _add_message(item: Any, place: str, builder: TranscriptBuilder) -> None:
    role = builder.speaker(item, place)
    if role is None:
        return
    blocks, note = _blocks(item.get("content")), builder.note_at(place)
    parts = [part for block in blocks for part in _parts(block, note)]
    citations = [
        citation
        for block in blocks
        for citation in list_at(block, "citationsContent", "citations")
    ]
    add_parts(
        builder,
        role,
        parts,
        place,
        meta=kept_beside({"citations": citations}, note) or None,
    )


def _parts(block: object, note: Note) -> list[Part]:
    thoughts = text_at(block, "reasoningContent", "reasoningText", "text")
    if isinstance(
        value_at(block, "reasoningContent"), dict
    ):  # encrypted thoughts have no text
        return [Part("reasoning", thoughts)] if thoughts else []
    call, result = value_at(block, "toolUse"), value_at(block, "toolResult")
    if isinstance(call, dict):
        return [call_part(call, note)]
    if isinstance(result, dict):
        text = joined([_text(inner, note) for inner in _blocks(result.get("content"))])
        return [
            result_part(
                result.get("toolUseId"),
                text,
                is_error=result.get("status") == "error" or None,
            )
        ]
    return [Part("text", _text(block, note))]


def _text(block: object, note: Note) -> str:
    """The text of a block that is neither a call nor a result, or a stand-in."""
    if not isinstance(block, dict):
        return content_text(block, note)
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if "json" in block:
        return json_text(block["json"])
    key = next((key for key, value in block.items() if isinstance(value, dict)), "")
    inner = object_at(block, key)
    if key in FILES:
        return _file(FILES[key], inner)
    if key in ("citationsContent", "searchResult"):
        texts = [text_at(part, "text") for part in objects_at(inner, "content")]
        return joined(
            [text_at(inner, "title"), text_at(inner, "source"), "".join(texts)]
        )
    if key == "guardContent":
        return text_at(inner, "text", "text") or stand_in("image")
    if key in SILENT:
        return ""
    note(UNKNOWN_KIND if key else NOT_TEXT)
    return stand_in(key) if key else json_text(block)


def _file(kind: str, file: Mapping[str, Any]) -> str:
    """A stand-in for a file, with the text that is in it and what is said of it."""
    source = object_at(file, "source")
    texts = [
        text_at(source, "text"),
        *(text_at(part, "text") for part in objects_at(source, "content")),
    ]
    return joined([stand_in(kind, file.get("name")), *texts, text_at(file, "context")])
