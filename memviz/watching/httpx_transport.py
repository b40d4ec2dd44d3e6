"""A transport for httpx that keeps what a program says to APIs of models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import time
from typing import Any

import httpx

from memviz.transcripts.times import time_text
from memviz.watching.bodies import (
    ByteBudget,
    HeldBody,
    choose_encodings,
    read_packed,
)
from memviz.watching.exchanges import Exchange
from memviz.watching.model_apis import Api, api_of
from memviz.watching.own_process import BackgroundRecorder


class HttpxTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Passes requests on, and keeps those to APIs of models in the library:
    ``OpenAI(http_client=httpx.Client(transport=HttpxTransport()))``; asynchronous clients
    take it as well.

    Requests and replies pass as they are, streams chunk by chunk. No header is kept.
    Nothing here raises what httpx would not: what cannot be kept is logged once.
    """

    def __init__(
        self,
        inner: httpx.BaseTransport | None = None,
        inner_async: httpx.AsyncBaseTransport | None = None,
        database: str | Path | None = None,
    ) -> None:
        """``inner`` and ``inner_async`` send the requests: httpx's own transports unless
        they are given. ``database`` is the library's file: that of ``MEMVIZ_DB``, or
        ``memviz.db`` here, unless it is given."""
        self._inner = inner
        self._inner_async = inner_async
        self._budget = ByteBudget()
        self._background = BackgroundRecorder("httpx", database)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and return its reply."""
        if self._inner is None:
            self._inner = httpx.HTTPTransport()
        tee = self._begin(request)
        if tee is None:
            return self._inner.handle_request(request)
        request.read()
        return tee.around(self._inner.handle_request(request))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and return its reply."""
        if self._inner_async is None:
            self._inner_async = httpx.AsyncHTTPTransport()
        tee = self._begin(request)
        if tee is None:
            return await self._inner_async.handle_async_request(request)
        await request.aread()
        return tee.around(await self._inner_async.handle_async_request(request))

    def close(self) -> None:
        """Close the connections."""
        if self._inner is not None:
            self._inner.close()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._inner_async is not None:
            await self._inner_async.aclose()

    def wait(self) -> None:
        """Return when everything so far is kept."""
        self._background.wait()

    def _begin(self, request: httpx.Request) -> _Tee | None:
        """Return what keeps a request and its reply; ``None`` where it is none to a
        model."""
        api = api_of(request.method, request.url.path)
        if api is None:
            return None
        accepted = request.headers.get("accept-encoding", "")
        request.headers["accept-encoding"] = choose_encodings(accepted)
        return _Tee(api, request, self._background, HeldBody(self._budget))


@dataclass(eq=False, repr=False)
class _Tee(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a reply on its way, of which a copy is kept."""

    api: Api
    request: httpx.Request
    background: BackgroundRecorder
    held: HeldBody
    _is_finished: bool = False
    _stream: Any = None
    _headers: httpx.Headers = field(default_factory=httpx.Headers)
    _is_whole: bool = False
    _asked_at: str = field(default_factory=lambda: time_text(time()))

    def around(self, response: httpx.Response) -> httpx.Response:
        """Return the reply with its body on the way through here."""
        if response.status_code != 200:
            return response
        self._stream = response.stream
        self._headers = response.headers
        return httpx.Response(
            200, headers=response.headers, stream=self, extensions=response.extensions
        )

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self.held.copy(chunk)
            yield chunk
        self._is_whole = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self.held.copy(chunk)
            yield chunk
        self._is_whole = True

    def close(self) -> None:
        """Close the body, and keep what came of it."""
        self._finish()
        self._stream.close()

    async def aclose(self) -> None:
        """Close the body, and keep what came of it."""
        self._finish()
        await self._stream.aclose()

    def _finish(self) -> None:
        if self._is_finished:
            return
        self._is_finished = True
        if self.held.refusal is not None:
            self.background.complaints.tell(self.held.refusal)
            return
        data = self.held.whole()
        self.held.let_go()
        size_bytes = len(self.request.content) + len(data)
        answered_at = time_text(time())
        self.background.keep(lambda: self._read(data, answered_at), size_bytes)

    def _read(self, data: bytes, answered_at: str) -> Exchange:
        exchange = read_packed(
            self.api,
            self.request.content,
            self.request.headers,
            data,
            self._headers,
            is_whole=self._is_whole,
        )
        return replace(exchange, asked_at=self._asked_at, answered_at=answered_at)
