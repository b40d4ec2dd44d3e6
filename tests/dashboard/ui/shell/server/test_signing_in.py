"""A server that asks visitors to sign in says before it starts what is missing for that."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from memviz.core.errors import AccessError
from memviz.dashboard.ui.shell.server.signing_in import SignInDoor, check_sign_in

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


COOKIE = "_streamlit_user"
SECRET = "a long secret of the cookies"


def signed(secret: str, name: str = COOKIE) -> str:
    """Streamlit's cookie for somebody who has signed in, signed with a secret."""
    return create_signed_value(secret, name, '{"sub": "ana"}').decode()


def client(root: str, cookie: str) -> TestClient:
    async def answer(_request: Any) -> PlainTextResponse:
        return PlainTextResponse("an answer")

    route = Route("/{path:path}", answer, methods=["GET", "PUT"])
    door = Middleware(SignInDoor, root=root)
    cookies = {COOKIE: cookie} if cookie else {}
    return TestClient(Starlette(routes=[route], middleware=[door]), cookies=cookies)


@pytest.mark.parametrize("root", ["/", "/memviz/"])
@pytest.mark.parametrize(
    ("cookie", "status"),
    [
        ("", 403),
        ("made up", 403),
        (signed("another secret"), 403),
        (signed(SECRET, "_streamlit_xsrf"), 403),
        (signed(SECRET), 200),
    ],
    ids=["none", "made up", "another secret", "another cookie", "signed in"],
)
def test_nobody_gets_or_leaves_a_file_before_signing_in(
    secrets: Path, root: str, cookie: str, status: int
) -> None:
    secrets.write_text(PROVIDER)
    asking = client(root, cookie)
    for path in ("media/3f9a.json", "_stcore/metrics"):
        assert asking.get(root + path).status_code == status
    upload = asking.put(f"{root}_stcore/upload_file/session/1", content=b"x")
    assert upload.status_code == status
    for path in ("", "library", "oauth2callback", "_stcore/health"):
        assert asking.get(root + path).status_code == 200
