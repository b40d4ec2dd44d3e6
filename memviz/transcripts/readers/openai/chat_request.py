"""One request to the OpenAI chat API, or what people save in its shape: an object with messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import content_text
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.json_rows import Row, inside, take_messages
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


class ChatRequest(Reader):
    """One object with messages; title, description, language, system_prompt, model and tools may be beside them."""

    name = "chat_request"
    title = "OpenAI chat request"

    def recognise(self, document: Document) -> bool:
        """An object with a list of messages, which is no row of fine-tuning and no other product's."""
        return is_request(document.object) and not has_weights(document.object["messages"])

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation: the object."""
        if not isinstance(document.object.get("messages"), list):
            raise mismatch("an object with a list of messages", document)
        return [(document.object, "")]

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """The messages with what is known of them; the model, its settings and its tools are no part of it."""
        return builder.build(**read_request(*piece, builder))


def is_request(value: Mapping[str, Any]) -> bool:
    """Whether an object has messages in the shape of the OpenAI chat API, maybe none yet, and is nothing else."""
    messages = value.get("messages")
    if not isinstance(messages, list) or not OTHER_KINDS.isdisjoint(value):
        return False
    holds_others = any(isinstance(value.get(key), (list, dict)) for key in OTHER_HOLDERS)
    is_sharegpt = isinstance(value.get("conversation"), list)
    is_anthropic = isinstance(value.get("system"), (str, list)) and "max_tokens" in value
    is_other = holds_others or is_sharegpt or is_anthropic
    return not is_other and (not messages or are_messages(messages))


def has_weights(messages: Sequence[Any]) -> bool:
    """Whether a message says whether to learn from it, as only fine-tuning does."""
    return any(isinstance(item, dict) and "weight" in item for item in messages)


def read_request(value: Mapping[str, Any], place: str, builder: TranscriptBuilder) -> dict[str, Any]:
    """Take the messages of an object; returns what else is known of the conversation."""
    take_messages(value.get("messages"), place, builder)
    known: dict[str, Any] = dict(saved_texts(dict(value)))
    if value.get("system") and "system_prompt" not in known:
        where = inside(place, "system")
        known["system_prompt"] = content_text(value["system"], lambda what: builder.note(what, where))
    times = (moment(value.get(key)) for key in TIME_KEYS)
    return {**known, "held_at": next((time for time in times if time), None)}
