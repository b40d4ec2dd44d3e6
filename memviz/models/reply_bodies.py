"""The reading of a reply's body: how much of it, in which pieces, and unpacked by whom.

A reply that comes whole where a stream was asked for, as some servers send it, is read as
a stream of one event.
"""

import json
from collections.abc import Iterator
from time import monotonic
from typing import Any

import httpx

from memviz.core.translation import _
from memviz.models.line import limit_body

MAX_ERROR_BYTES = 16 * 1024
"""So much is read of an error that a server sends. litellm searches its text for secrets over and over, which holds up
all threads of the process: 10 seconds for 2 MB, minutes for 20 MB."""
MAX_EVENT_BYTES = 2 * 1024 * 1024
"""The most of one line of a reply that began well: the longest replies of the largest models have less than half of
that."""
MAX_ERROR_SECONDS = 10.0
"""So long an error may take to arrive, once it has begun."""
_BINARY_EVENTS = "amazon.eventstream"
"""Amazon's streams have no lines."""
_PACKINGS = ("gzip", "deflate")
"""What is unpacked, each alone: others, and one within another, make gigabytes of a few bytes."""
_SMALL_BYTES = 1024
"""Packed bytes are unpacked in pieces of this size: a thousand times as much may come out of them."""
_KEY_BYTES = 64
"""An event of a stream that tells of an error has the key ``error`` within its first bytes."""
_CHATS = "/chat/completions"
"""OpenAI's protocol, of which the events are known here."""


class PackedReplyError(Exception):
    """The reply is packed in a way that nobody asked for, and that cannot be unpacked within bounds."""


def bound_body(response: httpx.Response) -> None:
    """Let no more of ``response`` be read than is safe, packed or not: of an error, which is a reply that is no success
    or an event of a stream that began well, :data:`MAX_ERROR_BYTES`; of any other event :data:`MAX_EVENT_BYTES`, for
    some make an error of litellm; of all of them together :data:`memviz.models.line.MAX_REPLY_BYTES`.

    Raises :class:`PackedReplyError` for one that is packed and cannot be unpacked within these bounds.
    """
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", *_PACKINGS):
        raise PackedReplyError
    body = _Unpacked(response)
    if not response.is_success:
        response.stream = _Beginning(body)
    elif _BINARY_EVENTS in response.headers.get("content-type", ""):
        response.stream = body
    else:
        response.stream = _ShortLines(body)
    # These are not those of what is read.
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        response.headers.pop(name, None)


def source_of(response: httpx.Response) -> httpx.SyncByteStream:
    """The stream that the body of ``response`` is read from."""
    assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - litellm is only called synchronously
    return response.stream


class _Reading(httpx.SyncByteStream):
    """The bytes of ``source``, which subclasses read otherwise than they come."""

    def __init__(self, source: httpx.SyncByteStream) -> None:
        self._source = source

    def close(self) -> None:
        self._source.close()


class _Unpacked(httpx.SyncByteStream):
    """The body of a response, as it is meant. Raises :class:`memviz.models.line.EndlessReplyError` for one that does
    not end."""

    def __init__(self, response: httpx.Response) -> None:
        is_packed = "content-encoding" in response.headers
        source = _InPieces(source_of(response)) if is_packed else source_of(response)
        self._whole = httpx.Response(
            response.status_code, headers=response.headers, stream=source
        )

    def __iter__(self) -> Iterator[bytes]:
        return limit_body(self._whole.iter_bytes())

    def close(self) -> None:
        self._whole.close()


class _Beginning(_Reading):
    """The beginning of a body."""

    def __iter__(self) -> Iterator[bytes]:
        bytes_left = MAX_ERROR_BYTES
        until = monotonic() + MAX_ERROR_SECONDS
        for piece in self._source:
            yield piece[:bytes_left]
            bytes_left -= len(piece)
            if bytes_left <= 0 or monotonic() > until:
                break


class _InPieces(_Reading):
    """The bytes of ``source`` in small pieces."""

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._source:
            for start in range(0, len(piece), _SMALL_BYTES):
                yield piece[start : start + _SMALL_BYTES]


class _ShortLines(_Reading):
    """The lines of ``source``, long ones cut. A line that is cut is no JSON any more, if it was."""

    _start = b""
    """The first bytes of the line that is under way."""
    _length = 0
    """The bytes of the line that is under way so far."""

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._source:
            yield b"".join(map(self._shortened, piece.splitlines(keepends=True)))

    def _shortened(self, part: bytes) -> bytes:
        """The bytes that are kept of ``part`` of a line."""
        self._start = (self._start + part)[:_KEY_BYTES]
        most = MAX_ERROR_BYTES if b'"error"' in self._start else MAX_EVENT_BYTES
        bytes_left = max(0, most - self._length)
        self._length = self._length + len(part)
        ending = part[len(part.rstrip(b"\r\n")) :]
        if ending:
            self._start = b""
            self._length = 0
        if len(part) <= bytes_left:
            return part
        return part[:bytes_left].rstrip(b"\r\n") + ending


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


class _AsEvents(_Reading):
    """The events of a whole reply. Raises :class:`NotAReplyError` if it is none."""

    def __iter__(self) -> Iterator[bytes]:
        body = b""
        for piece in self._source:
            body += piece
            if len(body) >= MAX_EVENT_BYTES:
                raise NotAReplyError(
                    _("more than {most} MB of JSON", most=MAX_EVENT_BYTES // 1024**2)
                )
        for event in _split_events(body) if body.strip() else ():
            yield b"data: %s\n\n" % event.encode()


def _split_events(body: bytes) -> Iterator[str]:
    try:
        whole = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAReplyError(_("a text that is called JSON and is none")) from None
    if isinstance(whole, dict) and "error" in whole:
        yield json.dumps(whole)
        return
    choices = whole.get("choices") if isinstance(whole, dict) else None
    if not isinstance(choices, list) or not all(map(_message, choices)):
        raise NotAReplyError(_("JSON that is no chat completion"))
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    yield json.dumps({**head, "choices": list(map(_make_piece, choices))})
    if whole.get("usage"):
        yield json.dumps({**head, "choices": [], "usage": whole["usage"]})
    yield "[DONE]"


def _message(choice: Any) -> dict[str, Any] | None:
    message = choice.get("message") if isinstance(choice, dict) else None
    return message if isinstance(message, dict) else None


def _make_piece(choice: dict[str, Any]) -> dict[str, Any]:
    """A whole choice as the one piece of a stream."""
    delta = {**(_message(choice) or {})}
    calls = delta.get("tool_calls")
    if isinstance(calls, list):
        numbered = []
        for index, call in enumerate(calls):
            if isinstance(call, dict):
                numbered.append({**call, "index": index})
        delta["tool_calls"] = numbered
    return {
        "index": choice.get("index", 0),
        "delta": delta,
        "finish_reason": choice.get("finish_reason") or "stop",
    }
