"""One LangChain message, in each of the shapes that the library writes it in. Nothing is loaded: it is only read.

Its content is a text, or a list of texts and of blocks in the shapes of many vendors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    UNKNOWN_KIND,
    Note,
    content_text,
    kept_beside,
    known_role,
    stand_in,
)
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.json_access import (
    first_text,
    id_text,
    list_at,
    object_at,
    text_at,
)
from memviz.transcripts.readers.message_parts import (
    Part,
    add_parts,
    call_part,
    call_parts,
)

TYPES = frozenset(
    {"human", "ai", "system", "tool", "function", "chat", "remove", "developer"}
)
SPOKEN = frozenset({"human", "ai"})
MODEL_KEYS = ("model_name", "model", "model_id")
REMOVAL = "a RemoveMessage, an order to delete another message, was passed over"
TEXT_TYPES = frozenset({"text", "text-plain", "input_text", "output_text", "refusal"})
CALL_TYPES = frozenset({"tool_use", "tool_call", "function_call", "invalid_tool_call"})
"""Blocks that repeat what stands in the field ``tool_calls`` of the message."""
SERVER_CALL_TYPES = frozenset({"server_tool_use", "server_tool_call", "mcp_tool_use"})
"""Calls of the provider's own tools, which stand nowhere else."""
FILE_TYPES = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
    "video": "video", "file": "file", "input_file": "file", "document": "file", "media": "file",
}  # fmt: skip
SILENT_TYPES = frozenset(
    {
        "redacted_thinking",
        "input_json_delta",
        "tool_call_chunk",
        "server_tool_call_chunk",
    }
)
"""Thoughts without text, and pieces of calls that stand whole in ``tool_calls``."""
REASONING_TYPES = frozenset({"thinking", "reasoning", "reasoning_content"})
FILENAME_KEYS = ("filename", "file_name", "title", "name")


class Shape(NamedTuple):
    """A message as its type ("human", "ai", ...), its fields, and whether it is a piece of a stream."""

    type: str
    data: Mapping[str, Any]
    is_chunk: bool = False


def shape_of(item: object) -> Shape | None:
    """The message that a JSON value is: ``{type, data}``, a serialised constructor, or the bare fields of a message
    with their type. ``None`` for anything else."""
    if not isinstance(item, dict):
        return None
    if "lc" in item:
        return (
            _shape(_class_of(item), object_at(item, "kwargs"))
            if item.get("type") == "constructor"
            else None
        )
    if isinstance(item.get("data"), dict) and "content" not in item:
        return _shape(item.get("type"), item["data"])
    # Messages of other products have a type and a content as well, and a role beside them.
    is_bare = "content" in item and (
        "role" not in item or item.get("type") in ("chat", "ChatMessageChunk")
    )
    return _shape(item.get("type"), item) if is_bare else None


def _class_of(item: Mapping[str, Any]) -> object:
    """The last part of the path by which LangChain finds the class of a serialised object."""
    return next(reversed(list_at(item, "id")), None)


def _shape(name: object, data: Mapping[str, Any]) -> Shape | None:
    if not isinstance(name, str) or "content" not in data:
        return None
    is_chunk = name.endswith("Chunk")
    type_ = name.removesuffix("Chunk").removesuffix("Message").lower()
    return Shape(type_, data, is_chunk) if type_ in TYPES else None


def add_message(item: object, builder: TranscriptBuilder, place: str) -> None:
    """Parse one JSON value as a message and add it; anything else is left out."""
    shape = shape_of(item)
    if shape is None:
        builder.leave_out(place, _reason(item))
    elif shape.type == "remove":
        builder.note(REMOVAL, place)
    else:
        _add_shape(shape, builder, place)


def _add_shape(shape: Shape, builder: TranscriptBuilder, place: str) -> None:
    data, extra = shape.data, object_at(shape.data, "additional_kwargs")
    role = known_role(shape.type) or builder.speaker(data, place)
    if role is None:
        return
    calls = _calls(data, extra, builder, place) if role == "assistant" else []
    parts = [
        *content_parts(data.get("content"), not calls, builder.note_at(place)),
        *calls,
    ]
    if not any(part.text for part in parts):
        parts.append(
            Part(
                "text",
                text_at(extra, "refusal") or text_at(extra, "audio", "transcript"),
            )
        )
    name, answered = (
        id_text(data.get(key)) or None for key in ("name", "tool_call_id")
    )
    meta = _meta(data, extra, parts) if role == "assistant" else None
    if role == "tool":
        meta = (
            kept_beside({"artifact": data.get("artifact")}, builder.note_at(place))
            or None
        )
    add_parts(builder, role, parts, place, name=name, tool_call_id=answered, meta=meta)


