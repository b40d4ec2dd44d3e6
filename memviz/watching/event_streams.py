"""Replies that come as a stream of events, put together as they would have come whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memviz.transcripts.event_streams import Event, JoinedObject, index_of
from memviz.transcripts.readers.json_access import objects_at
from memviz.watching.exchanges import parse_json


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
            joined = choices.setdefault(
                index_of(choice), {"message": JoinedObject(reply)}
            )
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
        place = index_of(event, "output_index")
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
