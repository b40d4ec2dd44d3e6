"""What is checked of every HTTP request and reply of litellm, before litellm sees it.

litellm talks to OpenAI-like providers through the OpenAI client and to all others through clients of its own.
Both are httpx underneath, so both get the same hooks: :data:`REQUEST_HOOKS` see each request, also each
that follows a redirect, and :data:`RESPONSE_HOOKS` each reply before anything of its body is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from time import monotonic
from typing import Any

import httpx

from memviz.models.destinations import check_destination, refuse_redirect

MAX_ERROR_BYTES = 16 * 1024
"""So much is read of an error that a server sends. litellm searches its text for secrets over and over, which holds up
all threads of the process: 10 seconds for 2 MB, minutes for 20 MB."""
MAX_EVENT_BYTES = 2 * 1024 * 1024
"""Of one line of a reply that began well. The longest replies of the largest models have less than half of that."""
_BINARY_EVENTS = "amazon.eventstream"
"""Amazon's streams have no lines."""
MAX_ERROR_SECONDS = 10.0
"""So long it may take to arrive, once it has begun."""
_LIMITS = httpx.Limits(max_connections=1000, max_keepalive_connections=100)
"""Those of the OpenAI client: all keys of the process share them."""
_SMALL_BYTES = 1024
"""Compressed bytes are unpacked in pieces of this size: a thousand times as much may come out of them."""
_KEY_BYTES = 64
"""An event of a stream that tells of an error has the key ``error`` within its first bytes."""


def guard(litellm: Any) -> None:
    """Put the hooks into every client that ``litellm`` makes from now on, and into the one it was given."""
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    make_client = HTTPHandler.create_client

    @wraps(make_client)
    def create_client(handler: Any) -> httpx.Client:
        return _hooked(make_client(handler))

    HTTPHandler.create_client = create_client
    litellm.in_memory_llm_clients_cache.flush_cache()  # a program that used litellm before has clients without hooks
    vars(litellm).pop("module_level_client", None)
    if litellm.client_session is None:
        litellm.client_session = _hooked(_session())  # for the OpenAI client, which would make its own
    else:
        _hooked(litellm.client_session)


def _hooked(client: httpx.Client) -> httpx.Client:
    hooks = client.event_hooks
    client.event_hooks = {
        "request": [*hooks["request"], *REQUEST_HOOKS],
        "response": [*hooks["response"], *RESPONSE_HOOKS],
    }
    return client


def _session() -> httpx.Client:
    from litellm.llms.custom_httpx.http_handler import blocked_cookie_jar, get_ssl_configuration, http2_enabled

    return httpx.Client(
        verify=get_ssl_configuration(), http2=http2_enabled(), cookies=blocked_cookie_jar(), limits=_LIMITS,
        follow_redirects=True,
    )  # fmt: skip


def bound_error(response: httpx.Response) -> None:
    """Let no more than :data:`MAX_ERROR_BYTES` be read of an error: a reply that is no success, or an event of
    a stream that began well. Of any other event no more than :data:`MAX_EVENT_BYTES`: some make an error of litellm."""
    if not response.is_success:
        response.stream = _Beginning(response)
        for name in ("content-encoding", "content-length", "transfer-encoding"):  # the beginning is unpacked already
            response.headers.pop(name, None)
    elif "content-encoding" not in response.headers and _BINARY_EVENTS not in response.headers.get("content-type", ""):
        response.stream = _ShortLines(_stream_of(response))


def _stream_of(response: httpx.Response) -> httpx.SyncByteStream:
    assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - litellm is only called synchronously
    return response.stream


class _Beginning(httpx.SyncByteStream):
    """The unpacked beginning of a reply's body."""

    def __init__(self, response: httpx.Response) -> None:
        pieces = _InPieces(_stream_of(response))
        self._whole = httpx.Response(response.status_code, headers=response.headers, stream=pieces)

    def __iter__(self) -> Iterator[bytes]:
        left, until = MAX_ERROR_BYTES, monotonic() + MAX_ERROR_SECONDS
        for piece in self._whole.iter_bytes():
            yield piece[:left]
            left -= len(piece)
            if left <= 0 or monotonic() > until:
                break

    def close(self) -> None:
        self._whole.close()


class _InPieces(httpx.SyncByteStream):
    """The same bytes in small pieces."""

    def __init__(self, source: httpx.SyncByteStream) -> None:
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._source:
            for start in range(0, len(piece), _SMALL_BYTES):
                yield piece[start : start + _SMALL_BYTES]

    def close(self) -> None:
        self._source.close()


class _ShortLines(httpx.SyncByteStream):
    """The same lines, long ones cut. Such a line is no JSON any more, if it was."""

    def __init__(self, source: httpx.SyncByteStream) -> None:
        self._source = source
        self._start, self._length = b"", 0  # of the line that is under way

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._source:
            yield b"".join(map(self._shortened, piece.splitlines(keepends=True)))

    def _shortened(self, part: bytes) -> bytes:
        """What is kept of ``part`` of a line."""
        self._start = (self._start + part)[:_KEY_BYTES]
        most = MAX_ERROR_BYTES if b'"error"' in self._start else MAX_EVENT_BYTES
        left, self._length = max(0, most - self._length), self._length + len(part)
        ending = part[len(part.rstrip(b"\r\n")) :]
        if ending:
            self._start, self._length = b"", 0
        return part if len(part) <= left else part[:left].rstrip(b"\r\n") + ending

    def close(self) -> None:
        self._source.close()


REQUEST_HOOKS: tuple[Callable[[httpx.Request], None], ...] = (check_destination,)
RESPONSE_HOOKS: tuple[Callable[[httpx.Response], None], ...] = (refuse_redirect, bound_error)
