"""Replies that come as a stream of events, put together as they would have come whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memviz.transcripts.event_streams import Event, JoinedObject, index_of
from memviz.transcripts.readers.json_access import objects_at
from memviz.watching.exchanges import parse_json

DATA = "data:"
"""How a line of an event begins that holds its JSON: ``data: {"choices": []}``."""


@dataclass(slots=True)
class JoinedChoice:
    """One choice of a streamed response of the chat API, as far as it was read."""

    message: JoinedObject
    fields: Event = field(default_factory=dict)
    """What stands beside the message: the reason why it ended."""


def read_events(data: bytes) -> Iterator[Event]:
    """Yield the JSON objects of a stream of server-sent events. An event that holds no object, such as the last one of
    the chat API (``data: [DONE]``), or that ended in the middle, is passed over."""
    text = data.decode("utf-8", "replace")
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line.startswith(DATA)]
        event = parse_json("\n".join(line.removeprefix(DATA) for line in lines))
        if isinstance(event, dict):
            yield event


def join_chat_chunks(events: Iterator[Event]) -> Event:
    """Return the whole response of the chat API: the deltas of each of its choices as one message."""
    response: Event = {}
    choices: dict[int, JoinedChoice] = {}
    for event in events:
        for delta in objects_at(event, "choices"):
            index = index_of(delta)
            if index not in choices:
                # Some servers do not say whose message it is.
                choices[index] = JoinedChoice(JoinedObject({"role": "assistant"}))
            choice = choices[index]
            choice.message.add(delta.get("delta"))
            if delta.get("finish_reason"):
                choice.fields["finish_reason"] = delta["finish_reason"]
        response |= {key: value for key, value in event.items() if value is not None}
    response["choices"] = [
        {"message": choice.message.whole(), **choice.fields, "index": index}
        for index, choice in sorted(choices.items())
    ]
    return response


def join_response_events(events: Iterator[Event]) -> Event:
    """Return the whole response of the Responses API. One that ended early has the items that were done, and the
    beginning of a text."""
    response: Event = {}
    items: dict[int, Any] = {}
    texts: dict[int, list[str]] = {}
    for event in events:
        kind = event.get("type")
        index = index_of(event, "output_index")
        if isinstance(event.get("response"), dict):
            response = event["response"]
        elif kind == "response.output_item.done":
            items[index] = event.get("item")
        elif kind == "response.output_text.delta":
            texts.setdefault(index, []).append(str(event.get("delta", "")))
    if response.get("output"):
        return response
    for index, pieces in texts.items():
        text = "".join(pieces)
        message = {"role": "assistant", "type": "message", "content": text}
        items.setdefault(index, message)
    return {**response, "output": [items[index] for index in sorted(items)]}
