"""From the items of the OpenAI Responses API to messages: one reply of the model is several items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.conversation import ToolCall
from memviz.transcripts.base import REASONING, RecordedEvent
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.document import Placed
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.openai.response_items import COMPACTIONS, RESULTS, SERVED, SILENT
from memviz.transcripts.readers.openai.response_parts import call_id, call_of, item_text, result_text, thoughts_of
from memviz.transcripts.times import with_time


class ItemReader:
    """Adds the messages that items are. A message of the assistant and the calls that follow it are one message, with
    what the model thought before them; two messages stay two."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self._builder = builder
        self._here: set[str] = set()  # ids of the items that are in the file
        self._call_of_item: dict[str, str] = {}
        self._reply: tuple[str, str] | None = None  # text and place of the assistant's current message
        self._calls: list[ToolCall] = []
        self._meta: dict[str, Any] = {}
        self._thoughts: list[str] = []  # of the current message
        self._coming: list[str] = []  # of what comes next

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
            self._coming += thoughts_of(item)
        elif kind in RESULTS or kind.endswith("_call_output"):
            self._result(item, place)
        elif kind in ("program", "mcp_approval_request") or kind.endswith("_call"):
            self._call(item, place)
        elif kind in COMPACTIONS:
            self._end()
            self._builder.add_event(RecordedEvent("compaction", len(self._builder.messages)))
        elif kind == "item_reference" or (not kind and "id" in item):
            self._reference(item, place)
        elif kind not in SILENT:
            what = f"has the type {kind[:40]!r}, which is not known" if kind else "has no type and no role"
            self._builder.leave_out(place, what)

    def _message(self, item: Mapping[str, Any], place: str) -> None:
        role = known_role(item.get("role"))
        if role == "assistant" and not item.get("tool_calls"):
            self._close()
            self._reply = (item_text(item.get("content"), self._builder.note_at(place)), place)
            self._meta = dict(with_time(item.get("created_at")))
            self._thoughts, self._coming = self._coming, []
            return
        self._end()
        if role is None or item.get("tool_calls") or role == "tool":
            self._builder.add_json(item, place)  # in the shape of the chat API, or no message at all
        else:
            text = item_text(item.get("content"), self._builder.note_at(place))
            meta = with_time(item.get("created_at")) or None
            self._builder.add_text(role, text, place, name=text_at(item, "name") or None, meta=meta)

    def _call(self, item: Mapping[str, Any], place: str) -> None:
        call = call_of(item)
        if call is None:
            self._builder.leave_out(place, "has a tool call without a name")
            return
        if self._reply is None:
            self._reply = ("", place)
        self._calls.append(call)
        self._call_of_item[text_at(item, "id")] = call.id
        self._thoughts += self._coming
        self._coming = []
        if item.get("type") in SERVED:
            self._end()
            self._builder.add_text(
                "tool", result_text(item, self._builder.note_at(place)), place, tool_call_id=call.id or None
            )

    def _result(self, item: Mapping[str, Any], place: str) -> None:
        self._end()
        id = call_id(item)
        if not text_at(item, "call_id"):  # the output of a local shell may name the item instead of the call
            id = self._call_of_item.get(id, "" if item.get("type") == "tool_search_output" else id)
        self._builder.add_text("tool", result_text(item, self._builder.note_at(place)), place, tool_call_id=id or None)

    def _reference(self, item: Mapping[str, Any], place: str) -> None:
        id = text_at(item, "id")
        if id not in self._here:
            self._builder.leave_out(place, f"refers to the item {id[:60]!r}, which is not in the file")

    def _end(self) -> None:
        """End the reply: what was thought last belongs to it as well."""
        if self._coming and self._reply is None:
            self._builder.note("what the model thought before no reply was left out")
        self._thoughts += self._coming if self._reply is not None else []
        self._coming = []
        self._close()

    def _close(self) -> None:
        """End the current message, if there is one."""
        if self._reply is not None:
            thoughts = {REASONING: "\n".join(self._thoughts)} if self._thoughts else {}
            text, place = self._reply
            meta = {**self._meta, **thoughts} or None
            self._builder.add_text("assistant", text, place, tool_calls=tuple(self._calls), meta=meta)
        self._reply, self._calls, self._meta, self._thoughts = None, [], {}, []


def _is_there(item: object) -> bool:
    """Whether an item is itself there, not only its id."""
    return isinstance(item, dict) and (("type" in item and item["type"] != "item_reference") or "role" in item)
