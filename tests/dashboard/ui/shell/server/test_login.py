"""Nothing is sent before the password, once a browser session is enough, and guessing is slow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from memviz.dashboard.ui.shell.server.login import Login, PasswordDoor
from memviz.models.access import FREE_OF_ONE, Password

PASSWORD = "correct horse"
CONFIG = Path(__file__).parents[5] / ".streamlit" / "config.toml"
PAGE = (
    Path(__file__).parents[5]
    / "memviz"
    / "dashboard"
    / "ui"
    / "shell"
    / "server"
    / "login.html"
)


async def page(_: Any) -> PlainTextResponse:
    return PlainTextResponse("a page")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    login = Middleware(Login, door=PasswordDoor(Password(PASSWORD), 8501))
    routes = [
        Route("/{path:path}", page, methods=["GET", "POST", "PUT"]),
        WebSocketRoute("/_stcore/stream", talk),
    ]
    return TestClient(
        Starlette(routes=routes, middleware=[login]), base_url="http://127.0.0.1:8501"
    )


def enter(client: TestClient, password: str, path: str = "/") -> Any:
    return client.post(path, data={"password": password}, follow_redirects=False)


def test_nothing_is_sent_before_the_password(client: TestClient) -> None:
    for path in (
        "/",
        "/chat?chat=1",
        "/media/file.txt",
        "/static/index.js",
        "/_stcore/host-config",
        "/x/_stcore/health",
    ):
        shown = client.get(path)
        assert shown.status_code == 401
        assert 'type="password"' in shown.text
        assert "a page" not in shown.text
    assert client.put("/_stcore/upload_file/a/b", content=b"x").status_code == 401
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://127.0.0.1:8501/_stcore/stream"),
    ):
        pass


def test_whether_the_server_runs_may_be_asked_by_all(client: TestClient) -> None:
    assert client.get("/_stcore/health").text == "a page"


def test_the_password_is_asked_for_once_and_leads_to_the_page_that_was_asked_for(
    client: TestClient,
) -> None:
    answer = enter(client, PASSWORD, "/retention?conversation=caf%C3%A9&turn=3")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/retention?conversation=caf%C3%A9&turn=3"
    assert client.get("/retention").text == "a page"
    with client.websocket_connect("ws://127.0.0.1:8501/_stcore/stream"):
        pass


def test_the_cookie_is_out_of_reach_for_scripts_and_ends_with_the_browser(
    client: TestClient,
) -> None:
    cookie = enter(client, PASSWORD).headers["set-cookie"]
    assert cookie.startswith("memviz_8501=")
    assert PASSWORD not in cookie
    assert {"httponly", "samesite=lax", "path=/"} <= {
        part.strip().lower() for part in cookie.split(";")
    }
    assert "max-age" not in cookie.lower()
    assert "expires" not in cookie.lower()


@pytest.mark.parametrize("path", ["//example.com/", "/\\example.com", "///example.com"])
def test_no_link_leads_elsewhere_after_the_password(
    client: TestClient, path: str
) -> None:
    answer = client.build_request("POST", "/", data={"password": PASSWORD})
    answer.url = answer.url.copy_with(raw_path=path.encode())
    place = client.send(answer, follow_redirects=False).headers["location"]
    assert re.match(r"/[^/\\]", place)


@pytest.mark.parametrize(
    "entered", ["", "wrong", PASSWORD + " ", PASSWORD.upper(), "x" * 100_000]
)
def test_a_wrong_password_is_told_and_lets_nobody_in(
    client: TestClient, entered: str
) -> None:
    answer = enter(client, entered)
    assert answer.status_code == 401
    assert "This is not the password." in answer.text
    assert "set-cookie" not in answer.headers
    assert client.get("/").status_code == 401


@pytest.mark.parametrize(
    ("path", "accepted", "language", "told"),
    [
        ("/", "fr, zh-CN;q=0.9, en;q=0.8", "zh", "密码不对。"),
        ("/?lang=zh", "en", "zh", "密码不对。"),
        ("/", "fr", "en", "This is not the password."),
    ],
)
def test_the_password_is_asked_for_in_the_language_of_the_browser(
    client: TestClient, path: str, accepted: str, language: str, told: str
) -> None:
    client.headers["Accept-Language"] = accepted
    page = enter(client, "wrong", path).text
    assert f'<html lang="{language}">' in page
    assert told in page


def test_a_cookie_that_was_not_given_out_is_worth_nothing(client: TestClient) -> None:
    for word in ("", "x", "a" * 43):
        assert (
            client.get("/", headers={"Cookie": f"memviz_8501={word}"}).status_code
            == 401
        )


@pytest.mark.parametrize(
    "kind", ["application/json", "multipart/form-data; boundary=x", ""]
)
def test_what_is_no_form_is_no_password(client: TestClient, kind: str) -> None:
    content = f"password={PASSWORD}".encode()
    assert (
        client.post("/", content=content, headers={"Content-Type": kind}).status_code
        == 401
    )


def test_guessing_is_slowed_and_even_the_right_password_has_to_wait(
    client: TestClient,
) -> None:
    inside = TestClient(client.app, base_url="http://127.0.0.1:8501")
    enter(inside, PASSWORD)
    for _ in range(FREE_OF_ONE):
        assert enter(client, "guess").status_code == 401
    answer = enter(client, PASSWORD)
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "1"
    assert "Try again in 1 second." in answer.text
    assert inside.get("/").text == "a page"  # whoever is in is not held up


def test_the_page_is_kept_by_nobody_and_loads_nothing(client: TestClient) -> None:
    shown = client.get("/")
    assert shown.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert not re.search(r"src=|href=|url\(|@import", shown.text)


def test_its_colours_are_those_of_the_pages() -> None:
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
    light, dark = PAGE.read_text(encoding="utf-8").split("prefers-color-scheme: dark")
    for part, named in ((light, theme["light"]), (dark, theme["dark"])):
        for name in (
            "primaryColor",
            "backgroundColor",
            "secondaryBackgroundColor",
            "textColor",
            "grayColor",
            "redColor",
        ):
            assert named[name] in part
