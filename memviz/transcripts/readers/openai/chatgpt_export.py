"""ChatGPT's data export: conversations.json, whole or in numbered files, each conversation a tree of nodes."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.base import UNTITLED
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document
from memviz.transcripts.readers.deepseek import is_deepseek
from memviz.transcripts.readers.json_access import (
    joined,
    list_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import ExportReader
from memviz.transcripts.readers.message_trees import branch_taken
from memviz.transcripts.readers.openai.chatgpt_content import (
    THOUGHTS,
    context_text,
    is_hidden,
    type_of,
)
from memviz.transcripts.readers.openai.chatgpt_path import ChatPath
from memviz.transcripts.times import moment

NODE_KEYS = frozenset({"message", "parent", "children"})


class ChatGptExport(ExportReader):
    """A list of conversations, or one: the nodes are in ``mapping``, and ``current_node`` ends the branch in use."""

    name = "chatgpt_export"
    title = "ChatGPT export"
    expected = "conversations with a mapping of nodes"
    missing = "it has no mapping of nodes."

    def is_conversation(self, item: object) -> bool:
        """Whether a JSON value is an object with a mapping, and not DeepSeek's."""
        return isinstance(value_at(item, "mapping"), dict) and not is_deepseek(item)

    def recognise(self, document: Document) -> bool:
        """At least half are objects with a mapping, and one of these has nodes in it."""
        return super().recognise(document) and any(
            map(_has_nodes, document.objects or [document.object])
        )

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the branch that ends at the current node; where that is unknown, at the newest leaf. What the model was
        told about the user is the system prompt."""
        path, contexts = ChatPath(builder), dict[str, None]()
        for id in _branch_taken(item["mapping"], item.get("current_node"), builder):
            message = _message(item["mapping"][id])
            if message is not None:
                path.add(id, message)
                contexts[context_text(message)] = None
        path.end()
        held_at = moment(item.get("create_time")) or moment(item.get("update_time"))
        about_user = joined([*contexts])
        return {
            "title": text_at(item, "title") or UNTITLED,
            "held_at": held_at,
            "system_prompt": about_user or None,
        }


def _has_nodes(item: dict[str, Any]) -> bool:
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        return False
    return any(
        not NODE_KEYS.isdisjoint(node) for node in objects_at([*mapping.values()])
    ) or (not mapping and "current_node" in item)


def _message(node: object) -> dict[str, Any] | None:
    message = value_at(node, "message")
    return message if isinstance(message, dict) else None


def _branch_taken(
    mapping: dict[str, Any], current: object, builder: TranscriptBuilder
) -> list[str]:
    def is_shown(id: str) -> bool:
        message = _message(mapping[id])
        if message is None or is_hidden(message):
            return False
        return type_of(message.get("content")) != THOUGHTS

    return branch_taken(
        _parents(mapping),
        current,
        lambda id: value_at(mapping[id], "message", "create_time"),
        builder,
        is_shown,
        "node",
        note_if_unsure=len(mapping) > 1,
    )


def _parents(mapping: dict[str, Any]) -> dict[str, str | None]:
    """The node before each; where a node does not name it, the one that names it among its children."""
    parent_of: dict[str, str | None] = {}
    named_by: dict[str, str] = {}
    for id, node in mapping.items():
        parent = value_at(node, "parent")
        parent_of[id] = parent if isinstance(parent, str) else None
        named_by.update(
            {child: id for child in list_at(node, "children") if isinstance(child, str)}
        )
    return {
        id: parent if parent is not None else named_by.get(id)
        for id, parent in parent_of.items()
    }
