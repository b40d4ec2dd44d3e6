"""Rows with two replies, a preferred one and another: the conversation is what was asked and the preferred one.

Those of Anthropic's hh-rlhf are texts, with "Human: ..." and "Assistant: ..." in them."""

import re
from collections.abc import Mapping
from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.readers.json_access import (
    join_lines,
    text_at,
    texts_at,
    texts_under,
)
from memviz.transcripts.readers.json_rows import (
    About,
    RowReader,
    add_messages,
    place_inside,
)
from memviz.transcripts.readers.role_lists import are_messages

CORRECT = "Correct this row, or remove it."
NO_TEXT = Refusal(
    noop('it has no text in which "Human:" or "Assistant:" speaks.'), CORRECT
)
SPEAKER = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):")
ROLES = {"Human": "user", "Assistant": "assistant"}
OTHER_TEXT = noop("the text that was not chosen was left out")
TEXT_KEYS = ("chosen", "transcript")
EMPTY_LAST_REPLY = noop("a last reply that is empty was left out")


class HhRlhf(RowReader):
    """Rows of two such texts, ``chosen`` and ``rejected``, that begin the same; or of one, ``transcript``."""

    name = "hh_rlhf"
    title = noop("Anthropic hh-rlhf rows (Human and Assistant)")
    expected = noop("rows with a text of a human and an assistant")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a text in which a human or an assistant speaks."""
        key, text = _find_dialogue(row)
        return has_speakers(text) and (key == "transcript" or "rejected" in row)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add what both said in the chosen text."""
        key, text = _find_dialogue(row)
        if not has_speakers(text):
            raise NO_TEXT.error(place)
        _add_dialogue(text, place_inside(place, key), builder)
        if text_at(row, "rejected") not in ("", text):
            builder.note(OTHER_TEXT, place)
        return {"description": text_at(row, "task_description")}


def has_speakers(text: str) -> bool:
    """Return whether a text starts with a human or an assistant who speaks."""
    return SPEAKER.match(text) is not None


def _find_dialogue(row: Mapping[str, Any]) -> tuple[str, str]:
    """The key of the text of a row, and the text. Some copies have its beginning in ``prompt``."""
    for key, text in texts_at(row, *TEXT_KEYS).items():
        prompt = text_at(row, "prompt")
        if key == "chosen" and has_speakers(prompt) and not text.startswith(prompt):
            text = prompt + text
        return key, text
    return "", ""


def _add_dialogue(text: str, place: str, builder: TranscriptBuilder) -> None:
    _, *spoken = SPEAKER.split(text)
    turns = list(zip(spoken[::2], spoken[1::2], strict=True))
    for number, (speaker, said) in enumerate(turns, 1):
        is_open = number == len(turns) and speaker == "Assistant" and not said.strip()
        if is_open:
            builder.note(EMPTY_LAST_REPLY, place)
        else:
            content = said.removeprefix(" ")
            builder.add_text(ROLES[speaker], content, f"{place}, part {number}")


ABOUT = About(system_prompt=("system", "system_prompt"))
OTHER_REPLY = noop("the reply that was not preferred was left out")
NO_REPLY = Refusal(
    "it has no preferred reply (input and preferred_output or chosen and rejected).",
    CORRECT,
)
EMPTY_REPLY = Refusal(noop("the preferred reply is empty."), noop("Remove this row."))


class PreferenceRows(RowReader):
    """Rows of ``input.messages`` with ``preferred_output``, or of ``chosen`` with ``rejected`` and maybe ``prompt``."""

    name = "preference"
    title = noop("Preference rows")
    expected = noop("rows with a preferred reply")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a preferred reply, as messages or as a text with its prompt."""
        return _is_openai(row) or _is_chosen(row)

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add what was asked and the preferred reply; the other reply was never part of a conversation."""
        if "preferred_output" in row:
            add_messages(_read_question(row), place, builder, "input")
            add_messages(row["preferred_output"], place, builder, "preferred_output")
        elif "chosen" in row:
            _add_chosen(row, place, builder)
        else:
            raise NO_REPLY.error(place)
        if row.get("rejected") or row.get("non_preferred_output"):
            builder.note(OTHER_REPLY, place)
        return ABOUT.read(row)


def _is_openai(row: Mapping[str, Any]) -> bool:
    are_rows = are_messages(row.get("preferred_output")) and are_messages(
        _read_question(row)
    )
    return are_rows and "custom_id" not in row


def _is_chosen(row: Mapping[str, Any]) -> bool:
    if "rejected" not in row or "preferred_output" in row or "conversations" in row:
        return False
    chosen = row.get("chosen")
    if not isinstance(chosen, str):
        return are_messages(_make_messages(chosen, "assistant"))
    if any(map(has_speakers, (chosen, text_at(row, "prompt")))):
        return False
    return are_messages(_make_messages(_read_prompt(row), "user"))


def _read_prompt(row: Mapping[str, Any]) -> Any:
    """Return what was asked: the ``prompt``, or an ``instruction`` with its ``input``."""
    if "prompt" in row:
        return row["prompt"]
    return join_lines(texts_under(row, "instruction", "input")) or None


def _read_question(row: Mapping[str, Any]) -> Any:
    input = row.get("input")
    return input.get("messages") if isinstance(input, dict) else input


def _add_chosen(row: Mapping[str, Any], place: str, builder: TranscriptBuilder) -> None:
    chosen = _make_messages(row["chosen"], "assistant")
    question = _read_prompt(row)
    prompt = _make_messages(question, "user")
    if not _repeats(chosen, prompt, is_text=isinstance(question, str)):
        add_messages(prompt, place, builder, "prompt")
    if not chosen:
        raise EMPTY_REPLY.error(place_inside(place, "chosen"))
    add_messages(chosen, place, builder, "chosen")


def _make_messages(value: object, role: str) -> list[Any]:
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
        return any(text_at(item, "role") == "user" for item in chosen)
    return bool(prompt) and chosen[: len(prompt)] == prompt
