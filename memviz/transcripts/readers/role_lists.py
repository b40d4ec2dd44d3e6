"""Lists of messages with a role: which are in the shape of the OpenAI chat API, and which are another product's.

:func:`chat_item` is for programs that save messages in that shape with fields of their own beside them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.base import REASONING
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.readers.json_access import (
    first_text,
    joined,
    objects_at,
    picked,
    text_at,
    texts_under,
)

# Keys of other products' messages: items of other types than messages, parts or blocks instead of content.
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
OPENAI_PARTS = frozenset(
    {"text", "refusal", "image_url", "input_audio", "file", "image"}
)
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
    """Return whether at least half of a list are objects with a known role, whatever else is in them."""
    if not isinstance(items, list) or not items:
        return False
    roles = [known_role(item.get("role")) for item in objects_at(items)]
    return 2 * (len(roles) - roles.count(None)) >= len(items)


def are_messages(items: object) -> bool:
    """Return whether at least half of a list are messages with a known role, and none is another product's."""
    return has_roles(items) and not any(map(_is_foreign, objects_at(items)))


def are_openai(items: Sequence[Any]) -> bool:
    """Return whether any message of the list has what only the OpenAI chat API knows: roles beside user and
    assistant, tool calls, a refusal, or content in parts."""
    return any(map(_is_openai, objects_at(items)))


def part_types(item: Mapping[str, Any]) -> set[str]:
    """The types of the parts that a message's content is a list of."""
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
    has_own = any(item.get(key) is not None for key in OPENAI_KEYS)
    return has_own or bool(part_types(item))


def _is_foreign(item: Mapping[str, Any]) -> bool:
    is_foreign = not FOREIGN_KEYS.isdisjoint(item) or not OPENAI_PARTS.issuperset(
        part_types(item)
    )
    return is_foreign or is_bedrock(item) or is_cohere(item)


def is_bedrock(item: Mapping[str, Any]) -> bool:
    """Return whether a message's content is blocks of Amazon Bedrock: objects without a type, whose key says what
    they are."""
    content = item.get("content")
    if not isinstance(content, list) or not content:
        return False
    return all(map(_is_bedrock_block, content))


def _is_bedrock_block(block: object) -> bool:
    if not isinstance(block, dict) or "type" in block:
        return False
    return isinstance(block.get("text"), str) or any(
        isinstance(block.get(key), dict) for key in BEDROCK_BLOCKS
    )


def is_cohere(item: Mapping[str, Any]) -> bool:
    """Return whether a message has what only Cohere's API knows: a chatbot with a message, results that repeat their
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


def chat_item(item: dict[str, Any], **meta: Any) -> dict[str, Any]:
    """The message without the fields that its program keeps for itself, with this ``meta`` and reasoning."""
    shown = picked(item, SHOWN_KEYS)
    # Programs that call several APIs keep thoughts under the names of each.
    reasoning = first_text(item, "reasoning_content", "reasoning")
    reasoning = reasoning or joined(texts_under(item, "thinking_blocks[].thinking"))
    if reasoning:
        meta[REASONING] = reasoning
    return {**shown, "meta": meta}
