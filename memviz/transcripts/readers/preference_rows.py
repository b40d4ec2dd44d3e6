"""Rows with two replies, a preferred one and another: the conversation is what was asked and the preferred one.

Those of Anthropic's hh-rlhf are texts, with "Human: ..." and "Assistant: ..." in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.json_rows import RowReader, add_messages, inside
from memviz.transcripts.readers.role_lists import are_messages

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
        """Return whether a row has a text in which a human or an assistant speaks."""
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
    """Return whether a text starts with a human or an assistant who speaks."""
    return SPEAKER.match(text) is not None


def _dialogue(row: Mapping[str, Any]) -> tuple[str, str]:
    """The key of the text of a row, and the text. Some copies have its beginning in ``prompt``."""
    key = next((key for key in TEXT_KEYS if isinstance(row.get(key), str)), "")
    text = text_at(row, key)
    prompt = text_at(row, "prompt")
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


OTHER_REPLY = "the reply that was not preferred was left out"
SHAPES = ("input and preferred_output", "chosen and rejected")


class PreferenceRows(RowReader):
    """Rows of ``input.messages`` with ``preferred_output``, or of ``chosen`` with ``rejected`` and maybe ``prompt``."""

    name = "preference"
    title = "Preference rows"
    expected = "rows with a preferred reply"

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a preferred reply, as messages or as a text with its prompt."""
        return _is_openai(row) or _is_chosen(row)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add what was asked and the preferred reply; the other reply was never part of a conversation."""
        if "preferred_output" in row:
            add_messages(_asked(row), place, builder, "input")
            add_messages(row["preferred_output"], place, builder, "preferred_output")
        elif "chosen" in row:
            _add_chosen(row, place, builder)
        else:
            reason = f"it has no preferred reply ({' or '.join(SHAPES)})."
            raise TranscriptError(
                reason, place=place, remedy="Correct this row, or remove it."
            )
        if row.get("rejected") or row.get("non_preferred_output"):
            builder.note(OTHER_REPLY, place)
        return {
            "system_prompt": text_at(row, "system")
            or text_at(row, "system_prompt")
            or None
        }


def _is_openai(row: Mapping[str, Any]) -> bool:
    return (
        "custom_id" not in row
        and are_messages(row.get("preferred_output"))
        and are_messages(_asked(row))
    )


def _is_chosen(row: Mapping[str, Any]) -> bool:
    if "rejected" not in row or "preferred_output" in row or "conversations" in row:
        return False
    chosen = row.get("chosen")
    prompt = row.get("prompt")
    if isinstance(chosen, str):
        speaks = has_speakers(chosen) or (
            isinstance(prompt, str) and has_speakers(prompt)
        )
        return not speaks and (isinstance(prompt, str) or are_messages(prompt))
    return are_messages(chosen) or (isinstance(chosen, dict) and are_messages([chosen]))


def _asked(row: Mapping[str, Any]) -> Any:
    asked = row.get("input")
    return asked.get("messages") if isinstance(asked, dict) else asked


def _add_chosen(row: Mapping[str, Any], place: str, builder: TranscriptBuilder) -> None:
    chosen = _messages(row["chosen"], "assistant")
    prompt = _messages(row.get("prompt"), "user")
    if not _repeats(chosen, prompt, is_text=isinstance(row.get("prompt"), str)):
        add_messages(prompt, place, builder, "prompt")
    if not chosen:
        raise TranscriptError(
            "the preferred reply is empty.",
            place=inside(place, "chosen"),
            remedy="Remove this row.",
        )
    add_messages(chosen, place, builder, "chosen")


def _messages(value: object, role: str) -> list[Any]:
    """A prompt or a reply as messages: a text is one message of this role."""
    if value is None:
        return []
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    return value if isinstance(value, list) else [value]


def _repeats(chosen: list[Any], prompt: list[Any], *, is_text: bool) -> bool:
    """Return whether what was chosen holds the prompt already: word for word or, where the prompt is only a text,
    because it has something that the user said."""
    if is_text:
        return any(
            isinstance(item, dict) and item.get("role") == "user" for item in chosen
        )
    return bool(prompt) and chosen[: len(prompt)] == prompt
