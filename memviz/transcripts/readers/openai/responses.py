"""The OpenAI Responses API: lists of items, pages of them, requests, and responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.json_rows import Row, most_rows, row_object, rows, text_of
from memviz.transcripts.readers.openai.chat_response import page_data
from memviz.transcripts.readers.openai.response_builder import ItemReader
from memviz.transcripts.readers.openai.response_items import are_items
from memviz.transcripts.readers.openai.response_objects import is_request_object, is_response_object, read_exchange
from memviz.transcripts.readers.openai.response_pages import in_order
from memviz.transcripts.readers.role_lists import are_messages


class Items(NamedTuple):
    """The items of one conversation in their order, and whether the API has more of them."""

    rows: list[Row]
    has_more: bool = False


LAST_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class OpenAIResponses(Reader):
    """Items of one conversation as a list, lines or a page; or requests and responses, each a conversation."""

    name = "openai_responses"
    title = "OpenAI Responses items"

    def recognise(self, document: Document) -> bool:
        """Items with types or parts that only this API knows, or objects that hold such items."""
        page = page_data(document.object)
        if page:
            return are_items(page) or are_messages(page)
        if "items" in document.object:
            return _holds_items(document.object)
        return are_items(document.items) or most_rows(document, _is_exchange) or bool(_streamed(document))

    def conversations(self, document: Document) -> Sequence[Row | Items]:
        """One conversation: all items; or one for each request or response."""
        page, streamed = page_data(document.object), _streamed(document)
        if page:
            return [Items(in_order(page), document.object.get("has_more") is True)]
        if _holds_items(document.object):
            items = document.object["items"]
            return [Items([(item, f"items index {index}") for index, item in enumerate(items)])]
        if streamed or most_rows(document, _is_exchange) or document.object:
            return streamed or rows(document, "")
        if not document.items:
            raise mismatch("a list of items, a request or a response", document)
        return [Items(in_order(document.items, document.places))]

    def read(self, piece: Row | Items, builder: TranscriptBuilder) -> Transcript:
        """The messages that the items stand for, in order."""
        if not isinstance(piece, Items):
            row, place = piece
            return builder.build(**read_exchange(row_object(row, place), place, builder))
        if piece.has_more:
            builder.note("this is one page of several: the others are not in the file")
        ItemReader(builder).take(piece.rows)
        return builder.build()


def _is_exchange(value: Mapping[str, Any]) -> bool:
    return is_response_object(value) or is_request_object(value)


def _holds_items(value: Mapping[str, Any]) -> bool:
    """Whether an object is what a conversation is made with: items, and nothing that a program keeps with them."""
    return are_items(value.get("items")) and "session" not in value


def _streamed(document: Document) -> list[Row]:
    """The whole responses that end the events of a stream; none for a file of anything else."""
    if not most_rows(document, _is_event):
        return []
    placed: list[tuple[Any, str]] = rows(document, "events")
    ends = [(item, place) for item, place in placed if isinstance(item, dict) and text_of(item, "type") in LAST_EVENTS]
    return [(item["response"], place) for item, place in ends if isinstance(item.get("response"), dict)]


def _is_event(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return isinstance(kind, str) and kind.startswith("response.") and ("sequence_number" in row or "response" in row)
