"""ChatGPT's data export: conversations.json, whole or in numbered files, each conversation a tree of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.message_trees import NO_LEAF, newest_leaf, take_branch
from memviz.transcripts.readers.openai.chatgpt_content import THOUGHTS, is_hidden, type_of
from memviz.transcripts.readers.openai.chatgpt_path import ChatPath
from memviz.transcripts.times import moment

NODE_KEYS = frozenset({"message", "parent", "children"})


class ChatGptExport(Reader):
    """A list of conversations, or one: the nodes are in ``mapping``, and ``current_node`` ends the branch in use."""

    name = "chatgpt_export"
    title = "ChatGPT export"

    def recognise(self, document: Document) -> bool:
        """At least half are objects with a mapping, and one of these has nodes in it."""
        if document.object:
            return _is_conversation(document.object)
        objects = document.objects
        mapped = sum(isinstance(item.get("mapping"), dict) for item in objects)
        return bool(objects) and 2 * mapped >= len(objects) and any(map(_is_conversation, objects))

    def conversations(self, document: Document) -> Sequence[Any]:
        """Every item of the list, or the one object."""
        pieces = [document.object] if document.object else document.items
        if not any(isinstance(piece, dict) and isinstance(piece.get("mapping"), dict) for piece in pieces):
            raise mismatch("conversations with a mapping of nodes", document)
        return pieces

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The branch that ends at the current node; where that is unknown, at the newest leaf."""
        mapping = piece.get("mapping") if isinstance(piece, dict) else None
        if not isinstance(mapping, dict):
            raise TranscriptError("it has no mapping of nodes.", remedy="Export the conversation again.")
        path = ChatPath(builder)
        for id in _branch_taken(mapping, piece.get("current_node"), builder):
            message = _message(mapping[id])
            if message is not None:
                path.take(id, message)
        path.end()
        title = piece.get("title")
        held_at = moment(piece.get("create_time")) or moment(piece.get("update_time"))
        return builder.build(title=title if isinstance(title, str) else UNTITLED, held_at=held_at)


def _is_conversation(item: dict[str, Any]) -> bool:
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        return False
    nodes = [node for node in mapping.values() if isinstance(node, dict)]
    return any(not NODE_KEYS.isdisjoint(node) for node in nodes) or (not mapping and "current_node" in item)


def _message(node: object) -> dict[str, Any] | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else None


def _branch_taken(mapping: dict[str, Any], current: object, builder: TranscriptBuilder) -> list[str]:
    def is_shown(id: str) -> bool:
        message = _message(mapping[id])
        return message is not None and not is_hidden(message) and type_of(message.get("content")) != THOUGHTS

    def said_at(id: str) -> datetime | None:
        return moment((_message(mapping[id]) or {}).get("create_time"))

    parent_of = _parents(mapping)
    leaf: str | None
    if isinstance(current, str) and current in parent_of:
        leaf = current
    else:
        leaf = newest_leaf(parent_of, said_at)
        if len(parent_of) > 1:
            builder.note(NO_LEAF)
    return take_branch(leaf, parent_of, builder, is_shown, "node") if leaf is not None else []


def _parents(mapping: dict[str, Any]) -> dict[str, str | None]:
    """The node before each; where a node does not name it, the one that names it among its children."""
    parent_of: dict[str, str | None] = {}
    named_by: dict[str, str] = {}
    for id, node in mapping.items():
        parent, children = (node.get("parent"), node.get("children")) if isinstance(node, dict) else (None, None)
        parent_of[id] = parent if isinstance(parent, str) else None
        named_by.update(
            {child: id for child in (children if isinstance(children, list) else []) if isinstance(child, str)}
        )
    return {id: parent if parent is not None else named_by.get(id) for id, parent in parent_of.items()}
