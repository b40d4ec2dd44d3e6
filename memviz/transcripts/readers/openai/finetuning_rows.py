"""Rows to fine-tune a chat model with: every row is a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.json_rows import Row, most_rows, row_object, rows
from memviz.transcripts.readers.openai.chat_request import has_weights, is_request, read_request


class FinetuningRows(Reader):
    """JSON lines, or a list, of objects with messages. The weight of a message stays in its ``meta``."""

    name = "finetuning"
    title = "Fine-tuning rows with messages"

    def recognise(self, document: Document) -> bool:
        """Rows that mostly have messages; a file that is one row has a message with a weight."""
        alone = document.object
        return most_rows(document, is_request) and (not alone or has_weights(alone["messages"]))

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each row."""
        return rows(document, "one object with messages a line")

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """The messages of the row."""
        row, place = piece
        return builder.build(**read_request(row_object(row, place), place, builder))
