"""The checks of this server, as its settings ask for: ``SameOrigin``, ``Login`` and ``EarlyKeys``."""

import os
from functools import cache
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware

from memviz.core.errors import AccessError, MemvizError
from memviz.core.translation import _
from memviz.dashboard.ui.shell.server.early_keys import EarlyKeys
from memviz.dashboard.ui.shell.server.login import (
    HEALTH,
    ClassCodeDoor,
    Door,
    Login,
    PasswordDoor,
    root_path,
)
from memviz.dashboard.ui.shell.server.proxy_door import ProxyDoor
from memviz.dashboard.ui.shell.server.same_origin import SameOrigin
from memviz.dashboard.ui.shell.server.signing_in import SignInDoor, check_sign_in
from memviz.dashboard.ui.shell.server.visitors import (
    ClassVisitors,
    ProxiedVisitors,
    SignedInVisitors,
    Visitors,
)
from memviz.dashboard.ui.shell.state import of_session
from memviz.models.access import (
    ServerAccess,
    is_loopback,
    read_password,
    read_server_access,
)
from memviz.models.class_door import (
    ClassDoor,
    Visitor,
    VisitorCookies,
    libraries_folder,
    read_class_door,
)
from memviz.models.identities import read_trusted_proxies
from memviz.storage.library_places import LibraryPlaces
from memviz.storage.own_libraries import library_places
from memviz.storage.workspace import DATABASE_VARIABLE


def access() -> ServerAccess:
    """The switches of this server, with the address that it listens on."""
    return read_server_access(st.get_option("server.address"))


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
    if has_own_libraries():
        return False
    return access().is_shared or bool(st.get_option("server.allowedHosts"))


@cache
def served_class() -> ClassDoor | None:
    """Return the class that this server serves; ``None`` where it serves none."""
    return read_class_door()


def class_address() -> str:
    """Return the address at which the class finds this server: that of the browser whose page runs, unless only the
    server's own machine has it. To be called where a page runs."""
    door = served_class()
    here = urlsplit(st.context.url or "")
    if door is not None and door.address and is_loopback(here.hostname or "localhost"):
        return door.address
    base_path = st.get_option("server.baseUrlPath").strip("/")
    return f"{here.scheme}://{here.netloc}/{base_path}".rstrip("/")


@cache
def visitor_cookies() -> VisitorCookies:
    """Return the cookies of the class."""
    door = served_class()
    assert door is not None  # noqa: S101 - asked where a class is served
    return VisitorCookies.of(door, own_places().key())


def has_own_libraries() -> bool:
    """Return whether each visitor of this server has a library of their own, in ``own_places()``."""
    if served_class() is not None or "--login" in access().personal_doors:
        return True
    return read_trusted_proxies() is not None


@cache
def own_places() -> LibraryPlaces:
    """Return the places of the libraries that visitors of this server have, where each has one: on the server of
    ``MEMVIZ_DB``, or else in a folder."""
    return library_places(os.environ.get(DATABASE_VARIABLE, ""), libraries_folder())


@cache
def visitors() -> Visitors | None:
    """Return the way in which this server knows its visitors; ``None`` where all have one library."""
    if served_class() is not None:
        return ClassVisitors(visitor_cookies())
    if "--login" in access().personal_doors:
        return SignedInVisitors(own_places().key())
    proxies = read_trusted_proxies()
    if proxies is not None:
        return ProxiedVisitors(own_places().key(), proxies)
    return None


def asks_to_sign_in() -> bool:
    """Return whether a provider of identities says who somebody is."""
    return isinstance(visitors(), SignedInVisitors)


def is_signed_in() -> bool:
    """Return whether the visitor whose page runs is known."""
    known = visitors()
    return known is not None and known.now() is not None


def visitor_now() -> Visitor:
    """Return the visitor whose page runs. Raises :class:`memviz.core.errors.AccessError` for one who is not known any
    more, such as with the cookie of another class."""
    known = visitors()
    visitor = known.now() if known else None
    # A session that was begun as another visitor holds what is theirs.
    if visitor is None or of_session("visitor", lambda: visitor.id) != visitor.id:
        raise AccessError(
            _("This server does not know you any more: load this page again.")
        )
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
        return [same_origin, *_door(settings), Middleware(EarlyKeys)]
    except MemvizError as error:
        raise SystemExit(f"Error: {error}") from None


def _door(settings: ServerAccess) -> list[Middleware]:
    """Return the check of who comes in; none where nobody is asked."""
    base_path = st.get_option("server.baseUrlPath")
    door: Door
    if (proxies := read_trusted_proxies()) is not None:
        proxies.check()
        visitors()  # reads the key of their libraries while somebody is there to read what hinders it
        return [
            Middleware(ProxyDoor, proxies=proxies, health=root_path(base_path) + HEALTH)
        ]
    if (served := served_class()) is not None:
        served.check()
        door = ClassCodeDoor(served, visitor_cookies())
    elif settings.password_file:
        door = PasswordDoor(
            read_password(settings.password_file), st.get_option("server.port")
        )
    else:
        if not asks_to_sign_in():
            return []
        check_sign_in()
        return [Middleware(SignInDoor, root=root_path(base_path))]
    return [Middleware(Login, door=door, base_path=base_path)]


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
