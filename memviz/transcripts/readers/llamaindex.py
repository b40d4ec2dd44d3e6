"""LlamaIndex: chat stores, memory buffers with their store inside, and the table of its SQL memory.

A message has a role with blocks, or a content in older versions, and what the vendor sent beside.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memviz.core.translation import noop
from memviz.transcripts.base import UNTITLED, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    UNKNOWN_KIND,
    Note,
    content_text,
    known_role,
    stand_in,
)
from memviz.transcripts.document import (
    HEAD_ITEMS,
    Document,
    PlacedValue,
    Reader,
    require_pieces,
)
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.readers.blocks import (
    Block,
    File,
    Part,
    Thought,
    Vocabulary,
    add_parts,
    list_calls,
    read_call_block,
    read_calls,
    show_nothing,
)
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_text,
    find_tables,
    group_conversations,
    group_rows,
    parse_cell,
    row_place,
)
from memviz.transcripts.readers.json_access import (
    at_least_half,
    first_text,
    id_text,
    join_lines,
    list_at,
    object_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.times import meta_with_time, moment

COLUMNS = ("id", "key", "timestamp", "role", "status", "data")
NEEDED = {"key", "role", "status", "data"}
EXPECTED = noop("a chat store or a memory of LlamaIndex")
EXPECTED_COLUMNS = "with key, role, status and data"
DEFAULT_KEY = "chat_history"
SUMMARY_BUFFER = "ChatSummaryMemoryBuffer"
SUMMARY_FIELDS = {"summarize_prompt", "count_initial_tokens"}
REPLACED = noop(
    "turns before the first message were already replaced by the summary that it is, when the buffer was saved"
)
INSTRUCTION = re.compile(
    r"\b(you|your|yours|yourself)\b"
    r"|^\s*(act|always|answer|be|do|don't|give|help|keep|never|play|please|pretend|reply|respond|speak|talk|use|write)\b"
    r"|\b(du bist|sie sind|tu es|vous êtes|eres|usted es|você é|sei un)\b|[你您]",
    re.IGNORECASE,
)
"""The words in the first sentence of a system message that make it an instruction: ``You are a travel agent``,
``Answer in Dutch``. A summary, which a buffer also keeps as a system message without any mark, has none of them:
``The user asked about Rome``."""
OTHER_ROLES = {"chatbot": "assistant", "model": "assistant"}


def _block_type(block: Block) -> str:
    return text_at(block, "block_type")


def _show_document(block: Block, note: Note, words: Vocabulary) -> str:
    path = text_at(block, "path").replace("\\", "/")
    name = text_at(block, "title") or path.rsplit("/", 1)[-1]
    return stand_in("file", name)


def _read_citable(block: Block, note: Note, words: Vocabulary) -> str:
    text = words.text(block.get("content") or None, note)
    return join_lines([stand_in("file", block.get("title")), text])


def _read_citation(block: Block, note: Note, words: Vocabulary) -> str:
    return words.text(block.get("cited_content") or None, note)


def _show_text_or_kind(block: Block, note: Note, words: Vocabulary) -> str:
    text = block.get("text")
    if isinstance(text, str):
        return text
    note(UNKNOWN_KIND)
    return stand_in(words.kind_of(block) or "block")


BLOCKS = Vocabulary(
    kind_of=_block_type,
    kinds={
        "thinking": Thought(("content",)),
        "tool_call": read_call_block,
        "image": File("image"),
        "audio": File("audio"),
        "video": File("video"),
        "document": _show_document,
        "citable": _read_citable,
        "citation": _read_citation,
        "cache": show_nothing,
    },
    other=_show_text_or_kind,
)


class Chat(NamedTuple):
    """The messages under one key."""

    key: str
    messages: Sequence[PlacedValue] = ()
    rows: Sequence[Row] = ()
    """The rows of a table, which hold the messages where ``messages`` is empty."""
    is_summary_buffer: bool = False
    """True where the oldest turns may be gone, because the buffer had a model to summarize them."""


class LlamaIndex(Reader):
    """Chat messages as LlamaIndex keeps them."""

    name = "llamaindex"
    title = noop("LlamaIndex chat store or memory")

    def recognise(self, document: Document) -> bool:
        """Return true for a store of lists by key, a buffer with one inside, a list of messages of blocks, or a
        database with the table of a memory."""
        if document.columns:
            return bool(find_tables(document, NEEDED))
        items = document.items[:HEAD_ITEMS]
        if items:
            return any(map(_has_blocks, items)) and at_least_half(items, _is_message)
        value = document.object
        if _is_store(value) or _is_buffer(value):
            return True
        return _has_blocks(value) and _is_message(value)

    def conversations(self, document: Document) -> Sequence[Chat]:
        """Return one conversation for each key."""
        if document.columns:
            tables = find_tables(document, NEEDED)
            conversations = group_conversations(
                document, tables, COLUMNS, ("timestamp", "id"), "key", EXPECTED_COLUMNS
            )
            return [Chat(key, rows=rows) for key, rows in conversations]
        if document.items:
            return [Chat("", document.placed)]
        return require_pieces(
            _find_chats(document.object, document), EXPECTED, document
        )

    def read(self, piece: Chat, builder: TranscriptBuilder) -> Transcript:
        """Return the conversation. A summary buffer that begins with a summary has lost its oldest turns to it."""
        for item, place in piece.messages:
            _add_message(item, builder, place)
        for row in piece.rows:
            _add_row(row, builder)
        first = builder.messages[0] if builder.messages else None
        if piece.is_summary_buffer and first and first.role == "system":
            sentences = re.split(r"[.!?。\n]", first.content.strip(), maxsplit=1)
            if not INSTRUCTION.search(sentences[0]):
                builder.note(REPLACED)
                builder.events.append(RecordedEvent("summary", 0, first.content))
        return builder.build(
            title=UNTITLED if piece.key in ("", DEFAULT_KEY) else piece.key,
            held_at=moment(piece.rows[0]["timestamp"]) if piece.rows else None,
        )


def _is_message(item: object) -> bool:
    """Return true for a message of LlamaIndex: one with a known role, and with blocks or its ``additional_kwargs``."""
    if not isinstance(item, dict) or _role_of(item.get("role")) is None:
        return False
    extra = item.get("additional_kwargs")
    return isinstance(item.get("blocks"), list) or isinstance(extra, dict)


def _has_blocks(item: object) -> bool:
    """Return true for a message with blocks that only LlamaIndex writes: ``{"block_type": "text", "text": "Hi"}``."""
    blocks = value_at(item, "blocks")
    if not isinstance(blocks, list):
        return False
    return all("block_type" in object_at(block) for block in blocks)


def _is_store(value: object) -> bool:
    """Return true for a chat store: lists of messages by key, ``{"store": {"chat_history": [...]}}``."""
    store = value_at(value, "store")
    if not isinstance(store, dict):
        return False
    if value_at(value, "class_name") == "SimpleChatStore":
        return True
    return any(_is_message(item) for key in store for item in list_at(store, key)[:1])


def _is_buffer(value: Mapping[str, Any]) -> bool:
    """Return true for a memory: one with a chat store, with a history, or with the rows of a database inside."""
    if "chat_store" in value:
        has_key_or_limit = "chat_store_key" in value or "token_limit" in value
        return has_key_or_limit or _is_store(value["chat_store"])
    if isinstance(value.get("chat_history"), list):
        return "token_limit" in value
    return bool(_find_rows_inside(value))


def _find_chats(value: Mapping[str, Any], document: Document) -> list[Chat]:
    """Return the conversations of a store or of a buffer, without empty ones if there are others."""
    if _is_message(value):
        return [Chat("", add_places([value]))]
    is_summary_buffer = _is_summary_buffer(value)
    history = value.get("chat_history")
    if isinstance(history, list):
        return [Chat("", add_places(history), is_summary_buffer=is_summary_buffer)]
    rows_by_key = group_rows(_find_rows_inside(value), "key")
    if rows_by_key:
        return [Chat(key, rows=rows) for key, rows in rows_by_key.items()]
    store = value.get("chat_store", value)
    if isinstance(store, str):
        store = JsonParser(document.notes, document.limits.depth).parse(store)
    chats = [
        Chat(key, add_places(messages), is_summary_buffer=is_summary_buffer)
        for key, messages in object_at(store, "store").items()
        if isinstance(messages, list)
    ]
    return [chat for chat in chats if chat.messages] or chats[:1]


def _is_summary_buffer(value: Mapping[str, Any]) -> bool:
    """Return true for a buffer with a model that summarizes its oldest turns. One whose ``llm`` is null cuts them."""
    if value.get("llm", {}) is None:
        return False
    has_field = any(field in value for field in SUMMARY_FIELDS)
    return has_field or value.get("class_name") == SUMMARY_BUFFER


def _find_rows_inside(value: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the database that a memory was saved with, ``{"db_data": [{"key": ..., "data": ...}]}``."""
    rows = list_at(value.get("sql_store", value), "db_data")
    if not all("data" in object_at(row) for row in rows):
        return []
    empty_row = dict.fromkeys(COLUMNS)
    return [{**empty_row, "id": number, **row} for number, row in enumerate(rows, 1)]


