"""What one item of the OpenAI Responses API holds: a text, the call of a tool, or a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.conversation import ToolCall
from memviz.transcripts.chat_messages import Note, content_text, stand_in, tool_name
from memviz.transcripts.readers.json_access import (
    joined,
    json_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.openai.response_items import SERVED

# Keys of a call that are neither its arguments nor, under other names, in them.
BESIDE_ARGUMENTS = frozenset(
    {
        "type", "id", "call_id", "status", "object", "created_at", "name", "namespace", "caller", "created_by",
        "container_id", "environment", "execution", "fingerprint", "pending_safety_checks",
        "acknowledged_safety_checks", "approval_request_id", "output", "outputs", "result", "results", "error",
        "metadata", "internal_chat_message_metadata_passthrough",
    }
)  # fmt: skip
RESULT_KEYS = ("output", "result", "outputs", "results", "tools", "error", "approve")
IMAGES = frozenset(
    {"input_image", "image", "image_url", "image_file", "computer_screenshot"}
)
AUDIO = frozenset({"input_audio", "output_audio", "audio"})
FILES = frozenset({"input_file", "file", "file_path"})


def item_text(content: object, note: Note) -> str:
    """The text of a message or of a result: a text, or parts, one a line."""
    if isinstance(content, list):
        return "\n".join(_part_text(part, note) for part in content)
    return (
        _part_text(content, note)
        if isinstance(content, dict)
        else content_text(content, note)
    )


def thoughts_of(item: Mapping[str, Any]) -> list[str]:
    """The texts of a reasoning item: all that the model thought where that is there, or else the summary."""
    for key in ("content", "summary"):
        texts = [
            part if isinstance(part, str) else text_at(part, "text")
            for part in list_at(item, key)
        ]
        if any(texts):
            return [text for text in texts if text]
    return []


def call_id(item: Mapping[str, Any]) -> str:
    """The id by which a call and its result name each other; the item's own id where it has no other."""
    return (
        text_at(item, "call_id")
        or text_at(item, "approval_request_id")
        or text_at(item, "id")
    )


def call_of(item: Mapping[str, Any], note: Note) -> ToolCall:
    """The call of a tool that an item is."""
    kind = str(item["type"])
    id = (
        text_at(item, "id")
        if kind in SERVED | {"mcp_approval_request"}
        else call_id(item)
    )
    if kind in ("function_call", "custom_tool_call", "mcp_call"):
        arguments = (
            item.get("input") if kind == "custom_tool_call" else item.get("arguments")
        )
        return ToolCall(id, tool_name(item, note), json_text(arguments, "{}"))
    beside = (
        BESIDE_ARGUMENTS - {"name"}
        if kind == "mcp_approval_request"
        else BESIDE_ARGUMENTS
    )
    asked = {
        key: value
        for key, value in item.items()
        if key not in beside and value is not None
    }
    only = next(iter(asked.values())) if len(asked) == 1 else None
    arguments = _without_sources(only) if isinstance(only, dict) else asked
    return ToolCall(id, kind.removesuffix("_call"), json_text(arguments, "{}"))


def result_text(item: Mapping[str, Any], note: Note) -> str:
    """The result of a tool that an item holds; its state in brackets where it holds none, such as
    "[web_search: completed]"."""
    if item.get("type") == "mcp_approval_response":
        return json_text(
            {
                key: item[key]
                for key in ("approve", "reason")
                if item.get(key) is not None
            }
        )
    key = next((key for key in RESULT_KEYS if item.get(key) is not None), None)
    if key is None:
        sources = [
            text_at(source, "url") for source in objects_at(item, "action", "sources")
        ]
        return joined(sources) or stand_in(_tool_name(item), item.get("status"))
    if item.get("type") == "image_generation_call":
        return stand_in("image")
    if key in ("tools", "error"):
        return json_text(item[key])
    return item_text(item[key], note)


def _tool_name(item: Mapping[str, Any]) -> str:
    return text_at(item, "name") or text_at(item, "type").removesuffix(
        "_output"
    ).removesuffix("_call")


def _part_text(part: object, note: Note) -> str:
    if not isinstance(part, dict):
        return content_text([part], note)
    kind = text_at(part, "type")
    text = part.get("text")
    if isinstance(value_at(text, "value"), str):  # as the messages of a thread have it
        return text_at(text, "value")
    if isinstance(text, str) and isinstance(
        part.get("filename"), str
    ):  # what a search of files found
        return f"{stand_in('file', part['filename'])}\n{text}"
    if isinstance(part.get("stdout"), str) or isinstance(part.get("stderr"), str):
        return _shell_text(part)
    for key in ("text", "refusal", "transcript", "logs"):
        if isinstance(part.get(key), str):
            return str(part[key])
    for label, kinds in (("image", IMAGES), ("audio", AUDIO), ("file", FILES)):
        if kind in kinds:
            return stand_in(label, part.get("filename"))
    return content_text([part], note) if kind else json_text(part)


def _shell_text(part: Mapping[str, Any]) -> str:
    ended = object_at(part, "outcome")
    code = ended.get("exit_code")
    how = (
        stand_in("exit code", str(code))
        if code
        else stand_in("timeout")
        if ended.get("type") == "timeout"
        else ""
    )
    return joined([text_at(part, "stdout"), text_at(part, "stderr"), how])


def _without_sources(action: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in action.items()
        if key != "sources" and value is not None
    }
