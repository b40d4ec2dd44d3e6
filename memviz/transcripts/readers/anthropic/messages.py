"""Anthropic's Messages API: requests, responses, lists of messages, and the rows of its batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, spoken_role
from memviz.transcripts.document import HEAD_ITEMS, Document, Reader, mismatch
from memviz.transcripts.readers.anthropic.blocks import (
    CALLS,
    THOUGHTS,
    add_prompt,
    add_reply,
    blocks_of,
    blocks_text,
    is_result,
    type_of,
)
from memviz.transcripts.readers.json_access import (
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
)
from memviz.transcripts.readers.role_lists import is_cohere
from memviz.transcripts.readers.tool_schemas import tool_schemas

OWN_TYPES = (
    CALLS | THOUGHTS | {"document", "search_result", "container_upload", "compaction"}
)
EXPECTED = "messages with content blocks, or an object with messages,"


class AnthropicMessages(Reader):
    """What is sent to the Messages API, what it answers, or a list of both."""

    name = "anthropic_messages"
    title = "Anthropic messages"

    def recognise(self, document: Document) -> bool:
        """Messages with blocks that only this API knows; or one or more requests, responses or batch rows."""
        if document.object:
            return _is_exchange(document.object)
        head = list(document.items[:HEAD_ITEMS])
        return _are_messages(head) or (
            bool(head) and 2 * sum(map(_is_exchange, head)) >= len(head)
        )

    def conversations(self, document: Document) -> Sequence[Any]:
        """One for a list of messages; else one for each request, response or row."""
        if document.object:
            if not _is_exchange(document.object) and not isinstance(
                document.object.get("messages"), list
            ):
                raise mismatch(EXPECTED, document)
            return [document.object]
        items = document.items
        if not items:
            raise mismatch(EXPECTED, document)
        if any(map(_is_exchange, items)) and not _are_messages(
            list(items[:HEAD_ITEMS])
        ):
            return [item if isinstance(item, dict) else {} for item in items]
        return [document.placed]

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The messages in order; a system prompt beside them is the transcript's."""
        if isinstance(piece, list):
            for item, place in piece:
                _add_message(item, builder, place)
            return builder.build()
        request = _request(piece)
        if _is_response(request):
            _add_message(request, builder, "index 0")
            return builder.build()
        messages = request.get("messages")
        if not isinstance(messages, list):
            raise TranscriptError(
                f"it has no messages{_failure(piece)}.", remedy="Choose another one."
            )
        for index, item in enumerate(messages):
            _add_message(item, builder, f"index {index}")
        system = blocks_text(request.get("system"), builder.note)
        return builder.build(system_prompt=system or None, tools=tool_schemas(request))


def _request(row: object) -> dict[str, Any]:
    """The request or the response that a row of a batch is about; any other object is it."""
    if not isinstance(row, dict):
        return {}
    result, params = row.get("result"), row.get("params")
    if "custom_id" in row and isinstance(result, dict):
        return object_at(result, "message")
    return params if "custom_id" in row and isinstance(params, dict) else row


def _failure(row: object) -> str:
    """What a row of a batch says of the request that failed."""
    kind = text_at(row, "result", "type")
    return f": the request ended as {kind[:40]!r}" if kind else ""


def _is_exchange(item: object) -> bool:
    """Whether it is a request, a response, or a row of a batch."""
    request = _request(item)
    if _is_response(request):
        return True
    if isinstance(item, dict) and not request and "custom_id" in item:
        return type_of(item.get("result")) in ("errored", "canceled", "expired")
    messages = request.get("messages")
    if not isinstance(messages, list) or "probes" in request:
        return False
    is_request = (
        isinstance(request.get("system"), (str, list)) and "max_tokens" in request
    )
    in_batch = request is not item and "max_tokens" in request
    return _are_messages(messages) or (
        (is_request or in_batch) and _are_roles(messages)
    )


def _is_response(item: object) -> bool:
    if (
        not isinstance(item, dict)
        or item.get("role") != "assistant"
        or item.get("type") != "message"
    ):
        return False
    return isinstance(item.get("content"), list) and (
        "stop_reason" in item or "stop_sequence" in item
    )


def _are_roles(items: list[Any]) -> bool:
    """Whether at least half are messages with a role, and none is of Cohere, or a result as OpenAI has it."""
    objects = objects_at(items)
    roles = [known_role(item.get("role")) for item in objects if "content" in item]
    is_other = "tool" in roles or any(
        is_cohere(item) or "tool_calls" in item for item in objects
    )
    return not is_other and 2 * sum(role is not None for role in roles) >= len(items)


def _are_messages(items: list[Any]) -> bool:
    """Whether at least half are messages with a role, and one is a response or has a block of this API; responses
    alone are each a conversation of its own."""
    if not _are_roles(items) or (len(items) > 0 and all(map(_is_response, items))):
        return False
    objects = objects_at(items)
    blocks = [block for item in objects for block in list_at(item, "content")]
    own = any(type_of(block) in OWN_TYPES or is_result(block) for block in blocks)
    return own or any(map(_is_response, objects))


def _add_message(item: Any, builder: TranscriptBuilder, place: str) -> None:
    role = builder.speaker(item, place, role_of=spoken_role)
    if role == "assistant":
        add_reply(
            blocks_of(item.get("content")), builder, place, texts_at(item, "model")
        )
    elif role is not None:
        add_prompt(role, blocks_of(item.get("content")), builder, place, {})
