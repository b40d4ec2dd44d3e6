"""What the Gemini CLI saves: sessions as one object or as rows that also rewind them, and checkpoints of a chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import HEAD_ITEMS, Document, Reader, mismatch
from memviz.transcripts.readers.gemini.api import add_contents, contents_of_checkpoint
from memviz.transcripts.readers.gemini.records import (
    Records,
    add_record,
    opening_length,
    summary_length,
)
from memviz.transcripts.readers.gemini.session import Session, text_of
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.json_rows import with_places
from memviz.transcripts.times import moment

EARLIER_TURNS = "it starts with a summary; what was said before that is not in the file"


class GeminiCli(Reader):
    """A session of the Gemini CLI, or a chat that its user saved."""

    name = "gemini_cli"
    title = "Gemini CLI session"

    def recognise(self, document: Document) -> bool:
        """An object or rows with the session's id and the hash of its project; or contents that the CLI began."""
        if _is_session(document.object) or any(
            _is_row(row) for row in document.objects
        ):
            return True
        return contents_of_checkpoint(document) is not None

    def conversations(self, document: Document) -> Sequence[Session | list[Any]]:
        """One conversation: the session as it was left, or the contents."""
        contents = contents_of_checkpoint(document)
        if contents is not None:
            return [contents]
        if isinstance(document.object.get("messages"), list):
            return [Session.of_object(document.object)]
        if not any(_is_row(row) or _is_message(row) for row in document.items):
            raise mismatch("a session, or a list of contents,", document)
        return [Session.of_rows(document.placed)]

    def read(
        self, piece: Session | list[Any], builder: TranscriptBuilder
    ) -> Transcript:
        """The messages without the CLI's own opening words to the model; a summary becomes an event."""
        if isinstance(piece, list):
            _add_checkpoint(piece, builder)
            return builder.build()
        records = Records(builder)
        for note in piece.notes:
            builder.note(note)
        for value, place in piece.messages:
            add_record(value, place, records)
        if (
            builder.events
            and not builder.events[0].after_message
            and builder.events[0].text
        ):
            builder.note(EARLIER_TURNS)
        return builder.build(
            title=text_at(piece.metadata, "summary"),
            held_at=moment(piece.metadata.get("startTime")),
        )


def _is_session(found: dict[str, Any]) -> bool:
    messages = found.get("messages")
    if not isinstance(messages, list) or not isinstance(found.get("sessionId"), str):
        return False
    return "projectHash" in found or any(
        _is_message(item) for item in messages[:HEAD_ITEMS]
    )


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and item.get("type") == "gemini" and "content" in item


def _is_row(row: object) -> bool:
    if not isinstance(row, dict) or "uuid" in row:
        return False
    return ("projectHash" in row and "sessionId" in row) or "$rewindTo" in row


def _add_checkpoint(contents: list[Any], builder: TranscriptBuilder) -> None:
    start = opening_length([text_of(item) for item in contents[:2]])
    texts = [text_of(item) for item in contents[start : start + 2]]
    length = summary_length(texts, builder)
    if length:
        builder.note(EARLIER_TURNS)
    add_contents(with_places(contents)[start + length :], builder)
