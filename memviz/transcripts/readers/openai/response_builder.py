"""From the items of the OpenAI Responses API to messages: one reply of the model is several items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import kept_beside, known_role
from memviz.transcripts.document import Placed
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.json_access import list_at, objects_at, text_at
from memviz.transcripts.readers.message_parts import Part, ReplyBuilder
from memviz.transcripts.readers.openai.response_items import (
    COMPACTIONS,
    RESULTS,
    SERVED,
    SILENT,
    UNREADABLE,
)
from memviz.transcripts.readers.openai.response_parts import (
    call_id,
    call_of,
    item_text,
    result_text,
    thoughts_of,
)
from memviz.transcripts.times import with_time


class ItemReader:
    """Adds the messages that items are. A message of the assistant and the calls that follow it are one message, with
    what the model thought before them; two messages stay two."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self._builder = builder
        self._here: set[str] = set()  # ids of the items that are in the file
        self._call_of_item: dict[str, str] = {}
        self._reply: ReplyBuilder | None = None  # the assistant's current message
        self._thoughts: list[str] = []  # that no message or call has followed yet

    def add_all(self, items: Sequence[Placed]) -> None:
        """Add all items, each with its place."""
        self._here = {text_at(item, "id") for item, _ in items if _is_there(item)}
        for item, place in items:
            if isinstance(item, dict):
                self._add(item, place)
            else:
                self._builder.leave_out(place, f"is {kind_of(item)}, not an object")
        self._end()

    def _add(self, item: Mapping[str, Any], place: str) -> None:
        kind = text_at(item, "type")
        if kind == "message" or ("role" in item and kind not in SILENT):
            self._message(item, place)
        elif kind == "reasoning":
            self._thoughts += thoughts_of(item)
        elif kind in RESULTS or kind.endswith("_call_output"):
            self._result(item, place)
        elif kind in ("program", "mcp_approval_request") or kind.endswith("_call"):
            self._call(item, place)
        elif kind in COMPACTIONS:
            self._end()
            if text_at(item, "encrypted_content"):
                self._builder.note(UNREADABLE, place)
            self._builder.add_event("compaction")
        elif kind == "item_reference" or (not kind and "id" in item):
            self._reference(item, place)
        elif kind not in SILENT:
            what = (
                f"has the type {kind[:40]!r}, which is not known"
                if kind
                else "has no type and no role"
            )
            self._builder.leave_out(place, what)

    def _message(self, item: Mapping[str, Any], place: str) -> None:
        role = known_role(item.get("role"))
        if role == "assistant" and not item.get("tool_calls"):
            self._close()
            quoted = [
                note
                for part in objects_at(item, "content")
                for note in list_at(part, "annotations")
            ]
            beside = kept_beside({"annotations": quoted}, self._builder.note_at(place))
            self._reply = ReplyBuilder(
                self._builder, place, {**with_time(item.get("created_at")), **beside}
            )
            self._reply.add(
                Part(
                    "text", item_text(item.get("content"), self._builder.note_at(place))
                )
            )
            self._add_thoughts(self._reply)
            return
        self._end()
        if role is None or item.get("tool_calls") or role == "tool":
            self._builder.add_json(
                item, place
            )  # in the shape of the chat API, or no message at all
        else:
            text = item_text(item.get("content"), self._builder.note_at(place))
            meta = with_time(item.get("created_at")) or None
            self._builder.add_text(
                role, text, place, name=text_at(item, "name") or None, meta=meta
            )

    def _call(self, item: Mapping[str, Any], place: str) -> None:
        call = call_of(item, self._builder.note_at(place))
        self._reply = self._reply or ReplyBuilder(self._builder, place)
        self._reply.add(Part("call", call=call))
        self._add_thoughts(self._reply)
        self._call_of_item[text_at(item, "id")] = call.id
        if item.get("type") in SERVED:
            self._end()
            self._builder.add_text(
                "tool",
                result_text(item, self._builder.note_at(place)),
                place,
                tool_call_id=call.id or None,
            )

    def _result(self, item: Mapping[str, Any], place: str) -> None:
        self._end()
        id = call_id(item)
        if not text_at(
            item, "call_id"
        ):  # the output of a local shell may name the item instead of the call
            id = self._call_of_item.get(
                id, "" if item.get("type") == "tool_search_output" else id
            )
        self._builder.add_text(
            "tool",
            result_text(item, self._builder.note_at(place)),
            place,
            tool_call_id=id or None,
        )

    def _reference(self, item: Mapping[str, Any], place: str) -> None:
        id = text_at(item, "id")
        if id not in self._here:
            self._builder.leave_out(
                place, f"refers to the item {id[:60]!r}, which is not in the file"
            )

    def _end(self) -> None:
        """End the reply: what was thought last belongs to it as well."""
        if self._reply is not None:
            self._add_thoughts(self._reply)
        elif self._thoughts:
            self._builder.note("what the model thought before no reply was left out")
            self._thoughts = []
        self._close()

    def _close(self) -> None:
        """End the current message, if there is one."""
        if self._reply is not None:
            self._reply.end()
        self._reply = None

    def _add_thoughts(self, reply: ReplyBuilder) -> None:
        for thought in self._thoughts:
            reply.add(Part("reasoning", thought))
        self._thoughts = []


def _is_there(item: object) -> bool:
    """Whether an item is itself there, not only its id."""
    return isinstance(item, dict) and (
        text_at(item, "type") not in ("", "item_reference") or "role" in item
    )
