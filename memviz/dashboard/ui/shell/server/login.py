"""The password of a server, or the code of a class, is asked for before anything of memviz is sent."""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64encode
from math import ceil
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import parse_qs

from markupsafe import escape
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import (
    HTMLResponse,
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
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.shell.linked import LANG
from memviz.models.access import (
    LONGEST_BYTES,
    LONGEST_WAIT_OF_ALL_SECONDS,
    Attempts,
    Password,
    Sessions,
)
from memviz.models.class_door import (
    DAY_SECONDS,
    DOOR,
    IDLE_DAYS,
    ClassDoor,
    VisitorCookies,
)
from memviz.models.newcomers import Newcomers

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
from memviz.dashboard.ui.shell.server.same_origin import refuse

HEALTH = "_stcore/health"
"""Says nothing but that the server runs; whatever watches over servers asks for it."""
_PAGE = Template(Path(__file__).with_name("login.html").read_text(encoding="utf-8"))
_SCRIPT = own_text(__package__, "login.js")
_SCRIPT_DIGEST = b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    f"script-src 'sha256-{_SCRIPT_DIGEST}'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser would not name its origin when it sends the form
}
FREE_IN_CLASS = 300
"""So many attempts may be under way, or wrong one after the other, without a wait. One counts as wrong until it is
looked at."""
_LONGEST_FORM_BYTES = 4 * LONGEST_BYTES


def root_path(base_path: str) -> str:
    """Return the path of a server below ``base_path``: "/" or "/memviz/"."""
    return f"/{base_path.strip('/')}/".replace("//", "/")


class Entered(NamedTuple):
    """The fields of the page at the door."""

    code: str = ""
    """The password of a server, or a code of a class."""
    name: str = ""
    signs_out: bool = False
    """The button *Sign out* was clicked."""


class Door(Protocol):
    """Something to enter that lets a browser in, and the cookie that it brings along from then on."""

    asks: str
    """The sentence above the field, in English."""
    label: str
    """The name of the field, in English."""
    wrong: str
    """The answer to what does not let in, in English."""
    field: str
    """The attributes of the field in HTML."""
    asks_name: bool
    """Visitors may say their name as well."""
    cookie_name: str
    """A name of its own: a browser has the cookies of all servers of a machine in one place."""
    lasts_seconds: int | None
    """How long a browser keeps the cookie; ``None``: until it is closed."""
    attempts: Attempts
    """The wrong attempts so far, and how long they make somebody wait."""

    def is_open_to(self, cookie: str) -> bool:
        """Return whether a browser with this cookie is in."""

    def let_in(self, entered: Entered, cookie: str, address: str) -> str | None:
        """Return the new cookie of a browser at ``address`` in which somebody entered this, and which has ``cookie`` so
        far; ``None`` for what does not let in. Raises :class:`memviz.core.errors.AccessError` for who has to wait."""

    def name_of(self, cookie: str) -> str:
        """Return the name that was entered in the browser with this cookie."""


class PasswordDoor:
    """The password of a server; whoever gave it is in until the browser is closed."""

    asks = noop("This server asks for a password. Whoever runs it can tell you.")
    label = noop("Password")
    wrong = noop("This is not the password.")
    field = 'type="password" autocomplete="current-password"'
    asks_name = False
    lasts_seconds: int | None = None

    def __init__(self, password: Password, port: int) -> None:
        self._password = password
        self.cookie_name = f"memviz_{port}"
        self._sessions = Sessions()
        self.attempts = Attempts()

    def is_open_to(self, cookie: str) -> bool:
        """Return whether the password was given in this browser."""
        return cookie in self._sessions

    def let_in(self, entered: Entered, cookie: str, address: str) -> str | None:
        """Return a word that nobody can guess for whoever entered the password. Takes some 50 milliseconds."""
        if not self._password.matches(entered.code):
            return None
        return self._sessions.open()

    def name_of(self, cookie: str) -> str:
        """Return no name: a password is nobody's own."""
        return ""


