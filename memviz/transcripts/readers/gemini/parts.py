"""Contents of the Gemini API: a role and parts, which are texts, files, calls of functions and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import NOT_TEXT, UNKNOWN_KIND, Note, stand_in
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.json_access import (
    first_value,
    id_text,
    joined,
    json_text,
    list_at,
)
from memviz.transcripts.readers.message_parts import ReplyBuilder, add_result

CODE_TOOL = "code_execution"
RESULT_FIELDS = ("functionResponse", "function_response")
RESULT_KEYS = ("output", "result")
"""Keys under which programs put a result that is nothing but text, because the API only takes objects."""
_BESIDE = {
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
    "video_metadata",
}
_BESIDE |= {"partMetadata", "part_metadata", "mediaResolution", "media_resolution"}


def are_contents(items: object) -> bool:
    """Whether at least half of a list are contents of the user or the model, and none has parts of another kind."""
    if not isinstance(items, Sequence) or isinstance(items, str) or not items:
        return False
    roles = [
        item.get("role")
        for item in items
        if isinstance(item, dict) and _has_gemini_parts(item)
    ]
    spoken = sum(role in ("user", "model") for role in roles)
    foreign = any(isinstance(item, dict) and _is_foreign(item) for item in items)
    return 2 * spoken >= len(items) and not foreign


def instruction_text(value: object, note: Note) -> str | None:
    """The text of a system instruction: a content without role, or a text."""
    if isinstance(value, str):
        return value or None
    parts = _parts(value) if isinstance(value, dict) else value
    return (
        joined([part_text(part, note) for part in parts]) or None
        if isinstance(parts, list)
        else None
    )


def add_content(
    content: Any, builder: TranscriptBuilder, place: str, role: str = "", **meta: Any
) -> None:
    """Add the messages that a content is; ``role`` is that of a content without one, if that is known."""
    if isinstance(content, dict):
        content = {**content, "role": content.get("role") or role or None}
    speaker = builder.speaker(content, place)
    if speaker is None:
        return
    parts = _parts(content)
    if not isinstance(parts, list):
        builder.leave_out(place, f"has parts that are {kind_of(parts)}, not a list")
    elif speaker == "assistant":
        _add_reply(parts, ReplyBuilder(builder, place, meta), builder.note_at(place))
    else:
        _add_prompt(speaker, parts, builder, place)


def _parts(content: Mapping[str, Any]) -> object:
    parts = content.get("parts")
    if parts is None:
        return []
    return [parts] if isinstance(parts, (str, dict)) else parts


def _has_gemini_parts(item: Mapping[str, Any]) -> bool:
    parts = _parts(item)
    return (
        "parts" in item
        and isinstance(parts, list)
        and (bool(parts) or item.get("role") == "model")
    )


def _is_foreign(item: Mapping[str, Any]) -> bool:
    """Whether its parts say their type or kind, as those of other products do."""
    parts = _parts(item)
    typed = isinstance(parts, list) and any(
        isinstance(part, dict) and ("type" in part or "kind" in part) for part in parts
    )
    return typed or "parentId" in item or "chat_messages" in item


def _add_prompt(
    speaker: str, parts: list[Any], builder: TranscriptBuilder, place: str
) -> None:
    texts, answered = [], False
    for part in parts:
        result = first_value(part, *RESULT_FIELDS) if isinstance(part, dict) else None
        if isinstance(result, dict):
            answered = True
            add_result(
                builder,
                place,
                result.get("id"),
                _result_text(result, builder, place),
                result.get("name"),
            )
        else:
            texts.append(part_text(part, builder.note_at(place)))
    if joined(texts) or not answered:
        builder.add_text(speaker, joined(texts), place)


def _result_text(
    result: Mapping[str, Any], builder: TranscriptBuilder, place: str
) -> str:
    shown = [
        part_text(part, builder.note_at(place)) for part in list_at(result, "parts")
    ]
    return joined([response_text(result.get("response")), *shown])


def _add_reply(parts: list[Any], reply: ReplyBuilder, note: Note) -> None:
    for part in parts:
        if not isinstance(part, dict) or not _add_tool_part(part, reply):
            if isinstance(part, dict) and part.get("thought") is True:
                reply.think(part.get("text"))
            else:
                reply.text(part_text(part, note))
    reply.end()


def _add_tool_part(part: Mapping[str, Any], reply: ReplyBuilder) -> bool:
    """Whether the part is a call or a result that the reply now has."""
    call = first_value(part, "functionCall", "function_call", "toolCall", "tool_call")
    code = first_value(part, "executableCode", "executable_code")
    output = first_value(part, "codeExecutionResult", "code_execution_result")
    result = first_value(part, *RESULT_FIELDS, "toolResponse", "tool_response")
    if isinstance(call, dict):
        reply.call(
            call.get("id"),
            first_value(call, "name", "toolType", "tool_type"),
            call.get("args"),
        )
    elif isinstance(code, dict):
        reply.call(
            code.get("id"),
            CODE_TOOL,
            {key: code[key] for key in ("language", "code") if key in code},
        )
    elif isinstance(output, dict):
        text = json_text(output.get("output")) or id_text(output.get("outcome"))
        reply.result(output.get("id"), text, CODE_TOOL)
    elif isinstance(result, dict):
        name = first_value(result, "name", "toolType", "tool_type")
        reply.result(result.get("id"), response_text(result.get("response")), name)
    else:
        return False
    return True


def response_text(response: object) -> str:
    """The text of a function's result: of one that is nothing but a text under the usual key, that text."""
    if isinstance(response, dict) and len(response) == 1:
        ((key, value),) = response.items()
        if key in RESULT_KEYS and isinstance(value, str):
            return value
    return json_text(response)


def listed(value: object) -> list[Any]:
    """A list as it is, anything else as the only item of one."""
    return value if isinstance(value, list) else [value]


def part_text(part: object, note: Note) -> str:
    """The text of a part, or a stand-in; empty for one that only says something of others."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        note(NOT_TEXT)
        return json_text(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    blob = first_value(part, "inlineData", "inline_data", "fileData", "file_data")
    if isinstance(blob, dict):
        return _file(blob)
    kinds = [
        key for key, value in part.items() if value is not None and key not in _BESIDE
    ]
    if not kinds:
        return ""
    note(UNKNOWN_KIND)
    return stand_in(kinds[0])


def _file(blob: Mapping[str, Any]) -> str:
    mime = first_value(blob, "mimeType", "mime_type")
    family = mime.split("/")[0] if isinstance(mime, str) else ""
    kind = family if family in ("image", "audio", "video") else "file"
    uri = first_value(blob, "fileUri", "file_uri")
    name = (
        uri.rsplit("/", 1)[-1]
        if isinstance(uri, str) and not uri.startswith("data:")
        else None
    )
    return stand_in(kind, first_value(blob, "displayName", "display_name") or name)
