"""Claude.ai's data export: conversations.json, each conversation a list of messages of content blocks."""

import re
from pathlib import PurePosixPath
from typing import Any

from memviz.transcripts.base import UNTITLED
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import spoken_role, stand_in
from memviz.transcripts.readers.anthropic.messages import MARKS, THOUGHTS, add_blocks
from memviz.transcripts.readers.json_access import (
    first_text,
    joined,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import ExportReader
from memviz.transcripts.readers.message_trees import branch, branch_to, newest_leaf
from memviz.transcripts.times import moment, with_time

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp", ".svg"})
ROOT = "00000000-0000-4000-8000-000000000000"
"""What a message without a message before it names as its parent."""
STAND_IN = re.compile(
    r"```\n(This block is not supported|Viewing artifacts created via)[^\n]*\n```"
)
"""What ``text`` has in the place of every block that is no text."""


class ClaudeAiExport(ExportReader):
    """A list of conversations, or one, each with its ``chat_messages``."""

    name = "claude_ai_export"
    title = "Claude.ai export"
    expected = "conversations with a list of chat_messages"
    missing = "it has no list of chat_messages."

    def is_conversation(self, item: object) -> bool:
        """Return whether a JSON value is an object with a list of chat messages."""
        return isinstance(value_at(item, "chat_messages"), list)

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages in the order of the file; of one with branches, the branch that was continued last."""
        messages = item["chat_messages"]
        for index in _order(messages, item.get("current_leaf_message_uuid"), builder):
            _add_message(messages[index], builder, f"index {index}")
        summary = first_text(item, "summary")
        if summary:
            builder.add_event("summary", summary)
        return {
            "title": text_at(item, "name") or UNTITLED,
            "held_at": moment(item.get("created_at")),
        }


def _order(items: list[Any], current: object, builder: TranscriptBuilder) -> list[int]:
    """Return the indexes of the messages to read."""
    as_listed = list(range(len(items)))
    ids = [text_at(item, "uuid") or f"index {n}" for n, item in enumerate(items)]
    index_of = {id: index for index, id in enumerate(ids)}
    if len(index_of) < len(items):  # ids repeat, so they show no branches
        return as_listed
    parent_of = _parents(items, ids)
    leaf = newest_leaf(
        parent_of, lambda id: value_at(items[index_of[id]], "created_at")
    )
    if isinstance(current, str) and current in parent_of:
        leaf = current
    if leaf is None:
        return as_listed
    has_branches = len(set(parent_of.values())) < len(parent_of)
    if not has_branches and len(branch(leaf, parent_of)[0]) < len(items):
        return as_listed  # no tree, but pieces of a list
    path = branch_to(leaf, parent_of, builder, lambda _: True)
    return [index_of[id] for id in path]


def _parents(items: list[Any], ids: list[str]) -> dict[str, str | None]:
    """Return the message before each: the one that it names, or else the one before it in the file."""
    parent_of: dict[str, str | None] = {}
    known = set(ids)
    before = None
    for id, item in zip(ids, items, strict=True):
        named = text_at(item, "parent_message_uuid")
        if named == ROOT:
            parent_of[id] = None
        else:
            parent_of[id] = named if named in known else before
        before = id
    return parent_of


def _add_message(item: Any, builder: TranscriptBuilder, place: str) -> None:
    role = builder.speaker(
        item, place, "sender", "role", called="sender", role_of=spoken_role
    )
    if role is None:
        return
    content = item.get("content")
    text = item.get("text")
    if not text and content in (None, []):
        text = builder.text_elsewhere(item, place, "attachments", "files")
    more = joined([_text_beside(content, text), *_files(item)])
    add_blocks(role, content, builder, place, with_time(item.get("created_at")), more)


def _text_beside(content: object, text: object) -> str:
    """Return the ``text`` of a message, if its blocks have none, as in older exports."""
    blocks = content if isinstance(content, list) else [content or {}]
    if not isinstance(text, str) or any(map(_says, blocks)):
        return ""
    rest, found = STAND_IN.subn("", text)
    return rest.strip() if found else text


def _says(block: object) -> bool:
    if not isinstance(block, dict):
        return True
    is_silent = text_at(block, "type") in THOUGHTS | MARKS
    return not is_silent and bool(text_at(block, "text").strip())


def _files(item: dict[str, Any]) -> list[str]:
    """Return the files that came with a message: what was read from them, and stand-ins for the others."""
    shown = []
    names = set()
    for file in objects_at(item, "attachments"):
        name = file.get("file_name")
        names.add(str(name))
        shown += [_shown_as(name), text_at(file, "extracted_content")]
    for file in objects_at(item, "files"):
        name = file.get("file_name")
        if str(name) not in names:
            shown.append(_shown_as(name, file.get("file_kind")))
    return shown


def _shown_as(name: object, kind: object = None) -> str:
    is_image = kind == "image"
    if isinstance(name, str) and PurePosixPath(name).suffix.lower() in IMAGES:
        is_image = True
    return stand_in("image" if is_image else "file", name)
