"""Content blocks of Anthropic's API and of Claude.ai: what each of them is in a conversation."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.base import RecordedEvent
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    NOT_TEXT,
    UNKNOWN_KIND,
    Note,
    kept_beside,
    stand_in,
)
from memviz.transcripts.readers.json_access import (
    joined,
    json_text,
    list_at,
    object_at,
    text_at,
    texts_at,
)
from memviz.transcripts.readers.message_parts import ReplyBuilder, add_result

CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
THOUGHTS = frozenset({"thinking", "redacted_thinking"})
MARKS = frozenset({"token_budget", "flag", "fallback"})
"""Blocks in which a program notes something for itself."""
FILES = {
    "image": "image",
    "document": "file",
    "container_upload": "file",
    "local_resource": "file",
}
Meta = dict[str, str]
_FIELDS = {
    "web_search_result": ("title", "url"),
    "web_search_tool_result_error": ("error_code",),
    "search_result": ("title", "source"),
    "knowledge": ("title", "url"),
    "tool_reference": ("tool_name",),
    "rich_link": ("title", "url"),
    "voice_note": ("title",),
    "code_execution_result": ("stdout", "stderr"),
    "bash_code_execution_result": ("stdout", "stderr"),
}
"""Fields of a block that are text, and stand before the text or the content that it has."""


def type_of(block: object) -> str:
    """The type of a block; empty if it says none."""
    return text_at(block, "type")


def is_result(block: object) -> bool:
    """Whether a block is what a tool answered, on the user's side or on the provider's."""
    return type_of(block) == "tool_result" or type_of(block).endswith("_tool_result")


def blocks_of(content: object) -> list[Any]:
    """The blocks of a content; a text alone is one."""
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def blocks_text(content: object, note: Note) -> str:
    """The text of a content: of each block its own, or a stand-in, one a line."""
    return joined([block_text(block, note) for block in blocks_of(content)])


def block_text(block: object, note: Note) -> str:
    """The text of one block that is neither a call nor a result."""
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        note(NOT_TEXT)
        return json_text(block)
    kind = type_of(block)
    if kind in FILES:
        return _file(block, note)
    if kind in MARKS:
        return ""
    texts = [*texts_at(block, *_FIELDS.get(kind, ())).values()]
    if isinstance(block.get("text"), str):
        texts.append(block["text"])
    elif isinstance(block.get("content"), (str, list, dict)):
        texts.append(blocks_text(block["content"], note))
    if kind == "text" or kind in _FIELDS or texts:
        return joined(texts)
    if not kind:
        return json_text(block)
    note(UNKNOWN_KIND)
    return stand_in(kind)


def add_prompt(
    role: str,
    blocks: list[Any],
    builder: TranscriptBuilder,
    place: str,
    meta: Meta,
    more: str = "",
) -> None:
    """Add a message that is not the model's: first the results of tools that are in it, then the rest, if any, and
    ``more`` text that came with it."""
    note = builder.note_at(place)
    results = [block for block in blocks if is_result(block)]
    for block in results:
        text = blocks_text(block.get("content"), note)
        add_result(
            builder,
            place,
            block.get("tool_use_id"),
            text,
            block.get("name"),
            **meta,
            is_error=_is_error(block),
        )
    text = joined(
        [*(block_text(block, note) for block in blocks if not is_result(block)), more]
    )
    if text or not results:
        builder.add_text(role, text, place, meta=meta or None)


def add_reply(
    blocks: list[Any],
    builder: TranscriptBuilder,
    place: str,
    meta: Meta,
    more: str = "",
) -> None:
    """Add the model's reply, as one message for each step that it took, with ``more`` text at its end."""
    quoted = [
        citation
        for block in blocks
        if isinstance(block, dict)
        for citation in list_at(block, "citations")
    ]
    reply = ReplyBuilder(builder, place, meta)
    for block in blocks:
        _add_block(block, reply, builder, place)
    reply.text(more)
    reply.end(kept_beside({"citations": quoted}, builder.note_at(place)))


def _add_block(
    block: Any, reply: ReplyBuilder, builder: TranscriptBuilder, place: str
) -> None:
    note = builder.note_at(place)
    kind = type_of(block)
    if kind in CALLS:
        reply.call(block.get("id"), block.get("name"), block.get("input"))
    elif kind in THOUGHTS:
        reply.think(block.get("thinking"))
    elif is_result(block):
        text = blocks_text(block.get("content"), note)
        reply.result(
            block.get("tool_use_id"), text, block.get("name"), is_error=_is_error(block)
        )
    elif kind == "compaction":
        builder.add_event(
            RecordedEvent(
                "compaction", len(builder.messages), text=text_at(block, "content")
            )
        )
    else:
        reply.text(block_text(block, note))


def _is_error(block: dict[str, Any]) -> bool | None:
    return True if block.get("is_error") is True else None


def _file(block: dict[str, Any], note: Note) -> str:
    name = next(iter(texts_at(block, "title", "file_name", "name").values()), None)
    source = object_at(block, "source")
    text = source.get("data") if source.get("type") == "text" else source.get("content")
    inner = blocks_text(text, note) if isinstance(text, (str, list)) else ""
    return joined(
        [stand_in(FILES[type_of(block)], name), inner, text_at(block, "context")]
    )