class ClassCodeDoor:
    """The codes of a class; each browser that gave one is a visitor of its own, with the teacher's code a teacher."""

    asks = noop(
        "This is a class. Its code stands on the projector, or your teacher can tell you. What you save is there for "
        "this browser alone: on a computer that others use, delete it at the end, in the library."
    )
    label = noop("Code of the class")
    wrong = noop("This is not the code of the class.")
    field = 'type="text" autocomplete="off" autocapitalize="none" spellcheck="false"'
    asks_name = True
    lasts_seconds: int | None = IDLE_DAYS * DAY_SECONDS

    def __init__(self, door: ClassDoor, cookies: VisitorCookies) -> None:
        self._door = door
        self._cookies = cookies
        self.cookie_name = cookies.name
        self._newcomers = Newcomers()
        # A school has one address, a class comes in at once, and the code is no secret in the room.
        self.attempts = Attempts(
            free_of_one=FREE_IN_CLASS,
            free_of_all=FREE_IN_CLASS,
            longest_wait_seconds=LONGEST_WAIT_OF_ALL_SECONDS,
        )

    def is_open_to(self, cookie: str) -> bool:
        """Return whether the cookie is that of a visitor of this class."""
        return self._cookies.visitor_of(cookie) is not None

    def let_in(self, entered: Entered, cookie: str, address: str) -> str | None:
        """Return the cookie of whoever entered a code. A browser that is in already stays the same visitor, under the
        name and with the rights that are entered now. Raises :class:`memviz.core.errors.AccessError` where too many new
        visitors came from one network."""
        if not self._door.admits(entered.code):
            return None
        visitor = self._cookies.visitor_of(cookie)
        is_teacher = self._door.admits_as_teacher(entered.code)
        if visitor is None and not is_teacher:
            self._admit_newcomer(address)
        return self._cookies.issue(
            entered.name,
            is_teacher=is_teacher,
            visitor_id=visitor.id if visitor else "",
        )

    def _admit_newcomer(self, address: str) -> None:
        if wait_seconds := self._newcomers.admit(address):
            raise AccessError(
                _(
                    "Very many new visitors came from your network. Try again in {wait}.",
                    wait=counted(ceil(wait_seconds), "second"),
                )
            )

    def name_of(self, cookie: str) -> str:
        """Return the name of the visitor with this cookie, empty where there is none."""
        visitor = self._cookies.visitor_of(cookie)
        return visitor.name if visitor else ""


