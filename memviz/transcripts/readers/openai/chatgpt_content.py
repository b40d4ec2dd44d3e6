"""The content of a message in ChatGPT's export, of whatever type, as text."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.chat_messages import NOT_TEXT, UNKNOWN_KIND, Note, stand_in
from memviz.transcripts.readers.json_access import (
    first_value,
    id_text,
    joined,
    json_text,
    objects_at,
    text_at,
    texts_at,
    value_at,
)

CONTEXTS = frozenset({"user_editable_context", "model_editable_context"})
"""What ChatGPT lets the model know about the user, as instructions and memories; it is never shown as a message."""
CONTEXT_FIELDS = (
    "user_profile",
    "user_instructions",
    "model_set_context",
    "structured_context",
)
Message = dict[str, Any]
THOUGHTS, RECAP = "thoughts", "reasoning_recap"
ASSETS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_asset_pointer": "video",
    "video_container_asset_pointer": "video",
    "file_asset_pointer": "file",
    "real_time_user_audio_video_asset_pointer": "audio",
}
TEXT_FIELDS = {
    "tether_quote": ("title", "text"),
    "tether_browsing_display": ("result",),
    "system_error": ("text",),
}


def type_of(content: object) -> str:
    """The type of a content; empty if it says none."""
    return text_at(content, "content_type")


def context_text(message: Message) -> str:
    """Return what a node lets the model know about the user; empty for any other node."""
    content = message.get("content")
    return (
        joined([*texts_at(content, *CONTEXT_FIELDS).values()])
        if type_of(content) in CONTEXTS
        else ""
    )


def thoughts_text(content: dict[str, Any]) -> str:
    """Return what the model thought: each thought with its headline."""
    thoughts = objects_at(content, "thoughts")
    return joined(
        [
            text_at(thought, key)
            for thought in thoughts
            for key in ("summary", "content")
        ]
    )


def text_of(message: dict[str, Any], note: Note) -> str:
    """The text of a message, with stand-ins for what is no text, and for the files that came with it."""
    content = message.get("content")
    return joined([_content(content, note), *_attachments(message)])


def is_hidden(message: Message) -> bool:
    """Return whether ChatGPT keeps this node for itself: it is marked as hidden or as without weight, or of a type
    that is never shown, or it is empty and not from the user or a tool."""
    if value_at(message, "metadata", "is_visually_hidden_from_conversation") is True:
        return True
    weight = message.get("weight")
    kind = type_of(message.get("content"))
    if (weight == 0 and weight is not False) or kind in (*CONTEXTS, RECAP):
        return True
    own = (
        role_of(message) in ("system", "assistant")
        and kind != THOUGHTS
        and recipient_of(message) is None
    )
    return own and not text_of(message, lambda _: None).strip()


def role_of(message: Message) -> object:
    """The role of a message's author, as it is written."""
    return value_at(message, "author", "role")


def recipient_of(message: Message) -> str | None:
    """The tool that a message of the assistant is for; ``None`` for what it says to the user."""
    recipient = text_at(message, "recipient")
    return (
        recipient
        if role_of(message) == "assistant" and recipient not in ("", "all", "user")
        else None
    )


def _content(content: object, note: Note) -> str:
    if not isinstance(content, dict):
        if content is not None and not isinstance(content, str):
            note(NOT_TEXT)
        return json_text(content)
    if "parts" in content:
        return _parts(content["parts"], note)
    kind = type_of(content)
    texts = texts_at(content, *TEXT_FIELDS.get(kind, ("text",)))
    if texts or kind in ("text", "code", "execution_output", *TEXT_FIELDS):
        return joined([*texts.values()])
    note(UNKNOWN_KIND)
    return stand_in(kind or "content")


def _parts(parts: object, note: Note) -> str:
    items = parts if isinstance(parts, list) else [parts]
    # Speech is in the file twice, as a recording and as its transcription: the transcription is enough.
    is_spoken = any(type_of(part) == "audio_transcription" for part in items)
    shown = [
        _part(part, note)
        for part in items
        if not (is_spoken and ASSETS.get(type_of(part)) == "audio")
    ]
    return joined(shown)


def _part(part: object, note: Note) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        note(NOT_TEXT)
        return json_text(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    kind = type_of(part)
    if kind not in ASSETS:
        note(UNKNOWN_KIND)
    is_filmed = kind.startswith("real_time") and isinstance(
        part.get("video_container_asset_pointer"), dict
    )
    return stand_in("video" if is_filmed else ASSETS.get(kind, kind or "content"))


def _attachments(message: dict[str, Any]) -> list[str]:
    """Placeholders of the files of a message; images are in its parts already."""
    return [
        stand_in("file", file.get("name"))
        for file in objects_at(message, "metadata", "attachments")
        if "width" not in file
        and not id_text(first_value(file, "mime_type", "mimeType")).startswith("image/")
    ]
