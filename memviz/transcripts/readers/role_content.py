"""Lists of nothing but role and content, which several vendors and many programs write."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.openai.messages import Placed, list_of, message_list, read_message_list
from memviz.transcripts.readers.role_lists import are_messages, are_openai


class RoleContent(Reader):
    """One list of messages, one message a line, or a list of such lists."""

    name = "role_content"
    title = "List of role and content"

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role, and nothing that only the OpenAI API knows; or a
        list of lists of messages."""
        items = list_of(document)
        if items and all(isinstance(item, list) for item in items):
            return all(are_messages(item) for item in items)
        return are_messages(items) and not are_openai(items)

    def conversations(self, document: Document) -> Sequence[list[Placed]]:
        """One conversation, or one for each inner list."""
        ((*items,),) = message_list(document)
        if not all(isinstance(item, list) for item, _ in items):
            return [items]
        return [[(item, f"{place}, index {n}") for n, item in enumerate(inner)] for inner, place in items]

    def read(self, piece: list[Placed], builder: TranscriptBuilder) -> Transcript:
        """The conversation that the items are, in order."""
        return read_message_list(piece, builder)
