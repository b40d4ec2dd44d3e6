"""A proxy that records the requests of programs to an API of models.

``memviz watch`` serves it. Requests and replies pass through unchanged, chunk by chunk; a
copy of both bodies becomes an ``Exchange`` for the ``recorder``. Keys pass through, and no
header is stored or logged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import time
from urllib.parse import urlsplit

import anyio
import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from memviz.core.errors import MemvizError
from memviz.transcripts.times import time_text
from memviz.watching.bodies import (
    BodyError,
    ByteBudget,
    HeldBody,
    OwnProgramsOnly,
    choose_encodings,
    read_packed,
    refuse,
)
from memviz.watching.exchanges import Exchange
from memviz.watching.model_apis import Api, api_of

Headers = list[tuple[bytes, bytes]]
OF_ONE_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te "
    b"trailer transfer-encoding upgrade host".split()
)
"""Headers about a single connection, which a proxy does not pass on."""
CONNECT_SECONDS = 30.0


class BadUpstreamError(MemvizError):
    """The address of an API is no plain web address."""


def make_proxy(
    upstream: str,
    take: Callable[[Exchange], object],
    complain: Callable[[Exception], object],
    client: httpx.AsyncClient | None = None,
) -> Starlette:
    """Return the application that passes every request on to ``upstream`` and calls ``take``
    with each exchange with a model.

    Args:
        upstream: the address of the API, such as ``https://api.openai.com``. The paths of
            requests are put behind it.
        take: called in another thread, after the reply has ended.
        complain: called with the reason where an exchange cannot be read.
        client: the client that asks ``upstream``; a new one unless it is given.

    Raises :class:`BadUpstreamError` for an address that is no plain web address.
    """
    proxy = _Proxy(parse_address(upstream), take, complain, client or _make_client())
    return Starlette(
        routes=[Mount("/", app=proxy)],
        middleware=[Middleware(OwnProgramsOnly)],
        lifespan=proxy.lifespan,
    )


def parse_address(address: str) -> httpx.URL:
    """Return a web address. Raises :class:`BadUpstreamError` for any other text, and for an
    address in which a key could stand."""
    address = address.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_plain = is_plain and parts.port != 0  # it raises where that is no port
        if is_plain and not ("@" in parts.netloc or parts.query or parts.fragment):
            return httpx.URL(address)
    except (ValueError, httpx.InvalidURL):
        pass
    raise BadUpstreamError(
        "The address of the API is no plain web address. Give one such as https://api.openai.com, without a key in it."
    )


def _make_client() -> httpx.AsyncClient:
    # A model may think for as long as its client waits.
    timeout = httpx.Timeout(CONNECT_SECONDS, read=None, pool=None)
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    return httpx.AsyncClient(
        timeout=timeout, cookies=no_cookies, follow_redirects=False
    )


@dataclass(eq=False, repr=False)
class _Proxy:
    """The application, to which only programs of this machine get through."""

    upstream: httpx.URL
    take: Callable[[Exchange], object]
    complain: Callable[[Exception], object]
    client: httpx.AsyncClient
    _budget: ByteBudget = field(default_factory=ByteBudget)
    _in_order: anyio.Lock = field(default_factory=anyio.Lock)

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Close the connections to the API when the server ends."""
        async with self.client:
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and its reply back."""
        request = Request(scope, receive)
        api = api_of(request.method, request.url.path)
        with self._budget.share() as asked, self._budget.share() as answered:
            asked.is_copied = answered.is_copied = api is not None
            upload = _Upload(request, asked)
            call = _Call(self._request_for(request, upload), answered, send)
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_gone, upload, receive, group.cancel_scope)
                try:
                    await call.relay(self.client)
                except ClientDisconnect:
                    pass  # it went before all of its request was there
                except httpx.TransportError as error:
                    if call.status is None:
                        await _tell_unreached(error, scope, receive, send)
                    # Else the reply breaks off here as well: the client is to notice.
                group.cancel_scope.cancel()
            if api is None or call.status != 200:
                return
            # One after the other: each goes on from the one before.
            async with self._in_order:
                await run_in_threadpool(self._record, api, request, asked, call)

    def _request_for(self, request: Request, upload: _Upload) -> httpx.Request:
        """Return the request to the API: the same except for headers about the connection,
        and without encodings of the reply that memviz cannot read."""
        path: bytes = request.scope.get("raw_path") or request.url.path.encode()
        query: bytes = request.scope["query_string"]
        target = self.upstream.raw_path.rstrip(b"/") + b"/" + path.lstrip(b"/")
        if query:
            target += b"?" + query
        url = self.upstream.copy_with(raw_path=target)
        headers = _headers_for_api(request.headers.raw)
        content = upload if upload.has_bytes else None
        return httpx.Request(request.method, url, headers=headers, content=content)

    def _record(self, api: Api, request: Request, asked: HeldBody, call: _Call) -> None:
        """Read the exchange with a model that went through."""
        refusal = asked.refusal or call.answered.refusal
        if refusal is not None:
            self.complain(refusal)
            return
        try:
            exchange = read_packed(
                api,
                asked.whole(),
                request.headers,
                call.answered.whole(),
                call.headers,
                is_whole=call.is_whole,
            )
            timed = replace(
                exchange, asked_at=call.asked_at, answered_at=call.answered_at
            )
            self.take(timed)
        except Exception as error:
            # Programs may send anything. It was passed on, so an error here is only noted.
            self.complain(error)


@dataclass(eq=False, repr=False)
class _Upload:
    """The body of a request on its way to the API, of which a copy is kept."""

    request: Request
    held: HeldBody
    is_passed_on: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        headers = self.request.headers
        size = headers.get("content-length", "0")
        self.has_bytes = size != "0" or "transfer-encoding" in headers
        if not self.has_bytes:
            self.is_passed_on.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self.request.stream():
            self.held.copy(chunk)
            yield chunk
        self.is_passed_on.set()


@dataclass(eq=False, repr=False)
class _Call:
    """One request to the API, and its reply on the way back."""

    request: httpx.Request
    answered: HeldBody
    send: Send
    status: int | None = None
    """The status of the reply; ``None`` before it has begun."""
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    is_whole: bool = False
    asked_at: str = field(default_factory=lambda: time_text(time()))
    answered_at: str = ""

    async def relay(self, client: httpx.AsyncClient) -> None:
        """Ask, and pass the reply on, chunk by chunk as it comes. Raises
        :class:`httpx.TransportError` where the line to the API breaks."""
        response = await client.send(self.request, stream=True)
        try:
            headers = _drop_connection_headers(response.headers.raw)
            start = {"status": response.status_code, "headers": headers}
            await self.send({"type": "http.response.start", **start})
            self.status = response.status_code
            self.headers = response.headers
            async for chunk in response.aiter_raw():
                await self._send_body(chunk, more=True)
                self.answered.copy(chunk)
            await self._send_body(b"", more=False)
            self.is_whole = True
        finally:
            self.answered_at = time_text(time())
            # Also where the client has gone: nothing more is to be paid for.
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _send_body(self, chunk: bytes, *, more: bool) -> None:
        body = {"type": "http.response.body", "body": chunk, "more_body": more}
        await self.send(body)


async def _cancel_when_gone(
    upload: _Upload, receive: Receive, scope: anyio.CancelScope
) -> None:
    """End the call when its client hangs up."""
    await upload.is_passed_on.wait()  # until then the upload itself notices
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _tell_unreached(
    error: httpx.TransportError, scope: Scope, receive: Receive, send: Send
) -> None:
    reason = type(error).__name__
    sentence = (
        f"memviz could not reach the API that it passes requests on to ({reason})."
    )
    await refuse(BodyError(502, sentence))(scope, receive, send)


def _headers_for_api(headers: Headers) -> Headers:
    """Return the headers of a request that the API gets."""
    passed = []
    accepted = []
    for name, value in _drop_connection_headers(headers):
        if name.lower() == b"accept-encoding":
            accepted.append(value.decode("latin-1"))
        else:
            passed.append((name, value))
    encodings = choose_encodings(",".join(accepted))
    return [*passed, (b"accept-encoding", encodings.encode("latin-1"))]


def _drop_connection_headers(headers: Headers) -> Headers:
    """Return headers without those that are about one connection."""
    left_out = set(OF_ONE_CONNECTION)
    for name, value in headers:
        if name.lower() == b"connection":
            left_out.update(one.strip().lower() for one in value.split(b","))
    return [(name, value) for name, value in headers if name.lower() not in left_out]
