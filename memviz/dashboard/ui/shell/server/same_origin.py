"""Only memviz's own pages may talk to the server, not those of any other site or of another port of this machine."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import (
    PlainTextResponse,
)

from memviz.models.access import (
    is_loopback,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_REFUSED_ORIGIN = "This request comes from a page of another origin, and memviz answers only its own pages."
_REFUSED_HOST = (
    "This server answers only under this machine's own names. Behind another name, list it in Streamlit's "
    "server.allowedHosts."
)


class SameOrigin:
    """ASGI middleware that refuses requests of other pages.

    Streamlit lets in every page of localhost, whatever its port, and whatever name a page has that leads here. Here
    scheme and name do not matter, but the port does: an ``Origin`` has to be the one that the request goes to, or one
    of ``other_origins``. A server that only this machine reaches (``is_local``) answers under no other name than
    this machine's own and ``other_hosts``, since a page elsewhere can let a name of its own lead here. Pages of
    ``embeddable_by`` may show memviz in a frame: what is in it has memviz's own origin, so they may do nothing else.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        is_local: bool,
        other_hosts: Iterable[str] = (),
        other_origins: Iterable[str] = (),
        embeddable_by: Iterable[str] = (),
    ) -> None:
        self._app = app
        self._is_local = is_local
        self._origins = {own.strip().rstrip("/").lower() for own in other_origins}
        self._hosts = {host.strip().lower() for host in other_hosts}
        for origin in self._origins:
            self._hosts.add(urlsplit(origin).hostname or "")
        framing = self._origins.union(map(str.lower, embeddable_by))
        self._may_frame = " ".join(["'self'", *sorted(framing)])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with status 403."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif reason := self._refusal(Headers(scope=scope)):
            await refuse(scope, receive, send, reason)
        else:
            await self._app(scope, receive, self._unframed(send))

    def _refusal(self, headers: Headers) -> str:
        host = headers.get("host", "").lower()
        origin = headers.get("origin")
        if self._is_local and not self._is_own_name(host):
            return _REFUSED_HOST
        if (
            origin is None
            or (host and self._host_of(origin) == host)
            or origin.lower() in self._origins
        ):
            return ""
        return _REFUSED_ORIGIN

    @staticmethod
    def _host_of(origin: str) -> str:
        try:
            return urlsplit(origin.lower()).netloc
        except ValueError:
            return ""

    def _is_own_name(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return is_loopback(name) or any(
            fnmatchcase(name, pattern) for pattern in self._hosts
        )

    def _unframed(self, send: Send) -> Send:
        """No page that was not named may show memviz within itself and lead clicks to it."""

        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault(
                    "Content-Security-Policy", f"frame-ancestors {self._may_frame}"
                )
            await send(message)

        return with_header


async def refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    """Answer a request or a handshake with status 403."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    await PlainTextResponse(reason, status_code=403)(scope, receive, send)
