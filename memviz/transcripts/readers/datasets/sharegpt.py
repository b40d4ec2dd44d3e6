"""ShareGPT: conversations as lists of who spoke and what they said, which most training data is kept in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.datasets.sharegpt_turns import take_turn
from memviz.transcripts.readers.json_rows import Row, most_rows, row_object, rows
from memviz.transcripts.readers.records import first_text
from memviz.transcripts.times import moment

LIST_KEYS = ("conversations", "conversation", "items")
LANGUAGES = {
    "english": "en", "chinese": "zh", "japanese": "ja", "korean": "ko", "german": "de", "french": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "russian": "ru", "arabic": "ar", "dutch": "nl",
    "polish": "pl", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi", "indonesian": "id", "hindi": "hi",
}  # fmt: skip
"""How rows of WildChat and LMSYS name languages."""


class ShareGpt(Reader):
    """Rows with ``conversations`` (or ``items``) of from and value, or ``conversation`` of role and content."""

    name = "sharegpt"
    title = "ShareGPT conversations (also WildChat and LMSYS rows)"

    def recognise(self, document: Document) -> bool:
        """Rows with a list of turns in which somebody speaks, apart from a few that are empty."""
        return most_rows(document, _is_row)

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each row."""
        return rows(document, "rows with a list called conversations, conversation or items")

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """The conversation of one row."""
        row, place = row_object(*piece), piece[1]
        turns = _turns(row)
        if turns is None:
            raise TranscriptError(f"a row with a list of turns was expected, found {describe(row)}.", place=place)
        is_call = False
        for index, turn in enumerate(turns):
            is_call = take_turn(turn, f"turn {index}", is_call, builder)
        for key in ("chosen", "rejected"):
            if isinstance(row.get(key), dict):
                _take_preference(key, row[key], builder)
        return builder.build(
            title=first_text(row, "title") or _label(row) or UNTITLED,
            system_prompt=first_text(row, "system", "system_prompt") or None,
            held_at=moment(row.get("timestamp")) or moment(row.get("tstamp")),
            **_language(row),
        )


def _turns(row: dict[str, Any]) -> list[Any] | None:
    return next((row[key] for key in LIST_KEYS if isinstance(row.get(key), list)), None)


def _is_row(row: dict[str, Any]) -> bool:
    return row.get("conversations") == [] or any(_speaks(key, row[key]) for key in LIST_KEYS if key in row)


def _speaks(key: str, turns: Any) -> bool:
    found = [turn for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []
    if any("value" in turn and isinstance(turn.get("from"), str) for turn in found):
        return True
    # A bare list of items is the shape of many things: only "from" makes it a ShareGPT conversation.
    return key != "items" and any("content" in turn and known_role(turn.get("role")) for turn in found)


def _label(row: dict[str, Any]) -> str:
    found = (row.get(key) for key in ("id", "conversation_id"))
    labels = (str(value) for value in found if isinstance(value, (str, int)) and not isinstance(value, bool))
    return next((label for label in labels if label.strip()), "")


def _language(row: dict[str, Any]) -> dict[str, str]:
    code = LANGUAGES.get(first_text(row, "language").strip().lower())
    return {"language": code} if code else {}


def _take_preference(key: str, turn: dict[str, Any], builder: TranscriptBuilder) -> None:
    if key == "chosen":
        take_turn(turn, "the chosen reply", False, builder)
    else:
        builder.note("the rejected reply was left out")
