"""Claude.ai's data export: conversations.json, each conversation a list of messages of content blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.anthropic.blocks import MARKS, THOUGHTS, blocks_of, read_prompt, read_reply, type_of
from memviz.transcripts.readers.branches import branch
from memviz.transcripts.readers.message_trees import newest_leaf, take_branch
from memviz.transcripts.readers.replies import joined
from memviz.transcripts.times import moment, with_time

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp", ".svg"})


def files_of(item: dict[str, Any]) -> list[str]:
    """The files that came with a message: what was read from them, and stand-ins for the others."""
    shown, names = [], set()
    for file in _objects(item.get("attachments")):
        names.add(str(file.get("file_name")))
        text = file.get("extracted_content")
        shown.append(joined([_shown_as(file.get("file_name")), text if isinstance(text, str) else ""]))
    rest = [file for file in _objects(item.get("files")) if str(file.get("file_name")) not in names]
    return [*shown, *(_shown_as(file.get("file_name"), file.get("file_kind")) for file in rest)]


def _shown_as(name: object, kind: object = None) -> str:
    is_image = kind == "image" or (isinstance(name, str) and PurePosixPath(name).suffix.lower() in IMAGES)
    return stand_in("image" if is_image else "file", name)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


ROOT = "00000000-0000-4000-8000-000000000000"
"""What a message without a message before it names as its parent."""
STAND_IN = re.compile(r"```\n(This block is not supported|Viewing artifacts created via)[^\n]*\n```")
"""What ``text`` has in the place of every block that is no text."""


class ClaudeAiExport(Reader):
    """A list of conversations, or one, each with its ``chat_messages``."""

    name = "claude_ai_export"
    title = "Claude.ai export"

    def recognise(self, document: Document) -> bool:
        """At least half are objects with a list of chat messages."""
        if document.object:
            return _has_messages(document.object)
        found = sum(map(_has_messages, document.objects))
        return found > 0 and 2 * found >= len(document.objects)

    def conversations(self, document: Document) -> Sequence[Any]:
        """Every item of the list, or the one object."""
        pieces = [document.object] if document.object else document.items
        if not any(map(_has_messages, pieces)):
            raise mismatch("conversations with a list of chat_messages", document)
        return pieces

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The messages in the order of the file; of one with branches, the branch that was continued last."""
        if not _has_messages(piece):
            raise TranscriptError("it has no list of chat_messages.", remedy="Export the conversation again.")
        items = piece["chat_messages"]
        for index in _order(items, piece.get("current_leaf_message_uuid"), builder):
            _read_message(items[index], builder, f"index {index}")
        summary, name = piece.get("summary"), piece.get("name")
        if isinstance(summary, str) and summary.strip():
            builder.add_event(RecordedEvent("summary", len(builder.messages), text=summary))
        title = name if isinstance(name, str) else UNTITLED
        return builder.build(title=title, held_at=moment(piece.get("created_at")))


def _has_messages(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("chat_messages"), list)


def _order(items: list[Any], current: object, builder: TranscriptBuilder) -> list[int]:
    """The indexes of the messages to read."""
    index_of = {_id(item, index): index for index, item in enumerate(items)}
    if len(index_of) < len(items):  # ids that repeat tell nothing of branches
        return list(range(len(items)))
    parent_of = _parents(items, list(index_of))

    def said_at(id: str) -> datetime | None:
        item = items[index_of[id]]
        return moment(item.get("created_at")) if isinstance(item, dict) else None

    is_known = isinstance(current, str) and current in parent_of
    leaf = str(current) if is_known else newest_leaf(parent_of, said_at)
    has_branches = len(set(parent_of.values())) < len(parent_of)
    if leaf is None or (not has_branches and len(branch(leaf, parent_of)[0]) < len(items)):
        return list(range(len(items)))  # no tree, but pieces of a list
    return [index_of[id] for id in take_branch(leaf, parent_of, builder, lambda _: True)]


def _parents(items: list[Any], ids: list[str]) -> dict[str, str | None]:
    """The message before each: the one that it names, or else the one before it in the file."""
    parent_of: dict[str, str | None] = {}
    known = set(ids)
    for before, id, item in zip([None, *ids], ids, items, strict=False):
        named = item.get("parent_message_uuid") if isinstance(item, dict) else None
        if named == ROOT:
            parent_of[id] = None
        else:
            parent_of[id] = named if isinstance(named, str) and named in known else before
    return parent_of


def _id(item: object, index: int) -> str:
    uuid = item.get("uuid") if isinstance(item, dict) else None
    return uuid if isinstance(uuid, str) and uuid else f"index {index}"


def _read_message(item: object, builder: TranscriptBuilder, place: str) -> None:
    if not isinstance(item, dict):
        builder.leave_out(place, f"is {kind_of(item)}, not an object")
        return
    sender = item.get("sender", item.get("role"))
    role = "user" if sender == "human" else known_role(sender)
    if role is None or role == "tool":
        builder.leave_out(place, "has no sender" if sender is None else f"has the unknown sender {str(sender)[:40]!r}")
        return
    blocks = blocks_of(item.get("content"))
    more = joined([_text_beside(blocks, item.get("text")), *files_of(item)])
    meta = with_time(item.get("created_at"))
    if role == "assistant":
        read_reply(blocks, builder, place, meta, more)
    else:
        read_prompt(role, blocks, builder, place, meta, more)


def _text_beside(blocks: list[Any], text: object) -> str:
    """The text that stands beside the blocks, where these have none: as older exports have it."""
    silent = all(isinstance(block, dict) and not _says(block) for block in blocks)
    if not silent or not isinstance(text, str):
        return ""
    rest, found = STAND_IN.subn("", text)
    return rest.strip() if found else text


def _says(block: dict[str, Any]) -> bool:
    text = block.get("text")
    return type_of(block) not in THOUGHTS | MARKS and isinstance(text, str) and bool(text.strip())
