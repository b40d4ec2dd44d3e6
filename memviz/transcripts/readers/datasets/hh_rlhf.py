"""Conversations written as "Human: ..." and "Assistant: ..." in one text, as in the rows of Anthropic's hh-rlhf."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.json_rows import Row, inside, most_rows, row_object, rows, text_of

SPEAKER = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):")
ROLES = {"Human": "user", "Assistant": "assistant"}
TEXT_KEYS = ("chosen", "transcript")


class HhRlhf(Reader):
    """Rows of two such texts, ``chosen`` and ``rejected``, that begin the same; or of one, ``transcript``."""

    name = "hh_rlhf"
    title = "Anthropic hh-rlhf rows (Human and Assistant)"

    def recognise(self, document: Document) -> bool:
        """Rows that mostly have a text in which a human and an assistant speak."""
        return most_rows(document, _is_row)

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each row."""
        return rows(document, "rows with a text of a human and an assistant")

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """What both said in the chosen text."""
        row, place = row_object(*piece), piece[1]
        key, text = _dialogue(row)
        if not has_speakers(text):
            reason = 'it has no text in which "Human:" or "Assistant:" speaks.'
            raise TranscriptError(reason, place=place, remedy="Correct this row, or remove it.")
        _read_dialogue(text, inside(place, key), builder)
        return builder.build()


def has_speakers(text: str) -> bool:
    """Whether a text starts with a human or an assistant who speaks."""
    return SPEAKER.match(text) is not None


def _is_row(row: Mapping[str, Any]) -> bool:
    key, text = _dialogue(row)
    return has_speakers(text) and (key == "transcript" or "rejected" in row)


def _dialogue(row: Mapping[str, Any]) -> tuple[str, str]:
    """The key of the text of a row, and the text. Some copies have its beginning in ``prompt``."""
    key = next((key for key in TEXT_KEYS if isinstance(row.get(key), str)), "")
    text, prompt = text_of(row, key), text_of(row, "prompt")
    is_continued = key == "chosen" and has_speakers(prompt) and not text.startswith(prompt)
    return key, prompt + text if is_continued else text


def _read_dialogue(text: str, place: str, builder: TranscriptBuilder) -> None:
    _, *spoken = SPEAKER.split(text)
    turns = list(zip(spoken[::2], spoken[1::2], strict=True))
    for number, (speaker, said) in enumerate(turns, 1):
        is_open = number == len(turns) and speaker == "Assistant" and not said.strip()
        if is_open:
            builder.note("a last reply that is empty was left out", place)
        else:
            builder.add_text(ROLES[speaker], said.removeprefix(" "), f"{place}, part {number}")
