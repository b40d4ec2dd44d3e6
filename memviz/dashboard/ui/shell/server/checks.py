"""The checks of this server, as its settings ask for, and what it does to every request.

- ``SameOrigin``: only memviz's own pages may talk to it, not those of any other site or of
  another port of this machine.
- ``EarlyKeys``: keys are heard from the first moment of a page. The script that hears them
  stands in the page that the server sends, before Streamlit's own. What is drawn later, as
  everything on a page is, would come too late for an early key.
- ``Login``: the password is asked for once a browser session, before anything of memviz is
  sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from math import ceil
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)

from memviz.core.errors import AccessError
from memviz.core.text.wording import counted
from memviz.core.translation import (
    ENGLISH,
    _,
    known_language,
    language_now,
    noop,
    use_language,
)
from memviz.dashboard.markup import element
from memviz.dashboard.stage.files import keys_script
from memviz.dashboard.ui.shell.linked import LANG
from memviz.models.access import (
    LONGEST_BYTES,
    Attempts,
    Password,
    ServerAccess,
    Sessions,
    is_loopback,
    read_password,
    server_access,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_REFUSED_ORIGIN = "This request comes from a page of another origin, and memviz answers only its own pages."
_REFUSED_HOST = (
    "This server answers only under this machine's own names. Behind another name, list it in Streamlit's "
    "server.allowedHosts."
)
_HEAD = b"<head>"
_NOT_ASKED_FOR = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""Headers of a request for a page that would have it come packed, in part or not at all."""
HEALTH = "_stcore/health"
"""Says nothing but that the server runs; whatever watches over servers asks for it."""
_PAGE = Template(Path(__file__).with_name("login.html").read_text(encoding="utf-8"))
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser would not name its origin when it sends the form
}
_LONGEST_FORM_BYTES = 4 * LONGEST_BYTES
_WRONG = noop("This is not the password.")


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
        self._origins = {one.strip().rstrip("/").lower() for one in other_origins}
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
            header
            for header in scope["headers"]
            if header[0].lower() not in _NOT_ASKED_FOR
        ]
        await self._app({**scope, "headers": headers}, receive, _with_script(send))


def _with_script(send: Send) -> Send:
    """Send a page with the script at the begin of its head; everything else as it is."""
    held: list[
        Message
    ] = []  # the start of a page, whose length is known once all of it is there
    body = bytearray()

    async def put(message: Message) -> None:
        if message["type"] == "http.response.start":
            if (
                not Headers(raw=message["headers"])
                .get("content-type", "")
                .startswith("text/html")
            ):
                await send(message)
                return
            held.append(message)
        elif message["type"] != "http.response.body" or not held:
            await send(message)
        else:
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                page = bytes(body).replace(_HEAD, _HEAD + _script(), 1)
                start = held.pop()
                headers = MutableHeaders(raw=list(start["headers"]))
                headers["content-length"] = str(len(page))
                del headers["etag"]  # it is that of the page without the script
                await send({**start, "headers": headers.raw})
                await send({"type": "http.response.body", "body": page})

    return put


def _script() -> bytes:
    # In a block of its own: its names are those of other scripts, too.
    return f"<script>{{\n{keys_script()}\n}}</script>".encode()


