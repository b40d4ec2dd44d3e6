"""Amazon Bedrock's Converse API: requests, responses, lists of messages, tuning rows, and logs of model calls.

A message has blocks without a type: each is an object whose key says what it is.
"""

from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, kept_beside, stand_in
from memviz.transcripts.document import HEAD_ITEMS, Placed
from memviz.transcripts.event_streams import converse_messages
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
from memviz.transcripts.readers.json_access import (
    as_list,
    items_in,
    joined,
    json_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_under,
    value_at,
)
from memviz.transcripts.readers.json_rows import (
    ExchangeReader,
    inside,
    tool_schemas,
    with_places,
)
from memviz.transcripts.readers.role_lists import has_roles, is_bedrock
from memviz.transcripts.times import moment


def _key_of(block: Block) -> str:
    """Return the key that says what a block is; empty for a text and for JSON."""
    if "text" in block or "json" in block:
        return ""
    return next((key for key, value in block.items() if isinstance(value, dict)), "")


def _search_result(block: Block, note: Note, words: Vocabulary) -> str:
    """Return what a search found, or a text with citations: its pieces are one text."""
    text = "".join(texts_under(block, "content[].text"))
    return joined([*texts_under(block, "title", "source"), text])


def _guarded(block: Block, note: Note, words: Vocabulary) -> str:
    return text_at(block, "text", "text") or stand_in("image")


def _text_or_json(block: Block, note: Note, words: Vocabulary) -> str:
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
        "citationsContent": _search_result,
        "searchResult": _search_result,
        "guardContent": _guarded,
        "cachePoint": show_nothing,
    },
    other=_text_or_json,
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
        """Return what is sent to Converse, what it answers, or an entry of a log with either."""
        reply = _reply(row)
        if reply is not None and (is_bedrock(reply) or "stopReason" in object_at(row)):
            return True
        return self.are_messages(list_at(_request(row), "messages")[:HEAD_ITEMS])

    def messages_of(self, row: dict[str, Any], place: str) -> list[Placed]:
        """The messages that were sent, and the reply."""
        placed = with_places(list_at(_request(row), "messages"), inside(place, "index"))
        reply = _reply(row)
        if reply is not None:
            placed.append((reply, inside(place, "output")))
        return placed

    def known_of(
        self, row: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """The system prompt and the tools of the request, and when it was logged."""
        request = _request(row)
        return {
            "system_prompt": BLOCKS.text(request.get("system"), builder.note) or None,
            "held_at": moment(row.get("timestamp")),
            "tools": tool_schemas(request),
        }

    def add_message(
        self, item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
    ) -> None:
        """Add a message of blocks, with what it cites beside it."""
        content = item.get("content")
        note = builder.note_at(place)
        parts = BLOCKS.parts(content, note, role)
        citations = items_in(as_list(content), "citationsContent", "citations")
        meta = kept_beside({"citations": citations}, note)
        add_parts(builder, role, parts, place, meta=meta)


def _request(row: object) -> dict[str, Any]:
    """Return the request that an entry of a log is about; any other object is it."""
    return object_at(row, "input", "inputBodyJson") or object_at(row)


def _reply(row: object) -> dict[str, Any] | None:
    """Return the message of a response, or of the one in an entry of a log, which may be events of a stream."""
    body = value_at(row, "output", "outputBodyJson")
    if isinstance(body, list):
        return next(iter(converse_messages(body)), None)
    message = value_at(body, "output", "message") or value_at(row, "output", "message")
    return message if isinstance(message, dict) else None
