"""The checks of this server, as its settings ask for: ``SameOrigin``, ``Login`` and ``EarlyKeys``."""

from functools import cache

import streamlit as st
from starlette.middleware import Middleware

from memviz.core.errors import AccessError
from memviz.core.translation import _
from memviz.dashboard.ui.shell.server.early_keys import EarlyKeys
from memviz.dashboard.ui.shell.server.login import (
    ClassCodeDoor,
    Door,
    Login,
    PasswordDoor,
    cookie_name,
)
from memviz.dashboard.ui.shell.server.same_origin import SameOrigin
from memviz.dashboard.ui.shell.state import of_session
from memviz.models.access import ServerAccess, read_password, server_access
from memviz.models.class_door import ClassDoor, Visitor, VisitorCookies, class_door


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
    """Return true if several visitors may use this library: others than the users of this machine reach the server, and
    have none of their own."""
    if served_class() is not None:
        return False
    return access().is_shared or bool(st.get_option("server.allowedHosts"))


@cache
def served_class() -> ClassDoor | None:
    """Return the class that this server serves, each visitor with a library of their own; ``None`` where all have
    one."""
    return class_door()


@cache
def visitor_cookies() -> VisitorCookies:
    """Return the cookies of the class."""
    door = served_class()
    assert door is not None  # noqa: S101 - asked where a class is served
    return VisitorCookies.of(door)


def visitor_now() -> Visitor:
    """Return the visitor whose page runs. Raises :class:`memviz.core.errors.AccessError` for one whose cookie is gone
    or that of another class."""
    name = cookie_name(st.get_option("server.port"))
    visitor = visitor_cookies().visitor_of(st.context.cookies.get(name, ""))
    # A session that was begun as another visitor holds what is theirs.
    if visitor is None or of_session("visitor", lambda: visitor.id) != visitor.id:
        raise AccessError(_("You are not in the class any more: load this page again."))
    return visitor


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
        door: Door
        if (served := served_class()) is not None:
            served.check()
            door = ClassCodeDoor(served, visitor_cookies())
        elif settings.password_file:
            door = PasswordDoor(read_password(settings.password_file))
        else:
            return [same_origin, early_keys]
    except AccessError as error:
        raise SystemExit(f"Error: {error}") from None
    login = Middleware(
        Login,
        door=door,
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
