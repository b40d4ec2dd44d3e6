"""Requests to APIs of models and their replies as exchanges: OpenAI's chat API and its
Responses API, Anthropic's Messages API, and servers that speak as these do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memviz.core.errors import MemvizError, TranscriptError
from memviz.core.messages import Message
from memviz.transcripts.base import Transcript
from memviz.transcripts.event_streams import Event, join_message_events
from memviz.transcripts.loading import load_transcript
from memviz.transcripts.readers.json_access import objects_at, text_at, value_at
from memviz.watching.event_streams import (
    join_chat_chunks,
    join_response_events,
    read_events,
)
from memviz.watching.exchanges import (
    CACHE_READ_TOKENS,
    CACHE_WRITE_TOKENS,
    CUT_OFF,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Exchange,
    usage_of,
)

ENDED = ("completed", "incomplete", "failed")
EVENT_STREAM = "text/event-stream"


class NotAnExchangeError(MemvizError):
    """A request and its reply over a wire that are none of a model."""


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
    usage = usage_of(values)
    if api.has_cache_beside and INPUT_TOKENS in usage:
        usage[INPUT_TOKENS] += usage.get(CACHE_READ_TOKENS, 0)
        usage[INPUT_TOKENS] += usage.get(CACHE_WRITE_TOKENS, 0)
    return usage
