"""Lists of messages with a role and a content, in the shape of the OpenAI chat API, and nothing around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import saved_prompt
from memviz.transcripts.document import Document, Placed, Reader, mismatch
from memviz.transcripts.readers.role_lists import are_messages, are_openai


class OpenAIMessages(Reader):
    """A list of messages, or one message a line, with roles, tool calls or content that only this API knows."""

    name = "openai_messages"
    title = "OpenAI chat messages"

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role, and one has what only this API knows."""
        items = _items(document)
        return are_messages(items) and are_openai(items)

    def conversations(self, document: Document) -> Sequence[list[Placed]]:
        """One conversation: all items."""
        if not _items(document):
            raise mismatch("a list of messages, or one message a line,", document)
        return [document.placed or [(document.object, "line 1")]]

    def read(self, piece: list[Placed], builder: TranscriptBuilder) -> Transcript:
        """The conversation that the items are, in order."""
        prompt = saved_prompt(piece[0][0]) if piece else None
        for item, place in piece[0 if prompt is None else 1 :]:
            builder.add_json(item, place)
        return builder.build(system_prompt=prompt)


class RoleContent(OpenAIMessages):
    """A list of messages with nothing but role and content, as many programs write it; or a list of such lists."""

    name = "role_content"
    title = "List of role and content"

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role, and nothing that only the OpenAI API knows; or a
        list of lists of messages."""
        items = _items(document)
        if items and all(isinstance(item, list) for item in items):
            return all(are_messages(item) for item in items)
        return are_messages(items) and not are_openai(items)

    def conversations(self, document: Document) -> Sequence[list[Placed]]:
        """One conversation, or one for each inner list."""
        ((*items,),) = super().conversations(document)
        if not all(isinstance(item, list) for item, _ in items):
            return [items]
        return [
            [(item, f"{place}, index {n}") for n, item in enumerate(inner)]
            for inner, place in items
        ]


def _items(document: Document) -> Sequence[Any]:
    """The items of a list or of lines; a file with a single message is one line."""
    return document.items or ([document.object] if "role" in document.object else [])
