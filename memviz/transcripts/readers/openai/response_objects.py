"""Requests and responses of the OpenAI Responses API: objects with items, and with the model's instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Placed
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.json_rows import inside, tool_schemas
from memviz.transcripts.readers.openai.response_builder import ItemReader
from memviz.transcripts.readers.openai.response_items import are_items
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import moment

RESPONSES = frozenset({"response", "response.compaction"})
OTHER_KINDS = frozenset(
    {
        "messages",
        "custom_id",
        "preferred_output",
        "chosen",
        "rejected",
        "probes",
        "choices",
        "payload",
        "role",
        "type",
    }
)
# Keys of requests to the APIs for embeddings and speech, which have an input and a model as well.
OTHER_REQUESTS = frozenset(
    {"encoding_format", "dimensions", "voice", "response_format"}
)
OTHER_MODELS = ("embed", "moderation", "tts")


def is_response_object(value: Mapping[str, Any]) -> bool:
    """Whether an object is a response: it says so, or its output is items."""
    if not OTHER_KINDS.isdisjoint(value) or not isinstance(value.get("output"), list):
        return False
    says_so = isinstance(value.get("object"), str) and value["object"] in RESPONSES
    return says_so or are_items(value["output"])


def is_request_object(value: Mapping[str, Any]) -> bool:
    """Whether an object asks for a response: an input that is text or items, with a model or instructions."""
    if (
        not OTHER_KINDS.isdisjoint(value)
        or not OTHER_REQUESTS.isdisjoint(value)
        or "output" in value
    ):
        return False
    asked, model = value.get("input"), text_at(value, "model")
    if not (
        model
        or text_at(value, "instructions")
        or text_at(value, "previous_response_id")
    ):
        return False
    if isinstance(asked, str):
        return not any(name in model for name in OTHER_MODELS)
    return are_items(asked) or are_messages(asked)


def read_exchange(
    value: Mapping[str, Any], place: str, builder: TranscriptBuilder
) -> dict[str, Any]:
    """Add what was asked and what was answered; returns what else is known of the conversation.

    Raises :class:`TranscriptError` for a response that failed.
    """
    instructions = value.get("instructions")
    items = [
        row
        for key in ("instructions", "input", "output")
        for row in _items(value, key, place)
    ]
    error = value.get("error")
    if isinstance(error, dict) and not value.get("output"):
        reason = (
            text_at(error, "message").strip().rstrip(".")[:200] or "no reason is given"
        )
        raise TranscriptError(
            f"this response failed: {reason}.",
            place=place,
            remedy="Send the request again.",
        )
    if text_at(value, "previous_response_id"):
        builder.note(
            "what was said before the response that it continues is not in the file",
            place,
        )
    details = value.get("incomplete_details")
    if isinstance(details, dict):
        builder.note(
            f"the reply is incomplete ({text_at(details, 'reason')[:60] or 'no reason is given'})",
            place,
        )
    ItemReader(builder).add_all(items)
    system = (
        {"system_prompt": instructions}
        if isinstance(instructions, str) and instructions
        else {}
    )
    return {
        **system,
        "held_at": moment(value.get("created_at")),
        "tools": tool_schemas(value),
    }


def _items(value: Mapping[str, Any], key: str, place: str) -> list[Placed]:
    """The items under a key, each with its place; a text is what the user asked."""
    items = value.get(key)
    if isinstance(items, str):
        return (
            [({"role": "user", "content": items}, inside(place, key))]
            if key == "input"
            else []
        )
    if items is None or isinstance(items, list):
        return [
            (item, inside(place, f"{key} index {index}"))
            for index, item in enumerate(items or [])
        ]
    remedy = "Correct it, or remove it."
    raise TranscriptError(
        f"the {key} is {kind_of(items)}, not a list.", place=place, remedy=remedy
    )
