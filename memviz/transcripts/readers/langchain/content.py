"""The content of a LangChain message: a text, or a list of texts and of blocks in the shapes of many vendors."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.chat_messages import UNKNOWN_KIND, Note, content_text, stand_in
from memviz.transcripts.readers.json_access import id_text, object_at, text_at
from memviz.transcripts.readers.message_parts import Part, call_part

TEXT_TYPES = frozenset({"text", "text-plain", "input_text", "output_text", "refusal"})
CALL_TYPES = frozenset({"tool_use", "tool_call", "function_call", "invalid_tool_call"})
"""Blocks that repeat what stands in the field ``tool_calls`` of the message."""
SERVER_CALL_TYPES = frozenset({"server_tool_use", "server_tool_call", "mcp_tool_use"})
"""Calls of the provider's own tools, which stand nowhere else."""
FILE_TYPES = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
    "video": "video", "file": "file", "input_file": "file", "document": "file", "media": "file",
}  # fmt: skip
SILENT_TYPES = frozenset({"redacted_thinking", "input_json_delta", "tool_call_chunk", "server_tool_call_chunk"})
"""Thoughts without text, and pieces of calls that stand whole in ``tool_calls``."""
REASONING_TYPES = frozenset({"thinking", "reasoning", "reasoning_content"})
FILENAME_KEYS = ("filename", "file_name", "title", "name")


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
    return next((text for text in (thought(value.get(key)) for key in keys) if text), "")


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
        return call_part({**block, "id": block.get("call_id") or block.get("id")}) or _shown(kind, block, note)
    if kind == "tool_result" or kind.endswith(("_tool_result", "_call_result")):
        return _result(block, note)
    return Part("text", _text(kind, block, note))


def _result(block: dict[str, Any], note: Note) -> Part:
    answered = id_text(block.get("tool_use_id")) or id_text(block.get("tool_call_id")) or None
    content = block.get("output") if block.get("content") is None else block["content"]
    if not isinstance(content, (str, list)) and content is not None:
        return Part("result", content_text(content, lambda _: None), id=answered)
    parts = content_parts(content, True, note)
    return Part("result", "\n".join(part.text for part in parts if part.text), id=answered)


def _text(kind: str, block: dict[str, Any], note: Note) -> str:
    for key in ("text", "refusal"):
        if (kind in TEXT_TYPES or not kind) and isinstance(block.get(key), str):
            return str(block[key])
    if isinstance(block.get("title"), str) and isinstance(block.get("url"), str):  # a page that a search found
        return f"{block['title']} {block['url']}"
    if kind not in FILE_TYPES:
        return _shown(kind, block, note).text
    family = text_at(block, "mime_type").split("/")[0]
    is_medium = kind == "media" and family in ("image", "audio", "video")
    return stand_in(family if is_medium else FILE_TYPES[kind], _filename(block))


def _filename(block: dict[str, Any]) -> str | None:
    if block.get("type") in ("image", "image_url", "input_image"):
        return None
    places = [block, *(object_at(block, key) for key in ("file", "extras", "metadata", "source"))]
    return next((name for place in places for key in FILENAME_KEYS if (name := text_at(place, key))), None)


def _shown(kind: str, block: dict[str, Any], note: Note) -> Part:
    if not kind:
        return Part("text", content_text([block], note))
    note(UNKNOWN_KIND)
    return Part("text", stand_in(kind))
