"""Reads requests to APIs of models and their replies, as they went over a wire.

The proxy and the transport for httpx give :func:`read_wire` the bodies of both; it returns
an ``Exchange`` for the ``recorder``. Known are OpenAI's chat API and Responses API,
Anthropic's Messages API, and servers that speak one of these. A reply that came as a stream
of events is first joined to the object that it would have been as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memviz.core.errors import MemvizError, TranscriptError
from memviz.core.messages import Message
from memviz.transcripts.base import Transcript
from memviz.transcripts.event_streams import (
    Event,
    JoinedObject,
    index_of,
    join_message_events,
)
from memviz.transcripts.loading import load_transcript
from memviz.transcripts.readers.json_access import objects_at, text_at, value_at
from memviz.watching.exchanges import (
    CACHE_READ_TOKENS,
    CACHE_WRITE_TOKENS,
    CUT_OFF,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Exchange,
    parse_json,
    read_usage,
)

ENDED = ("completed", "incomplete", "failed")
EVENT_STREAM = "text/event-stream"
DATA = "data:"
"""How a line of an event begins that holds its JSON: ``data: {"choices": []}``."""


class NotAnExchangeError(MemvizError):
    """A request and its reply over a wire that are none of a model."""


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


@dataclass(frozen=True)
class Api:
    """An API as memviz has to know it. Formats are those of imported files."""

    request_format: str
    request_keys: tuple[str, ...]
    """What of a request is read; other settings could make it another format."""
    reply_format: str
    reply_key: str
    reply_fields: Mapping[str, Any]
    """What a reply of this format says of itself."""
    join: Callable[[Iterator[Event]], Event]
    usage: Mapping[str, str]
    """Where in its usage the tokens are, by memviz's own names."""
    has_cache_beside: bool = False
    """Its input tokens are without those of the cache."""


APIS = {
    "/chat/completions": Api(
        "chat_request",
        ("messages", "tools"),
        "chat_response",
        "choices",
        {},
        join_chat_chunks,
        {
            INPUT_TOKENS: "prompt_tokens",
            OUTPUT_TOKENS: "completion_tokens",
            CACHE_READ_TOKENS: "prompt_tokens_details.cached_tokens",
        },
    ),
    "/responses": Api(
        "openai_responses",
        ("model", "instructions", "input", "tools"),
        "openai_responses",
        "output",
        {"object": "response"},
        join_response_events,
        {
            INPUT_TOKENS: "input_tokens",
            OUTPUT_TOKENS: "output_tokens",
            CACHE_READ_TOKENS: "input_tokens_details.cached_tokens",
        },
    ),
    "/messages": Api(
        "anthropic_messages",
        ("system", "messages", "max_tokens", "tools"),
        "anthropic_messages",
        "content",
        {"type": "message", "role": "assistant", "stop_reason": None},
        join_message_events,
        {
            INPUT_TOKENS: "input_tokens",
            OUTPUT_TOKENS: "output_tokens",
            CACHE_READ_TOKENS: "cache_read_input_tokens",
            CACHE_WRITE_TOKENS: "cache_creation_input_tokens",
        },
        has_cache_beside=True,
    ),
}
"""The APIs by the endings of their paths."""


def api_of(method: str, path: str) -> Api | None:
    """Return the API that a request is of; ``None`` where it asks for no reply."""
    if method.upper() != "POST":
        return None
    for ending, api in APIS.items():
        if path.rstrip("/").endswith(ending):
            return api
    return None


def read_wire(
    api: Api, request: bytes, reply: bytes, content_type: str, *, is_whole: bool = True
) -> Exchange:
    """Return the exchange that a request and its reply are, as they went over the wire.

    Raises :class:`NotAnExchangeError` where they are none that is known.
    """
    request_body = _parse(request)
    reply_body: Mapping[str, Any]
    if content_type.split(";")[0].strip().lower() == EVENT_STREAM:
        reply_body = api.join(read_events(reply))
        # Clients hang up at the last event, before the stream has ended.
        is_whole = is_whole or _has_ended(reply_body)
    else:
        reply_body = _parse(reply)
    return _read_objects(api, request_body, reply_body, is_whole=is_whole)


def _read_objects(
    api: Api,
    request_body: Mapping[str, Any],
    reply_body: Mapping[str, Any],
    *,
    is_whole: bool,
) -> Exchange:
    """Return the exchange that a request and its reply are. Raises
    :class:`NotAnExchangeError` where a message of them cannot be read."""
    request_fields = {
        key: request_body[key]
        for key in api.request_keys
        if request_body.get(key) is not None
    }
    request = _load(request_fields, api.request_format)
    prompt = request.messages
    if request.system_prompt:
        prompt = (Message("system", request.system_prompt), *prompt)
    replied: tuple[Message, ...] = ()
    if reply_body.get(api.reply_key):
        response = {**api.reply_fields, api.reply_key: reply_body[api.reply_key]}
        replied = _load(response, api.reply_format).messages
    if replied and not is_whole:
        *first, last = replied
        replied = (*first, replace(last, meta={**(last.meta or {}), CUT_OFF: True}))
    session = request_body.get("conversation")
    kept_by_server = session.get("id") if isinstance(session, dict) else session
    return Exchange(
        prompt,
        replied,
        usage=_read_usage(api, reply_body.get("usage")),
        tools=request.tools,
        model=text_at(reply_body.get("model") or request_body.get("model")),
        id=text_at(kept_by_server or reply_body.get("id")),
        follows=text_at(kept_by_server or request_body.get("previous_response_id")),
    )


def _has_ended(answered: Mapping[str, Any]) -> bool:
    """Return whether a reply says why it ended."""
    if answered.get("stop_reason") or answered.get("status") in ENDED:
        return True
    choices = objects_at(answered, "choices")
    return any(choice.get("finish_reason") for choice in choices)


def _parse(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise NotAnExchangeError("A body is no object in JSON.")
    return value


def _load(value: Mapping[str, Any], format: str) -> Transcript:
    try:
        data = json.dumps(value, ensure_ascii=True).encode()
        return load_transcript(data, format)
    except TranscriptError as error:
        raise NotAnExchangeError(str(error)) from None
    except (ValueError, RecursionError):
        raise NotAnExchangeError("A body is nested too deeply.") from None


def _read_usage(api: Api, billed: object) -> dict[str, int]:
    """Return the tokens as billed; input tokens are all of a request."""
    values = {}
    for name, path in api.usage.items():
        values[name] = value_at(billed, *path.split("."))
    usage = read_usage(values)
    if api.has_cache_beside and INPUT_TOKENS in usage:
        usage[INPUT_TOKENS] += usage.get(CACHE_READ_TOKENS, 0)
        usage[INPUT_TOKENS] += usage.get(CACHE_WRITE_TOKENS, 0)
    return usage
