"""Keys are heard from the first moment of a page: their script stands in the page that the server sends, before
Streamlit's own. What is drawn later, as everything on a page is, would come too late for an early key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from memviz.dashboard.stage.files import keys_script

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEAD = b"<head>"
_NOT_ASKED_FOR = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""Headers of a request for a page that would have it come packed, in part or not at all."""


class EarlyKeys:
    """ASGI middleware that puts the script into the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; into a page that comes back goes the script."""
        is_page = scope["type"] == "http" and scope["method"] == "GET"
        if not is_page or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        headers = [
            (name, value)
            for name, value in scope["headers"]
            if name.lower() not in _NOT_ASKED_FOR
        ]
        await self._app({**scope, "headers": headers}, receive, _with_script(send))


def _with_script(send: Send) -> Send:
    """Send a page with the script at the begin of its head; everything else as it is."""
    page_start: Message | None = None  # held until the length of the page is known
    body = bytearray()

    async def put(message: Message) -> None:
        nonlocal page_start
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            if kind.startswith("text/html"):
                page_start = message
                return
        if message["type"] != "http.response.body" or page_start is None:
            await send(message)
            return
        body.extend(message.get("body", b""))
        if not message.get("more_body", False):
            page = bytes(body).replace(_HEAD, _HEAD + _script(), 1)
            headers = MutableHeaders(raw=list(page_start["headers"]))
            headers["content-length"] = str(len(page))
            del headers["etag"]  # it is that of the page without the script
            await send({**page_start, "headers": headers.raw})
            await send({"type": "http.response.body", "body": page})
            page_start = None

    return put


def _script() -> bytes:
    # In a block of its own: its names are those of other scripts, too.
    return f"<script>{{\n{keys_script()}\n}}</script>".encode()
