"""One LlamaIndex message: a role with blocks, or with a content in older versions, and what the vendor sent beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import content_text, known_role, stand_in
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.message_parts import Part, call_part, label, say_parts
from memviz.transcripts.times import with_time

OTHER_ROLES = {"chatbot": "assistant", "model": "assistant"}
FILE_BLOCKS = {"image": "image", "audio": "audio", "video": "video", "document": "file"}
MARKS = frozenset({"cache"})
"""Blocks that say something to the vendor and show nothing."""
NO_NAME = "a tool call that names no tool was left out"
UNKNOWN = "content of a kind that is not known is shown by its name only"


def is_message(item: object) -> bool:
    """Whether a JSON value is a message of LlamaIndex's: a known role, with blocks or what else only it writes."""
    if not isinstance(item, dict) or _role(item.get("role")) is None:
        return False
    return isinstance(item.get("blocks"), list) or isinstance(item.get("additional_kwargs"), dict)


def has_blocks(item: object) -> bool:
    """Whether a JSON value is a message that no other product could have written."""
    blocks = item.get("blocks") if isinstance(item, dict) else None
    return isinstance(blocks, list) and all(isinstance(block, dict) and "block_type" in block for block in blocks)


def take_message(item: object, builder: TranscriptBuilder, place: str, time: object = None) -> None:
    """Add the message that a JSON value is; one that is none is left out."""
    if not isinstance(item, dict):
        builder.leave_out(place, f"is {kind_of(item)}, not an object")
        return
    role = _role(item.get("role"))
    if role is None:
        shown = item.get("role")
        found = repr(shown[:40]) if isinstance(shown, str) else kind_of(shown)
        builder.leave_out(place, f"has the unknown role {found}" if shown is not None else "has no role")
        return
    kwargs = item.get("additional_kwargs")
    extra: Mapping[str, Any] = kwargs if isinstance(kwargs, dict) else {}
    parts = _parts(item, builder, place)
    if role == "assistant":
        parts += _beside(extra, parts, builder, place)
    name, answered = label(extra.get("name")), label(extra.get("tool_call_id"))
    say_parts(builder, role, parts, place, name=name, tool_call_id=answered, meta=with_time(time) or None)


def _role(value: object) -> str | None:
    role = value.strip().lower().removeprefix("messagerole.") if isinstance(value, str) and len(value) < 40 else ""
    return OTHER_ROLES.get(role, known_role(role))


def _parts(item: Mapping[str, Any], builder: TranscriptBuilder, place: str) -> list[Part]:
    blocks = item.get("blocks")
    if not isinstance(blocks, list) or (not blocks and item.get("content") is not None):
        return [Part("text", content_text(item.get("content"), lambda what: builder.note(what, place)))]
    found = (_part(block, builder, place) for block in blocks)
    return [part for part in found if part is not None]


def _part(block: object, builder: TranscriptBuilder, place: str) -> Part | None:
    if not isinstance(block, dict):
        return Part("text", content_text([block], lambda what: builder.note(what, place)))
    named = block.get("block_type")
    kind = named if isinstance(named, str) else ""
    if kind == "thinking":
        text = block.get("content")
        return Part("reasoning", text) if isinstance(text, str) and text else None
    if kind == "tool_call":
        call = call_part({**block, "id": block.get("tool_call_id")})
        if call is None:
            builder.note(NO_NAME, place)
        return call
    return None if kind in MARKS else Part("text", _text(block, kind, builder, place))


def _text(block: Mapping[str, Any], kind: str, builder: TranscriptBuilder, place: str) -> str:
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if kind in FILE_BLOCKS:
        return stand_in(FILE_BLOCKS[kind], _filename(block) if kind == "document" else None)
    if kind in ("citable", "citation"):
        content = block.get("content") if kind == "citable" else block.get("cited_content")
        inner = content if isinstance(content, list) else [content] if content else []
        parts = [_part(part, builder, place) for part in inner]
        texts = [part.text for part in parts if part and part.kind == "text" and part.text]
        return "\n".join([stand_in("file", block.get("title")), *texts]) if kind == "citable" else "\n".join(texts)
    builder.note(UNKNOWN, place)
    return stand_in(kind or "block")


def _filename(block: Mapping[str, Any]) -> str | None:
    if isinstance(block.get("title"), str) and block["title"]:
        return str(block["title"])
    path = block.get("path")
    return path.replace("\\", "/").rsplit("/", 1)[-1] if isinstance(path, str) else None


def _beside(extra: Mapping[str, Any], parts: list[Part], builder: TranscriptBuilder, place: str) -> list[Part]:
    """The calls and thoughts that older versions keep beside the content; they count where no block has them."""
    found: list[Part] = []
    if not any(part.kind == "call" for part in parts):
        legacy = extra.get("function_call")
        listed = extra.get("tool_calls")
        calls = [*(listed if isinstance(listed, list) else []), *([legacy] if legacy else [])]
        read = [call_part(call) for call in calls]
        if None in read:
            builder.note(NO_NAME, place)
        found += [part for part in read if part is not None]
    if not any(part.kind == "reasoning" for part in parts):
        thoughts = next(
            (extra[key] for key in ("thinking", "reasoning_content") if isinstance(extra.get(key), str)), ""
        )
        found += [Part("reasoning", thoughts)] if thoughts else []
    return found
