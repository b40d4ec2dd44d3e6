"""UI messages of Vercel's AI SDK, of version 5 and later (parts alone) and of version 4 (parts beside content).

A part of a tool is both its call and its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.core.message_fields import MAX_KEYS_SHOWN, TEXT_KEYS
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    NOT_TEXT,
    UNKNOWN_KIND,
    Note,
    content_text,
    kept_beside,
    spoken_role,
    stand_in,
)
from memviz.transcripts.document import HEAD_ITEMS, Document, Reader, mismatch
from memviz.transcripts.readers.json_access import (
    first_text,
    joined,
    json_text,
    list_at,
    objects_at,
    text_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import with_places
from memviz.transcripts.readers.message_parts import ReplyBuilder
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import moment, with_time

ROLES = frozenset({"system", "user", "assistant", "data"})
OLD_CALLS = "toolInvocations"
"""Where early messages of version 4, which have no parts, keep tool calls."""
TOOLS = {"dynamic-tool", "tool-invocation"}
KINDS = {
    "text",
    "reasoning",
    "step-start",
    "file",
    "source",
    "source-url",
    "source-document",
} | TOOLS
PREFIXES = ("tool-", "data-")
TEXT_PART_KEYS = {"type", "text", "state", "providerMetadata", "id"}
UNSEEN = ("source", "data-", "step-start")
"""Parts that start so are for the screen: what an answer is based on, and what a program draws."""


class VercelUi(Reader):
    """A list of messages, one message a line, or chats: objects with a list of messages."""

    name = "vercel_ui"
    title = "Vercel AI SDK UI messages"

    def recognise(self, document: Document) -> bool:
        """At least half are messages with a role and parts, all of a type of the SDK; or are chats of these."""
        if document.object:
            return _is_chat(document.object)
        head = list(document.items[:HEAD_ITEMS])
        return _are_ui_messages(head) or (
            bool(head) and 2 * sum(map(_is_chat, head)) >= len(head)
        )

    def conversations(self, document: Document) -> Sequence[Any]:
        """One for a list of messages; else one for each chat."""
        if isinstance(document.object.get("messages"), list):
            return [document.object]
        if not document.items:
            raise mismatch("messages with parts", document)
        if any(map(_is_chat, document.items)):
            return [item if isinstance(item, dict) else {} for item in document.items]
        return [document.placed]

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The messages in order; what a tool answered in the middle of a reply is a message of its own."""
        if not isinstance(piece, list) and not isinstance(piece.get("messages"), list):
            raise TranscriptError(
                "it has no list of messages.", remedy="Choose another one."
            )
        for item, place in (
            piece if isinstance(piece, list) else with_places(piece["messages"])
        ):
            _add_message(item, builder, place)
        held_at = moment(value_at(piece, "createdAt"))
        return builder.build(title=text_at(piece, "title") or UNTITLED, held_at=held_at)


def _is_chat(item: object) -> bool:
    return _are_ui_messages(list_at(item, "messages")[:HEAD_ITEMS])


def _are_ui_messages(items: list[Any]) -> bool:
    objects = [item for item in objects_at(items) if text_at(item, "role") in ROLES]
    if not objects or 2 * len(objects) < len(items):
        return False
    if any(OLD_CALLS in item for item in objects) and not are_messages(items):
        return True
    parts = [part for item in objects for part in list_at(item, "parts")]
    return (
        bool(parts)
        and all(map(_is_part, parts))
        and all("parts" in item or "content" in item for item in objects)
    )


def _is_part(part: object) -> bool:
    """Whether it is a part of a type that the SDK has."""
    kind = text_at(part, "type")
    return kind in KINDS or kind.startswith(PREFIXES)


