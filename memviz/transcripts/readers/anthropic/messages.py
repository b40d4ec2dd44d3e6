"""Anthropic's Messages API: requests, responses, lists of messages, and the rows of its batches."""

from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, role_of_speaker
from memviz.transcripts.document import PlacedValue
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.readers.anthropic.blocks import (
    BLOCKS,
    add_blocks,
    is_own_block,
)
from memviz.transcripts.readers.json_access import (
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
)
from memviz.transcripts.readers.json_rows import (
    ExchangeReader,
    add_places,
    tool_schemas,
)
from memviz.transcripts.readers.role_lists import is_cohere

FAILED = Refusal(
    noop("it has no messages: the request ended as {failed!r}."),
    noop("Choose another one."),
)
FAILED_TYPES = ("errored", "canceled", "expired")
"""The types of a batch's results that hold no response."""


class AnthropicMessages(ExchangeReader):
    """Requests to the Messages API, its responses, or a list of messages of both."""

    name = "anthropic_messages"
    title = noop("Anthropic messages")
    expected = noop("messages with content blocks, or an object with messages,")
    role_of = staticmethod(role_of_speaker)

    def are_messages(self, items: list[Any]) -> bool:
        """Return whether at least half are messages with a role, and one is a response or has a block of this API;
        responses alone are each a conversation of its own."""
        if not _have_roles(items):
            return False
        if items and all(map(_is_response, items)):
            return False
        for item in objects_at(items):
            if _is_response(item) or any(map(is_own_block, list_at(item, "content"))):
                return True
        return False

    def is_message(self, item: object) -> bool:
        """Return whether it is an object: a message with a text alone shows no format."""
        return isinstance(item, dict)

    def is_exchange(self, item: object) -> bool:
        """Return whether it is a request, a response, or a row of a batch."""
        exchange = _exchange_of(item)
        if _is_response(exchange):
            return True
        if not exchange and "custom_id" in object_at(item):
            return text_at(item, "result", "type") in FAILED_TYPES
        messages = exchange.get("messages")
        if not isinstance(messages, list) or "probes" in exchange:
            return False
        if self.are_messages(messages):
            return True
        has_system_prompt = isinstance(exchange.get("system"), (str, list))
        is_of_batch = exchange is not item
        if not (has_system_prompt or is_of_batch):
            return False
        return "max_tokens" in exchange and _have_roles(messages)

    def messages_of(self, row: dict[str, Any], place: str) -> list[PlacedValue]:
        """Return the messages of a request, or the one that a response is.

        Raises :class:`TranscriptError` for a row of a batch without any.
        """
        exchange = _exchange_of(row)
        if _is_response(exchange):
            return add_places([exchange])
        result_type = text_at(row, "result", "type")
        if result_type and "messages" not in exchange:
            raise FAILED.error(failed=result_type[:40])
        return add_places(list_at(exchange, "messages"))

    def known_of(
        self, row: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Return the system prompt and the tools of a request."""
        request = _exchange_of(row)
        system = BLOCKS.text(request.get("system"), builder.note)
        return {"system_prompt": system or None, "tools": tool_schemas(request)}

    def add_message(
        self, item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
    ) -> None:
        """Add a message of content blocks."""
        model = texts_at(item, "model") if role == "assistant" else {}
        add_blocks(role, item.get("content"), builder, place, model)


def _exchange_of(row: object) -> dict[str, Any]:
    """Return the request or the response that a row of a batch is about; of any other object the object itself.

    ``{"custom_id": "a", "params": {...}}`` is about a request, ``{"custom_id": "a", "result": {"message": {...}}}``
    about a response.
    """
    item = object_at(row)
    if "custom_id" not in item:
        return item
    if isinstance(item.get("result"), dict):
        return object_at(item, "result", "message")
    return object_at(item, "params") or item


def _is_response(item: object) -> bool:
    if text_at(item, "role") != "assistant" or text_at(item, "type") != "message":
        return False
    response = object_at(item)
    if "stop_reason" not in response and "stop_sequence" not in response:
        return False
    return isinstance(response.get("content"), list)


def _have_roles(items: list[Any]) -> bool:
    """Return whether at least half are messages with a role, and none is of Cohere or a tool's, as OpenAI has them."""
    objects = objects_at(items)
    roles = [known_role(item.get("role")) for item in objects if "content" in item]
    if "tool" in roles or any("tool_calls" in item for item in objects):
        return False
    known_count = len(roles) - roles.count(None)
    return 2 * known_count >= len(items) and not any(map(is_cohere, objects))
