"""Joins the events of streamed replies to the message that the API would have sent as a whole.

Used for files that hold such events (logs of Amazon Bedrock) and for replies that pass a proxy or a transport
(``watching.model_apis``).
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.readers.json_access import (
    list_at,
    object_at,
    objects_at,
    text_at,
)

Event = dict[str, Any]

DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
}
"""The field of a block that each kind of delta of the Messages API continues."""


def join_message_events(events: Iterable[Event]) -> Event:
    """Return the whole message of Anthropic's Messages API."""
    whole = JoinedObject()
    blocks: dict[int, JoinedObject] = {}
    for event in events:
        index = index_of(event)
        delta = event.get("delta")
        if event.get("type") == "content_block_start":
            blocks[index] = JoinedObject(event.get("content_block"))
        elif event.get("type") != "content_block_delta":
            whole.add(event.get("message"))
            whole.add(delta)
            whole.add({"usage": event.get("usage")})
        elif isinstance(delta, dict):
            key = DELTAS.get(str(delta.get("type")))
            if key and index in blocks:
                blocks[index].add({key: delta.get(key)})
    content = []
    for index in sorted(blocks):
        block = blocks[index].whole()
        partial = block.pop("partial_json", None)
        if isinstance(partial, str) and partial:
            block["input"] = partial
        content.append(block)
    return {**whole.whole(), "content": content}


@dataclass(eq=False, repr=False)
class JoinedObject:
    """An object whose texts arrive in pieces; :meth:`whole` joins them at the end."""

    beginning: object = None
    _fields: dict[str, Any] = field(default_factory=dict)
    _lists: dict[str, dict[int, JoinedObject]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.add(self.beginning)

    def add(self, delta: object) -> None:
        """Add the fields of ``delta``, if it is an object: a text continues the text so far,
        objects and lists of numbered objects are added to in the same way, and any other
        value replaces the earlier one."""
        for key, value in delta.items() if isinstance(delta, dict) else ():
            if isinstance(value, str) and key not in ("type", "id", "role", "name"):
                pieces = self._fields.setdefault(key, [])
                if isinstance(pieces, list):
                    pieces.append(value)
            elif isinstance(value, dict):
                inner = self._fields.setdefault(key, JoinedObject())
                if isinstance(inner, JoinedObject):
                    inner.add(value)
            elif isinstance(value, list):
                numbered = self._lists.setdefault(key, {})
                for item in objects_at(value):
                    numbered.setdefault(index_of(item), JoinedObject()).add(item)
            elif value not in (None, ""):
                self._fields[key] = value

    def whole(self) -> Event:
        """Return the object with its texts joined."""
        fields: Event = {}
        for key, value in self._fields.items():
            if isinstance(value, JoinedObject):
                fields[key] = value.whole()
            elif isinstance(value, list):
                fields[key] = "".join(value)
            else:
                fields[key] = value
        for key, numbered in self._lists.items():
            fields[key] = [numbered[index].whole() for index in sorted(numbered)]
        return fields


def index_of(value: Mapping[str, Any], key: str = "index") -> int:
    """Return the index that an event or an item states for itself; 0 if it states none."""
    index = value.get(key)
    return index if isinstance(index, int) else 0


def join_streamed_reply(chunks: Iterable[object]) -> Event:
    """Return the reply that a log of Amazon Bedrock holds in pieces: a message of Anthropic or of Converse,
    or an object with joined texts, ``{"generation": "Hel"}, {"generation": "lo"}`` -> ``{"generation": "Hello"}``.
    """
    events = list(map(_read_event, chunks))
    messages = join_converse_events(events)
    if messages:
        return messages[0]
    if any(event.get("type") == "content_block_start" for event in events):
        return join_message_events(events)
    whole = JoinedObject()
    for event in events:
        whole.add(event)
    return whole.whole()


def _read_event(chunk: object) -> Event:
    """Return a piece of a stream as an event, also if it is packed as base64:
    ``{"bytes": "eyJnZW5lcmF0aW9uIjogIkhpIn0="}``
    or ``{"chunk": {"bytes": ...}}``."""
    encoded = text_at(chunk, "chunk", "bytes") or text_at(chunk, "bytes")
    if not encoded:
        return object_at(chunk)
    try:
        event = JsonParser(ImportNotes()).parse(b64decode(encoded).decode())
    except (TranscriptError, ValueError):
        return {}
    return object_at(event)


def join_converse_events(events: Iterable[object]) -> list[dict[str, Any]]:
    """Return the messages of the events of Amazon Bedrock's ConverseStream, each with its usage:
    ``{"role": "assistant", "content": [{"text": "Hi"}], "usage": {...}}``."""
    messages: list[dict[str, Any]] = []
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        if "messageStart" in object_at(event):
            blocks = {}
            role = text_at(event, "messageStart", "role") or "assistant"
            messages.append({"role": role, "content": []})
        if not messages:
            continue
        start = object_at(event, "contentBlockStart")
        delta = object_at(event, "contentBlockDelta")
        block = _block_of_event(blocks, start or delta)
        if start:
            block.update(object_at(start, "start"))
        if delta:
            _extend_block(block, object_at(delta, "delta"))
        messages[-1]["content"] = list(blocks.values())
        usage = object_at(event, "metadata", "usage")
        if usage:
            messages[-1]["usage"] = usage
    return messages


def _block_of_event(
    blocks: dict[int, dict[str, Any]], event: dict[str, Any]
) -> dict[str, Any]:
    if not event:
        return {}
    index = event.get("contentBlockIndex")
    return blocks.setdefault(index if isinstance(index, int) else len(blocks), {})


def _extend_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add the next piece of a text, a thought, the arguments of a call or a result, or the next source it cites."""
    if "text" in delta:
        block["text"] = text_at(block, "text") + text_at(delta, "text")
    thought = text_at(delta, "reasoningContent", "text")
    if thought:
        earlier_thought = text_at(block, "reasoningContent", "reasoningText", "text")
        block["reasoningContent"] = {
            "reasoningText": {"text": earlier_thought + thought}
        }
    piece = text_at(delta, "toolUse", "input")
    if piece:
        call = object_at(block, "toolUse")
        block["toolUse"] = {**call, "input": text_at(call, "input") + piece}
    source = object_at(delta, "citation")
    if source:
        cited = list_at(block, "citationsContent", "citations")
        block["citationsContent"] = {"citations": [*cited, source]}
    results = list_at(delta, "toolResult")
    if results:
        result = object_at(block, "toolResult")
        content = [*list_at(result, "content"), *results]
        block["toolResult"] = {**result, "content": content}
