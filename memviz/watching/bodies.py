"""Bodies of HTTP from programs of this machine: read within bounds, from no web page."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memviz.core.errors import MemvizError
from memviz.core.zstandard import inflate_zstandard
from memviz.watching.exchanges import Exchange
from memviz.watching.model_apis import Api, read_wire

MOST_BODY_BYTES = 64_000_000
"""Of one request or reply, as it comes and inflated. APIs take at most 50 MB."""
MOST_BYTES_AT_ONCE = 256_000_000
"""Of all that is read and relayed at the same time."""
READABLE_ENCODINGS = ("gzip", "x-gzip", "deflate", "identity")
"""In which replies are asked for, whatever else the client accepts."""
OWN_HOSTS = ("127.0.0.1", "localhost")
_GZIP_OR_ZLIB = 47
"""Window bits with which zlib tells both apart by their heads."""


class BodyError(MemvizError):
    """A body that is not taken. Attribute: the HTTP ``status`` that says so."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


@dataclass(eq=False, repr=False)
class ByteBudget:
    """Bytes that all bodies of one server, or of one client, may hold at the same time.
    Several threads may use it."""

    left_bytes: int = MOST_BYTES_AT_ONCE
    _lock: Lock = field(default_factory=Lock)

    def take(self, size_bytes: int) -> None:
        """Raises :class:`BodyError` where so much is not left."""
        with self._lock:
            if size_bytes > self.left_bytes:
                sentence = "Too much is sent at the same time. Send it again later."
                raise BodyError(503, sentence)
            self.left_bytes -= size_bytes

    def give_back(self, size_bytes: int) -> None:
        """Make room for others again."""
        with self._lock:
            self.left_bytes += size_bytes

    @contextmanager
    def share(self) -> Iterator[HeldBody]:
        """Give one body a share, which is free again afterwards."""
        body = HeldBody(self)
        try:
            yield body
        finally:
            body.let_go()


@dataclass(eq=False, repr=False)
class HeldBody:
    """The bytes of one body, within the budget of all."""

    budget: ByteBudget
    size_bytes: int = 0
    refusal: BodyError | None = None
    """The reason why nothing is kept of a body that was passed on."""
    is_copied: bool = True
    """False for a body of which no copy is wanted."""
    _chunks: list[bytes] = field(default_factory=list)

    def add(self, chunk: bytes) -> None:
        """Keep a chunk. Raises :class:`BodyError` where there is no room for it."""
        if self.size_bytes + len(chunk) > MOST_BODY_BYTES:
            limit = MOST_BODY_BYTES // 1_000_000
            sentence = f"The body is larger than {limit} MB."
            raise BodyError(413, sentence)
        self.budget.take(len(chunk))
        self.size_bytes += len(chunk)
        self._chunks.append(chunk)

    def copy(self, chunk: bytes) -> None:
        """Keep a chunk that is passed on. Where there is no room for it, nothing of the
        body is kept, and ``refusal`` says why."""
        if self.refusal is not None or not self.is_copied:
            return
        try:
            self.add(chunk)
        except BodyError as error:
            self.refusal = error
            self.let_go()

    def let_go(self) -> None:
        """Free the share of the budget."""
        self.budget.give_back(self.size_bytes)
        self.size_bytes = 0
        self._chunks = []

    def whole(self) -> bytes:
        """Return all bytes so far."""
        return b"".join(self._chunks)


async def read_body(request: Request, body: HeldBody) -> bytes:
    """Return the body of a request, as it comes."""
    async for chunk in request.stream():
        body.add(chunk)
    return body.whole()


def choose_encodings(accepted: str) -> str:
    """Return what a client accepts of :data:`READABLE_ENCODINGS`: "gzip;q=0.8" of
    "br, zstd, gzip;q=0.8", "identity" of "br"."""
    encodings = []
    for option in accepted.split(","):
        name = option.partition(";")[0]
        if name.strip().lower() in READABLE_ENCODINGS:
            encodings.append(option.strip())
    return ", ".join(encodings) or "identity"


def inflate(data: bytes, encoding: str, *, is_whole: bool = True) -> bytes:
    """Return a body without its encoding; of one that is not whole what there is, if it is
    packed with gzip or deflate.

    Raises :class:`BodyError` where the encoding is none of gzip, deflate, zstd and
    identity, or where the body is broken or too large.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return data
    if name not in (*READABLE_ENCODINGS, "zstd"):
        sentence = f"The body is encoded as {name[:40]!r}; gzip, deflate, zstd and none are known."
        raise BodyError(415, sentence)
    try:
        if name == "zstd":
            inflated = inflate_zstandard(data, MOST_BODY_BYTES + 1)
        else:
            inflated = _inflate_zlib(data, MOST_BODY_BYTES + 1, is_whole=is_whole)
    except (zlib.error, OSError):
        raise BodyError(400, f"The body is no whole {name}.") from None
    if len(inflated) > MOST_BODY_BYTES:
        limit = MOST_BODY_BYTES // 1_000_000
        sentence = f"The body is larger than {limit} MB inflated."
        raise BodyError(413, sentence)
    return inflated


def read_packed(
    api: Api,
    request: bytes,
    request_headers: Mapping[str, str],
    reply: bytes,
    reply_headers: Mapping[str, str],
    *,
    is_whole: bool,
) -> Exchange:
    """Return the exchange that two bodies are, packed as their headers say.

    Raises :class:`BodyError` where one of them cannot be inflated, and
    :class:`NotAnExchangeError` where they are none that is known.
    """
    request_text = inflate(request, request_headers.get("content-encoding", ""))
    packing = reply_headers.get("content-encoding", "")
    reply_text = inflate(reply, packing, is_whole=is_whole)
    kind = reply_headers.get("content-type", "")
    return read_wire(api, request_text, reply_text, kind, is_whole=is_whole)


def _inflate_zlib(data: bytes, most_bytes: int, *, is_whole: bool) -> bytes:
    """Return the first ``most_bytes`` of what was packed with gzip or deflate. Raises
    zlib.error where it is broken, or is to be whole and has no end."""
    stream = zlib.decompressobj(_GZIP_OR_ZLIB)
    inflated = stream.decompress(data, most_bytes)
    if is_whole and len(inflated) < most_bytes and not stream.eof:
        raise zlib.error("it ends in the middle")
    return inflated


@dataclass(eq=False, repr=False)
class OwnProgramsOnly:
    """An ASGI application that programs of this machine reach, and no web page in its
    browser: neither one that names this machine as its own host, nor one that sends what
    browsers send without asking."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Request(scope).headers
            host = _host_of(f"//{headers.get('host', '')}")
            origin = headers.get("origin")
            is_foreign = origin is not None and _host_of(origin) not in OWN_HOSTS
            if host not in OWN_HOSTS or is_foreign:
                sentence = "Only programs of this machine are served, not web pages."
                await refuse(BodyError(403, sentence))(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _host_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def refuse(error: BodyError) -> JSONResponse:
    """Return the answer to a request that is not taken, as APIs of models and receivers
    of traces say it."""
    error_fields = {"message": str(error), "type": "memviz"}
    headers = {"retry-after": "5"} if error.status == 503 else None
    return JSONResponse({"error": error_fields, **error_fields}, error.status, headers)
