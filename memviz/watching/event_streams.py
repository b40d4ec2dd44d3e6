"""Replies that come as a stream of events, put together as they would have come whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memviz.transcripts.readers.json_access import objects_at
from memviz.watching.exchanges import parse_json

Event = dict[str, Any]


def read_events(data: bytes) -> Iterator[Event]:
    """Yield the JSON objects of a stream of server-sent events; what is none is passed
    over, as is an event that ended in the middle."""
    text = data.decode("utf-8", "replace")
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line.startswith("data:")]
        # The last one of the chat API, [DONE], is no object.
        event = parse_json("\n".join(line[len("data:") :] for line in lines))
        if isinstance(event, dict):
            yield event


def join_chat_chunks(events: Iterator[Event]) -> Event:
    """Return the whole response of the chat API: the deltas of its choices made one
    message each."""
    whole: Event = {}
    choices: dict[int, Event] = {}
    for event in events:
        for choice in objects_at(event, "choices"):
            reply = {"role": "assistant"}  # some servers do not say it
            joined = choices.setdefault(_index_of(choice), {"message": _Joined(reply)})
            joined["message"].add(choice.get("delta"))
            if choice.get("finish_reason"):
                joined["finish_reason"] = choice["finish_reason"]
        fields = {key: value for key, value in event.items() if value is not None}
        whole.update(fields)
    whole["choices"] = [
        {**choices[index], "index": index, "message": choices[index]["message"].whole()}
        for index in sorted(choices)
    ]
    return whole


def join_response_events(events: Iterator[Event]) -> Event:
    """Return the whole response of the Responses API. One that ended early has the items
    that were done, and the beginning of a text."""
    whole: Event = {}
    items: dict[int, Any] = {}
    texts: dict[int, list[str]] = {}
    for event in events:
        kind = event.get("type")
        place = _index_of(event, "output_index")
        if isinstance(event.get("response"), dict):
            whole = event["response"]
        elif kind == "response.output_item.done":
            items[place] = event.get("item")
        elif kind == "response.output_text.delta":
            texts.setdefault(place, []).append(str(event.get("delta", "")))
    if not whole.get("output"):
        for place, pieces in texts.items():
            text = "".join(pieces)
            message = {"role": "assistant", "type": "message", "content": text}
            items.setdefault(place, message)
        whole = {**whole, "output": [items[place] for place in sorted(items)]}
    return whole


# Which field of a block a delta of the Messages API goes on with.
DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
}


def join_message_events(events: Iterator[Event]) -> Event:
    """Return the whole message of Anthropic's Messages API."""
    whole = _Joined()
    blocks: dict[int, _Joined] = {}
    for event in events:
        place = _index_of(event)
        delta = event.get("delta")
        if event.get("type") == "content_block_start":
            blocks[place] = _Joined(event.get("content_block"))
        elif event.get("type") != "content_block_delta":
            whole.add(event.get("message"))
            whole.add(delta)
            whole.add({"usage": event.get("usage")})
        elif isinstance(delta, dict):
            key = DELTAS.get(str(delta.get("type")))
            if key and place in blocks:
                blocks[place].add({key: delta.get(key)})
    content = []
    for place in sorted(blocks):
        block = blocks[place].whole()
        partial = block.pop("partial_json", None)
        if isinstance(partial, str) and partial:
            block["input"] = parse_json(partial)
        content.append(block)
    return {**whole.whole(), "content": content}


@dataclass(eq=False, repr=False)
class _Joined:
    """An object whose texts come in pieces. They are joined once, at the end."""

    beginning: object = None
    _fields: dict[str, Any] = field(default_factory=dict)
    _lists: dict[str, dict[int, _Joined]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.add(self.beginning)

    def add(self, delta: object) -> None:
        """Go on with the fields of ``delta``, if it is an object: texts grow, objects and
        lists of numbered objects are gone into, anything else is replaced."""
        for key, value in delta.items() if isinstance(delta, dict) else ():
            if isinstance(value, str) and key not in ("type", "id", "role", "name"):
                pieces = self._fields.setdefault(key, [])
                if isinstance(pieces, list):
                    pieces.append(value)
            elif isinstance(value, dict):
                inner = self._fields.setdefault(key, _Joined())
                if isinstance(inner, _Joined):
                    inner.add(value)
            elif isinstance(value, list):
                numbered = self._lists.setdefault(key, {})
                for item in objects_at(value):
                    numbered.setdefault(_index_of(item), _Joined()).add(item)
            elif value not in (None, ""):
                self._fields[key] = value

    def whole(self) -> Event:
        """Return the object with its texts as one."""
        fields: Event = {}
        for key, value in self._fields.items():
            if isinstance(value, _Joined):
                fields[key] = value.whole()
            elif isinstance(value, list):
                fields[key] = "".join(value)
            else:
                fields[key] = value
        for key, numbered in self._lists.items():
            fields[key] = [numbered[index].whole() for index in sorted(numbered)]
        return fields


def _index_of(value: Mapping[str, Any], key: str = "index") -> int:
    index = value.get(key)
    return index if isinstance(index, int) else 0
