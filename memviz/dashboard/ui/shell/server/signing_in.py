"""Signing in with a provider of identities (OpenID Connect), which Streamlit does: the page that asks for it, and what
has to be there for it."""

from typing import NoReturn

import streamlit as st
from streamlit.auth_util import is_authlib_installed, validate_auth_credentials
from streamlit.errors import StreamlitAuthError

from memviz.core.errors import AccessError
from memviz.core.translation import _, noop

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


def ask_to_sign_in() -> NoReturn:
    """Show nothing of the page but the button that leads to the provider."""
    st.title("memviz", anchor=False)
    st.text(_(ASKS))
    if st.button(_("Sign in"), type="primary", icon=":material/login:"):
        st.login()
    st.stop()
