"""Items of the OpenAI Responses API: which types there are, and which lists are such items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.document import HEAD_ITEMS
from memviz.transcripts.readers.role_lists import part_types

MESSAGE_OBJECTS = frozenset({"thread.message", "realtime.item"})
PARTS = frozenset(
    {
        "input_text",
        "output_text",
        "input_image",
        "input_file",
        "summary_text",
        "reasoning_text",
    }
)
# The server runs these tools itself: one item is the call and its result.
SERVED = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
    }
)
CALLS = SERVED | {
    "function_call",
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "tool_search_call",
    "program",
    "mcp_approval_request",
}
RESULTS = frozenset(
    {
        "function_call_output", "custom_tool_call_output", "computer_call_output", "local_shell_call_output",
        "shell_call_output", "apply_patch_call_output", "tool_search_output", "program_output",
        "mcp_approval_response",
    }
)  # fmt: skip
COMPACTIONS = frozenset({"compaction", "compaction_summary"})
UNREADABLE = "the summary of a compaction is encrypted, so that nobody can read it"
# Definitions of tools and orders to the server: no part of what was said.
SILENT = frozenset({"mcp_list_tools", "additional_tools", "compaction_trigger"})
TYPES = (
    CALLS | RESULTS | COMPACTIONS | SILENT | {"reasoning", "item_reference", "message"}
)
# Keys of other products' rows. Some of these rows contain items of the same types, others are mixed with such items.
OTHERS = frozenset(
    {
        "payload", "uuid", "parentUuid", "parts", "blocks", "message_tree_id", "stop_reason", "data", "lc",
        "record_type", "instructions", "git",
    }
)  # fmt: skip


def are_items(items: object) -> bool:
    """Whether at least half of a list are items or messages, and one is what only the Responses API knows."""
    if not isinstance(items, list) or not items:
        return False
    items = items[:HEAD_ITEMS]
    objects = [item for item in items if isinstance(item, dict)]
    kinds = {item["type"] for item in objects if isinstance(item.get("type"), str)}
    known = sum(
        is_item(item) or known_role(item.get("role")) is not None for item in objects
    )
    if 2 * known < len(items) or any(not OTHERS.isdisjoint(item) for item in objects):
        return False
    return any(_is_certain(item) for item in objects) or (
        "message" in kinds and kinds <= TYPES
    )


def is_item(item: Mapping[str, Any]) -> bool:
    """Whether an object is an item by its type and the keys that the type needs."""
    kind = item.get("type")
    if _is_message_object(item):
        return True
    if kind == "message":
        return known_role(item.get("role")) is not None and "content" in item
    return _is_certain(item)


def _is_certain(item: Mapping[str, Any]) -> bool:
    kind = item.get("type")
    if _is_message_object(item) or not PARTS.isdisjoint(part_types(item)):
        return True
    if kind == "reasoning":
        return isinstance(item.get("summary"), list) or "encrypted_content" in item
    return (
        isinstance(kind, str)
        and kind in TYPES - {"message"}
        and ("call_id" in item or "id" in item)
    )


def _is_message_object(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("object"), str) and item["object"] in MESSAGE_OBJECTS
