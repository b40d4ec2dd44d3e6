"""Conversations in plain text: lines that start with "User:", "Assistant:" or the like."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.texts.speaker_lines import Dialogue, dialogue
from memviz.transcripts.readers.texts.text_kinds import text_kind
from memviz.transcripts.readers.texts.turns_of_text import read_dialogue, text_mismatch, with_line_feeds


class PlainText(Reader):
    """A text in which names at the start of a line say who speaks."""

    name = "text"
    title = "Plain text"

    def recognise(self, document: Document) -> bool:
        """Two or more lines that start with a speaker, outside of code."""
        return text_kind(document) == self.name

    def conversations(self, document: Document) -> Sequence[Dialogue]:
        """One conversation: the text."""
        found = dialogue(with_line_feeds(document.plain_text), ("plain",), enough=1)
        if found is None:
            raise text_mismatch('a text with lines that start with "User:" and "Assistant:"', document)
        return [found]

    def read(self, piece: Dialogue, builder: TranscriptBuilder) -> Transcript:
        """The conversation, from one speaker's name to the next."""
        return read_dialogue(piece, builder)
