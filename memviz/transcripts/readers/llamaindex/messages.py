"""One LlamaIndex message: a role with blocks, or with a content in older versions, and what the vendor sent beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    UNKNOWN_KIND,
    content_text,
    known_role,
    stand_in,
)
from memviz.transcripts.readers.json_access import (
    first_text,
    id_text,
    joined,
    list_at,
    object_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.message_parts import Part, add_parts, call_parts
from memviz.transcripts.times import with_time

OTHER_ROLES = {"chatbot": "assistant", "model": "assistant"}
FILE_BLOCKS = {"image": "image", "audio": "audio", "video": "video", "document": "file"}
MARKS = frozenset({"cache"})
"""Blocks that say something to the vendor and show nothing."""


def is_message(item: object) -> bool:
    """Whether a JSON value is a message of LlamaIndex's: a known role, with blocks or what else only it writes."""
    if not isinstance(item, dict) or _role(item.get("role")) is None:
        return False
    return isinstance(item.get("blocks"), list) or isinstance(
        item.get("additional_kwargs"), dict
    )


def has_blocks(item: object) -> bool:
    """Whether a JSON value is a message that no other product could have written."""
    blocks = value_at(item, "blocks")
    return isinstance(blocks, list) and all(
        isinstance(block, dict) and "block_type" in block for block in blocks
    )


def add_message(
    item: Any, builder: TranscriptBuilder, place: str, time: object = None
) -> None:
    """Parse one JSON value as a message and add it; anything else is left out."""
    role = builder.speaker(item, place, role_of=_role)
    if role is None:
        return
    extra = object_at(item, "additional_kwargs")
    parts = _parts(item, builder, place)
    if role == "assistant":
        parts += _beside(extra, parts, builder, place)
    name, answered = (
        id_text(extra.get(key)) or None for key in ("name", "tool_call_id")
    )
    add_parts(
        builder,
        role,
        parts,
        place,
        name=name,
        tool_call_id=answered,
        meta=with_time(time) or None,
    )


def _role(value: object) -> str | None:
    role = (
        value.strip().lower().removeprefix("messagerole.")
        if isinstance(value, str) and len(value) < 40
        else ""
    )
    return OTHER_ROLES.get(role, known_role(role))


def _parts(
    item: Mapping[str, Any], builder: TranscriptBuilder, place: str
) -> list[Part]:
    blocks = item.get("blocks")
    if not isinstance(blocks, list) or (not blocks and item.get("content") is not None):
        return [Part("text", content_text(item.get("content"), builder.note_at(place)))]
    return [part for block in blocks for part in _block_parts(block, builder, place)]


def _block_parts(block: object, builder: TranscriptBuilder, place: str) -> list[Part]:
    if not isinstance(block, dict):
        return [Part("text", content_text([block], builder.note_at(place)))]
    kind = text_at(block, "block_type")
    if kind == "thinking":
        text = text_at(block, "content")
        return [Part("reasoning", text)] if text else []
    if kind == "tool_call":
        return call_parts([{**block, "id": block.get("tool_call_id")}], builder, place)
    return [] if kind in MARKS else [Part("text", _text(block, kind, builder, place))]


def _text(
    block: Mapping[str, Any], kind: str, builder: TranscriptBuilder, place: str
) -> str:
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if kind in FILE_BLOCKS:
        return stand_in(
            FILE_BLOCKS[kind], _filename(block) if kind == "document" else None
        )
    if kind in ("citable", "citation"):
        content = (
            block.get("content") if kind == "citable" else block.get("cited_content")
        )
        inner = content if isinstance(content, list) else [content] if content else []
        parts = [
            part for block in inner for part in _block_parts(block, builder, place)
        ]
        title = [stand_in("file", block.get("title"))] if kind == "citable" else []
        return joined([*title, *(part.text for part in parts if part.kind == "text")])
    builder.note(UNKNOWN_KIND, place)
    return stand_in(kind or "block")


def _filename(block: Mapping[str, Any]) -> str | None:
    return (
        text_at(block, "title")
        or text_at(block, "path").replace("\\", "/").rsplit("/", 1)[-1]
        or None
    )


def _beside(
    extra: Mapping[str, Any], parts: list[Part], builder: TranscriptBuilder, place: str
) -> list[Part]:
    """The calls and thoughts that older versions keep beside the content; they count where no block has them."""
    found: list[Part] = []
    if not any(part.kind == "call" for part in parts):
        legacy = extra.get("function_call")
        found += call_parts(
            [*list_at(extra, "tool_calls"), *([legacy] if legacy else [])],
            builder,
            place,
        )
    if not any(part.kind == "reasoning" for part in parts):
        thoughts = first_text(extra, "thinking", "reasoning_content")
        found += [Part("reasoning", thoughts)] if thoughts else []
    return found