class Login:
    """ASGI middleware that lets in only browsers to which ``door`` is open, and asks all others for what opens it.

    The answer is sent to the address that was asked for, so that a link leads to its page afterwards.
    """

    def __init__(self, app: ASGIApp, *, door: Door, base_path: str = "") -> None:
        self._app = app
        self._door = door
        self._root = root_path(base_path)
        self._cookie = door.cookie_name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the requests of those who are in; show all others the page with the field."""
        is_at_door = scope.get("path") == self._root + DOOR
        if scope["type"] not in ("http", "websocket") or (
            self._is_open(scope) and not is_at_door
        ):
            await self._app(scope, receive, self._renewing(scope, send))
        elif scope["type"] == "websocket":
            await refuse(scope, receive, send, "The door has to be opened first.")
        else:
            with use_language(_language_of(scope)):
                response = await self._answer(scope, receive)
            await response(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        is_health = scope["path"] == self._root + HEALTH
        return is_health or self._door.is_open_to(self._cookie_of(scope))

    def _cookie_of(self, scope: Scope) -> str:
        return HTTPConnection(scope).cookies.get(self._cookie, "")

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        cookie = self._cookie_of(scope)
        if scope["method"] != "POST":
            return _page(self._door, "", 401, cookie)
        entered = await _entered(scope, receive)
        if entered.signs_out:
            response = _redirect(self._root)
            response.delete_cookie(self._cookie)
            return response
        address = (scope.get("client") or ("",))[0]
        if wait_seconds := self._door.attempts.begin(address):
            seconds = ceil(wait_seconds)
            answer = _(
                "There were too many wrong attempts. Try again in {wait}.",
                wait=counted(seconds, "second"),
            )
            page = _page(self._door, answer, 429, cookie)
            page.headers["Retry-After"] = str(seconds)
            return page
        try:
            new_cookie = await asyncio.to_thread(
                self._door.let_in, entered, cookie, address
            )
        except AccessError as error:
            self._door.attempts.succeeded(address)
            return _page(self._door, str(error), 429, cookie)
        if new_cookie is None:
            return _page(self._door, _(self._door.wrong), 401, cookie)
        self._door.attempts.succeeded(address)
        return self._let_in(scope, new_cookie)

    def _let_in(self, scope: Scope, cookie: str) -> Response:
        path = scope["raw_path"].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        # One slash at the start: with two of them the rest would be another machine's name.
        place = "/" + path.lstrip("/\\")
        if place == self._root + DOOR:
            place = self._root
        if query:
            place += f"?{query}"
        response = _redirect(place)
        self._set_cookie(response, scope, cookie)
        return response

    def _set_cookie(self, response: Response, scope: Scope, cookie: str) -> None:
        response.set_cookie(
            self._cookie,
            cookie,
            max_age=self._door.lasts_seconds,
            httponly=True,
            samesite="lax",
            secure=scope["scheme"] == "https",
        )

    def _renewing(self, scope: Scope, send: Send) -> Send:
        """Return what sends an answer of the program. To a page that is opened it adds the cookie that the browser
        has: that lasts so long from the last visit on, as what the visitor saved does."""
        if scope["type"] != "http" or self._door.lasts_seconds is None:
            return send
        cookie = HTTPConnection(scope).cookies.get(self._cookie, "")
        accepted = Headers(scope=scope).get("accept", "")
        if "text/html" not in accepted or not self._door.is_open_to(cookie):
            return send
        renewed = Response()
        self._set_cookie(renewed, scope, cookie)

        async def send_renewed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", renewed.headers["set-cookie"])
                    # Nobody on the way may keep it, and give it to somebody else.
                    headers["cache-control"] = "no-store"
            await send(message)

        return send_renewed


def _redirect(place: str) -> Response:
    return RedirectResponse(
        place, status_code=303, headers={"Cache-Control": "no-store"}
    )


async def _entered(scope: Scope, receive: Receive) -> Entered:
    """Return the fields of a form; empty if what was sent is no such form."""
    kind = Headers(scope=scope).get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        return Entered()
    body = b""
    has_more = True
    while has_more:
        message = await receive()
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
        if len(body) > _LONGEST_FORM_BYTES:
            return Entered()
    form = parse_qs(body.decode("latin-1"), encoding="utf-8", errors="replace")
    code, name = (form.get(field, [""])[0] for field in ("password", "name"))
    return Entered(code, name, signs_out="sign-out" in form)


def _language_of(scope: Scope) -> str:
    """Return the language that the address names, else the first of the browser's that there is."""
    codes = parse_qs(scope["query_string"].decode("latin-1")).get(LANG, [])
    accepted = Headers(scope=scope).get("accept-language", "")
    codes += [named.partition(";")[0] for named in accepted.split(",")]
    languages = filter(None, map(known_language, codes))
    return next(languages, ENGLISH)


def _page(door: Door, message: str, status: int, cookie: str) -> HTMLResponse:
    """Return the page of the door for a browser with this cookie."""
    is_in = door.is_open_to(cookie)
    error = ""
    if message:
        error = element("p", message, class_="error", role="alert", id="error")
    return HTMLResponse(
        _PAGE.substitute(
            message=error,
            language=language_now(),
            title=_("memviz: {door}", door=_(door.label)),
            asks=_(door.asks),
            label=_(door.label),
            field=door.field,
            name_label=_("Your name (or none)"),
            name_hidden="" if door.asks_name else "hidden",
            name=escape(door.name_of(cookie)),
            sign_out=_("Sign out"),
            sign_out_hidden="" if is_in else "hidden",
            script=_SCRIPT,
            open=_("Open memviz"),
        ),
        status_code=200 if is_in and not message else status,
        headers=_PAGE_HEADERS,
    )