class Login:
    """ASGI middleware that lets in only browsers that gave the password, and asks all others for it.

    The answer is sent to the address that was asked for, so that a link leads to its page afterwards.
    """

    def __init__(
        self, app: ASGIApp, *, password: Password, port: int, base_path: str = ""
    ) -> None:
        self._app = app
        self._password = password
        self._health = "/".join(["", *filter(None, [base_path.strip("/"), HEALTH])])
        self._cookie = f"memviz_{port}"  # a browser has the cookies of all ports of a machine in one place
        self._sessions = Sessions()
        self._attempts = Attempts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the requests of those who are in; show all others the page with the password field."""
        if scope["type"] not in ("http", "websocket") or self._is_open(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await refuse(scope, receive, send, "The password has to be entered first.")
        else:
            with use_language(_language_of(scope)):
                response = await self._answer(scope, receive)
            await response(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        word = HTTPConnection(scope).cookies.get(self._cookie, "")
        return word in self._sessions or scope["path"] == self._health

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        if scope["method"] != "POST":
            return _page("", 401)
        entered = await _entered(scope, receive)
        address = (scope.get("client") or ("",))[0]
        if wait_seconds := self._attempts.begin(address):
            wait = counted(ceil(wait_seconds), "second")
            told = _(
                "There were too many wrong attempts. Try again in {wait}.", wait=wait
            )
            page = _page(told, 429)
            page.headers["Retry-After"] = str(ceil(wait_seconds))
            return page
        if not await asyncio.to_thread(self._password.matches, entered):
            return _page(_(_WRONG), 401)
        self._attempts.succeeded(address)
        return self._let_in(scope)

    def _let_in(self, scope: Scope) -> Response:
        path = scope["raw_path"].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        # One slash at the start: with two of them the rest would be another machine's name.
        place = "/" + path.lstrip("/\\")
        if query:
            place += f"?{query}"
        response = RedirectResponse(
            place, status_code=303, headers={"Cache-Control": "no-store"}
        )
        response.set_cookie(
            self._cookie,
            self._sessions.open(),
            httponly=True,
            samesite="lax",
            secure=scope["scheme"] == "https",
        )
        return response


async def _entered(scope: Scope, receive: Receive) -> str:
    """The password field of a form; empty if there is none, or if what was sent is no such form."""
    if (
        Headers(scope=scope).get("content-type", "").partition(";")[0].strip()
        != "application/x-www-form-urlencoded"
    ):
        return ""
    body = b""
    more = True
    while more and len(body) <= _LONGEST_FORM_BYTES:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if more or len(body) > _LONGEST_FORM_BYTES:
        return ""
    return parse_qs(body.decode("latin-1"), encoding="utf-8", errors="replace").get(
        "password", [""]
    )[0]


def _language_of(scope: Scope) -> str:
    """The language that the address names, else the first of the browser's that there is."""
    asked = parse_qs(scope["query_string"].decode("latin-1")).get(LANG, [])
    accepted = Headers(scope=scope).get("accept-language", "")
    asked += [named.partition(";")[0] for named in accepted.split(",")]
    known = filter(None, map(known_language, asked))
    return next(known, ENGLISH)


def _page(message: str, status: int) -> HTMLResponse:
    shown = ""
    if message:
        shown = element("p", message, class_="error", role="alert", id="error")
    return HTMLResponse(
        _PAGE.substitute(
            message=shown,
            language=language_now(),
            title=_("memviz: password"),
            asks=_("This server asks for a password. Whoever runs it can tell you."),
            label=_("Password"),
            open=_("Open memviz"),
        ),
        status_code=status,
        headers=_PAGE_HEADERS,
    )


def access() -> ServerAccess:
    """The switches of this server, with the address that it listens on."""
    return server_access(st.get_option("server.address"))


def server_address() -> str:
    """Return the address by which a browser of this machine finds this server: "http://127.0.0.1:8501"."""
    host = st.get_option("server.address")
    if host in (None, "", "0.0.0.0", "::"):  # noqa: S104 - all addresses, this one among them
        host = "127.0.0.1"
    if ":" in host:
        host = f"[{host}]"
    base_path = st.get_option("server.baseUrlPath").strip("/")
    address = f"http://{host}:{st.get_option('server.port')}"
    return f"{address}/{base_path}" if base_path else address


def is_shared() -> bool:
    """Return true if others than the users of this machine may reach the server."""
    return access().is_shared or bool(st.get_option("server.allowedHosts"))


@cache
def checks() -> list[Middleware]:
    """Return the checks that every request passes before Streamlit sees it, and every page on its way back. Ends the
    process if the server must not be started so."""
    try:
        settings = access()
        settings.check()
        same_origin = Middleware(
            SameOrigin,
            is_local=settings.is_local,
            other_hosts=st.get_option("server.allowedHosts"),
            other_origins=st.get_option("server.corsAllowedOrigins"),
            embeddable_by=settings.embeddable_by,
        )
        early_keys = Middleware(EarlyKeys)
        if not settings.password_file:
            return [same_origin, early_keys]
        password = read_password(settings.password_file)
    except AccessError as error:
        raise SystemExit(f"Error: {error}") from None
    login = Middleware(
        Login,
        password=password,
        port=st.get_option("server.port"),
        base_path=st.get_option("server.baseUrlPath"),
    )
    return [same_origin, login, early_keys]


def require_checks() -> None:
    """Raise :class:`memviz.core.errors.AccessError` on a server that was started without them."""
    # AppTest runs a page without a server: what it has for a runtime only says that it is one.
    serves = (
        st.runtime.exists() and type(st.runtime.get_instance()) is st.runtime.Runtime
    )
    if serves and not checks.cache_info().currsize:
        raise AccessError(
            "This server was started without its checks: start memviz ui, or streamlit run app.py."
        )
