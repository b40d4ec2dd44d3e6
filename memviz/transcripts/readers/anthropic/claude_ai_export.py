"""Claude.ai's data export: conversations.json, each conversation a list of messages of
content blocks."""

import re
from pathlib import PurePosixPath
from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import role_of_speaker, stand_in
from memviz.transcripts.readers.anthropic.blocks import MARKS, THOUGHTS, add_blocks
from memviz.transcripts.readers.json_access import (
    first_text,
    join_lines,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import About, ExportReader
from memviz.transcripts.readers.message_trees import (
    find_branch_to,
    find_newest_leaf,
    walk_branch,
)
from memviz.transcripts.times import meta_with_time

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp", ".svg"})
ROOT = "00000000-0000-4000-8000-000000000000"
"""The parent that the first message of a conversation names."""
ABOUT = About(title=("name",), held_at=("created_at",))
STAND_IN = re.compile(
    r"```\n(This block is not supported|Viewing artifacts created via)[^\n]*\n```"
)
"""Stands in ``text`` for every block that is no text."""


class ClaudeAiExport(ExportReader):
    """A list of conversations, or one, each with its ``chat_messages``."""

    name = "claude_ai_export"
    title = noop("Claude.ai export")
    expected = noop("conversations with a list of chat_messages")
    missing = noop("it has no list of chat_messages.")

    def is_conversation(self, item: object) -> bool:
        """Return whether a JSON value is an object with a list of chat messages."""
        return isinstance(value_at(item, "chat_messages"), list)

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages in the order of the file; of one with branches, the branch
        that was continued last."""
        messages = item["chat_messages"]
        current_leaf = item.get("current_leaf_message_uuid")
        for index in _indexes_to_read(messages, current_leaf, builder):
            _add_message(messages[index], builder, f"index {index}")
        summary = first_text(item, "summary")
        if summary:
            builder.add_event("summary", summary)
        return ABOUT.read(item)


def _indexes_to_read(
    items: list[Any], current_leaf: object, builder: TranscriptBuilder
) -> list[int]:
    """Return the indexes of the messages to read, in order. The first case that fits:

    1. Ids repeat, so they show no branches: all, as listed.
    2. There is no message: none.
    3. The file has no branches, but its messages are several chains: all, as listed.
    4. Else the branch to the current leaf, or to the newest if none is named.
    """
    as_listed = list(range(len(items)))
    ids = [text_at(item, "uuid") or f"index {n}" for n, item in enumerate(items)]
    index_of = {uuid: index for index, uuid in enumerate(ids)}
    if len(index_of) < len(items):
        return as_listed
    parent_of = _find_parents(items, ids)
    leaf = find_newest_leaf(
        parent_of, lambda uuid: value_at(items[index_of[uuid]], "created_at")
    )
    if isinstance(current_leaf, str) and current_leaf in parent_of:
        leaf = current_leaf
    if leaf is None:
        return as_listed
    has_branches = len(set(parent_of.values())) < len(parent_of)
    chain, _ = walk_branch(leaf, parent_of)
    is_broken_chain = not has_branches and len(chain) < len(items)
    if is_broken_chain:
        return as_listed
    path = find_branch_to(leaf, parent_of, builder, is_message=lambda _: True)
    return [index_of[uuid] for uuid in path]


def _find_parents(items: list[Any], ids: list[str]) -> dict[str, str | None]:
    """Return the id of the message before each: the one that it names, or else the one
    before it in the file.
    """
    parent_of: dict[str, str | None] = {}
    parent_by_name = {**dict(zip(ids, ids, strict=True)), ROOT: None}
    previous_id = None
    for uuid, item in zip(ids, items, strict=True):
        parent = text_at(item, "parent_message_uuid")
        parent_of[uuid] = parent_by_name.get(parent, previous_id)
        previous_id = uuid
    return parent_of


def _add_message(item: Any, builder: TranscriptBuilder, place: str) -> None:
    role = builder.speaker(
        item, place, "sender", "role", called="sender", role_of=role_of_speaker
    )
    if role is None:
        return
    content = item.get("content")
    text = item.get("text")
    if not text and content in (None, []):
        text = builder.text_elsewhere(item, place, "attachments", "files")
    more_text = join_lines([_find_text_beside(content, text), *_read_files(item)])
    meta = meta_with_time(item.get("created_at"))
    add_blocks(role, content, builder, place, meta, more_text)


def _find_text_beside(content: object, text: object) -> str:
    """Return the ``text`` of a message whose blocks have none, as in older exports."""
    blocks = content if isinstance(content, list) else [content or {}]
    if not isinstance(text, str) or any(map(_has_text, blocks)):
        return ""
    rest, stand_in_count = STAND_IN.subn("", text)
    return rest.strip() if stand_in_count else text


def _has_text(block: object) -> bool:
    """Return whether a block holds what the user or the model said.

    Thoughts and marks do not. A block that is no object may, so it counts.
    """
    if not isinstance(block, dict):
        return True
    if text_at(block, "type") in THOUGHTS | MARKS:
        return False
    return bool(text_at(block, "text").strip())


def _read_files(item: dict[str, Any]) -> list[str]:
    """Return the files that came with a message: the text that was read from each
    attachment behind its stand-in, and stand-ins for the others.
    """
    texts = []
    attached_names = set()
    for file in objects_at(item, "attachments"):
        attached_names.add(str(file.get("file_name")))
        texts += [_stand_in_for_file(file), text_at(file, "extracted_content")]
    for file in objects_at(item, "files"):
        if str(file.get("file_name")) not in attached_names:
            texts.append(_stand_in_for_file(file, file.get("file_kind")))
    return texts


def _stand_in_for_file(file: dict[str, Any], kind: object = None) -> str:
    """Return what stands for a file in the message: "[image: map.png]"."""
    name = text_at(file, "file_name")
    is_image = kind == "image" or PurePosixPath(name).suffix.lower() in IMAGES
    return stand_in("image" if is_image else "file", name)
