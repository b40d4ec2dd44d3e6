"""Parts of the UI messages of Vercel's AI SDK: a part of a tool is both its call and its result."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import content_text, known_role, stand_in
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.replies import Reply, joined, json_text
from memviz.transcripts.times import with_time

TOOLS = {"dynamic-tool", "tool-invocation"}
KINDS = {"text", "reasoning", "step-start", "file", "source", "source-url", "source-document"} | TOOLS
PREFIXES = ("tool-", "data-")
UNSEEN = ("source", "data-", "step-start")
"""Parts that start so are for the screen: what an answer is based on, and what a program draws."""
UNKNOWN = "content of a kind that is not known is shown by its name only"


def is_part(part: object) -> bool:
    """Whether it is a part of a type that the SDK has."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind in KINDS or kind.startswith(PREFIXES))


def read_ui_message(item: object, builder: TranscriptBuilder, place: str) -> None:
    """Add the messages that a UI message stands for."""
    if not isinstance(item, dict):
        builder.leave_out(place, f"is {kind_of(item)}, not an object")
        return
    role, written = known_role(item.get("role")), item.get("role")
    if role is None or role == "tool":
        builder.leave_out(place, "has no role" if written is None else f"has the unknown role {str(written)[:40]!r}")
        return
    parts, content = item.get("parts"), item.get("content")
    given = parts if isinstance(parts, list) else []
    has_text = any(isinstance(part, dict) and part.get("type") == "text" for part in given)
    beside = "" if has_text else content_text(content, lambda what: builder.note(what, place))
    meta = _time(item)
    if role == "assistant":
        _read_reply(item, given, beside, Reply(builder, place, meta), place, builder)
        return
    texts = [_shown(part, builder, place) for part in given]
    files = [_file(file) for file in _objects(item.get("experimental_attachments"))]
    builder.add_text(role, joined([beside, *texts, *files]), place, meta=meta or None)


def _read_reply(
    item: dict[str, Any], parts: list[Any], beside: str, reply: Reply, place: str, builder: TranscriptBuilder
) -> None:
    if not parts:  # version 4 before it had parts
        reply.think(item.get("reasoning"))
        parts = [{"type": "tool-invocation", "toolInvocation": call} for call in _objects(item.get("toolInvocations"))]
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "step-start":
            reply.step()
        elif kind == "reasoning":
            reply.think(part.get("text") or part.get("reasoning"))
        elif kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
            call = part["toolInvocation"]
            _read_tool(call, call.get("toolName"), reply)
        elif isinstance(kind, str) and (kind == "dynamic-tool" or kind.startswith("tool-")):
            _read_tool(part, part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-"), reply)
        else:
            reply.text(_shown(part, builder, place))
    reply.text(beside)
    reply.end()


def _read_tool(part: dict[str, Any], name: object, reply: Reply) -> None:
    id, given = part.get("toolCallId"), next((part[key] for key in ("input", "args", "rawInput") if key in part), None)
    reply.call(id, name, given, is_parallel=True)
    if not isinstance(name, str) or not name:
        return
    approval = part.get("approval")
    reason = approval.get("reason") if isinstance(approval, dict) and approval.get("approved") is False else None
    if isinstance(part.get("errorText"), str):
        reply.result(id, part["errorText"], name, is_error=True)
    elif "output" in part or "result" in part:
        reply.result(id, json_text(part.get("output", part.get("result"))), name)
    elif isinstance(reason, str):
        reply.result(id, reason, name)


def _shown(part: object, builder: TranscriptBuilder, place: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(kind, str):
        builder.note("content that is not text was read as JSON text", place)
        return json_text(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if kind.startswith(UNSEEN) or kind == "text":
        return ""
    if kind != "file":
        builder.note(UNKNOWN, place)
        return stand_in(kind)
    return _file(part)


def _file(file: dict[str, Any]) -> str:
    kinds = [file.get(key) for key in ("mediaType", "mimeType", "contentType")]
    family = next((kind.split("/")[0] for kind in kinds if isinstance(kind, str)), "file")
    return stand_in(family if family in ("image", "audio", "video") else "file", file.get("filename", file.get("name")))


def _time(item: dict[str, Any]) -> dict[str, str]:
    metadata = item.get("metadata")
    kept = metadata.get("createdAt") if isinstance(metadata, dict) else None
    return with_time(item.get("createdAt")) or with_time(kept)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
