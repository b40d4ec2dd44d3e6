"""Claude.ai's data export: conversations.json, each conversation a list of messages of content blocks."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from memviz.transcripts.base import UNTITLED, RecordedEvent
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import spoken_role, stand_in
from memviz.transcripts.readers.anthropic.blocks import (
    MARKS,
    THOUGHTS,
    add_prompt,
    add_reply,
    blocks_of,
    type_of,
)
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
        """Whether a JSON value is an object with a list of chat messages."""
        return isinstance(value_at(item, "chat_messages"), list)

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages in the order of the file; of one with branches, the branch that was continued last."""
        messages = item["chat_messages"]
        for index in _order(messages, item.get("current_leaf_message_uuid"), builder):
            _add_message(messages[index], builder, f"index {index}")
        if summary := first_text(item, "summary"):
            builder.add_event(
                RecordedEvent("summary", len(builder.messages), text=summary)
            )
        return {
            "title": text_at(item, "name") or UNTITLED,
            "held_at": moment(item.get("created_at")),
        }


def _order(items: list[Any], current: object, builder: TranscriptBuilder) -> list[int]:
    """The indexes of the messages to read."""
    index_of = {_id(item, index): index for index, item in enumerate(items)}
    if len(index_of) < len(
        items
    ):  # ids repeat, so they cannot say which branches there are
        return list(range(len(items)))
    parent_of = _parents(items, list(index_of))

    def said_at(id: str) -> datetime | None:
        return moment(value_at(items[index_of[id]], "created_at"))

    is_known = isinstance(current, str) and current in parent_of
    leaf = str(current) if is_known else newest_leaf(parent_of, said_at)
    has_branches = len(set(parent_of.values())) < len(parent_of)
    if leaf is None or (
        not has_branches and len(branch(leaf, parent_of)[0]) < len(items)
    ):
        return list(range(len(items)))  # no tree, but pieces of a list
    return [index_of[id] for id in branch_to(leaf, parent_of, builder, lambda _: True)]


def _parents(items: list[Any], ids: list[str]) -> dict[str, str | None]:
    """The message before each: the one that it names, or else the one before it in the file."""
    parent_of: dict[str, str | None] = {}
    known = set(ids)
    for before, id, item in zip([None, *ids], ids, items, strict=False):
        named = value_at(item, "parent_message_uuid")
        if named == ROOT:
            parent_of[id] = None
        else:
            parent_of[id] = (
                named if isinstance(named, str) and named in known else before
            )
    return parent_of


def _id(item: object, index: int) -> str:
    return text_at(item, "uuid") or f"index {index}"


def _add_message(item: Any, builder: TranscriptBuilder, place: str) -> None:
    role = builder.speaker(
        item, place, "sender", "role", called="sender", role_of=spoken_role
    )
    if role is None:
        return
    blocks = blocks_of(item.get("content"))
    text = item.get("text")
    if not text and not blocks:
        text = builder.text_elsewhere(item, place, "attachments", "files")
    more = joined([_text_beside(blocks, text), *_files(item)])
    meta = with_time(item.get("created_at"))
    if role == "assistant":
        add_reply(blocks, builder, place, meta, more)
    else:
        add_prompt(role, blocks, builder, place, meta, more)


def _text_beside(blocks: list[Any], text: object) -> str:
    """The ``text`` of the message, if the blocks have none, as in older exports."""
    silent = all(isinstance(block, dict) and not _says(block) for block in blocks)
    if not silent or not isinstance(text, str):
        return ""
    rest, found = STAND_IN.subn("", text)
    return rest.strip() if found else text


def _says(block: dict[str, Any]) -> bool:
    return type_of(block) not in THOUGHTS | MARKS and bool(
        text_at(block, "text").strip()
    )


def _files(item: dict[str, Any]) -> list[str]:
    """The files that came with a message: what was read from them, and stand-ins for the others."""
    shown, names = [], set()
    for file in objects_at(item, "attachments"):
        names.add(str(file.get("file_name")))
        shown.append(
            joined(
                [_shown_as(file.get("file_name")), text_at(file, "extracted_content")]
            )
        )
    rest = [
        file
        for file in objects_at(item, "files")
        if str(file.get("file_name")) not in names
    ]
    return [
        *shown,
        *(_shown_as(file.get("file_name"), file.get("file_kind")) for file in rest),
    ]


def _shown_as(name: object, kind: object = None) -> str:
    is_image = kind == "image" or (
        isinstance(name, str) and PurePosixPath(name).suffix.lower() in IMAGES
    )
    return stand_in("image" if is_image else "file", name)