def _reason(item: object) -> str:
    if not isinstance(item, dict):
        return f"is {kind_of(item)}, not a message"
    if item.get("type") == "not_implemented":
        return "could not be saved by LangChain (not_implemented)"
    if "lc" in item:
        name = _class_of(item)
        return (
            f"is {name[:40]!r}, not a message"
            if isinstance(name, str)
            else "is not a message"
        )
    return "is not a message of a type that LangChain knows"


def _calls(
    data: Mapping[str, Any],
    extra: Mapping[str, Any],
    builder: TranscriptBuilder,
    place: str,
) -> list[Part]:
    """The calls of a message. The vendor's own form is kept beside LangChain's, and counts where that is missing."""
    found = [*list_at(data, "tool_calls"), *list_at(data, "invalid_tool_calls")]
    if not found:
        found = [
            *list_at(extra, "tool_calls"),
            *([extra["function_call"]] if extra.get("function_call") else []),
        ]
    return call_parts(found, builder, place)


def _meta(
    data: Mapping[str, Any], extra: Mapping[str, Any], parts: list[Part]
) -> dict[str, Any] | None:
    model = first_text(object_at(data, "response_metadata"), *MODEL_KEYS)
    thoughts = thought(extra.get("reasoning_content")) or thought(
        extra.get("reasoning")
    )
    has_own = any(part.kind == "reasoning" for part in parts)
    kept = {"model": model, REASONING: "" if has_own else thoughts}
    return {key: value for key, value in kept.items() if value} or None


def content_parts(content: object, with_calls: bool, note: Note) -> list[Part]:
    """The parts of a content in order. ``with_calls``: with the calls of the program's tools, which most messages
    repeat in a field of their own. ``note`` is called for every repair."""
    if not isinstance(content, list):
        return [Part("text", content_text(content, note))]
    found = (_part(block, with_calls, note) for block in content)
    return [part for part in found if part is not None]


def thought(value: object) -> str:
    """The text of reasoning in whichever shape its vendor gives it; empty where it is withheld."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for text in map(thought, value) if text)
    if not isinstance(value, dict):
        return ""
    keys = ("thinking", "reasoning", "reasoning_content", "text", "summary", "content")
    return next(
        (text for text in (thought(value.get(key)) for key in keys) if text), ""
    )


def _part(block: object, with_calls: bool, note: Note) -> Part | None:
    if not isinstance(block, dict):
        return Part("text", content_text([block], note))
    kind = text_at(block, "type")
    if kind in REASONING_TYPES or (not kind and "reasoning_content" in block):
        return Part("reasoning", thought(block)) if thought(block) else None
    if kind in SILENT_TYPES or (kind in CALL_TYPES and not with_calls):
        return None
    if kind in CALL_TYPES or kind in SERVER_CALL_TYPES:
        # The id of a Responses item is not the id that its result names.
        return call_part({**block, "id": block.get("call_id") or block.get("id")}, note)
    if kind == "tool_result" or kind.endswith(("_tool_result", "_call_result")):
        return _result(block, note)
    return Part("text", _text(kind, block, note))


def _result(block: dict[str, Any], note: Note) -> Part:
    answered = (
        id_text(block.get("tool_use_id")) or id_text(block.get("tool_call_id")) or None
    )
    content = block.get("output") if block.get("content") is None else block["content"]
    if not isinstance(content, (str, list)) and content is not None:
        return Part("result", content_text(content, lambda _: None), id=answered)
    parts = content_parts(content, True, note)
    return Part(
        "result", "\n".join(part.text for part in parts if part.text), id=answered
    )


def _text(kind: str, block: dict[str, Any], note: Note) -> str:
    for key in ("text", "refusal"):
        if (kind in TEXT_TYPES or not kind) and isinstance(block.get(key), str):
            return str(block[key])
    if isinstance(block.get("title"), str) and isinstance(
        block.get("url"), str
    ):  # a page that a search found
        return f"{block['title']} {block['url']}"
    if kind not in FILE_TYPES:
        return _shown(kind, block, note).text
    family = text_at(block, "mime_type").split("/")[0]
    is_medium = kind == "media" and family in ("image", "audio", "video")
    return stand_in(family if is_medium else FILE_TYPES[kind], _filename(block))


def _filename(block: dict[str, Any]) -> str | None:
    if block.get("type") in ("image", "image_url", "input_image"):
        return None
    places = [
        block,
        *(object_at(block, key) for key in ("file", "extras", "metadata", "source")),
    ]
    return next(
        (
            name
            for place in places
            for key in FILENAME_KEYS
            if (name := text_at(place, key))
        ),
        None,
    )


def _shown(kind: str, block: dict[str, Any], note: Note) -> Part:
    if not kind:
        return Part("text", content_text([block], note))
    note(UNKNOWN_KIND)
    return Part("text", stand_in(kind))
