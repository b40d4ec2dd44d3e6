"""Only the proxies that sign people in reach the server, and only for somebody whom they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from memviz.dashboard.ui.shell.server.same_origin import refuse
from memviz.models.identities import TrustedProxies

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

REFUSED = (
    "This server answers the proxy in front of it, for somebody who signed in there."
)


class ProxyDoor:
    """ASGI middleware that refuses with status 403 what no proxy of ``proxies`` sends, or sends for nobody. ``health``
    is the path that answers everybody whether the server runs."""

    def __init__(self, app: ASGIApp, *, proxies: TrustedProxies, health: str) -> None:
        self._app = app
        self._proxies = proxies
        self._health = health

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        is_request = scope["type"] in ("http", "websocket")
        if is_request and not self._is_open(scope):
            await refuse(scope, receive, send, REFUSED)
        else:
            await self._app(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        if scope["path"] == self._health:
            return True
        peer = (scope.get("client") or ("",))[0]
        values = Headers(scope=scope).getlist(self._proxies.header)
        return self._proxies.vouch(peer) and bool(self._proxies.identity_in(values))
