"""Lists of messages with a role, told apart: those in the shape of the OpenAI chat API, and those of other products.

:func:`make_chat_item` is for programs that save messages in that shape with fields of their own beside them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.base import REASONING
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.readers.json_access import (
    at_least_half,
    first_text,
    join_lines,
    objects_at,
    pick_fields,
    text_at,
    texts_under,
)

FOREIGN_KEYS = frozenset(
    {
        "type",
        "parts",
        "blocks",
        "message_tree_id",
        "session_id",
        "thread_id",
        "toolInvocations",
    }
)
"""Keys of the messages of other products: of items with a type, or with parts or blocks instead of content."""
OPENAI_PARTS = frozenset(
    {"text", "refusal", "image_url", "input_audio", "file", "image"}
)
"""The types of parts of a content that the OpenAI chat API has."""
OPENAI_KEYS = ("tool_calls", "tool_call_id", "function_call", "refusal")
OPENAI_ROLES = frozenset({"system", "developer", "tool", "function"})
SHOWN_KEYS = (
    "role",
    "content",
    "refusal",
    "audio",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
)
COHERE_KEYS = frozenset({"message", "tool_plan", "tool_results"})
BEDROCK_BLOCKS = frozenset(
    {
        "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint",
        "reasoningContent", "citationsContent", "searchResult",
    }
)  # fmt: skip


def has_roles(items: object) -> bool:
    """Return true where at least half of a list are objects with a known role, whatever else is in them."""
    return isinstance(items, list) and at_least_half(items, _has_role)


def _has_role(item: object) -> bool:
    return isinstance(item, dict) and known_role(item.get("role")) is not None


def are_messages(items: object) -> bool:
    """Return true where at least half of a list are messages with a known role, and none is another product's."""
    return has_roles(items) and not any(map(_is_foreign, objects_at(items)))


def has_openai_message(items: Sequence[Any]) -> bool:
    """Return true where any message of the list has what only the OpenAI chat API knows: roles beside user and
    assistant, tool calls, a refusal, or content in parts."""
    return any(map(_is_openai, objects_at(items)))


def part_types(item: Mapping[str, Any]) -> set[str]:
    """Return the types of the parts of a message's content, ``{"text", "image_url"}``; none where it is a text."""
    content = item.get("content")
    # Nearly every message is a text; this runs several times for each message of a large file.
    if not isinstance(content, list):
        return set()
    parts = objects_at(content)
    return {part["type"] for part in parts if isinstance(part.get("type"), str)}


def _is_openai(item: Mapping[str, Any]) -> bool:
    role = item.get("role")
    if isinstance(role, str) and role.strip().lower() in OPENAI_ROLES:
        return True
    has_openai_key = any(item.get(key) is not None for key in OPENAI_KEYS)
    return has_openai_key or bool(part_types(item))


def _is_foreign(item: Mapping[str, Any]) -> bool:
    """Return true for a message that has a key, or a part of its content, that the OpenAI chat API has not."""
    if any(key in item for key in FOREIGN_KEYS) or part_types(item) - OPENAI_PARTS:
        return True
    return is_bedrock(item) or is_cohere(item)


def is_bedrock(item: Mapping[str, Any]) -> bool:
    """Return true for a message whose content is blocks of Amazon Bedrock: objects without a type, whose key names
    their kind, ``{"toolUse": {...}}``."""
    content = item.get("content")
    if not isinstance(content, list) or not content:
        return False
    return all(map(_is_bedrock_block, content))


def _is_bedrock_block(block: object) -> bool:
    if not isinstance(block, dict) or "type" in block:
        return False
    if isinstance(block.get("text"), str):
        return True
    return any(isinstance(block.get(key), dict) for key in BEDROCK_BLOCKS)


def is_cohere(item: Mapping[str, Any]) -> bool:
    """Return true for a message with what only Cohere's API knows: a chatbot with a message, results that repeat their
    calls, a plan before tool calls, or documents as parts."""
    content = item.get("content")
    if COHERE_KEYS.isdisjoint(item) and not isinstance(content, list):
        return False  # nearly every message
    if "content" not in item and "message" in item:
        return text_at(item, "role").strip().lower() == "chatbot"
    has_plan = isinstance(item.get("tool_plan"), str)
    if has_plan or isinstance(item.get("tool_results"), list):
        return True
    return any(
        isinstance(part.get("document"), dict) and part.get("type") == "document"
        for part in objects_at(content)
    )


def make_chat_item(item: dict[str, Any], **meta: Any) -> dict[str, Any]:
    """Return the message without the fields that its program keeps for itself, with this ``meta`` and its
    reasoning."""
    fields = pick_fields(item, SHOWN_KEYS)
    # Programs that call several APIs keep thoughts under the names of each.
    reasoning = first_text(item, "reasoning_content", "reasoning")
    reasoning = reasoning or join_lines(texts_under(item, "thinking_blocks[].thinking"))
    if reasoning:
        meta[REASONING] = reasoning
    return {**fields, "meta": meta}
