"""Amazon Bedrock's Converse API: requests, responses, lists of messages, tuning rows.

A message has blocks without a type: each is an object whose key says what it is.
"""

from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, stand_in
from memviz.transcripts.document import HEAD_ITEMS, PlacedValue
from memviz.transcripts.readers.blocks import (
    Block,
    File,
    Result,
    Thought,
    Vocabulary,
    add_parts,
    read_call_block,
    show_nothing,
    show_text_or_kind,
)
from memviz.transcripts.readers.citations import meta_of_citations
from memviz.transcripts.readers.json_access import (
    join_lines,
    json_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_under,
)
from memviz.transcripts.readers.json_rows import (
    ExchangeReader,
    add_places,
    place_inside,
    tool_schemas,
)
from memviz.transcripts.readers.role_lists import has_roles, is_bedrock


def _key_of(block: Block) -> str:
    """Return the key that says what a block is; empty for a text and for JSON."""
    if "text" in block or "json" in block:
        return ""
    return next((key for key, value in block.items() if isinstance(value, dict)), "")


def _read_search_result(block: Block, note: Note, words: Vocabulary) -> str:
    """Return what a search found, or a text with citations: its pieces are one text."""
    text = "".join(texts_under(block, "content[].text"))
    return join_lines([*texts_under(block, "title", "source"), text])


def _read_guarded(block: Block, note: Note, words: Vocabulary) -> str:
    return text_at(block, "text", "text") or stand_in("image")


def _show_text_or_json(block: Block, note: Note, words: Vocabulary) -> str:
    if "json" in block and not isinstance(block.get("text"), str):
        return json_text(block["json"])
    return show_text_or_kind(block, note, words)


BLOCKS = Vocabulary(
    kind_of=_key_of,
    is_key=True,
    kinds={
        "toolUse": read_call_block,
        "toolResult": Result("toolUseId", "content", ("status", "error"), name=""),
        "reasoningContent": Thought(("reasoningText.text",)),
        "image": File("image", ("name",)),
        "video": File("video", ("name",)),
        "audio": File("audio", ("name",)),
        "document": File(
            "file", ("name",), ("source.text", "source.content[].text", "context")
        ),
        "citationsContent": _read_search_result,
        "searchResult": _read_search_result,
        "guardContent": _read_guarded,
        "cachePoint": show_nothing,
    },
    other=_show_text_or_json,
)


class Bedrock(ExchangeReader):
    """Requests to Converse, its responses, or both."""

    name = "bedrock"
    title = noop("Amazon Bedrock Converse messages")
    expected = noop("messages with blocks, or an object with messages or an output,")

    def are_messages(self, items: list[Any]) -> bool:
        """Messages with blocks that have no type."""
        return has_roles(items) and any(map(is_bedrock, objects_at(items)))

    def is_exchange(self, row: object) -> bool:
        """Return whether it is what is sent to Converse, or what it answers."""
        reply = object_at(row, "output", "message")
        if reply and (is_bedrock(reply) or "stopReason" in object_at(row)):
            return True
        return self.are_messages(list_at(row, "messages")[:HEAD_ITEMS])

    def messages_of(self, row: dict[str, Any], place: str) -> list[PlacedValue]:
        """The messages that were sent, and the reply."""
        placed = add_places(list_at(row, "messages"), place_inside(place, "index"))
        reply = object_at(row, "output", "message")
        if reply:
            placed.append((reply, place_inside(place, "output")))
        return placed

    def known_of(
        self, row: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """The system prompt and the tools of the request."""
        return {
            "system_prompt": BLOCKS.text(row.get("system"), builder.note) or None,
            "tools": tool_schemas(row),
        }

    def add_message(
        self, item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
    ) -> None:
        """Add a message of blocks, with what it cites beside it."""
        content = item.get("content")
        note = builder.note_at(place)
        parts = BLOCKS.parts(content, note, role)
        add_parts(builder, role, parts, place, meta=meta_of_citations(content, note))
