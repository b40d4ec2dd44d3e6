"""Lists of messages with a role: which are in the shape of the OpenAI chat API, and which are another product's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.chat_messages import known_role

# Keys of other products' messages: items of other types than messages, parts or blocks instead of content.
FOREIGN_KEYS = frozenset({"type", "parts", "blocks", "message_tree_id", "session_id", "thread_id", "toolInvocations"})
OPENAI_PARTS = frozenset({"text", "refusal", "image_url", "input_audio", "file", "image"})
OPENAI_KEYS = ("tool_calls", "tool_call_id", "function_call", "refusal")
OPENAI_ROLES = frozenset({"system", "developer", "tool", "function"})


def are_messages(items: object) -> bool:
    """Whether at least half of a list are messages with a known role, and none is another product's."""
    if not isinstance(items, list) or not items:
        return False
    objects = [item for item in items if isinstance(item, dict)]
    with_role = sum(known_role(item.get("role")) is not None for item in objects)
    return 2 * with_role >= len(items) and not any(_is_foreign(item) for item in objects)


def are_openai(items: Sequence[Any]) -> bool:
    """Whether any message of the list has what only the OpenAI chat API knows: roles beside user and assistant, tool
    calls, a refusal, or content in parts."""
    return any(_is_openai(item) for item in items if isinstance(item, dict))


def part_types(item: Mapping[str, Any]) -> set[str]:
    """The types of the parts that a message's content is a list of."""
    content = item.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return {part["type"] for part in parts if isinstance(part.get("type"), str)}


def _is_openai(item: Mapping[str, Any]) -> bool:
    role = item.get("role")
    named = isinstance(role, str) and role.strip().lower() in OPENAI_ROLES
    return named or any(item.get(key) is not None for key in OPENAI_KEYS) or bool(part_types(item))


def _is_foreign(item: Mapping[str, Any]) -> bool:
    return not FOREIGN_KEYS.isdisjoint(item) or not OPENAI_PARTS.issuperset(part_types(item))
