"""Requests to the OpenAI chat API, and what people save in their shape: an object with messages, or rows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import content_text, saved_prompt
from memviz.transcripts.document import Document, Placed, mismatch
from memviz.transcripts.readers.json_access import list_at, objects_at
from memviz.transcripts.readers.json_rows import (
    RowReader,
    add_messages,
    inside,
    tool_schemas,
)
from memviz.transcripts.readers.memviz_json import saved_texts
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import moment

# What an object has beside its messages where it is of another kind: whatever there is under these keys,
OTHER_KINDS = frozenset(
    {
        "probes", "custom_id", "response", "chosen", "rejected", "preferred_output", "role", "agent_type",
        "projectHash", "loglines",
    }
)  # fmt: skip
# and a list or an object under these, as other values are settings of a request ("store": true).
OTHER_HOLDERS = frozenset(
    {
        "choices", "agents", "chat_messages", "chat_memory", "chat_store", "store", "chat", "mapping", "conversations",
        "history", "traj", "trajectory", "threads", "simulations",
    }
)  # fmt: skip
TIME_KEYS = ("held_at", "created_at", "created", "timestamp")


class FinetuningRows(RowReader):
    """JSON lines, or a list, of objects with messages. The weight of a message stays in its ``meta``."""

    name = "finetuning"
    title = "Fine-tuning rows with messages"
    expected = "one object with messages a line"

    def is_row(self, row: dict[str, Any]) -> bool:
        """Whether a row is an object with messages and no other product's."""
        return is_request(row)

    def recognise(self, document: Document) -> bool:
        """Rows that mostly have messages; a file that is one row has a message with a weight."""
        alone = document.object
        return super().recognise(document) and (
            not alone or has_weights(alone["messages"])
        )

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages; the model and its settings are no part of the conversation."""
        return read_request(row, place, builder)


class ChatRequest(FinetuningRows):
    """One object with messages; title, description, language, system_prompt, model and tools may be beside them."""

    name = "chat_request"
    title = "OpenAI chat request"

    def recognise(self, document: Document) -> bool:
        """An object with a list of messages, which is no row of fine-tuning and no other product's."""
        return is_request(document.object) and not has_weights(
            document.object["messages"]
        )

    def conversations(self, document: Document) -> Sequence[Placed]:
        """One conversation: the object."""
        if not isinstance(document.object.get("messages"), list):
            raise mismatch("an object with a list of messages", document)
        return [(document.object, "")]


def is_request(value: Mapping[str, Any]) -> bool:
    """Whether an object has messages in the shape of the OpenAI chat API, maybe none yet, and is nothing else."""
    messages = value.get("messages")
    if not isinstance(messages, list) or not OTHER_KINDS.isdisjoint(value):
        return False
    holds_others = any(
        isinstance(value.get(key), (list, dict)) for key in OTHER_HOLDERS
    )
    is_sharegpt = isinstance(value.get("conversation"), list)
    is_anthropic = (
        isinstance(value.get("system"), (str, list)) and "max_tokens" in value
    )
    is_other = holds_others or is_sharegpt or is_anthropic
    return not is_other and (not messages or are_messages(messages))


def has_weights(messages: object) -> bool:
    """Whether a message says whether to learn from it, as only fine-tuning does."""
    return any("weight" in item for item in objects_at(messages))


def read_request(
    value: Mapping[str, Any], place: str, builder: TranscriptBuilder
) -> dict[str, Any]:
    """Add the messages of an object; returns what else is known of the conversation."""
    prompt = saved_prompt(next(iter(list_at(value, "messages")), None))
    add_messages(
        value.get("messages"), place, builder, start=0 if prompt is None else 1
    )
    known: dict[str, Any] = {"system_prompt": prompt, **saved_texts(dict(value))}
    if value.get("system") and known["system_prompt"] is None:
        known["system_prompt"] = content_text(
            value["system"], builder.note_at(inside(place, "system"))
        )
    times = (moment(value.get(key)) for key in TIME_KEYS)
    held_at = next((time for time in times if time), None)
    return {**known, "held_at": held_at, "tools": tool_schemas(value)}
