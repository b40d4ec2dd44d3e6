"""The SQLite log of the command-line tool llm, in the tables of its newer and of its older versions."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import OTHER_FORMAT, Document, Reader
from memviz.transcripts.readers.database_rows import no_rows
from memviz.transcripts.readers.llm.responses import (
    Conversation,
    conversation_names,
    conversations,
    read_conversation,
)
from memviz.transcripts.readers.llm.threads import Thread, read_thread, threads

OLD = {
    "responses": {"id", "prompt", "response", "conversation_id"},
    "conversations": {"id", "name"},
}
NEW = {
    "threads": {"id", "tip_message_hash"},
    "messages": {"hash", "parent_hash", "role"},
    "parts": {"message_hash", "type"},
}


class LlmLogs(Reader):
    """One conversation for each thread, and for each older conversation that no thread continues."""

    name = "llm_logs"
    title = "llm logs (logs.db)"

    def recognise(self, document: Document) -> bool:
        """A database with the tables of either version."""
        return _has(document, OLD) or _has(document, NEW)

    def conversations(self, document: Document) -> Sequence[Thread | Conversation]:
        """The threads, then what only the older tables have: llm copies nothing when it is updated, and a thread that
        continues an older conversation keeps its id."""
        tables = document.tables
        if not self.recognise(document):
            raise TranscriptError(
                "there are no tables of llm's logs.", remedy=OTHER_FORMAT
            )
        names = conversation_names(tables)
        newer = threads(tables) if _has(document, NEW) else []
        newer = [
            thread._replace(name=names.get(thread.id) or thread.name)
            for thread in newer
        ]
        older = (
            conversations(tables, [thread.id for thread in newer])
            if _has(document, OLD)
            else []
        )
        if not newer and not older:
            raise no_rows(document, "messages")
        return [*older, *newer]

    def read(
        self, piece: Thread | Conversation, builder: TranscriptBuilder
    ) -> Transcript:
        """The messages of a thread or of an older conversation."""
        return (
            read_thread(piece, builder)
            if isinstance(piece, Thread)
            else read_conversation(piece, builder)
        )


def _has(document: Document, tables: dict[str, set[str]]) -> bool:
    return all(
        columns.issubset(document.columns.get(table, ()))
        for table, columns in tables.items()
    )
