"""A server that asks visitors to sign in says before it starts what is missing for that."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.secrets import secrets_singleton

from memviz.core.errors import AccessError
from memviz.dashboard.ui.shell.server.signing_in import check_sign_in

PROVIDER = """[auth]
redirect_uri = "http://127.0.0.1:8501/oauth2callback"
cookie_secret = "a long secret of the cookies"
client_id = "memviz"
client_secret = "secret"
server_metadata_url = "https://id.example.com/.well-known/openid-configuration"
"""


@pytest.fixture
def secrets(tmp_path: Path) -> Iterator[Path]:
    """The file in which Streamlit looks for the provider."""
    file = tmp_path / "secrets.toml"
    before = st.get_option("secrets.files")
    st.config.set_option("secrets.files", [str(file)])
    secrets_singleton._reset()
    yield file
    st.config.set_option("secrets.files", before)
    secrets_singleton._reset()


def test_a_provider_is_all_that_is_needed(secrets: Path) -> None:
    secrets.write_text(PROVIDER)
    check_sign_in()


def test_what_is_missing_of_a_provider_is_told(secrets: Path) -> None:
    with pytest.raises(AccessError, match=r"\[auth\] of \.streamlit/secrets\.toml"):
        check_sign_in()
    secrets.write_text(PROVIDER.replace("client_secret", "other"))
    secrets_singleton._reset()
    with pytest.raises(AccessError, match="client_secret"):
        check_sign_in()


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "authlib", None)
    with pytest.raises(AccessError, match=r"pip install 'memviz\[login\]'"):
        check_sign_in()
