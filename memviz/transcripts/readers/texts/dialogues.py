"""Conversations as text: Markdown, written by people, by programs or by memviz, and plain text with "User:" lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document
from memviz.transcripts.markers import is_marked, read_marked
from memviz.transcripts.readers.json_access import object_at
from memviz.transcripts.readers.memviz_json import saved_texts
from memviz.transcripts.readers.texts.speaker_lines import TEXT_STYLES, Dialogue
from memviz.transcripts.readers.texts.text_kinds import TextReader, dialogue_of
from memviz.transcripts.readers.texts.turns_of_text import (
    places,
    read_dialogue,
    speaking,
    text_mismatch,
)

FIELDS = ("role", "name", "tool_calls", "tool_call_id")
EXPECTED = 'Markdown with lines such as "**User:**" or "## User"'


class Markdown(TextReader):
    """A text in which two or more names in bold or in headings say who speaks, or one with the markers of memviz."""

    name = "markdown"
    title = "Markdown"

    def conversations(self, document: Document) -> Sequence[Dialogue | str]:
        """One conversation: the text, as a dialogue if it has no markers."""
        if is_marked(document.plain_text):
            return [document.plain_text]
        found = dialogue_of(document, "bold", "heading")
        if found is None:
            raise text_mismatch(EXPECTED, document)
        return [speaking(found)]

    def read(self, piece: Dialogue | str, builder: TranscriptBuilder) -> Transcript:
        """The conversation with its title; from markers also its system prompt, description and language."""
        return (
            _read_markers(piece, builder)
            if isinstance(piece, str)
            else read_dialogue(piece, builder)
        )


def _read_markers(text: str, builder: TranscriptBuilder) -> Transcript:
    known: dict[str, Any] = {}
    parts = list(read_marked(text))
    is_whole, builder.empty_is_meant = False, True
    for part, place in zip(
        parts, places(text, [part.start for part in parts]), strict=True
    ):
        info = _info(part.info, builder)
        content = (
            part.content.removesuffix(f"\n{info['closed']}")
            if "closed" in info
            else part.content
        )
        if "role" in info:
            builder.add_json(
                {
                    "content": content,
                    **{key: info[key] for key in FIELDS if key in info},
                },
                place,
            )
        elif info.get("system_prompt") is True:
            known["system_prompt"] = content
        elif "end" in info:
            is_whole = True
        elif "title" in info:
            known.update(saved_texts(info))
        else:
            builder.leave_out(place, "has a marker of memviz that cannot be read")
    if not is_whole:
        builder.note("the text ends before its end, so the last message may be cut off")
    return builder.build(**known)


def _info(text: str, builder: TranscriptBuilder) -> dict[str, Any]:
    try:
        return object_at(builder.parse_json(text))
    except TranscriptError:
        return {}


class PlainText(TextReader):
    """A text in which names at the start of two or more lines say who speaks."""

    name = "text"
    title = "Plain text"

    def conversations(self, document: Document) -> Sequence[Dialogue]:
        """One conversation: the text."""
        found = dialogue_of(document, *TEXT_STYLES)
        if found is None:
            raise text_mismatch(
                'a text with lines that start with "User:" and "Assistant:"', document
            )
        return [speaking(found)]

    def read(self, piece: Dialogue, builder: TranscriptBuilder) -> Transcript:
        """The conversation, from one speaker's name to the next."""
        return read_dialogue(piece, builder)
