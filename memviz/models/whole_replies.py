"""A reply that comes whole where a stream was asked for, as some servers send it: read as a stream of one event."""

import json
from collections.abc import Iterator
from typing import Any

import httpx

from memviz.core.translation import _
from memviz.models.reply_bodies import MAX_EVENT_BYTES, source_of

_CHATS = "/chat/completions"
"""OpenAI's protocol, of which the events are known here."""


class NotAReplyError(Exception):
    """A success, and no reply of a model: ``what`` came, in words."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__("The reply is none of a model.")


def read_whole_reply(response: httpx.Response) -> None:
    """Make a stream of a whole reply in OpenAI's protocol, if a stream was asked for. Raises :class:`NotAReplyError`
    for a web page."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not response.is_success:
        return
    if kind == "text/html":
        raise NotAReplyError(_("a web page"))
    if kind == "application/json" and _asks_for_a_stream(response.request):
        response.stream = _AsEvents(source_of(response))
        response.headers["content-type"] = "text/event-stream"


def _asks_for_a_stream(request: httpx.Request) -> bool:
    if not request.url.path.endswith(_CHATS):
        return False
    body = json.loads(request.content)
    return isinstance(body, dict) and body.get("stream") is True


class _AsEvents(httpx.SyncByteStream):
    """The events of a whole reply. Raises :class:`NotAReplyError` if it is none."""

    def __init__(self, source: httpx.SyncByteStream) -> None:
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        body = b""
        for piece in self._source:
            body += piece
            if len(body) >= MAX_EVENT_BYTES:
                raise NotAReplyError(
                    _("more than {most} MB of JSON", most=MAX_EVENT_BYTES // 1024**2)
                )
        for event in _events(body) if body.strip() else ():
            yield b"data: %s\n\n" % event.encode()

    def close(self) -> None:
        self._source.close()


def _events(body: bytes) -> Iterator[str]:
    try:
        whole = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAReplyError(_("a text that is called JSON and is none")) from None
    if isinstance(whole, dict) and "error" in whole:
        yield json.dumps(whole)
        return
    choices = whole.get("choices") if isinstance(whole, dict) else None
    if not isinstance(choices, list) or not all(
        isinstance(one, dict) and _message(one) for one in choices
    ):
        raise NotAReplyError(_("JSON that is no chat completion"))
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    yield json.dumps({**head, "choices": [_piece(one) for one in choices]})
    if whole.get("usage"):
        yield json.dumps({**head, "choices": [], "usage": whole["usage"]})
    yield "[DONE]"


def _message(choice: dict[str, Any]) -> dict[str, Any] | None:
    message = choice.get("message")
    return message if isinstance(message, dict) else None


def _piece(choice: dict[str, Any]) -> dict[str, Any]:
    """A whole choice as the one piece of a stream."""
    delta = {**(_message(choice) or {})}
    calls = delta.get("tool_calls")
    if isinstance(calls, list):
        delta["tool_calls"] = [
            {**call, "index": at}
            for at, call in enumerate(calls)
            if isinstance(call, dict)
        ]
    return {
        "index": choice.get("index", 0),
        "delta": delta,
        "finish_reason": choice.get("finish_reason") or "stop",
    }
