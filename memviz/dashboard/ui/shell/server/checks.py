"""The checks of this server, as its settings ask for: ``SameOrigin``, ``Login`` and ``EarlyKeys``."""

from functools import cache

import streamlit as st
from starlette.middleware import Middleware

from memviz.core.errors import AccessError
from memviz.dashboard.ui.shell.server.early_keys import EarlyKeys
from memviz.dashboard.ui.shell.server.login import Login
from memviz.dashboard.ui.shell.server.same_origin import SameOrigin
from memviz.models.access import ServerAccess, read_password, server_access


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
