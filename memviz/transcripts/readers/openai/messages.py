"""OpenAI chat messages: a JSON list, or JSON lines with one message a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.role_lists import are_messages, are_openai

Placed = tuple[Any, str]
"""An item of a list with its place in the file."""


class OpenAIMessages(Reader):
    """One list of messages, with roles, tool calls or content that only this API knows."""

    name = "openai_messages"
    title = "OpenAI chat messages"

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role, and one has what only this API knows."""
        items = list_of(document)
        return are_messages(items) and are_openai(items)

    def conversations(self, document: Document) -> Sequence[list[Placed]]:
        """One conversation: all items."""
        return message_list(document)

    def read(self, piece: list[Placed], builder: TranscriptBuilder) -> Transcript:
        """The conversation that the items are, in order."""
        return read_message_list(piece, builder)


def list_of(document: Document) -> Sequence[Any]:
    """The items of a list or of lines; a file of a single message is one line."""
    return document.items or ([document.object] if "role" in document.object else [])


def message_list(document: Document) -> list[list[Placed]]:
    """The items of a document as one conversation. Raises :class:`TranscriptError` where it has none."""
    items = list_of(document)
    if not items:
        raise mismatch("a list of messages, or one message a line,", document)
    return [list(zip(items, document.places or ["line 1"], strict=True))]


def read_message_list(piece: list[Placed], builder: TranscriptBuilder) -> Transcript:
    """The conversation that these items are, in order."""
    for item, place in piece:
        builder.add_json(item, place)
    return builder.build()