def _add_row(row: Row, builder: TranscriptBuilder) -> None:
    """Add the message of a row. Archived rows are read as well: they are the older part of the conversation."""
    data = row["data"]
    items = [(data, row_place(row))]
    if not isinstance(data, dict):
        items = parse_cell(data, row_place(row), builder)
    for item, place in items:
        if isinstance(item, dict) and item.get("role") is None:
            item = {**item, "role": cell_text(row["role"])}
        _add_message(item, builder, place, row["timestamp"])


def _role_of(value: object) -> str | None:
    """Return the role of a name such as ``MessageRole.USER`` or ``chatbot``; ``None`` for one that is not known."""
    if not isinstance(value, str) or len(value) >= 40:
        return None
    role = value.strip().lower().removeprefix("messagerole.")
    return OTHER_ROLES.get(role, known_role(role))


def _add_message(
    item: Any, builder: TranscriptBuilder, place: str, time: object = None
) -> None:
    """Add the message that a JSON value is; leave out anything else."""
    role = builder.speaker(item, place, role_of=_role_of)
    if role is None:
        return
    note = builder.note_at(place)
    extra = object_at(item, "additional_kwargs")
    blocks = item.get("blocks")
    content = item.get("content")
    if isinstance(blocks, list) and (blocks or content is None):
        parts = BLOCKS.parts(blocks, note)
    else:
        parts = [Part("text", content_text(content, note))]
    if role == "assistant":
        parts += _read_older_parts(extra, {part.kind for part in parts}, note)
    add_parts(
        builder,
        role,
        parts,
        place,
        name=id_text(extra.get("name")) or None,
        tool_call_id=id_text(extra.get("tool_call_id")) or None,
        meta=meta_with_time(time),
    )


def _read_older_parts(
    extra: Mapping[str, Any], kinds: set[str], note: Note
) -> list[Part]:
    """Return the calls and the thought that older versions keep in ``additional_kwargs``, each where the blocks have
    no part of its kind."""
    parts = []
    if "call" not in kinds:
        parts += read_calls(list_calls(extra), note)
    if "reasoning" not in kinds:
        thought = first_text(extra, "thinking", "reasoning_content")
        parts.append(Part("reasoning", thought))
    return parts
