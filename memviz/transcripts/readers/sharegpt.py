"""ShareGPT: conversations as lists of who spoke and what they said, which most training data is kept in.

Every data set has its own names for the speakers.
"""

import json
from dataclasses import replace
from typing import Any

from memviz.core.errors import MessageError
from memviz.core.messages import ToolCall
from memviz.core.translation import noop
from memviz.transcripts.base import UNTITLED
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.json_access import (
    as_list,
    first_text,
    id_text,
    objects_at,
)
from memviz.transcripts.readers.json_rows import RowReader, add_places
from memviz.transcripts.readers.role_lists import make_chat_item
from memviz.transcripts.times import meta_with_time, parse_first_moment

LIST_KEYS = ("conversations", "conversation", "items")
LANGUAGES = {
    "english": "en", "chinese": "zh", "japanese": "ja", "korean": "ko", "german": "de", "french": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "russian": "ru", "arabic": "ar", "dutch": "nl",
    "polish": "pl", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi", "indonesian": "id", "hindi": "hi",
}  # fmt: skip
"""How rows of WildChat and LMSYS name languages."""

NO_TURNS = Refusal(noop("a row with a list of turns was expected, found {found}."))
CALL = "call"
"""What a speaker of :data:`CALLERS` says, whose turn is nothing but tool calls."""
NO_CALL = noop(
    "a tool call that is not JSON with a name was kept as the assistant's text"
)
CALLERS = frozenset({"function_call", "tool_call", "tool_calls", "function_calls"})
TEXT_KEYS = ("value", "content", "text")
NO_VALUE = noop("has no value")
REJECTED_REPLY = noop("the rejected reply was left out")


class ShareGpt(RowReader):
    """Rows with ``conversations`` (or ``items``) of from and value, or ``conversation`` of role and content."""

    name = "sharegpt"
    title = noop("ShareGPT conversations (also WildChat and LMSYS rows)")
    expected = noop("rows with a list called conversations, conversation or items")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a row has a list of turns in which somebody speaks, or an empty one."""
        return row.get("conversations") == [] or any(
            _is_speaker_key(key, row[key]) for key in LIST_KEYS if key in row
        )

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the turns of a row, and the chosen one of two last replies."""
        lists = [row[key] for key in LIST_KEYS if isinstance(row.get(key), list)]
        if not lists:
            raise NO_TURNS.error(place, found=describe(row))
        is_call = False
        for turn, where in add_places(lists[0], "turn"):
            is_call = add_turn(turn, where, is_call, builder)
        if isinstance(row.get("chosen"), dict):
            add_turn(row["chosen"], "the chosen reply", False, builder)
        if isinstance(row.get("rejected"), dict):
            builder.note(REJECTED_REPLY)
        language = first_text(row, "language").strip().lower()
        return {
            "title": first_text(row, "title") or _find_label(row) or UNTITLED,
            "system_prompt": first_text(row, "system", "system_prompt") or None,
            "held_at": parse_first_moment((row.get("timestamp"), row.get("tstamp"))),
            "language": LANGUAGES.get(language, "en"),
        }


def _is_speaker_key(key: str, turns: object) -> bool:
    turn_objects = objects_at(turns)
    if any(
        "value" in turn and isinstance(turn.get("from"), str) for turn in turn_objects
    ):
        return True
    # A bare list of items is the shape of many things: only "from" makes it a ShareGPT conversation.
    if key == "items":
        return False
    return any(
        "content" in turn and known_role(turn.get("role")) for turn in turn_objects
    )


def _find_label(row: dict[str, Any]) -> str:
    label = id_text(row.get("id"))
    return label if label.strip() else id_text(row.get("conversation_id"))


def add_turn(
    turn: Any, place: str, after_call: bool, builder: TranscriptBuilder
) -> bool:
    """Add a turn. Returns whether it is nothing but tool calls: more calls of the same reply may follow."""
    speaker = builder.speaker(
        turn, place, "from", "role", called="speaker", role_of=_role_of_name
    )
    if speaker is None:
        return False
    values = [turn[key] for key in TEXT_KEYS if key in turn]
    if not values and not turn.get("tool_calls"):
        builder.leave_out(place, NO_VALUE)
        return False
    value = values[0] if values else None
    calls = tool_calls(value) if speaker == CALL else ()
    if calls:
        _add_calls(calls, place, after_call, builder)
        return True
    if speaker == CALL:
        builder.note(NO_CALL, place)
        speaker = "assistant"
    item = {**turn, "role": speaker, "content": value}
    builder.add_json(
        make_chat_item(item, **meta_with_time(turn.get("timestamp"))), place
    )
    return False


def _role_of_name(name: object) -> str | None:
    key = id_text(name).strip().lower().replace("-", "_").replace(" ", "_")
    return CALL if key in CALLERS else known_role(name)


def _add_calls(
    calls: tuple[ToolCall, ...],
    place: str,
    after_call: bool,
    builder: TranscriptBuilder,
) -> None:
    if after_call:
        last = builder.messages.pop()
        calls = (*last.tool_calls, *calls)
        builder.messages.append(replace(last, tool_calls=calls))
    else:
        builder.add_text("assistant", "", place, tool_calls=calls)


def tool_calls(value: object) -> tuple[ToolCall, ...]:
    """The tool calls that a value, or its text as JSON, describes; none if it describes anything else.

    Calls without ids keep none: results then belong to the call before them.
    """
    try:
        calls = json.loads(value) if isinstance(value, str) else value
        return tuple(ToolCall.of(_read_call(item)) for item in as_list(calls))
    except (ValueError, RecursionError, MessageError):
        return ()


def _read_call(item: Any) -> Any:
    if isinstance(item, dict) and "arguments" not in item and "parameters" in item:
        return {**item, "arguments": item["parameters"]}
    return item
