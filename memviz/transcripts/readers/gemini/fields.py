"""What the Gemini API puts into fields: texts, files and the results of functions, as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.replies import json_text

RESULT_KEYS = ("output", "result")
"""Keys under which programs put a result that is nothing but text, because the API only takes objects."""
UNKNOWN_PART = "content of a kind that is not known is shown by its name only"
_BESIDE = {"thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata"}
_BESIDE |= {"partMetadata", "part_metadata", "mediaResolution", "media_resolution"}


def response_text(response: object) -> str:
    """The text of a function's result: of one that is nothing but a text under the usual key, that text."""
    if isinstance(response, dict) and len(response) == 1:
        ((key, value),) = response.items()
        if key in RESULT_KEYS and isinstance(value, str):
            return value
    return json_text(response)


def field(part: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that has a value; JSON has camelCase names, the Python library snake_case ones."""
    return next((part[name] for name in names if part.get(name) is not None), None)


def listed(value: object) -> list[Any]:
    """A list as it is, anything else as the only item of one."""
    return value if isinstance(value, list) else [value]


def part_text(part: object, note: Callable[[str], None]) -> str:
    """The text of a part, or a stand-in; empty for one that only says something of others."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        note("content that is not text was read as JSON text")
        return json_text(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    blob = field(part, "inlineData", "inline_data", "fileData", "file_data")
    if isinstance(blob, dict):
        return _file(blob)
    kinds = [key for key, value in part.items() if value is not None and key not in _BESIDE]
    if not kinds:
        return ""
    note(UNKNOWN_PART)
    return stand_in(kinds[0])


def _file(blob: Mapping[str, Any]) -> str:
    mime = field(blob, "mimeType", "mime_type")
    family = mime.split("/")[0] if isinstance(mime, str) else ""
    kind = family if family in ("image", "audio", "video") else "file"
    uri = field(blob, "fileUri", "file_uri")
    name = uri.rsplit("/", 1)[-1] if isinstance(uri, str) and not uri.startswith("data:") else None
    return stand_in(kind, field(blob, "displayName", "display_name") or name)
