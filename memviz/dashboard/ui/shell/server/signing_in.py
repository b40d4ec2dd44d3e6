"""Signing in with a provider of identities (OpenID Connect), which Streamlit does: the page that asks for it, what has
to be there for it, and what it has to be done for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import streamlit as st
from starlette.requests import HTTPConnection
from streamlit.auth_util import is_authlib_installed, validate_auth_credentials
from streamlit.errors import StreamlitAuthError
from streamlit.web.server.server_util import AUTH_COOKIE_NAME, get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value

from memviz.core.errors import AccessError
from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.server.same_origin import refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

FOR_VISITORS = ("media/", "_stcore/upload_file/", "_stcore/metrics")
"""The beginnings of paths at which Streamlit gives files, takes files and tells figures, whoever asks: it has a session
for everybody who opens a page, also before they sign in."""
REFUSED = "Sign in first."
ASKS = noop("Sign in, and you have a library of your own here that nobody else sees.")


def check_sign_in() -> None:
    """Raise :class:`memviz.core.errors.AccessError` where nobody could sign in."""
    if not is_authlib_installed():
        raise AccessError(
            "--login needs Authlib: pip install 'memviz[login]', and start memviz again."
        )
    try:
        validate_auth_credentials("default")
    except StreamlitAuthError as error:
        reason = " ".join(str(error).split())
        raise AccessError(
            "--login needs your provider in the section [auth] of .streamlit/secrets.toml, in the folder that memviz "
            f"is started from: {reason}"
        ) from None


class SignInDoor:
    """ASGI middleware that answers requests for files and figures only where somebody has signed in, others with status
    403. Pages pass: they ask to sign in. ``root`` is the path of the server, such as "/"."""

    def __init__(self, app: ASGIApp, *, root: str) -> None:
        self._app = app
        self._for_visitors = tuple(root + path for path in FOR_VISITORS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        is_request = scope["type"] == "http"
        is_for_visitors = is_request and scope["path"].startswith(self._for_visitors)
        if is_for_visitors and not _has_signed_in(scope):
            await refuse(scope, receive, send, REFUSED)
        else:
            await self._app(scope, receive, send)


def _has_signed_in(scope: Scope) -> bool:
    """Return whether a request brings the cookie that Streamlit has signed for somebody who signed in."""
    cookie = HTTPConnection(scope).cookies.get(AUTH_COOKIE_NAME, "")
    secret = get_cookie_secret()
    content = decode_signed_value(secret, AUTH_COOKIE_NAME, cookie.encode("latin-1"))
    return content is not None


def ask_to_sign_in() -> NoReturn:
    """Show nothing of the page but the button that leads to the provider."""
    st.title("memviz", anchor=False)
    st.text(_(ASKS))
    if st.button(_("Sign in"), type="primary", icon=":material/login:"):
        st.login()
    st.stop()
