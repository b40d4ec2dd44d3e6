"""One LangChain message, in each of the shapes that the library writes it in. Nothing is loaded: it is only read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.langchain.content import content_parts, thought
from memviz.transcripts.readers.message_parts import Part, call_part, label, say_parts

ROLES = {
    "human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system",
    "tool": "tool", "function": "tool", "developer": "system",
}  # fmt: skip
TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove", "developer"})
SPOKEN = frozenset({"human", "ai"})
MODEL_KEYS = ("model_name", "model", "model_id")
NO_NAME = "a tool call that names no tool was left out"
REMOVAL = "a RemoveMessage, an order to delete another message, was passed over"


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
        path, fields = item.get("id"), item.get("kwargs")
        name = path[-1] if isinstance(path, list) and path else None
        return _shape(name, fields) if item.get("type") == "constructor" and isinstance(fields, dict) else None
    if isinstance(item.get("data"), dict) and "content" not in item:
        return _shape(item.get("type"), item["data"])
    # Messages of other products have a type and a content as well, and a role beside them.
    is_bare = "content" in item and ("role" not in item or item.get("type") in ("chat", "ChatMessageChunk"))
    return _shape(item.get("type"), item) if is_bare else None


def _shape(name: object, data: Mapping[str, Any]) -> Shape | None:
    if not isinstance(name, str) or "content" not in data:
        return None
    is_chunk = name.endswith("Chunk")
    type_ = name.removesuffix("Chunk").removesuffix("Message").lower()
    return Shape(type_, data, is_chunk) if type_ in TYPES else None


def take_message(item: object, builder: TranscriptBuilder, place: str) -> None:
    """Add the message that a JSON value is; one that is none is left out."""
    shape = shape_of(item)
    if shape is None:
        builder.leave_out(place, _reason(item))
    elif shape.type == "remove":
        builder.note(REMOVAL, place)
    else:
        take_shape(shape, builder, place)


def take_shape(shape: Shape, builder: TranscriptBuilder, place: str) -> None:
    """Add the message of this shape; one whose role is not known is left out."""
    role = _role(shape)
    if role is None:
        shown = shape.data.get("role")
        found = repr(shown[:40]) if isinstance(shown, str) else kind_of(shown)
        builder.leave_out(place, f"has the unknown role {found}")
        return
    data, extra = shape.data, _dict(shape.data.get("additional_kwargs"))
    calls = _calls(data, extra, builder, place) if role == "assistant" else []
    parts = [*content_parts(data.get("content"), not calls, lambda what: builder.note(what, place)), *calls]
    if not any(part.text for part in parts) and isinstance(extra.get("refusal"), str):
        parts.append(Part("text", extra["refusal"]))
    name, answered = label(data.get("name")), label(data.get("tool_call_id"))
    meta = _meta(data, extra, parts) if role == "assistant" else None
    say_parts(builder, role, parts, place, name=name, tool_call_id=answered, meta=meta)


def _role(shape: Shape) -> str | None:
    if shape.type != "chat":
        return ROLES[shape.type]
    role = shape.data.get("role")
    return ROLES.get(role.strip().lower(), known_role(role)) if isinstance(role, str) else None


def _reason(item: object) -> str:
    if not isinstance(item, dict):
        return f"is {kind_of(item)}, not a message"
    if item.get("type") == "not_implemented":
        return "could not be saved by LangChain (not_implemented)"
    if "lc" in item:
        path = item.get("id")
        name = path[-1] if isinstance(path, list) and path else None
        return f"is {str(name)[:40]!r}, not a message" if isinstance(name, str) else "is not a message"
    return "is not a message of a type that LangChain knows"


def _calls(data: Mapping[str, Any], extra: Mapping[str, Any], builder: TranscriptBuilder, place: str) -> list[Part]:
    """The calls of a message. The vendor's own form is kept beside LangChain's, and counts where that is missing."""
    found = [*_list(data.get("tool_calls")), *_list(data.get("invalid_tool_calls"))]
    if not found:
        found = [*_list(extra.get("tool_calls")), *([extra["function_call"]] if extra.get("function_call") else [])]
    parts = [call_part(call) for call in found]
    if None in parts:
        builder.note(NO_NAME, place)
    return [part for part in parts if part is not None]


def _meta(data: Mapping[str, Any], extra: Mapping[str, Any], parts: list[Part]) -> dict[str, Any] | None:
    response = _dict(data.get("response_metadata"))
    model = next((response[key] for key in MODEL_KEYS if isinstance(response.get(key), str) and response[key]), None)
    thoughts = thought(extra.get("reasoning_content")) or thought(extra.get("reasoning"))
    has_own = any(part.kind == "reasoning" for part in parts)
    kept = {"model": model, REASONING: "" if has_own else thoughts}
    return {key: value for key, value in kept.items() if value} or None


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