def _add_message(item: Any, builder: TranscriptBuilder, place: str) -> None:
    role = builder.speaker(item, place, role_of=spoken_role)
    if role is None:
        return
    parts = list_at(item, "parts")
    has_text = any(part.get("type") == "text" for part in objects_at(parts))
    beside = (
        "" if has_text else content_text(item.get("content"), builder.note_at(place))
    )
    meta = with_time(item.get("createdAt")) or with_time(
        value_at(item, "metadata", "createdAt")
    )
    if role == "assistant":
        _add_reply(
            item, parts, beside, ReplyBuilder(builder, place, meta), place, builder
        )
        return
    texts = [_shown(part, builder, place) for part in parts]
    files = [_file(file) for file in objects_at(item, "experimental_attachments")]
    meta = {**meta, **_unseen(parts, builder.note_at(place))}
    builder.add_text(role, joined([beside, *texts, *files]), place, meta=meta or None)


def _add_reply(
    item: dict[str, Any],
    parts: list[Any],
    beside: str,
    reply: ReplyBuilder,
    place: str,
    builder: TranscriptBuilder,
) -> None:
    if not parts:  # version 4 before it had parts
        reply.think(item.get("reasoning"))
        parts = [
            {"type": "tool-invocation", "toolInvocation": call}
            for call in objects_at(item, OLD_CALLS)
        ]
    for part in parts:
        kind = text_at(part, "type")
        if kind == "step-start":
            reply.step()
        elif kind == "reasoning":
            reply.think(part.get("text") or part.get("reasoning"))
        elif kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
            call = part["toolInvocation"]
            _add_tool(call, call.get("toolName"), reply)
        elif kind == "dynamic-tool" or kind.startswith("tool-"):
            _add_tool(
                part,
                part.get("toolName")
                if kind == "dynamic-tool"
                else kind.removeprefix("tool-"),
                reply,
            )
        else:
            reply.text(_shown(part, builder, place))
    reply.text(beside)
    reply.end(_unseen(parts, builder.note_at(place)))


def _unseen(parts: list[Any], note: Note) -> dict[str, Any]:
    """What a program shows beside a message, which is no text of it, as ``meta``."""
    found = [(text_at(part, "type"), part) for part in objects_at(parts)]
    sources = [
        part.get("source", part) for kind, part in found if kind.startswith("source")
    ]
    drawn = [part for kind, part in found if kind.startswith("data-")]
    return kept_beside({"sources": sources, "data": drawn}, note)


def _add_tool(part: dict[str, Any], name: object, reply: ReplyBuilder) -> None:
    id, given = (
        part.get("toolCallId"),
        next((part[key] for key in ("input", "args", "rawInput") if key in part), None),
    )
    reply.call(id, name, given, is_parallel=True)
    reason = (
        texts_at(part.get("approval"), "reason")
        if value_at(part, "approval", "approved") is False
        else {}
    )
    if isinstance(part.get("errorText"), str):
        reply.result(id, part["errorText"], name, is_error=True)
    elif "output" in part or "result" in part:
        reply.result(id, json_text(part.get("output", part.get("result"))), name)
    elif reason:
        reply.result(id, reason["reason"], name)


def _shown(part: object, builder: TranscriptBuilder, place: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(kind, str):
        builder.note(NOT_TEXT, place)
        return json_text(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if kind == "text":
        return _misplaced_text(part, builder, place)
    if kind.startswith(UNSEEN):
        return ""
    if kind != "file":
        builder.note(UNKNOWN_KIND, place)
        return stand_in(kind)
    return _file(part)


def _misplaced_text(
    part: dict[str, Any], builder: TranscriptBuilder, place: str
) -> str:
    """The text of a part that has it under another key than "text"; a part that holds nothing is empty."""
    found = first_text(part, "content", *TEXT_KEYS)
    unknown = [
        key
        for key, held in part.items()
        if key not in TEXT_PART_KEYS and held not in (None, "", [], {})
    ]
    if not found and unknown:
        keys = ", ".join(repr(key[:40]) for key in unknown[:MAX_KEYS_SHOWN])
        builder.lose(
            place, f"has a part without text: it has {keys}, and none of text, content"
        )
    return found


def _file(file: dict[str, Any]) -> str:
    kinds = texts_at(file, "mediaType", "mimeType", "contentType")
    family = next(iter(kinds.values()), "file").split("/")[0]
    return stand_in(
        family if family in ("image", "audio", "video") else "file",
        file.get("filename", file.get("name")),
    )
