"""LangChain: lists of messages, the JSON of a memory or of a graph's state, and the table of a message history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import OTHER_FORMAT, Document, Placed, Reader, mismatch
from memviz.transcripts.readers.database_rows import cell_json, grouped, no_rows, row_place
from memviz.transcripts.readers.langchain.chunks import joined_chunks
from memviz.transcripts.readers.langchain.containers import (
    EMPTY,
    Held,
    are_messages,
    held_in,
    listed,
    newest_states,
)
from memviz.transcripts.readers.langchain.messages import add_message

TABLE_COLUMNS = {"id", "session_id", "message"}
PRUNED = "turns before the first message were already replaced by the stored summary when it was saved"
NO_JSON = "is not JSON"


class LangChain(Reader):
    """Messages as LangChain and LangGraph write them."""

    name = "langchain"
    title = "LangChain or LangGraph messages"

    def recognise(self, document: Document) -> bool:
        """Messages of LangChain's types, alone or in what it keeps them in; or the table of a message history."""
        if document.columns:
            return bool(_tables(document))
        return bool(_held(document))

    def conversations(self, document: Document) -> Sequence[Held]:
        """One for each list of messages, for each thread of a graph, for each session of a table."""
        found = _sessions(document) if document.columns else newest_states(_held(document))
        if not found and document.items:
            return [Held(document.placed)]
        if not found:
            raise mismatch("messages of LangChain", document)
        return found

    def read(self, piece: Held, builder: TranscriptBuilder) -> Transcript:
        """The conversation, with the summary that is kept beside it."""
        if piece.states > 1:
            builder.note(f"the file holds {piece.states} saved states of this conversation, and the newest was read")
        if piece.is_pruned:
            builder.note(PRUNED)
            builder.add_event(RecordedEvent("summary", 0, piece.summary))
        for item, place in joined_chunks(_parsed(piece, builder)):
            add_message(item, builder, place)
        if piece.summary and not piece.is_pruned:
            builder.add_event(RecordedEvent("summary", len(builder.messages), piece.summary))
        return builder.build(title=piece.title or UNTITLED, held_at=piece.saved_at)


def _held(document: Document) -> list[Held]:
    """The conversations of a JSON document; none where it is of another kind."""
    if document.object:
        return held_in(document.object)
    if are_messages(document.items):
        return [Held(document.placed)]
    found: list[Held] = []
    for item, place in document.placed:
        if item in EMPTY:
            continue
        inner = [Held(listed(item, place))] if isinstance(item, list) and are_messages(item) else []
        inner = held_in(item) if isinstance(item, dict) else inner
        if not inner:
            return []
        found += inner
    return found


def _parsed(piece: Held, builder: TranscriptBuilder) -> Iterator[Placed]:
    for item, place in piece.items:
        if not piece.is_text:
            yield item, place
            continue
        try:
            yield cell_json(item, builder), place
        except TranscriptError:
            builder.leave_out(place, NO_JSON)


def _tables(document: Document) -> list[str]:
    return [name for name, columns in document.columns.items() if set(columns) == TABLE_COLUMNS]


def _sessions(document: Document) -> list[Held]:
    tables = _tables(document)
    if not tables:
        raise TranscriptError("there is no table of id, session_id and message.", remedy=OTHER_FORMAT)
    stored = [document.tables.rows(table, ("id", "session_id", "message"), ("id",)) for table in tables]
    if not any(stored):
        raise no_rows(document, "messages")
    return [
        Held([(row["message"], row_place(row)) for row in inside], title=session, is_text=True)
        for rows in stored
        for session, inside in grouped(rows, "session_id").items()
    ]
