"""Conversations written as "Human: ..." and "Assistant: ..." in one text, as in the rows of Anthropic's hh-rlhf."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.json_rows import RowReader, inside

SPEAKER = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):")
ROLES = {"Human": "user", "Assistant": "assistant"}
OTHER_TEXT = "the text that was not chosen was left out"
TEXT_KEYS = ("chosen", "transcript")


class HhRlhf(RowReader):
    """Rows of two such texts, ``chosen`` and ``rejected``, that begin the same; or of one, ``transcript``."""

    name = "hh_rlhf"
    title = "Anthropic hh-rlhf rows (Human and Assistant)"
    expected = "rows with a text of a human and an assistant"

    def is_row(self, row: dict[str, Any]) -> bool:
        """Whether a row has a text in which a human or an assistant speaks."""
        key, text = _dialogue(row)
        return has_speakers(text) and (key == "transcript" or "rejected" in row)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add what both said in the chosen text."""
        key, text = _dialogue(row)
        if not has_speakers(text):
            reason = 'it has no text in which "Human:" or "Assistant:" speaks.'
            raise TranscriptError(
                reason, place=place, remedy="Correct this row, or remove it."
            )
        _add_dialogue(text, inside(place, key), builder)
        if text_at(row, "rejected") not in ("", text):
            builder.note(OTHER_TEXT, place)
        return {"description": text_at(row, "task_description")}


def has_speakers(text: str) -> bool:
    """Whether a text starts with a human or an assistant who speaks."""
    return SPEAKER.match(text) is not None


def _dialogue(row: Mapping[str, Any]) -> tuple[str, str]:
    """The key of the text of a row, and the text. Some copies have its beginning in ``prompt``."""
    key = next((key for key in TEXT_KEYS if isinstance(row.get(key), str)), "")
    text, prompt = text_at(row, key), text_at(row, "prompt")
    is_continued = (
        key == "chosen" and has_speakers(prompt) and not text.startswith(prompt)
    )
    return key, prompt + text if is_continued else text


def _add_dialogue(text: str, place: str, builder: TranscriptBuilder) -> None:
    _, *spoken = SPEAKER.split(text)
    turns = list(zip(spoken[::2], spoken[1::2], strict=True))
    for number, (speaker, said) in enumerate(turns, 1):
        is_open = number == len(turns) and speaker == "Assistant" and not said.strip()
        if is_open:
            builder.note("a last reply that is empty was left out", place)
        else:
            builder.add_text(
                ROLES[speaker], said.removeprefix(" "), f"{place}, part {number}"
            )
