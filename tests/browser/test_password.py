"""A server with a password: asked for once, and the page that was asked for comes up behind it."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.browser.dashboard import ROOT, TALK, Dashboard

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

PASSWORD = "correct horse battery"
RETENTION = "/facts?conversation=sample-trip"


@pytest.fixture
def guarded(
    chromium_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Dashboard]:
    file = tmp_path / "password"
    file.write_text(PASSWORD)
    monkeypatch.setenv("MEMVIZ_PASSWORD_FILE", str(file))
    server = Dashboard(tmp_path)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def foreign() -> Iterator[str]:
    """A page on another port of this machine."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Keep the terminal clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    ).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def shows_retention(page: Page) -> None:
    page.get_by_role(
        "heading", name="Which facts could the model still know?"
    ).wait_for()


@pytest.mark.slow
@pytest.mark.provokes_console_errors
def test_the_password_is_asked_for_once_a_browser_session(
    guarded: Dashboard, foreign: str, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    page.goto(guarded.url + RETENTION)
    page.get_by_label("Password").fill("guess")
    page.get_by_role("button", name="Open memviz").click()
    assert page.get_by_role("alert").inner_text() == "This is not the password."
    assert page.evaluate(TALK, guarded.port) == "refused"
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    shows_retention(page)
    assert RETENTION in page.url
    other_tab = page.context.new_page()
    other_tab.goto(guarded.url + RETENTION)
    shows_retention(other_tab)
    assert other_tab.evaluate(TALK, guarded.port) == "open"
    other_tab.goto(
        foreign
    )  # its requests bring the cookie along, for cookies know no ports
    assert other_tab.evaluate(TALK, guarded.port) == "refused"


@pytest.mark.slow
@pytest.mark.provokes_console_errors
def test_a_server_that_was_started_around_its_checks_shows_no_page(
    chromium_path: str, tmp_path: Path, page: Page
) -> None:
    server = Dashboard(tmp_path, ROOT / "navigation.py")
    server.start()
    try:
        page.goto(server.url + "/chat")
        page.get_by_text("This server was started without its checks").wait_for()
        assert page.get_by_role("textbox").count() == 0
    finally:
        server.stop()
