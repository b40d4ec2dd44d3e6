"""UI messages of Vercel's AI SDK, of version 5 and later (parts alone) and of version 4 (parts beside content)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import HEAD_ITEMS, Document, Reader, mismatch
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.readers.vercel.parts import is_part, read_ui_message
from memviz.transcripts.times import moment

ROLES = frozenset({"system", "user", "assistant", "data"})
OLD_CALLS = "toolInvocations"
"""Where early messages of version 4, which have no parts, keep tool calls."""


class VercelUi(Reader):
    """A list of messages, one message a line, or chats: objects with a list of messages."""

    name = "vercel_ui"
    title = "Vercel AI SDK UI messages"

    def recognise(self, document: Document) -> bool:
        """At least half are messages with a role and parts, all of a type of the SDK; or are chats of these."""
        if document.object:
            return _is_chat(document.object)
        head = list(document.items[:HEAD_ITEMS])
        return _are_ui_messages(head) or (bool(head) and 2 * sum(map(_is_chat, head)) >= len(head))

    def conversations(self, document: Document) -> Sequence[Any]:
        """One for a list of messages; else one for each chat."""
        if isinstance(document.object.get("messages"), list):
            return [document.object]
        if not document.items:
            raise mismatch("messages with parts", document)
        if any(map(_is_chat, document.items)):
            return [item if isinstance(item, dict) else {} for item in document.items]
        return [list(zip(document.items, document.places, strict=True))]

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The messages in order; what a tool answered in the middle of a reply is a message of its own."""
        if isinstance(piece, list):
            for item, place in piece:
                read_ui_message(item, builder, place)
            return builder.build()
        if not isinstance(piece.get("messages"), list):
            raise TranscriptError("it has no list of messages.", remedy="Choose another one.")
        for index, item in enumerate(piece["messages"]):
            read_ui_message(item, builder, f"index {index}")
        title = piece.get("title")
        held_at = moment(piece.get("createdAt"))
        return builder.build(title=title if isinstance(title, str) else UNTITLED, held_at=held_at)


def _is_chat(item: object) -> bool:
    messages = item.get("messages") if isinstance(item, dict) else None
    return isinstance(messages, list) and _are_ui_messages(messages[:HEAD_ITEMS])


def _are_ui_messages(items: Sequence[Any]) -> bool:
    objects = [item for item in items if isinstance(item, dict) and item.get("role") in tuple(ROLES)]
    if not objects or 2 * len(objects) < len(items):
        return False
    if any(OLD_CALLS in item for item in objects) and not are_messages(list(items)):
        return True
    parts = [part for item in objects for part in _parts(item)]
    return bool(parts) and all(map(is_part, parts)) and all("parts" in item or "content" in item for item in objects)


def _parts(item: Mapping[str, Any]) -> list[Any]:
    parts = item.get("parts")
    return parts if isinstance(parts, list) else []
