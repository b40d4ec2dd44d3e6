"""LlamaIndex: chat stores, memory buffers with their store inside, and the table of its SQL memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import HEAD_ITEMS, Document, Placed, Reader, mismatch
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_json,
    cell_text,
    conversations_in,
    grouped,
    row_place,
    tables_with,
)
from memviz.transcripts.readers.json_access import list_at, object_at
from memviz.transcripts.readers.json_rows import with_places
from memviz.transcripts.readers.llamaindex.messages import (
    add_message,
    has_blocks,
    is_message,
)
from memviz.transcripts.times import moment

COLUMNS = ("id", "key", "timestamp", "role", "status", "data")
NEEDED = {"key", "role", "status", "data"}
DEFAULT_KEY = "chat_history"
SUMMARY_BUFFER = "ChatSummaryMemoryBuffer"
SUMMARY_FIELDS = {"summarize_prompt", "count_initial_tokens"}
REPLACED = "turns before the first message were already replaced by the summary that it is, when the buffer was saved"
INSTRUCTS = re.compile(
    r"\b(you|your|yours|yourself)\b"
    r"|^\s*(act|always|answer|be|do|don't|give|help|keep|never|play|please|pretend|reply|respond|speak|talk|use|write)\b"
    r"|\b(du bist|sie sind|tu es|vous êtes|eres|usted es|você é|sei un)\b|[你您]",
    re.IGNORECASE,
)
"""How a system message begins that tells the model what to do. A summary, which this buffer also keeps as a system
message without any mark, tells what the user and the assistant said."""


class Chat(NamedTuple):
    """The messages under one key. ``rows``: those of a table; ``is_summary_buffer``: its oldest turns may be gone,
    because it had a model to summarize them with."""

    key: str
    messages: Sequence[Placed] = ()
    rows: Sequence[Row] = ()
    is_summary_buffer: bool = False


class LlamaIndex(Reader):
    """Chat messages as LlamaIndex keeps them."""

    name = "llamaindex"
    title = "LlamaIndex chat store or memory"

    def recognise(self, document: Document) -> bool:
        """A store of lists by key, a buffer with one inside, a list of messages of blocks, or the table of a memory."""
        if document.columns:
            return bool(tables_with(document, NEEDED))
        items = document.items[:HEAD_ITEMS]
        if items:
            return any(map(has_blocks, items)) and 2 * sum(
                map(is_message, items)
            ) >= len(items)
        value = document.object
        return (
            _is_store(value)
            or _is_buffer(value)
            or (has_blocks(value) and is_message(value))
        )

    def conversations(self, document: Document) -> Sequence[Chat]:
        """One for each key."""
        if document.columns:
            tables = tables_with(document, NEEDED)
            expected = "with key, role, status and data"
            stored = conversations_in(
                document, tables, COLUMNS, ("timestamp", "id"), "key", expected
            )
            return [Chat(key, rows=rows) for key, rows in stored]
        if document.items:
            return [Chat("", document.placed)]
        found = _chats(document.object, document)
        if not found:
            raise mismatch("a chat store or a memory of LlamaIndex", document)
        return found

    def read(self, piece: Chat, builder: TranscriptBuilder) -> Transcript:
        """The conversation; a summary buffer that begins with a summary has lost its oldest turns to it."""
        for item, place in piece.messages:
            add_message(item, builder, place)
        for row in piece.rows:
            _add_row(row, builder)
        first = builder.messages[0] if builder.messages else None
        if (
            piece.is_summary_buffer
            and first
            and first.role == "system"
            and not _instructs(first.content)
        ):
            builder.note(REPLACED)
            builder.events.append(RecordedEvent("summary", 0, first.content))
        title = piece.key if piece.key != DEFAULT_KEY and piece.key else UNTITLED
        return builder.build(
            title=title,
            held_at=moment(piece.rows[0]["timestamp"]) if piece.rows else None,
        )


def _instructs(text: str) -> bool:
    """Whether the first sentence of a system message is an instruction."""
    return (
        INSTRUCTS.search(re.split(r"[.!?。\n]", text.strip(), maxsplit=1)[0])
        is not None
    )


def _is_store(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("store"), dict):
        return False
    lists = [
        messages for messages in value["store"].values() if isinstance(messages, list)
    ]
    return value.get("class_name") == "SimpleChatStore" or any(
        is_message(m[0]) for m in lists if m
    )


def _is_buffer(value: Mapping[str, Any]) -> bool:
    if "chat_store" in value:
        return (
            "chat_store_key" in value
            or "token_limit" in value
            or _is_store(value["chat_store"])
        )
    if isinstance(value.get("chat_history"), list):
        return "token_limit" in value
    return _rows_inside(value) is not None


def _chats(value: Mapping[str, Any], document: Document) -> list[Chat]:
    """The conversations of a store or of a buffer, without empty ones if there are others."""
    if is_message(value):
        return [Chat("", with_places([value]))]
    is_summary = value.get(
        "class_name"
    ) == SUMMARY_BUFFER or not SUMMARY_FIELDS.isdisjoint(value)
    is_summary = is_summary and value.get("llm", {}) is not None
    if isinstance(value.get("chat_history"), list):
        return [
            Chat("", with_places(value["chat_history"]), is_summary_buffer=is_summary)
        ]
    rows = _rows_inside(value)
    if rows is not None:
        return [Chat(key, rows=inside) for key, inside in grouped(rows, "key").items()]
    store = value.get("chat_store", value)
    if isinstance(store, str):
        store = JsonParser(document.notes, document.limits.depth).parse(store)
    chats = [
        Chat(key, with_places(messages), is_summary_buffer=is_summary)
        for key, messages in object_at(store, "store").items()
        if isinstance(messages, list)
    ]
    return [chat for chat in chats if chat.messages] or chats[:1]


def _rows_inside(value: Mapping[str, Any]) -> list[Row] | None:
    """The rows of a database that a memory kept in memory and saved inside itself; ``None`` if there are none."""
    rows = list_at(value.get("sql_store", value), "db_data")
    if not rows or not all(isinstance(row, dict) and "data" in row for row in rows):
        return None
    return [
        dict.fromkeys(COLUMNS) | {"id": number} | row
        for number, row in enumerate(rows, 1)
    ]


def _add_row(row: Row, builder: TranscriptBuilder) -> None:
    """Add the message of a row. Archived rows are read as well: they are the older part of the conversation."""
    place, data = row_place(row), row["data"]
    try:
        item = data if isinstance(data, dict) else cell_json(data, builder)
    except TranscriptError:
        builder.leave_out(place, "is not JSON")
        return
    if isinstance(item, dict) and item.get("role") is None:
        item = {**item, "role": cell_text(row["role"])}
    add_message(item, builder, place, row["timestamp"])
